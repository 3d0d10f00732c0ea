"""How many words a new sentence may have."""

from pairwright.core.config import GenerateSettings
from pairwright.sources.asked.targets import lengths


def test_lengths_follow_the_sentences_of_the_source_unless_they_are_set() -> None:
    sentences = ["a b"] * 2 + ["a b c d e f"] * 90 + ["a b c d e f g h"] * 7 + ["a " * 40]
    free = GenerateSettings()
    assert lengths(sentences, free) == (2, 8)
    assert lengths(["a b c d e f"] * 40, free) == (4, 6)
    assert lengths(["a b"], free) == (2, 15)
    assert lengths([], free) == (4, 15)
    assert lengths(sentences, GenerateSettings(min_words=5)) == (5, 8)
    assert lengths(sentences, GenerateSettings(max_words=20)) == (2, 20)
    assert lengths(sentences, GenerateSettings(min_words=12)) == (12, 12)
