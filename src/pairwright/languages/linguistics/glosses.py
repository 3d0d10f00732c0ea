"""What the glosses of a grammar say of its sentences and words: morphemes, labels and lemmas, and what these make.

Lines are cut into morphemes as in the Leipzig Glossing Rules (2, 4, 9 and 10).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import islice, pairwise, product
from typing import NamedTuple
from unicodedata import category, normalize

from rapidfuzz.distance import Postfix, Prefix

from pairwright.core.records import Block, Gloss
from pairwright.core.text import comparison_key, nfc, squeeze, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.letters import script
from pairwright.languages.linguistics.sentences import ANY_STAR, ends_sentence, is_marked, is_sentence

# Brackets around constituents with what they are called, as in `[NP small dogs]` and `[small dogs]Subject`.
_CONSTITUENT = re.compile(r"\[(?:[A-Z]{1,4}\d?(?=\s))?|\](?:[A-Z][\w.]{0,11})?")
# Beside labels in capitals, as in `[he]SBJ [to him]io`: small capitals may be read as small letters.
_CAPITAL_LABEL, _SMALL_LABEL = re.compile(r"\][A-Z]"), re.compile(r"(?<=\])[a-z]{2,3}(?!\w)")
# Optional letters or words in parentheses, and alternatives between slashes.
_CHOICE = re.compile(
    r"\{(?P<braced>[^{}]*)\}|\((?P<optional>[^()]*)\)|(?<![^\s(])(?P<slashed>[^\s/()]+(?:/[^\s/()]+)+)"
)
_TRANSCRIBED = re.compile(r"\s*(?:\[[^\[\]]*\]|/.*/)\W*")
_MOST_WORDINGS = 6
_ZERO = re.compile(r"[-=~]?∅[-=~]?|[-=~]Ø(?!\w)|(?<!\w)Ø[-=~]")


def boundary_pattern(boundaries: str = BOUNDARIES) -> re.Pattern[str]:
    """Finds the signs that touch a word, not those behind figures or by themselves: `25-30` and `a - b` stay."""
    signs = re.escape(re.sub("[<>]", "", boundaries))
    touching = [rf"(?<=[^\s\d])[{signs}]+|(?<!\S)[{signs}]+(?=[^\W\d])"] if signs else []
    around = [r"<(?=[^<>\s]+>\w)|(?<=\w)<(?=[^<>\s]+>)|(?<=[^\s<])>"] if "<" in boundaries else []
    return re.compile("|".join([*touching, *around]) or r"(?!)")


def join_morphemes(text: str, boundaries: str = BOUNDARIES) -> str:
    """The sentence that a segmented line stands for: the signs between morphemes and the zeros disappear, spaces stay.

    boundaries  the signs, of `-=~<>`; `<>` are those around infixes. Without `-`, hyphens belong to the spelling.
    """
    return squeeze(boundary_pattern(boundaries).sub("", _ZERO.sub("", text)))


def is_segmented(gloss: Gloss, boundaries: str = BOUNDARIES) -> bool:
    """Whether an example's only object line is cut: a word and its gloss have signs between morphemes."""
    if gloss.surface or not gloss.glosses:
        return False
    cut = boundary_pattern(boundaries)
    rows = zip(gloss.segmentation, gloss.glosses[0], strict=True)
    return any(cut.search(word) and re.search("[-=~<]", label) for word, label in rows)


def plain_sentence(gloss: Gloss, boundaries: str = BOUNDARIES) -> str:
    """An example's sentence as it is written: its surface line, else its segmented line joined."""
    line = gloss.object_line
    return join_morphemes(line, boundaries) if is_segmented(gloss, boundaries) else line


def without_constituents(text: str) -> str:
    """A line without the brackets around constituents and what these are called."""
    return _CONSTITUENT.sub("", _SMALL_LABEL.sub("", text) if _CAPITAL_LABEL.search(text) else text)


