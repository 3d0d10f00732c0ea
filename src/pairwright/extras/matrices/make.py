"""Makes problems of a template: sets of words are drawn by hashes, rows become sentences, answers are shuffled."""

import hashlib
import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import ceil, prod
from pathlib import Path
from typing import Generic, NamedTuple, NoReturn, TypeVar

from pairwright.core.errors import ConfigError, at, counted
from pairwright.core.ids import content_id, line_of
from pairwright.core.records.items import Item, ItemsInfo, ItemSplit, Option
from pairwright.core.store import whole_folder
from pairwright.extras.matrices import Variation
from pairwright.extras.matrices.lexicon import (
    AGREEMENT,
    Head,
    MatrixLexicon,
    MatrixMorphology,
    Words,
    combinations_file,
    decided_combinations,
    open_lexicon,
)
from pairwright.extras.matrices.template import RIGHT, Part, Template, load_template, row_line
from pairwright.pipeline.context import Context
from pairwright.tasks.make import ItemSet, ItemSettings, write_items

T = TypeVar("T")
LexicalSet = Mapping[str, str]
"""A word for each slot."""

# After so many problems in a row that are there already no new ones are expected.
_REPEATED = 1000
# On which items stand around a ring.
_POINTS = 2048


class MatrixSettings(NamedTuple):
    """How many problems are made for training and for testing, how their words vary, and the seed of all draws.

    MINLEX   the sentences of a problem share one lexical set
    ONEWORD  in each sentence one word, other than the head, is another one
    MAXLEX   each sentence has a lexical set of its own
    """

    train: int
    test: int
    variation: Variation = "MINLEX"
    seed: int = 0


class LoadedTemplate(NamedTuple):
    """A template with its file and the words for it."""

    template: Template
    path: Path
    words: Words


