"""The vocabulary of sentences by lemma, and the frames that it fills, by which new pairs are compared with others."""

from collections import Counter
from collections.abc import Iterable

from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.text import words

Lemmas = frozenset[str]

# The closed classes of Universal Dependencies: such words recur in any text.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"})
_SHORT = 2
_LEAST_TEXTS = 4


class Vocabulary:
    """Tells content words from function words, and gives the lemmas of both.

    Function words are those in the language file (if it lists none, those in a fifth of `texts`, each the examples of
    one rule), those of the lexicon's closed classes, words of one or two letters, and everything with a digit.
    """

    def __init__(self, language: Language, lemmas: Analyser, texts: Iterable[str] = ()) -> None:
        self._analyser = lemmas
        equivalents = " ".join(word for group in language.equivalents for word in group)
        listed = [*language.adpositions, *language.function_words, *language.common_words, *language.negations]
        listed += [*language.subordinators, *words(equivalents)]
        self._function = frozenset(word.casefold() for word in listed)
        if not listed:
            self._function = self._frequent(list(texts))

    def _frequent(self, texts: list[str]) -> frozenset[str]:
        counts = Counter(lemma for text in texts for lemma in self.lemmas([text]))
        least = max(_LEAST_TEXTS, len(texts) / 5)
        return frozenset(lemma for lemma, count in counts.items() if count >= least)

    def content(self, sentence: str) -> dict[str, Lemmas]:
        """The content words of a sentence in their order, as written, with the lemmas that each may belong to."""
        return {word: self._analyser.lemmas(word) for word in words(sentence) if not self._is_function(word)}

    def lemmas(self, sentences: Iterable[str]) -> dict[str, str]:
        """The lemmas of the content words of sentences, each with the first word of this lemma."""
        first_words: dict[str, str] = {}
        for sentence in sentences:
            for word, lemmas in self.content(sentence).items():
                for lemma in sorted(lemmas):
                    first_words.setdefault(lemma, word)
        return first_words

    def frame(self, sentence: str) -> tuple[str, ...] | None:
        """The function words of a sentence with the parts of speech between them.

        None if neither is known for any word, because then all sentences of one length would look alike.
        """
        slots = [self._slot(word) for word in words(sentence)]
        return (*slots, sentence.rstrip()[-1:]) if any(slots) else None

    def _slot(self, word: str) -> str:
        if self._is_function(word):
            return word.casefold()
        return "/".join(sorted({reading.upos for reading in self._analyser.analyse(word) if reading.upos}))

    def _is_function(self, word: str) -> bool:
        return (
            len(word) <= _SHORT
            or word.casefold() in self._function
            or any(char.isdigit() for char in word)
            or any(reading.upos in _CLOSED for reading in self._analyser.analyse(word))
            or not self._function.isdisjoint(self._analyser.lemmas(word))
        )