def wordings(gloss: Gloss, boundaries: str = BOUNDARIES) -> list[str]:
    """The sentences for which an example stands that brackets constituents, or puts several wordings into one line.

    `[koor(a)]NP me/mai ikua` has four; the first one has all that is optional and the first of alternatives. An example
    that is a transcription, has a star inside, or of which no wording has the words that are glossed, stays as it is.
    """
    line = plain_sentence(gloss, boundaries)
    if ANY_STAR.search(line) or _TRANSCRIBED.fullmatch(line):
        return [line]
    bare, parts, end = without_constituents(line), list[tuple[str, ...]](), 0
    labels = gloss.glosses[0] if gloss.glosses else ()
    alternate = any("/" in label for label in labels)
    for match in _CHOICE.finditer(bare):
        optional, others = match["optional"], match["braced"] or match["slashed"] or ""
        options = others.split("/") if optional is None else [optional, ""]
        # Where the gloss has one reading, what follows a slash may be an ending alone: `sol-en/an`.
        options = options[:1] if match["slashed"] and labels and not alternate else options
        parts += [(bare[end : match.start()],), tuple(map(str.strip, options))]
        end = match.end()
    made = (squeeze("".join(pieces)) for pieces in product(*parts, (bare[end:],)))
    found = list(dict.fromkeys(islice(made, _MOST_WORDINGS)))
    if len(found) == 1:
        return found
    n_glossed = sum(bool(label and words(cut)) for cut, label in zip(gloss.segmentation, labels, strict=False))
    first = next((at for at, text in enumerate(found) if len(words(text)) == n_glossed), None)
    return [line] if first is None else found[first:]


_SEPARATORS = re.compile(r"[\s\-=~<>.:;,/\\+_()\[\]]+")
# A grammatical label such as `GEN`, `3SG`, `NP1a`; a single capital is one unless it may be the pronoun.
_LABEL = re.compile(r"[123]?[A-Z]{2,}[A-Za-z\d]*|[123][A-Z]+|[A-Z]\d+|[A-HJ-Z]|[123]")
SURE_LABEL = re.compile(r"[123]?[A-Z]{2,}[A-Z\d]*|[123][A-Z]+")
_PERSON = re.compile(r"(?<!\w)[123](?=[A-Z])")
# The name of a speaker before a turn of a conversation, as in `A: yes`.
_SPEAKER = re.compile(r"^[A-Z]{1,3}\d?:\s+")
_EDGE = ""
_SHORTEST_GLOSS = 3
OUTER = " .,;:!?/[]()*#%'\"‘’“”„«»…"


class Part(NamedTuple):
    """A morph in small letters without accents, its gloss, and whether it carries the meaning of its word."""

    morph: str
    gloss: str
    lexical: bool


class GlossedWord(NamedTuple):
    """A word as the sentence has it, as the book cuts it, its gloss, and where it is, such as `(12), p. 90`."""

    form: str
    cut: str
    gloss: str
    place: str = ""

    @property
    def labels(self) -> frozenset[str]:
        """The grammatical labels, a person apart from its number: `3`, `SG` of `3SG`."""
        return labels_of(self.gloss)

    @property
    def lemma(self) -> str:
        """The lexical part of the gloss, `book` of `book-GEN`; empty where there is none."""
        return ".".join(piece.casefold() for piece in _pieces(self.gloss) if not _LABEL.fullmatch(piece))

    @property
    def lexeme(self) -> str:
        """The lemma; of a pronoun that has labels alone, the first of them."""
        return self.lemma or next(iter(_pieces(self.gloss)), "")

    def parts(self, boundaries: str = BOUNDARIES) -> list[Part]:
        """The morphs that have a gloss each; none where cut and gloss do not match."""
        morphs, glosses = boundary_pattern(boundaries).split(self.cut), boundary_pattern("-=~").split(self.gloss)
        if len(morphs) != len(glosses) or "<" in self.cut:
            return []
        rows = [(plain_letters(morph), gloss) for morph, gloss in zip(morphs, glosses, strict=True)]
        given = [(morph, gloss) for morph, gloss in rows if morph not in ("", "∅", "ø")]
        return [Part(morph, gloss, not all(map(_LABEL.fullmatch, _pieces(gloss)))) for morph, gloss in given]


