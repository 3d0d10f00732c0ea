"""ScaLA's two corruptions, a word deleted or two neighbours exchanged; the data of them, and minimal pairs.

They follow EuroEval's `create_scala.py`. `published` does what that does, also where it is mistaken; `corrected`, the
default, is what it means to do. docs/extras.md lists the differences.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from pairwright.core.config import TreebankSettings
from pairwright.core.errors import SourceError, counted
from pairwright.core.ids import content_id, digest, pair_id
from pairwright.core.records import (
    Block,
    Candidate,
    Contrast,
    Corruption,
    Evidence,
    Record,
    Rejection,
    Rule,
    Source,
    Stage,
)
from pairwright.core.store import whole_folder, write_json, write_jsonl
from pairwright.core.text import sentence_key
from pairwright.extras.scala import CORRUPTIONS
from pairwright.languages import Language
from pairwright.languages.letters import capitalised, uncapitalised
from pairwright.languages.linguistics.sentences import changes
from pairwright.pipeline.stages import Lines, stage
from pairwright.release.exports.tables import write_csv
from pairwright.sources.treebank.matching import unfit_sentence

Kind = Literal["delete", "flip_neighbours"]
Behaviour = Literal["corrected", "published"]

_MARKS = ("PUNCT", "SYM")
_NOUNS = ("NOUN", "PROPN")
# Without one of these, a sentence is mostly still right.
_NEVER_DELETED = ("ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM", "PART")
_FEWEST = 6
T = TypeVar("T")

_STAGE = "scala"
# Sentences, each of which gives two rows.
_TRAIN, _VALIDATION, _TEST, _LEAST_TEST = 512, 128, 1024, 128
_SMALL_TRAIN, _SMALL_VALIDATION = 64, 32
# The order in which EuroEval takes the files of a treebank; their names say which is which.
_FILES = ("train", "dev", "test")

STAGE = Stage(name=CORRUPTIONS, version=2)
_TITLES: Mapping[Kind, str] = {
    "delete": "A word is missing",
    "flip_neighbours": "Two neighbouring words have changed places",
}
_LITERATURE = "Nielsen (2023), ScandEval: A Benchmark for Scandinavian Natural Language Processing, section 3.4"
_FIXED = ("ADP", "SCONJ", "CCONJ")
_CORE = ("nsubj", "obj", "iobj", "xcomp", "ccomp")

# Which sentences are corrupted, and how


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


# The data: as many correct as incorrect sentences, in splits of fixed sizes


class Row(Record):
    """A sentence with its label. `corruption_type` is None for a correct one."""

    text: str
    corruption_type: Kind | None
    label: Literal["correct", "incorrect"]


class Pair(NamedTuple):
    """A correct sentence and what became of it."""

    good: str
    bad: Corrupted


class Dataset(NamedTuple):
    """The pairs of each split, how many pairs there are, and the sentences that were left out."""

    splits: dict[str, list[Pair]]
    n_pairs: int
    rejected: list[Rejection]


def make_dataset(blocks: Iterable[Block], behaviour: Behaviour, seed: int, letters: str) -> Dataset:
    """The dataset of a treebank's sentences. Raises SourceError where there are too few."""
    blocks = sorted((block for block in blocks if block.tree), key=_file_order)
    corrupter = Corrupter({block.text for block in blocks}, behaviour, seed, letters)
    pairs: list[Pair] = []
    rejected: list[Rejection] = []
    for sentence, unfit in fit_sentences(blocks):
        if not unfit and (corrupted := corrupter.corrupt(sentence)):
            pairs.append(Pair(corrupter.good(sentence), corrupted))
        else:
            reason = unfit or "no word can be deleted and no neighbours can change places"
            rejected.append(sentence.block.rejection(_STAGE, reason))
    return Dataset(splits(pairs, seed), len(pairs), rejected)


