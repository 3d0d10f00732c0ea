"""Words cut into morphemes by a dictionary's affix rules, files of them, and how well tokenizers cut the same words."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError
from rapidfuzz.distance import DamerauLevenshtein

from pairwright.core.errors import MorphologyError, ReleaseError, StoreError, at
from pairwright.core.files import read_file, read_lines
from pairwright.core.store import MAX_RECORD_BYTES, write_text
from pairwright.core.text import nfc
from pairwright.languages import Language
from pairwright.languages.morphology.hunspell import Affix, HunspellLexicon, fits
from pairwright.languages.morphology.hunspell import Segmentation as Affixes

CATEGORIES: Mapping[str, str] = {"NOUN": "noun", "VERB": "verb", "AUX": "verb", "ADJ": "adjective"}
OTHER = "other"
FILE = "segments.json"
SEED = 4242
# The ending of a rule for fewer words of the dictionary may be no ending of the language.
_FEWEST_WORDS = 100

_Rule = tuple[str, str, str]
"""What a suffix rule means, takes away and adds; several flags may have the same."""
Cut = tuple[str, ...]
"""The parts of a word."""
Segmentation = Mapping[str, Sequence[Cut]]
"""Words as their morphemes, by category."""


# Gold: stems and endings by the rules of a dictionary


class Segmenter:
    """Cuts words with a Hunspell dictionary.

    A rule takes letters away and adds others, and where a stem alternates, some of these letters belong to the stem.
    What is the ending follows from the other rules with the same features: of the more common rules that a rule ends
    like, the one with the longest ending counts. So `is` to `žio` is the ending `io` after an alternating stem.
    """

    def __init__(self, lexicon: HunspellLexicon) -> None:
        self._lexicon = lexicon
        self._words = _words_by_rule(lexicon)
        self._rules: dict[str, list[Affix]] = defaultdict(list)
        for affix in (affix for rules in lexicon.suffixes.values() for affix in rules):
            self._rules[affix.morph].append(affix)
        self._endings: dict[Affix, str] = {}

    @classmethod
    def of(cls, language: Language) -> Self:
        """The segmenter of a language. Raises MorphologyError where it has no Hunspell dictionary with tags."""
        for file in language.lexicons:
            if file.kind == "hunspell" and file.sha256 and file.tagset:
                return cls(HunspellLexicon(Path(file.path), file.tagset.meaning))
        raise MorphologyError(
            f"language {language.code}: no Hunspell dictionary with tags, whose rules could cut words; "
            'name one under [[morphology]] with kind = "hunspell" and a tagset'
        )

    def morphemes(self, word: str) -> tuple[Cut, str] | None:
        """A word's morphemes and category: noun, verb, adjective or other.

        None where the dictionary lacks the word, where it allows several cuts or categories, and where the word's
        ending is that of few words.
        """
        segmentations = list(self._lexicon.segmentations(word))
        cuts = {self._cuts(word, parts) for parts in segmentations}
        categories = {CATEGORIES.get(self._lexicon.analysis(parts).upos or "", OTHER) for parts in segmentations}
        if len(cuts) != 1 or len(categories) != 1 or (places := cuts.pop()) is None:
            return None
        edges = (0, *places, len(word))
        return tuple(word[start:end] for start, end in pairwise(edges)), categories.pop()

    def _cuts(self, word: str, parts: Affixes) -> tuple[int, ...] | None:
        """The places between the morphemes; None where a suffix is that of few words."""
        places = {len(parts.prefix.add)} if parts.prefix else set()
        if any(self._words[_rule(suffix)] < _FEWEST_WORDS for suffix in parts.suffixes):
            return None
        if parts.suffixes:
            end = len(word) - len(self._ending(parts.suffixes[-1]))
            # A first suffix without features makes another stem of the word, as that of the past tense.
            if len(parts.suffixes) == 2 and self._lexicon.meaning(parts.suffixes[0].morph)[1]:
                begin = len(parts.stem) - len(parts.suffixes[0].strip) + sum(places)
                places |= {begin} if begin < end else set()
            places.add(end)
        return tuple(sorted(places - {0, len(word)}))

    def _ending(self, affix: Affix) -> str:
        if affix not in self._endings:
            alike = [
                rule.add
                for rule in self._rules[affix.morph]
                if 0 < len(rule.add) < len(affix.add)
                and affix.strip.endswith(rule.strip)
                and affix.add.endswith(rule.add)
                # The letters before the ending alternate.
                and affix.strip.removesuffix(rule.strip) != affix.add.removesuffix(rule.add)
                and self._words[_rule(rule)] > self._words[_rule(affix)]
            ]
            self._endings[affix] = max(alike, key=len, default=affix.add)
        return self._endings[affix]


def gold_segmentation(segmenter: Segmenter, words: Iterable[str], per_category: int) -> dict[str, list[Cut]]:
    """So many words of each category, cut, drawn at random from those in small letters that have one cut; sorted.

    The same words give the same draw.
    """
    by_category: dict[str, list[Cut]] = {name: [] for name in (*CATEGORIES.values(), OTHER)}
    for word in sorted({word for word in words if word.isalpha() and word.islower()}):
        if cut := segmenter.morphemes(word):
            by_category[cut[1]].append(cut[0])
    generator = random.Random(SEED)
    return {
        name: sorted(generator.sample(cuts, min(per_category, len(cuts)))) for name, cuts in by_category.items() if cuts
    }


def write_segmentation(path: Path, words: Segmentation) -> None:
    """Writes a segmentation file."""
    lines = (line for name, cuts in words.items() for line in (f"# {name}", *map("+".join, cuts)))
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_segmentation(path: Path) -> dict[str, list[Cut]]:
    """The words of a segmentation file, each once in a category.

    A word a line, `+`, `|`, a space or a hyphen between its morphemes. Where a line has a tab, the part after it is the
    segmentation. A line such as `# noun` names the category of the words after it; before it, it is empty. Raises
    ReleaseError with the line at fault.
    """
    words: dict[str, list[Cut]] = {}
    category = ""
    for number, line in read_lines(path, ReleaseError):
        whole, _, cut = line.strip().rpartition("\t")
        if not cut or cut.startswith("#"):
            category = cut.removeprefix("#").strip() or category
            continue
        mark = next((mark for mark in "+|- " if mark in cut), None)
        parts = tuple(nfc(part.strip()) for part in (cut.split(mark) if mark else [cut]))
        if not all(parts):
            raise ReleaseError(f"{at(path, number)}: an empty morpheme; write them as nam+uose")
        if whole and nfc(whole.strip()) != "".join(parts):
            raise ReleaseError(f"{at(path, number)}: {whole.strip()} and {'+'.join(parts)} are not the same word")
        words.setdefault(category, []).append(parts)
    if not words:
        raise ReleaseError(f"{path}: no word in it; write a word a line, cut as nam+uose")
    return {name: list(dict.fromkeys(own)) for name, own in words.items()}


def _words_by_rule(lexicon: HunspellLexicon) -> Counter[_Rule]:
    """How many words of the dictionary take each rule, as their first or second suffix.

    Which words a second suffix fits depends on the first one; all that may have it count.
    """
    counts: Counter[_Rule] = Counter()
    by_flag: Counter[str] = Counter()
    for stem, entry in lexicon.entries():
        for flag in entry.flags:
            by_flag[flag] += 1
            for affix in lexicon.suffixes.get(flag, ()):
                if fits(stem, affix):
                    counts[_rule(affix)] += 1
    for flag, count in by_flag.items():
        for further in {after for affix in lexicon.suffixes.get(flag, ()) for after in affix.further}:
            for affix in lexicon.suffixes.get(further, ()):
                counts[_rule(affix)] += count
    return counts


def _rule(affix: Affix) -> _Rule:
    return affix.morph, affix.strip, affix.add


# How tokenizers cut words, kept beside the scores of their models


@dataclass(frozen=True)
class Alignment:
    """How a model's tokenizer cuts the `n` words of a category; an empty `category` is all words together.

    exact       the share of words cut exactly as in gold
    over        that of words cut into more parts than in gold; `under` into fewer
    precision   the share of its cuts that fall on a morpheme boundary; None where it makes none
    recall      the share of morpheme boundaries that it cuts at; None where there is none
    distance    the mean Damerau-Levenshtein distance of its pieces to the morphemes, in edits a word
    n_unusable  words that its pieces don't add up to, such as those with a letter that it does not know
    """

    model: str
    category: str
    n: int
    exact: float
    over: float
    under: float
    precision: float | None
    recall: float | None
    distance: float
    n_unusable: int


def aligned(words: Segmentation, model: str, pieces_of: Callable[[str], Sequence[str]]) -> Iterator[Alignment]:
    """How a tokenizer cuts all words, and each category where there are several; nothing where it can't cut any.

    Source: Damerau (1964), A technique for computer detection and correction of spelling errors, CACM 7, 171-176, over
    sequences of pieces instead of letters; boundaries as in Creutz and Lindén (2004), Morpheme Segmentation Gold
    Standards for Finnish and English.
    """
    together = list(dict.fromkeys(chain.from_iterable(words.values())))
    for category, own in {"": together, **(words if len(words) > 1 else {})}.items():
        cuts = [(tuple(filter(None, pieces_of("".join(gold)))), gold) for gold in own]
        usable = [(pieces, gold) for pieces, gold in cuts if "".join(pieces) == "".join(gold)]
        if not usable:
            continue
        places = [(_boundaries(pieces), _boundaries(gold)) for pieces, gold in usable]
        hits = sum(len(made & expected) for made, expected in places)
        n, n_made = len(usable), sum(len(made) for made, _ in places)
        n_expected = sum(len(expected) for _, expected in places)
        yield Alignment(
            model=model,
            category=category,
            n=n,
            exact=sum(pieces == gold for pieces, gold in usable) / n,
            over=sum(len(pieces) > len(gold) for pieces, gold in usable) / n,
            under=sum(len(pieces) < len(gold) for pieces, gold in usable) / n,
            precision=hits / n_made if n_made else None,
            recall=hits / n_expected if n_expected else None,
            distance=sum(DamerauLevenshtein.distance(pieces, gold) for pieces, gold in usable) / n,
            n_unusable=len(own) - n,
        )


def _boundaries(parts: Cut) -> set[int]:
    """The places, in characters from the start of the word, where one part ends and the next begins."""
    return set(accumulate(map(len, parts[:-1])))


def write_cuts(folder: Path, tokenizer: Any, words: Segmentation) -> None:
    """Writes the pieces of each word, as a word inside a sentence, which a space comes before."""
    pieces = {}
    for word in map("".join, chain.from_iterable(words.values())):
        spans = tokenizer(f" {word}", add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        pieces[word] = [word[max(start - 1, 0) : end - 1] for start, end in spans if end > 1]
    write_text(folder / FILE, json.dumps(pieces, ensure_ascii=False) + "\n")


def read_cuts(folder: Path) -> Callable[[str], Sequence[str]] | None:
    """What cuts a word as the model of this evaluation does; None where its cuts were not kept. Raises StoreError."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        pieces = TypeAdapter(dict[str, list[str]]).validate_json(read_file(path, MAX_RECORD_BYTES, StoreError))
    except ValidationError:
        raise StoreError(f"{path}: not words with their pieces; delete it and evaluate again") from None
    return lambda word: pieces.get(word, [])