class GlossedSentence(NamedTuple):
    """A sentence of an example.

    variety    the language, dialect or speaker that the book prints with it
    title      its heading
    place      where it is, such as `(12), p. 90`
    words      those that have a gloss each; none where the lines do not match
    judgement  the mark by which the book calls it bad; None where it is good
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
    words: tuple[GlossedWord, ...] = ()
    judgement: str | None = None

    @property
    def is_sentence(self) -> bool:
        """Whether its translation, else itself, reads as a sentence, and not as a word or a phrase."""
        said = self.translation or self.sentence
        return is_sentence(said) or ends_sentence(said)


@cache
def _pieces(gloss: str) -> tuple[str, ...]:
    return tuple(piece for piece in _SEPARATORS.split(gloss) if piece)


@cache
def labels_of(gloss: str) -> frozenset[str]:
    """The grammatical labels in a gloss, a person apart from its number."""
    return frozenset(filter(_LABEL.fullmatch, _pieces(_PERSON.sub(r"\g<0>.", gloss))))


def plain_letters(text: str) -> str:
    """Small letters without accents: books mark tone in their sentences and not in the morphs, or the other way."""
    return "".join(char for char in normalize("NFD", text.casefold()) if category(char)[0] in "LN" or char in "'’")


def glossed_sentences(blocks: Iterable[Block], boundaries: str = BOUNDARIES) -> Iterator[GlossedSentence]:
    """The sentences of a grammar's examples in all their wordings, without names of speakers."""
    for block in blocks:
        for path, leaf in block.gloss.leaves() if block.gloss else ():
            cut = without_constituents(" ".join(filter(None, leaf.segmentation)))
            gloss = "\n".join(without_constituents(" ".join(line)) for line in leaf.glosses)
            translation = leaf.translation
            labels = any(map(SURE_LABEL.fullmatch, _pieces(translation or "")))
            place = f"({''.join(path)}), p. {block.page}" if path else f"p. {block.page}"
            label = (block.section, leaf.language, leaf.title)
            judgement = (leaf.judgement or "") if is_marked(leaf) else None
            for sentence in filter(words, (_SPEAKER.sub("", text) for text in wordings(leaf, boundaries))):
                shown = cut if cut != sentence or is_segmented(leaf, boundaries) else ""
                lines = (shown or None, gloss or None, translation)
                if not gloss and labels and len((translation or "").split()) == len(words(sentence)):
                    # A list may print the gloss of a word in the place of its translation.
                    lines = (shown or None, translation, None)
                given = tuple(glossed_words(sentence, leaf, boundaries, place))
                yield GlossedSentence(block.id, sentence, *lines, *label, place, given, judgement)


def glossed_words(text: str, leaf: Gloss, boundaries: str = BOUNDARIES, place: str = "") -> Iterator[GlossedWord]:
    """The words of an example's sentence with their glosses, also if the morphs do not join to them."""
    lines = [leaf.segmentation, *leaf.glosses[:1]] if leaf.glosses else [(), ()]
    cuts, glosses = (map(without_constituents, line) for line in lines)
    rows = [(cut, gloss) for cut, gloss in zip(cuts, glosses, strict=False) if words(cut) and gloss]
    written = words(text)
    whole = len(written) == len(rows)
    for number, (cut, gloss) in enumerate(rows):
        # Of alternatives, the one that this wording has.
        for option, its_gloss in zip(cut.split("/"), gloss.split("/"), strict=False) if "/" in cut else ():
            if words(join_morphemes(option, boundaries)) == written[number : number + 1]:
                cut, gloss = option, its_gloss
        joined = " ".join(words(join_morphemes(cut, boundaries)))
        if whole or joined.casefold() in map(str.casefold, written):
            yield GlossedWord(written[number] if whole else joined, cut, gloss, place)


