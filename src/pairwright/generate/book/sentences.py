"""The sentences that a source gives as right, with what it says of them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.languages.linguistics.marks import STARS, is_marked
from pairwright.languages.linguistics.morphemes import is_segmented, join_morphemes, plain_sentence
from pairwright.records import Block, Gloss
from pairwright.text import word_pattern, words

_MORPHEME = re.compile(r"[\s\-=~<>.:;/\\+]+")
# A grammatical label in a gloss line: `GEN`, `3SG`.
_LABEL = re.compile(r"\d?[A-Z]+[A-Z\d]*")
# A label that is no word of a translation, as `I` and `A` are.
_SURE_LABEL = re.compile(r"\d?[A-Z]{2,}[A-Z\d]*")
# Constituents in brackets, as in `[small dog]NP`; in lines of morphemes also without their name.
_NAMED_CONSTITUENT = re.compile(r"\[([^\[\]]+)\][A-Z]{1,4}\b")
_CONSTITUENT = re.compile(r"\[|\][A-Z]{0,4}")
# The name of a speaker before a turn of a conversation, as in `A: yes`.
_SPEAKER = re.compile(r"^[A-Z]{1,3}\d?:\s+")
# Signs of transcriptions, variants, optional words, derivations and stars, which stand in no written sentence.
_NOTATION = re.compile(rf"[/\[\](){{}}<>|{STARS}=+~∼→←↗↘∑∅]")


class Attested(NamedTuple):
    """A sentence that the source gives as right; `block_id` is the example's.

    variety  the language, dialect or speaker that the source prints with it
    title    its heading
    place    where it stands, such as `(12), p. 90`
    """

    block_id: str
    sentence: str
    segmentation: str | None = None
    gloss: str | None = None
    translation: str | None = None
    section: tuple[str, ...] = ()
    variety: str | None = None
    title: str | None = None
    place: str = ""

    @property
    def features(self) -> frozenset[str]:
        """The words, morphemes and grammatical labels by which sentences are compared."""
        labels = {piece for piece in _MORPHEME.split(self.gloss or "") if _LABEL.fullmatch(piece)}
        morphemes = {piece.casefold() for piece in _MORPHEME.split(self.segmentation or "") if piece}
        return frozenset(labels | morphemes | {word.casefold() for word in words(self.sentence)})

    @property
    def is_written(self) -> bool:
        """Whether it is written as a sentence is, and not as a transcription or with variants and optional words."""
        return not _NOTATION.search(self.sentence)

    def glossed_words(self, boundaries: str) -> list[tuple[str, str, str]]:
        """Each word as it is written, as it is cut, and its gloss; nothing where the lines do not match."""
        cut, glosses = (self.segmentation or self.sentence).split(), (self.gloss or "").partition("\n")[0].split()
        if len(cut) != len(glosses):
            return []
        # A segmentation may be a transcription of the sentence.
        written = {word.casefold() for word in words(self.sentence)}
        rows = [
            (" ".join(words(join_morphemes(word, boundaries))), word, gloss)
            for word, gloss in zip(cut, glosses, strict=True)
        ]
        return [row for row in rows if row[0].casefold() in written]


def lemma_of(gloss: str) -> str:
    """The lexical part of a word's gloss, `book` of `book-GEN`; its first label where there is none."""
    pieces = [piece for piece in _MORPHEME.split(gloss) if piece]
    lexical = [piece.casefold() for piece in pieces if not _LABEL.fullmatch(piece)]
    return ".".join(lexical) or "".join(pieces[:1])


def attested_sentences(block: Block, boundaries: str) -> Iterator[Attested]:
    """The sentences of an example block without a mark of ungrammaticality."""
    for path, leaf in block.gloss.leaves() if block.gloss else ():
        sentence = _SPEAKER.sub("", _NAMED_CONSTITUENT.sub(r"\1", plain_sentence(leaf, boundaries)))
        if is_marked(leaf) or not words(sentence):
            continue
        cut = _CONSTITUENT.sub("", " ".join(filter(None, leaf.segmentation)))
        gloss, translation = _said_of(leaf, sentence)
        shown = cut if cut != sentence or is_segmented(leaf, boundaries) else None
        number = f"({''.join(path)}), " if path else ""
        said = shown or None, gloss, translation, block.section
        yield Attested(block.id, sentence, *said, leaf.language, leaf.title, f"{number}p. {block.page}")


def _said_of(leaf: Gloss, sentence: str) -> tuple[str | None, str | None]:
    """The gloss and the translation. A list may print the gloss of a word in the place of its translation."""
    gloss = "\n".join(_CONSTITUENT.sub("", " ".join(line)) for line in leaf.glosses)
    translation = leaf.translation or ""
    labels = any(_SURE_LABEL.fullmatch(piece) for piece in _MORPHEME.split(translation))
    if not gloss and labels and len(translation.split()) == len(words(sentence)):
        return translation, None
    return gloss or None, leaf.translation


class Varieties:
    """Which sentences of a source are of another language or dialect than the one that it describes, by their labels.

    described  the names of what it describes: its title and the language. A label is one of it where all its words
               stand there, or where it abbreviates words of it, as `IA` does with `Iranian Armenian`.

    Where no label names what is described, labels may name speakers, and no sentence is of another variety.
    """

    def __init__(self, sentences: Iterable[Attested], described: str) -> None:
        self._names = [word.casefold() for word in re.findall(r"[^\W\d_]+", described)]
        labels = {one.variety for one in sentences if one.variety}
        others = sorted(label for label in labels if not self._names_described(label))
        self._others = word_pattern(*others) if len(others) < len(labels) else word_pattern()

    def is_other(self, one: Attested) -> bool:
        """Whether the sentence's label, or a heading of it that names such a label, is of another variety."""
        return any(map(self.names_other, (one.variety or "", one.title or "")))

    def names_other(self, heading: str) -> bool:
        """Whether a heading names another variety."""
        return bool(self._others.search(heading))

    def _names_described(self, label: str) -> bool:
        initials = "".join(name[0] for name in self._names)
        for part in label.split(";"):
            parts = [word.casefold() for word in words(part)]
            abbreviates = bool(parts) and len(parts[0]) > 1 and parts[0] in initials
            if not parts or not (abbreviates or set(parts) <= set(self._names)):
                return False
        return True
