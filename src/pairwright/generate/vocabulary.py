"""The vocabulary of sentences by lemma, and the frames that it fills: what makes new pairs new."""

from collections.abc import Iterable

from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.text import words

Lemmas = frozenset[str]

# The closed classes of Universal Dependencies: such words recur in any text.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"})
_SHORT = 2


class Vocabulary:
    """Tells content words from function words, and gives the lemmas of both.

    Function words are those that the language file lists, those that may belong to a closed class by the lexicon, words
    of one or two letters, and numbers.
    """

    def __init__(self, language: Language, lemmas: Analyser) -> None:
        self._analyser = lemmas
        equivalents = " ".join(word for group in language.equivalents for word in group)
        listed = (
            *language.adpositions,
            *language.function_words,
            *language.common_words,
            *language.negations,
            *language.subordinators,
            *words(equivalents),
        )
        self._function = frozenset(word.casefold() for word in listed)

    def content(self, sentence: str) -> dict[str, Lemmas]:
        """The content words of a sentence as they stand in it, in order, with the lemmas that each may belong to."""
        return {word: self._analyser.lemmas(word) for word in words(sentence) if not self._is_function(word)}

    def lemmas(self, sentences: Iterable[str]) -> dict[str, str]:
        """The lemmas of the content words of sentences, each with the first word that has it."""
        found: dict[str, str] = {}
        for sentence in sentences:
            for word, lemmas in self.content(sentence).items():
                for lemma in sorted(lemmas):
                    found.setdefault(lemma, word)
        return found

    def frame(self, sentence: str) -> tuple[str, ...] | None:
        """The function words of a sentence with the parts of speech between them.

        None where neither is known of any word: then all sentences of one length would look alike.
        """
        slots = [self._slot(word) for word in words(sentence)]
        return (*slots, sentence.rstrip()[-1:]) if any(slots) else None

    def _slot(self, word: str) -> str:
        if self._is_function(word):
            return word.casefold()
        return "/".join(sorted({reading.upos for reading in self._analyser.analyse(word) if reading.upos}))

    def _is_function(self, word: str) -> bool:
        if len(word) <= _SHORT or word.casefold() in self._function or not any(char.isalpha() for char in word):
            return True
        if any(reading.upos in _CLOSED for reading in self._analyser.analyse(word)):
            return True
        return not self._function.isdisjoint(self._analyser.lemmas(word))