class Morphs:
    """The morphs of glossed words with their neighbours, and what they can make.

    An affix fits a root that has it, or has another affix that some root has beside it. Affixes follow one another
    as they do in some word.
    """

    def __init__(self, given: Iterable[GlossedWord], boundaries: str = BOUNDARIES) -> None:
        self._kinds, self._beside = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        # What may stand outside of each affix; endings are kept from their last letter on.
        self._before, self._after = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        self.counted = 0
        for word in given:
            parts = word.parts(boundaries)
            if not parts:
                continue
            self.counted += 1
            roots = [at for at, part in enumerate(parts) if part.lexical] or [0]
            morphs = [part.morph for part in parts]
            before, after = morphs[: roots[0]], [morph[::-1] for morph in reversed(morphs[roots[-1] + 1 :])]
            for affixes, outside in ((before, self._before), (after, self._after)):
                for outer, inner in pairwise([_EDGE, *affixes]):
                    outside[inner].add(outer)
            own = {"<" + (before or [_EDGE])[-1], ">" + (after or [_EDGE])[-1]}
            self._kinds["".join(morphs[roots[0] : roots[-1] + 1])] |= own
        for own in self._kinds.values():
            for morph in own:
                self._beside[morph] |= own

    def make(self, word: str) -> bool:
        """Whether a word is a root with affixes that fit it, in their order."""
        letters = plain_letters(word)
        starts, ends = _affixed(letters, self._before), _affixed(letters[::-1], self._after)
        return any(
            root in self._kinds and self._fits(root, "<" + left) and self._fits(root, ">" + right)
            for start, left in starts
            for n_after, right in ends
            if start < len(letters) - n_after
            for root in (letters[start : len(letters) - n_after],)
        )

    def _fits(self, root: str, affix: str) -> bool:
        own = self._kinds[root]
        return affix in own or affix[1:] == _EDGE or bool((own - {"<", ">"}) & self._beside[affix]) or own <= {"<", ">"}

    def covers(self, word: str) -> bool:
        """Whether a word is nothing but attested morphs with a root among them, in whatever order."""
        letters, morphs = plain_letters(word), self._all
        # Ends that can be reached without and with a root of two letters or more.
        reached = {(0, False)}
        for at in range(len(letters)):
            for rooted in (it for it in (False, True) if (at, it) in reached):
                for end in range(at + 1, len(letters) + 1):
                    piece = letters[at:end]
                    if piece in morphs:
                        reached.add((end, rooted or (len(piece) > 1 and piece in self._kinds)))
        return (len(letters), True) in reached

    def tells_apart(self, word: str, other: str) -> bool:
        """Whether what the other word has in the place of letters of the first is nothing, or a morph."""
        first, second = plain_letters(word), plain_letters(other)
        start = Prefix.similarity(first, second)
        end = Postfix.similarity(first[start:], second[start:])
        return second[start : len(second) - end] in {"", *self._all}

    def remake(self, word: str, other: str) -> bool:
        """Whether a word is another one with its letters moved, or with a morph before or after it."""
        first, second = plain_letters(word), plain_letters(other)
        if not second or sorted(first) == sorted(second):
            return bool(second)
        return first.removesuffix(second) in self._all or first.removeprefix(second) in self._all

    @cached_property
    def scripts(self) -> frozenset[str]:
        """The scripts of the morphs, those of a few stray letters left out."""
        counts = Counter(script(char) for morph in self._all for char in morph if char.isalpha())
        return frozenset(name for name, count in counts.items() if 50 * count >= counts.total())

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset({*self._kinds, *(morph[::-1] for morph in self._after), *self._before})


def _affixed(letters: str, outside: Mapping[str, set[str]]) -> set[tuple[int, str]]:
    """How many letters the affixes before a root may have, with the one that touches it."""
    found = {(0, _EDGE)}
    todo = list(found)
    while todo:
        at, outer = todo.pop()
        affixes = (affix for affix, around in outside.items() if outer in around and letters.startswith(affix, at))
        steps = {(at + len(affix), affix) for affix in affixes} - found
        found |= steps
        todo += steps
    return found