class HashRing(Generic[T]):
    """Draws by consistent hashing (Karger et al. 1997): an item that is added changes only the draws that it wins.

    Each of few items stands at many points, so that all are drawn about equally often.
    """

    def __init__(self, items: Iterable[T], key: Callable[[T], str], draw: Callable[..., bytes]) -> None:
        self._items = sorted(items, key=lambda item: draw("ring", key(item)))
        n_points = max(1, _POINTS // max(1, len(self._items)))
        keys = enumerate(map(key, self._items))
        points = sorted((draw(f"point {point}", name), index) for index, name in keys for point in range(n_points))
        self._points, self._indices = [point for point, _ in points], [index for _, index in points]

    def __len__(self) -> int:
        return len(self._items)

    def walk(self, drawn: bytes) -> Iterator[T]:
        """All items, from the one that was drawn onwards."""
        start = self._index(drawn)
        yield from (*self._items[start:], *self._items[:start])

    def after(self, drawn: bytes, steps: int = 0) -> T:
        """The item that was drawn, or one that stands so many steps after it."""
        return self._items[(self._index(drawn) + steps) % len(self._items)]

    def _index(self, drawn: bytes) -> int:
        return self._indices[bisect_left(self._points, drawn) % len(self._points)]


class MatrixMaker:
    """Makes the problems of a template. Raises ConfigError where its words don't fit it."""

    def __init__(self, loaded: LoadedTemplate, settings: MatrixSettings) -> None:
        template, self._path, words = loaded
        self._template, self._words, self._settings = template, words, settings
        self._head = words.lexicon.head
        self._rows = template.rows
        self._places = {name: constituent.places for name, constituent in template.constituents.items()}
        self._numbered = template.set_numbers
        self._free = tuple(slot for slot in template.slots if slot not in template.held_out)
        self._uses = Counter[tuple[str, str]]()
        self._rings: dict[tuple[str, ...], HashRing[str]] = {}
        self._filled: dict[tuple[str, ...], str] = {}

    def draw(self, *parts: str) -> bytes:
        """A number that only the seed and these texts decide."""
        return hashlib.sha256("\n".join((str(self._settings.seed), *parts)).encode()).digest()

    def items(self) -> Iterator[Item]:
        """The problems for training, then those for testing; equal input gives equal problems."""
        sizes: tuple[tuple[ItemSplit, int], ...] = ("train", self._settings.train), ("test", self._settings.test)
        for (split, wanted), sets in zip(sizes, self._divided(), strict=True):
            n_heads = len({words[self._head] for words in sets})
            needed = max(1, len(self._numbered))
            if wanted and n_heads < needed:
                remedy = f"{2 * needed} are enough for both splits, {needed} with --test 0; add or approve more"
                self._refuse(
                    f"{counted(n_heads, 'word')} of the slot '{self._head}' for {split}, and {needed} are needed",
                    remedy,
                )
            yield from self._of_split(split, sets, wanted)

    def _refuse(self, shortage: str, remedy: str = "add words, approve more, or ask for a smaller --size") -> NoReturn:
        line = self._words.line(next(iter(self._words.heads), ""))
        raise ConfigError(f"{at(self._words.path, line)}: {shortage}; {remedy}")

    def _divided(self) -> tuple[list[LexicalSet], list[LexicalSet]]:
        """The words of the held-out slots, those for training and those for testing."""
        slots = self._template.held_out
        heads = self._words.heads
        combined = [words for head in heads for words in product(*(self._words.options(head, slot) for slot in slots))]
        combined.sort(key=lambda words: self.draw("split", *words))
        sets: list[LexicalSet] = [dict(zip(slots, words, strict=True)) for words in combined]
        size = self._settings.train + self._settings.test
        n_test = ceil(len(sets) * self._settings.test / size)
        if self._settings.test:
            n_test = max(n_test, self._first_with_enough_heads(sets))
        return sets[n_test:], sets[:n_test]

    def _first_with_enough_heads(self, sets: Sequence[LexicalSet]) -> int:
        """How many sets it takes from the first one on until they have a head for each set of a problem."""
        heads: set[str] = set()
        for number, words in enumerate(sets, start=1):
            heads.add(words[self._head])
            if len(heads) >= len(self._numbered):
                return number
        return len(sets)

    def _of_split(self, split: ItemSplit, sets: Sequence[LexicalSet], wanted: int) -> Iterator[Item]:
        pool = _Pool(sets, self._template.held_out, self.draw)
        made: set[str] = set()
        ordered = self._in_turn(sets)
        # With one lexical set a problem, the words of the other slots are all that turns can change.
        is_bounded = self._settings.variation == "MINLEX" and not self._numbered
        n_turns = {
            head: prod(len(self._ring(head, slot)) for slot in self._free) if is_bounded else wanted
            for head in self._words.heads
        }
        n_possible = sum(n_turns[words[self._head]] for words in sets)
        bases = ((turn, base) for turn in range(wanted if n_possible >= wanted else 0) for base in ordered)
        n_repeated = 0
        for turn, base in bases:
            if turn >= n_turns[base[self._head]]:
                continue
            item = self._problem(split, pool, base, turn)
            n_repeated = n_repeated + 1 if item.id in made else 0
            if not n_repeated:
                made.add(item.id)
                yield item
            if len(made) == wanted or n_repeated == _REPEATED:
                break
        if len(made) < wanted:
            n_enough = min(len(made) or n_possible, n_possible)
            self._refuse(f"the words are enough for {n_enough:,} of the {wanted:,} problems for {split}")

    def _in_turn(self, sets: Iterable[LexicalSet]) -> list[LexicalSet]:
        """The first drawn of each head, then the second of each, and so on."""
        by_head: dict[str, list[LexicalSet]] = defaultdict(list)
        for words in sets:
            by_head[words[self._head]].append(words)
        ranked = [pair for of_head in by_head.values() for pair in enumerate(of_head)]
        ranked.sort(key=lambda pair: (pair[0], self.draw("turn", *pair[1].values())))
        return [words for _, words in ranked]

    def _problem(self, split: ItemSplit, pool: "_Pool", base: LexicalSet, turn: int) -> Item:
        words = "\n".join(base.values())
        key, first = f"{turn}\n{words}", self._whole(base, words, turn)
        heads = {base[self._head]}
        sets: dict[int, LexicalSet] = {0: first}
        for number in self._numbered:
            drawn = f"{key}\n{number}"
            sets[number] = self._whole(pool.other(heads, self._head, drawn, self._share), key) if number > 1 else first
            self._uses.update(sets[number].items())
        template, texts = self._template, dict[tuple[bool, str], str]()
        rows = [(False, row) for row in template.context] + [(True, row) for row in template.answers]
        for index, (is_answer, row) in enumerate(rows):
            own = sets | {0: self._varied(first, row, pool, heads, f"{key}\n{index}")}
            filled = tuple(self._constituent(part, own[part.set_number]) for part in self._rows[row])
            texts[is_answer, row] = template.sentence(filled)
        context = tuple(texts[False, row] for row in template.context)
        return self._item(split, context, {row: texts[True, row] for row in template.answers})

    def _item(self, split: ItemSplit, context: tuple[str, ...], texts: Mapping[str, str]) -> Item:
        template, row_with = self._template, dict[str, str]()
        for row, text in texts.items():
            if (same := row_with.setdefault(text, row)) != row:
                place = at(self._path, row_line(self._path, row))
                raise ConfigError(
                    f"{place}: '{row}' and '{same}' are both '{text}'; tell them apart, or change the words"
                )
        shown = sorted(texts, key=lambda row: self.draw("order", *context, texts[row]))
        labels = {row: "" if label == RIGHT else f"{label} {row}" for row, label in template.answers.items()}
        content = {
            "task": "matrix",
            "language": template.language,
            "context": context,
            "condition": f"{self._path.stem} {self._settings.variation}",
        }
        made = {
            "id": content_id("item", content, [texts[row] for row in shown]),
            "options": tuple(Option(text=texts[row], label=labels[row]) for row in shown),
            "answers": (shown.index(template.right),),
            "seed": self._settings.seed,
            "split": split,
        }
        return Item.model_validate(content | made)

    def _varied(self, first: LexicalSet, row: str, pool: "_Pool", heads: set[str], key: str) -> LexicalSet:
        """The lexical set of a sentence."""
        if self._settings.variation == "MAXLEX":
            return self._whole(pool.other(heads, self._head, key), key)
        if self._settings.variation == "ONEWORD":
            used = {place.slot for part in self._rows[row] for place in self._places[part.name]} - {self._head}
            for slot in sorted(used, key=lambda slot: self.draw("varied slot", key, slot)):
                for word in self._ring(first[self._head], slot).walk(self.draw("varied word", key)):
                    varied = {**first, slot: word}
                    if word != first[slot] and (slot not in self._template.held_out or varied in pool):
                        return varied
        return first

    def _whole(self, held_out: LexicalSet, key: str, turn: int = 0) -> LexicalSet:
        """A lexical set with words for the other slots: turns go through all combinations, from the drawn one on.

        Where a problem has several sets, they are the words that were used least.
        """
        head, words = held_out[self._head], dict(held_out)
        for slot in self._free:
            ring = self._ring(head, slot)
            if self._numbered:
                drawn = ring.walk(self.draw(slot, head, key))
                *_, words[slot] = min((self._uses[slot, word], index, word) for index, word in enumerate(drawn))
                continue
            turn, steps = divmod(turn, len(ring))
            words[slot] = ring.after(self.draw(slot, head, key), steps)
        return words

    def _share(self, words: LexicalSet) -> float:
        """How often a head was used, for each word of the slot in which it has fewest."""
        head = words[self._head]
        n_words = min((len(self._words.options(head, slot)) for slot in self._free), default=1)
        return self._uses[self._head, head] / n_words

    def _ring(self, head: str, slot: str) -> HashRing[str]:
        options = self._words.options(head, slot)
        if not options:
            place = at(self._words.path, self._words.line(head))
            raise ConfigError(f"{place}: '{head}' takes no word in the slot '{slot}'; give it some, or approve some")
        if options not in self._rings:
            self._rings[options] = HashRing(options, str, self.draw)
        return self._rings[options]

    def _constituent(self, part: Part, words: LexicalSet) -> str:
        places = self._places[part.name]
        key = (part.name, *(word for place in places for word in (words[place.slot], words.get(place.agrees, ""))))
        if key not in self._filled:
            forms = []
            for place in places:
                agreement = self._words.form(place.agrees, words[place.agrees], AGREEMENT) if place.agrees else ""
                forms.append(self._words.form(place.slot, words[place.slot], place.form, agreement))
            self._filled[key] = self._template.constituents[part.name].filled(tuple(forms))
        return self._filled[key]


class _Pool:
    """The lexical sets of one split."""

    def __init__(self, sets: Sequence[LexicalSet], slots: Sequence[str], draw: Callable[..., bytes]) -> None:
        self._slots, self._draw = slots, draw
        self._keys = {tuple(words.values()) for words in sets}
        self._ring = HashRing(sets, lambda words: "\n".join(words.values()), draw)

    def __contains__(self, words: LexicalSet) -> bool:
        return tuple(words[slot] for slot in self._slots) in self._keys

    def other(
        self, heads: set[str], slot: str, key: str, share: Callable[[LexicalSet], float] | None = None
    ) -> LexicalSet:
        """A set whose head is none of these, to which it is added; where all are used, they may come again.

        With `share` it is the one with the lowest, else the one that is drawn.
        """
        drawn = self._draw("set", key)
        others = (words for words in self._ring.walk(drawn) if words[slot] not in heads)
        chosen = min(others, key=share, default=None) if share else next(others, None)
        if chosen is None:
            heads.clear()
            chosen = self._ring.after(drawn)
        heads.add(chosen[slot])
        return chosen


def open_template(context: Context, name: str, hold_out: tuple[str, ...] = ()) -> LoadedTemplate:
    """A template with its words. `hold_out` goes before what the template says.

    Raises ConfigError for a file with a fault, and where words come from treebanks and no head has approved ones.
    """
    workspace = context.workspace
    loaded, path = load_template(name, workspace.root)
    if loaded.treebank is None:
        words = open_lexicon(workspace, loaded.lexicon)
        language = words.lexicon.language
        if language.partition("-")[0] != loaded.language.partition("-")[0]:
            place = at(words.path, line_of(words.path.read_text(encoding="utf-8"), ["language"]))
            raise ConfigError(f"{place}: language '{language}', but '{loaded.language}' in {path}; make them equal")
        return _held_out(LoadedTemplate(loaded, path, words), hold_out)
    query, table = loaded.treebank, combinations_file(workspace, name)
    approved, refused = decided_combinations(workspace, name, loaded.language)
    takes: dict[str, tuple[str, ...]] = dict.fromkeys(query.slots, ())
    given = {(head, slot) for head, slot, _ in approved}
    lemmas = sorted({head for head, _ in given})
    heads = tuple(Head(lemma=lemma, takes=takes) for lemma in lemmas if all((lemma, slot) in given for slot in takes))
    has = f"an approved {query.text} in each of {', '.join(takes)}"
    if not heads:
        propose = f"pairwright extras matrices propose {name} --treebank FILE"
        raise ConfigError(f"{table}: no {query.head} has {has}; propose some: {propose}; and approve")
    context.say("words", f"{len(heads)} of {len(lemmas)} {query.head}s have {has}")
    entries = MatrixLexicon(language=loaded.language, head=query.head, heads=heads)
    words = Words(entries, table, MatrixMorphology(workspace, loaded.language), approved, refused)
    return _held_out(LoadedTemplate(loaded, path, words), hold_out)


def _held_out(loaded: LoadedTemplate, hold_out: tuple[str, ...]) -> LoadedTemplate:
    """With other slots held out, where some are given. Raises ConfigError for a slot that no words go into."""
    template, lexicon = loaded.template, loaded.words.lexicon
    slots = hold_out or template.held_out
    line = line_of(loaded.path.read_text(encoding="utf-8"), ["held_out"])
    place = "--hold-out" if hold_out else f"{at(loaded.path, line)}: held_out"
    has_words = dict.fromkeys((lexicon.head, *template.slots, *lexicon.slots))
    if unknown := next((slot for slot in slots if slot not in has_words), None):
        raise ConfigError(f"{place} names '{unknown}', which is no slot; known: {', '.join(has_words)}")
    if lexicon.head not in slots:
        raise ConfigError(f"{place} lacks '{lexicon.head}', the slot of the lexicon's heads; add it")
    return loaded._replace(template=template.model_copy(update={"held_out": slots}))


def default_test(context: Context, loaded: LoadedTemplate, size: int) -> int:
    """How many of `size` problems are for testing: a tenth, or none where the words can't be parted."""
    n_heads, needed = len(loaded.words.heads), max(1, len(loaded.template.set_numbers))
    if n_heads >= 2 * needed:
        return size // 10
    head = loaded.words.lexicon.head
    context.say("test", f"none: a problem takes {needed} {head}s, so both splits need {2 * needed}, not {n_heads}")
    return 0


def write_matrices(context: Context, loaded: LoadedTemplate, settings: MatrixSettings, out: Path) -> ItemsInfo:
    """Writes problems into a new folder of items, whole or not at all; says how often sentences come again.

    Raises ConfigError.
    """
    if os.path.lexists(out):
        raise ConfigError(f"{out}: exists already; give a new folder by --out")
    items = sorted(MatrixMaker(loaded, settings).items(), key=lambda item: item.id)
    uses = Counter(text for item in items for text in {*item.context, *(option.text for option in item.options)})
    often = sorted(uses.values())
    half = f"half of them in at most {counted(often[len(often) // 2], 'problem')}"
    context.say("sentences", f"{len(often):,}, {half}, none in more than {often[-1]:,}")
    written = ItemSettings(items=settings.train + settings.test, seed=settings.seed)
    try:
        with whole_folder(out) as building:
            made = ItemSet({"matrix": tuple(items)}, (), {})
            return write_items(building, made, written, f"template {loaded.path.stem}", canary="")
    except OSError as fault:
        raise ConfigError(f"{out}: can't be written: {fault.strerror}") from None
