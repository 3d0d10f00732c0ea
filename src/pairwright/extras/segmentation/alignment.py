"""How tokenizers cut words, kept beside the scores of their models, and how well they do it at morpheme boundaries."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from rapidfuzz.distance import DamerauLevenshtein

from pairwright.core.errors import StoreError
from pairwright.core.files import read_file
from pairwright.core.store import MAX_RECORD_BYTES, write_text
from pairwright.extras.segmentation.gold import Cut, Segmentation

FILE = "segments.json"


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