class GlossedBook:
    """What the examples of a grammar say, by sentence and by word."""

    def __init__(self, sentences: Iterable[GlossedSentence] = (), boundaries: str = BOUNDARIES) -> None:
        self.boundaries, self.sentences = boundaries, tuple(sentences)
        self.good: dict[str, GlossedSentence] = {}
        self.starred: dict[str, GlossedSentence] = {}
        for one in self.sentences:
            (self.good if one.judgement is None else self.starred).setdefault(self.key(one.sentence), one)

    def key(self, sentence: str) -> str:
        """A key for nearly verbatim comparison, cut into morphemes or not."""
        return comparison_key(join_morphemes(sentence, self.boundaries))

    def with_words(self, *in_row: str) -> list[GlossedSentence]:
        """The good sentences in which some words stand next to each other."""
        wanted = f" {self.key(' '.join(in_row))} "
        return [one for key, one in self.good.items() if wanted in f" {key} "]

    @cached_property
    def by_block(self) -> dict[str, list[GlossedSentence]]:
        found = defaultdict[str, list[GlossedSentence]](list)
        for one in self.sentences:
            found[one.block_id] += [one] if one.judgement is None else []
        return found

    @cached_property
    def analyses(self) -> dict[str, tuple[GlossedWord, ...]]:
        """The analyses of each form, in small letters."""
        found = defaultdict[str, dict[str, GlossedWord]](dict)
        for one in self.good.values():
            for word in one.words:
                found[word.form.casefold()].setdefault(word.gloss, word)
        return {form: tuple(of_form.values()) for form, of_form in found.items()}

    def of(self, word: str) -> tuple[GlossedWord, ...]:
        """The analyses of a word."""
        return self.analyses.get(nfc(word).casefold(), ())

    def other_forms(self, word: str) -> list[GlossedWord]:
        """The other forms of the lemmas that a word may have: a morph of them begins as one of its own does."""
        own = self.of(word)
        found = dict.fromkeys(it for lemma in dict.fromkeys(it.lexeme for it in own) for it in self._by_lemma[lemma])
        cut = boundary_pattern(self.boundaries)

        def are_alike(one: GlossedWord, other: GlossedWord) -> bool:
            sides = (words(cut.sub(" ", it.cut).casefold()) for it in (one, other))
            return any(a[:size] == b[:size] for a, b in product(*sides) for size in (max(1, min(len(a), len(b)) // 2),))

        forms = (it for it in found if it.form.casefold() != word.casefold())
        return [it for it in forms if any(are_alike(it, one) for one in own)]

    @cached_property
    def _by_lemma(self) -> dict[str, list[GlossedWord]]:
        found = defaultdict[str, list[GlossedWord]](list)
        for word in (word for of_form in self.analyses.values() for word in of_form):
            found[word.lexeme].append(word)
        return found

    @cached_property
    def morphs(self) -> Morphs:
        return Morphs((word for one in self.good.values() for word in one.words), self.boundaries)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of the glosses that are hardly words."""
        pieces = (piece for one in self.sentences for word in one.words for piece in _pieces(word.gloss))
        return frozenset(piece for piece in pieces if SURE_LABEL.fullmatch(piece))

    @cached_property
    def gloss_words(self) -> frozenset[str]:
        """Words of three letters or more, in small letters, that are in glosses more often than in sentences.

        Those that are glossed themselves are words of the language.
        """
        lemmas = Counter(piece for one in self.sentences for word in one.words for piece in word.lemma.split("."))
        return frozenset(
            it for it, n in lemmas.items() if len(it) >= _SHORTEST_GLOSS and n > self.printed[it] and not self.of(it)
        )

    @cached_property
    def printed(self) -> Counter[str]:
        """What is between spaces in sentences as they are written, without punctuation around it, and how often."""
        return Counter(token.strip(OUTER).casefold() for one in self.sentences for token in one.sentence.split())
