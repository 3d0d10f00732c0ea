"""Sentences of treebanks with their dependency trees, as Universal Dependencies have them."""

from typing import Annotated

from pydantic import Field

from pairwright.core.records.base import Record


class Word(Record):
    """A syntactic word of a sentence.

    head        the `id` of the word that it depends on; 0 for the root
    feats       the feature bundle as CoNLL-U writes it, `_` where it is empty
    start, end  its character offsets in the sentence; the words of one multiword token share those of the token
    """

    id: Annotated[int, Field(ge=1)]
    form: str
    lemma: str
    upos: str
    feats: str
    head: Annotated[int, Field(ge=0)]
    deprel: str
    start: int
    end: int


class Tree(Record):
    """The words of a sentence in order. `sent_id` is the treebank's own name for it."""

    sent_id: str
    words: tuple[Word, ...]

    def below(self, word: Word) -> list[int]:
        """The ids of a word and of all words below it."""
        found = [word.id]
        # A damaged tree may have a circle.
        for head in found:
            found += [other.id for other in self.words if other.head == head and other.id not in found]
        return found
