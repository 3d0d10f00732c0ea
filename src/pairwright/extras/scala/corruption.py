"""ScaLA's two corruptions: a word is deleted, or two neighbours change places; and which sentences they are for.

They follow EuroEval's `create_scala.py`. `published` does what that does, also where it is mistaken; `corrected`, the
default, is what it means to do. docs/extras.md lists the differences.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from random import Random
from typing import Literal, NamedTuple

from pairwright.core.records import Block
from pairwright.core.text import sentence_key
from pairwright.languages.letters import capitalised, uncapitalised

Kind = Literal["delete", "flip_neighbours"]
Behaviour = Literal["corrected", "published"]

_MARKS = ("PUNCT", "SYM")
_NOUNS = ("NOUN", "PROPN")
# Without one of these, a sentence is mostly still right.
_NEVER_DELETED = ("ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM", "PART")
_FEWEST = 6


class Token(NamedTuple):
    """A token as the text writes it: a word, or a multiword token with the part of speech of its first word.

    start, end  its character offsets in the sentence
    numbers     of its words in their tree
    """

    form: str
    lemma: str
    upos: str
    start: int
    end: int
    numbers: tuple[int, ...]


class Sentence(NamedTuple):
    """A sentence of a treebank with its tokens."""

    block: Block
    tokens: tuple[Token, ...]

    @property
    def upos(self) -> list[str]:
        return [token.upos for token in self.tokens]


def sentence_of(block: Block) -> Sentence:
    """A sentence with its tokens; without any where the block has no tree."""
    words = block.tree.words if block.tree else ()
    tokens = []
    for (start, end), group in groupby(words, key=lambda word: (word.start, word.end)):
        parts = list(group)
        form, numbers = block.text[start:end], tuple(word.id for word in parts)
        tokens.append(Token(form, parts[0].lemma, parts[0].upos, start, end, numbers))
    return Sentence(block, tuple(tokens))


def fit_sentences(blocks: Iterable[Block]) -> Iterator[tuple[Sentence, str]]:
    """The sentences in their order, each with the reason why it may not be corrupted; empty where it may."""
    texts: set[str] = set()
    for block in blocks:
        sentence = sentence_of(block)
        yield sentence, "it repeats an earlier sentence" if block.text in texts else _unfit(sentence)
        texts.add(block.text)


def _unfit(sentence: Sentence) -> str:
    text, upos = sentence.block.text, sentence.upos
    if len(upos) < _FEWEST:
        return "five tokens or fewer"
    if len(set(upos)) < _FEWEST:
        return "five different parts of speech or fewer"
    if text.count('"') % 2:
        return "an odd number of quotation marks"
    if upos[0] in _MARKS:
        return "it begins with PUNCT or SYM"
    return "more than one =" if text.count("=") > 1 else ""


class Corrupted(NamedTuple):
    """A corrupted sentence, how it was corrupted, and the numbers of the words in their tree."""

    text: str
    kind: Kind
    words: tuple[int, ...]


class Corrupter:
    """Corrupts sentences. The same sentence and seed give the same corruption, whatever other sentences there are.

    attested  the sentences of the treebank: no corrupted sentence is one of them
    letters   of the language, which tell whether its i has a capital with a dot
    """

    def __init__(
        self, attested: Collection[str] = (), behaviour: Behaviour = "corrected", seed: int = 4242, letters: str = ""
    ) -> None:
        self._attested = frozenset(map(sentence_key, attested))
        self._behaviour = behaviour
        self._seed = seed
        self._letters = letters

    def good(self, sentence: Sentence) -> str:
        """The correct sentence: as the treebank has it, or as published its tokens joined."""
        published = self._behaviour == "published"
        return joined([token.form for token in sentence.tokens]) if published else sentence.block.text

    def corrupt(self, sentence: Sentence) -> Corrupted | None:
        """One corruption of a kind that is drawn; of the other kind where this one is not possible, else None."""
        draw = Random(f"{self._seed} {sentence.block.text}")
        kinds: list[Kind] = draw.sample(["flip_neighbours", "delete"], 2)
        return next(filter(None, (self._of_kind(sentence, kind, draw) for kind in kinds)), None)

    def of_kind(self, sentence: Sentence, kind: Kind, accept: Callable[[Corrupted], bool]) -> Corrupted | None:
        """One corrected corruption of this kind that `accept` accepts, drawn; None where none is possible."""
        made = [corrupted for corrupted in self._mended(sentence, kind) if accept(corrupted)]
        return Random(f"{self._seed} {kind} {sentence.block.text}").choice(made) if made else None

    def _of_kind(self, sentence: Sentence, kind: Kind, draw: Random) -> Corrupted | None:
        if self._behaviour == "published":
            return _published(sentence.tokens, kind, draw)
        made = self._mended(sentence, kind)
        return draw.choice(made) if made else None

    def _mended(self, sentence: Sentence, kind: Kind) -> list[Corrupted]:
        made = self._deletions(sentence) if kind == "delete" else self._exchanges(sentence)
        return [corrupted for corrupted in made if sentence_key(corrupted.text) not in self._attested]

    def _deletions(self, sentence: Sentence) -> Iterator[Corrupted]:
        text, tokens = sentence.block.text, sentence.tokens
        for place in deletable(sentence.upos):
            if all(upos in _MARKS for upos in _neighbours(sentence.upos, place)):
                continue  # two marks in a row would give the bad sentence away
            token = tokens[place]
            before, after = text[: token.start], text[token.end :]
            if not before:
                after = capitalised(after.lstrip(), self._letters) if token.form[0].isupper() else after.lstrip()
            elif before[-1] == " ":
                before = before[:-1]
            elif after[:1] == " " and tokens[place - 1].upos in _MARKS:
                after = after[1:]  # a quotation mark or bracket stands at the next word
            yield Corrupted(before + after, "delete", token.numbers)

    def _exchanges(self, sentence: Sentence) -> Iterator[Corrupted]:
        text = sentence.block.text
        for place in exchangeable(sentence.upos):
            left, right = sentence.tokens[place : place + 2]
            first, second = right.form, left.form
            if place == 0 and left.form[0].isupper():
                first, second = capitalised(first, self._letters), _uncapitalised(left)
            between = text[left.end : right.start]
            flipped = text[: left.start] + first + between + second + text[right.end :]
            if sentence_key(flipped) != sentence_key(text):
                yield Corrupted(flipped, "flip_neighbours", left.numbers + right.numbers)


def _neighbours(upos: Sequence[str], place: int) -> tuple[str, ...]:
    return (*upos[max(0, place - 1) : place], *upos[place + 1 : place + 2])


def deletable(upos: Sequence[str]) -> list[int]:
    """The places whose token may be deleted: of no class that can be left out, no noun beside another noun."""
    return [
        index
        for index, own in enumerate(upos)
        if own not in _NEVER_DELETED
        and not (own in _NOUNS and any(other in _NOUNS for other in _neighbours(upos, index)))
    ]


def exchangeable(upos: Sequence[str]) -> list[int]:
    """The places whose token may change places with the next one."""
    return [
        index
        for index, (one, other) in enumerate(pairwise(upos))
        if one != other and not {one, other} & {*_MARKS} and {one, other} != {"PRON", "AUX"}
    ]


def _uncapitalised(token: Token) -> str:
    """A token that no longer begins the sentence; names and abbreviations keep their capitals."""
    form, lemma = token.form, token.lemma
    if token.upos == "PROPN" or lemma[:1].isupper() or (len(form) > 1 and form.isupper()):
        return form
    return uncapitalised(form, lemma=lemma)


def _published(tokens: Sequence[Token], kind: Kind, draw: Random) -> Corrupted | None:
    forms, upos = [token.form for token in tokens], [token.upos for token in tokens]
    if kind == "delete":
        places = deletable(upos)
        if not places:
            return None
        place = draw.choice(places)
        return Corrupted(joined(forms[:place] + forms[place + 1 :]), kind, tokens[place].numbers)
    places = [
        index
        for index, own in enumerate(upos)
        if own not in _MARKS and any(other not in (*_MARKS, own) for other in _neighbours(upos, index))
    ]
    if len(places) < 2:
        return None
    one = draw.choice(places)
    other = one + published_side(upos, one, draw)
    forms[one], forms[other] = forms[other], forms[one]
    if 0 in (one, other):
        forms[0] = forms[0] if forms[0] == forms[0].upper() else forms[0].title()
        forms[1] = forms[1] if forms[1] == forms[1].upper() else forms[1].lower()
    first, second = sorted((one, other))
    return Corrupted(joined(forms), kind, tokens[first].numbers + tokens[second].numbers)


def published_side(upos: Sequence[str], place: int, draw: Random) -> int:
    """With which neighbour a token changes places as published: -1 for the one before it, 1 for the one after it.

    The last test for PRON and AUX looks at the token after it, where the one before it is meant; so it never holds.
    """
    if place in (0, len(upos) - 1):
        return 1 if place == 0 else -1
    own, before, after = upos[place], upos[place - 1], upos[place + 1]
    if after in (*_MARKS, own) or {own, after} == {"PRON", "AUX"}:
        return -1
    if before in (*_MARKS, own) or {own, after} == {"PRON", "AUX"}:
        return 1
    return -1 if draw.random() > 0.5 else 1


def joined(forms: Sequence[str]) -> str:
    """Tokens as text, with the spaces at punctuation that the published data have."""
    text = re.sub(r" ([.,;:)\]}?!])", r"\1", " ".join(forms))
    text = re.sub(r"([(\[{]) ", r"\1", text)
    return text if text.count('"') % 2 else re.sub(r'" ([^"]*) "', r'"\1"', text)