def _file_order(block: Block) -> int:
    name = Path(block.file).stem
    return next((index for index, part in enumerate(_FILES) if name.endswith(part)), len(_FILES))


def split_sizes(count: int) -> tuple[int, int, int]:
    """How many of so many sentences train, validate and test.

    512, 128 and 1,024; of fewer, the test set is halved down to 128; of fewer still, 64 train, 32 validate and the rest
    tests. Raises SourceError where nothing is left to test.
    """
    test = _TEST
    while test >= _LEAST_TEST:
        if count >= _TRAIN + _VALIDATION + test:
            return _TRAIN, _VALIDATION, test
        test //= 2
    test = count - _SMALL_TRAIN - _SMALL_VALIDATION
    if test < 1:
        least = _SMALL_TRAIN + _SMALL_VALIDATION + 1
        raise SourceError(
            f"only {counted(count, 'sentence')} can be corrupted, and {least} are needed; add more of the treebank"
        )
    return _SMALL_TRAIN, _SMALL_VALIDATION, test


def splits(sentences: Sequence[T], seed: int) -> dict[str, list[T]]:
    """The sentences of each split, drawn as EuroEval draws them; `full_train` is all that is in neither other split."""
    train, validation, test = split_sizes(len(sentences))
    val, rest = _drawn(sentences, validation, seed)
    tested, full_train = _drawn(rest, test, seed)
    return {"train": _drawn(full_train, train, seed)[0], "val": val, "test": tested, "full_train": full_train}


def rows(pairs: Sequence[Pair], seed: int) -> list[Row]:
    """The rows of a split, shuffled."""
    right = [Row(text=pair.good, corruption_type=None, label="correct") for pair in pairs]
    wrong = [Row(text=pair.bad.text, corruption_type=pair.bad.kind, label="incorrect") for pair in pairs]
    return _drawn(right + wrong, 2 * len(pairs), seed)[0]


def _drawn(items: Sequence[T], size: int, seed: int) -> tuple[list[T], list[T]]:
    """Items drawn as `DataFrame.sample(n, random_state=seed)` draws them, in that order; and the others in theirs."""
    places = np.random.RandomState(seed).choice(len(items), size=size, replace=False).tolist()
    chosen = set(places)
    return [items[place] for place in places], [item for index, item in enumerate(items) if index not in chosen]


def write_dataset(out: Path, made: Dataset, source: Source, behaviour: Behaviour, seed: int) -> None:
    """Writes each split as JSON Lines and CSV into a new folder.

    Beside them: `rejected.jsonl` with the sentences left out and why, `scala.json` with how the data came about.
    """
    about = {
        "source": source.id,
        "licence": source.licence,
        "files": {file.path: file.sha256 for file in source.files},
        "behaviour": behaviour,
        "seed": seed,
        "rows": {name: 2 * len(pairs) for name, pairs in made.splits.items()},
        "left_out": dict(Counter(item.reason for item in made.rejected).most_common()),
    }
    with whole_folder(out) as folder:
        for name, pairs in made.splits.items():
            written = rows(pairs, seed)
            write_jsonl(folder / f"{name}.jsonl", written)
            cells = [(row.text, row.corruption_type or "", row.label) for row in written]
            write_csv(folder / f"{name}.csv", ("text", "corruption_type", "label"), cells)
        write_jsonl(folder / "rejected.jsonl", made.rejected)
        write_json(folder / "scala.json", about)


# Minimal pairs, of corruptions that are surely wrong


def corruption_rules(source: Source) -> dict[Kind, Rule]:
    """The rule of each kind of corruption. That the bad sentence is bad is likely, not certain: reviewers decide."""
    return {
        kind: Rule(
            id=content_id("rule", source.id, "corruption", kind),
            source_id=source.id,
            code=f"scala-{kind.replace('_', '-')}",
            title=title,
            description=f"{title}. Reject the pair where the sentence is still right.",
            category="corruption",
            phenomenon="missing word" if kind == "delete" else "word order",
            block_ids=(),
            quote="",
            page=1,
            notes=(_LITERATURE,),
            extracted_by="scala",
            contrast=Contrast(licence="obligatory", what=title),
            declared_in="docs/extras.md",
        )
        for kind, title in _TITLES.items()
    }


