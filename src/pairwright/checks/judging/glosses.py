"""What the judge is told of words in a language that it may not know, without telling which sentence is meant."""

from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.records import Candidate, Example, Rule
from pairwright.text import comparison_key, squeeze, words

_OUTER = '.,;:!?…„“”"‘’()[]'


def show_glossed(example: Example) -> str:
    """An example of the source with its lines by their names."""
    lines = {
        "good": example.good,
        "parts": example.segmentation,
        "gloss": example.gloss,
        "translation": example.translation,
        "bad": example.bad,
    }
    return "\n".join(f"{name}: {squeeze(text)}" for name, text in lines.items() if text)


def glossed_words(pair: Candidate, rule: Rule) -> list[str]:
    """The words of a pair as the source glosses them: `lauk-ia = wait-PRS`, each word once, in the order of letters.

    If some changed word has no gloss, none has: only the attested sentence is glossed whole, and this would show which
    one it is.
    """
    glosses: dict[str, str] = {}
    for example in rule.examples:
        glosses |= _by_word(example.good, example.segmentation, example.gloss)
    if has_own_gloss(pair):
        glosses |= _by_word(pair.good, pair.segmentation, pair.gloss)
    good, bad = ({word.casefold() for word in words(sentence)} for sentence in (pair.good, pair.bad))
    glossed = good | bad if good ^ bad <= glosses.keys() else good & bad
    return [glosses[word] for word in sorted(glossed) if word in glosses]


def has_own_gloss(pair: Candidate) -> bool:
    """Whether a pair's gloss is that of its good sentence, and not only of the attested one that it was made from."""
    attested = join_morphemes(pair.segmentation or "")
    return bool(pair.gloss) and comparison_key(attested) == comparison_key(join_morphemes(pair.good))


def _by_word(sentence: str, segmentation: str | None, gloss: str | None) -> dict[str, str]:
    """The words of a sentence, in small letters, with their parts and glosses; none if the lines don't match."""
    surface, parts, meanings = sentence.split(), (segmentation or "").split(), (gloss or "").split()
    if not len(surface) == len(parts) == len(meanings):
        return {}
    bare = [word.strip(_OUTER).casefold() for word in surface]
    shown = [f"{part.strip(_OUTER)} = {meaning}" for part, meaning in zip(parts, meanings, strict=True)]
    return dict(zip(bare, shown, strict=True))