@stage(STAGE, "corrupted pair")
def corrupted_pairs(
    source: Source, blocks: Lines[Block], language: Language, settings: TreebankSettings
) -> Iterator[Candidate | Rejection]:
    """The pairs of a treebank's corrupted sentences; none unless `treebank.corruptions` is set."""
    with_trees = [block for block in blocks if block.tree]
    if settings.corruptions:
        yield from corruption_candidates(with_trees, corruption_rules(source), settings, language.letters)


def corruption_candidates(
    blocks: Sequence[Block], rules: Mapping[Kind, Rule], settings: TreebankSettings, letters: str = ""
) -> Iterator[Candidate | Rejection]:
    """For each kind of corruption, pairs of sentences that ScaLA corrupts and that make pairs; and the others' reasons.

    rules    the rule of each kind
    letters  of the language

    Of more pairs than the settings want of a kind, those that a draw by the sentences' ids gives stay.
    """
    corrupter = Corrupter({block.text for block in blocks}, letters=letters)
    sentences: list[Sentence] = []
    for sentence, unfit in fit_sentences(blocks):
        if reason := unfit or unfit_sentence(sentence.block, settings):
            yield sentence.block.rejection(STAGE.name, reason)
        else:
            sentences.append(sentence)
    made: Counter[Kind] = Counter()
    for sentence in sorted(sentences, key=lambda sentence: digest(sentence.block.id)):
        for kind, rule in rules.items():
            corrupted = corrupter.of_kind(sentence, kind, partial(_is_clear, sentence))
            if corrupted is None:
                reason = f"{kind}: no change after which the sentence would surely be wrong"
                yield sentence.block.rejection(STAGE.name, reason)
            elif made[kind] == settings.pairs_per_contrast:
                reason = f"{kind}: more pairs than treebank.pairs_per_contrast"
                yield sentence.block.rejection(STAGE.name, reason)
            else:
                made[kind] += 1
                yield _candidate(sentence, rule, corrupted)


def _is_clear(sentence: Sentence, corrupted: Corrupted) -> bool:
    """Whether a corrupted sentence is wrong in most languages. Of ScaLA's other corruptions many are still right.

    It lacks an adposition, or a verb on which a subject or an object depends; or an adposition or a conjunction has
    changed places, as these have theirs.
    """
    words = sentence.block.tree.words if sentence.block.tree else ()
    changed = [word for word in words if word.id in corrupted.words]
    if corrupted.kind == "flip_neighbours":
        return sum(word.upos in _FIXED for word in changed) == 1
    (word,) = changed if len(changed) == 1 else (None,)
    if word is None or word.upos != "VERB":
        return word is not None and word.upos == "ADP" and word.deprel.partition(":")[0] == "case"
    relations = {other.deprel.partition(":")[0] for other in words if other.head == word.id}
    # Of coordinated verbs one may be left out; a participle may be an attribute.
    return word.deprel != "conj" and "VerbForm=Part" not in word.feats.split("|") and not relations.isdisjoint(_CORE)


def _candidate(sentence: Sentence, rule: Rule, corrupted: Corrupted) -> Candidate:
    block = sentence.block
    return Candidate(
        id=pair_id(rule.id, block.text, corrupted.text),
        rule_id=rule.id,
        source_id=block.source_id,
        good=block.text,
        bad=corrupted.text,
        changes=changes(block.text, corrupted.text),
        method="corruption",
        evidence=Evidence.at(block, block.text),
        derivation=Corruption(
            sent_id=block.tree.sent_id if block.tree else "", kind=corrupted.kind, words=corrupted.words
        ),
    )
