"""All pairs with every model's score differences, packed for the page and as columns of pairs.csv.

The page holds them as two texts, each base64 of a deflated block. The first begins with the length of a JSON object in
four bytes, little-endian, then the object, then arrays; the second has the arrays of tokens. `pairs.js` reads them.
"""

import base64
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records.release import Release, ReleasePair
from pairwright.core.text import escape_csv_formula
from pairwright.reporting.analysis.comparisons import COMPARED
from pairwright.reporting.analysis.groups import rule_labels
from pairwright.reporting.analysis.pairs import listed
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import BAD, GOOD, SentenceTokens

Array = NDArray[Any]
# The tokens of 20 models on 10,000 pairs of a dozen tokens a sentence.
MOST_TOKENS = 5_000_000


class PackedPairs(NamedTuple):
    """The pairs as the page holds them; `n_shown` with tokens, of the `n_kept` that have any, `n_tokens` in all."""

    data: str
    tokens: str
    n_shown: int
    n_kept: int
    n_tokens: int


def packed_pairs(release: Release, summary: Summary, most_tokens: int = MOST_TOKENS) -> PackedPairs | None:
    """The pairs of a report as the page holds them; None where the summary came from a file or has no model.

    Score differences keep 16 of their 24 binary digits, which is more than the page shows, and always their sign.
    Surprisals are in hundredths of a nat. Pairs get their tokens one after the other, those in lists first, as long as
    all models' tokens are not more than `most_tokens`.
    """
    models = summary.scored
    if not models:
        return None
    chosen, n_kept, n_tokens = _with_tokens(release.pairs, summary, models, most_tokens)
    pairs, languages = release.pairs, {source.id: source.language for source in release.info.sources}
    head = {
        "models": [model.label for model in models],
        "shown": chosen,
        "tokens": [model.tokens is not None for model in models],
        "ids": [pair.id for pair in pairs],
        "good": [pair.sentence_good for pair in pairs],
        "bad": [pair.sentence_bad for pair in pairs],
        # Start and end of the differing words of each change, in the good sentence, then in the bad one.
        "changes": [
            [
                n
                for it in pair.changes
                for at, text in ((it.good_at, it.good), (it.bad_at, it.bad))
                for n in (at, at + len(text))
            ]
            for pair in pairs
        ],
        "rules": _numbered(rule_labels(pairs)),
        "phenomena": _numbered([pair.phenomenon for pair in pairs]),
        "languages": _numbered([languages.get(pair.source_id, "und") for pair in pairs]),
        "exceptions": [index for index, pair in enumerate(pairs) if pair.exception],
    }
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    block = [len(text).to_bytes(4, "little"), text]
    for model in models:
        # The three upper bytes of each float32.
        block += [_planes(model.differences[name], "<f4", (1, 2, 3)) for name in COMPARED]
        block += [_planes(model.n_tokens[:, side], "<u2", (0, 1)) for side in (GOOD, BAD)]
    tokens = [part for model in models if model.tokens is not None for part in _token_arrays(model.tokens, chosen)]
    return PackedPairs(_packed(block), _packed(tokens), len(chosen), n_kept, n_tokens)


def _packed(block: Iterable[bytes]) -> str:
    return base64.b64encode(zlib.compress(b"".join(block))).decode()


def _with_tokens(
    pairs: Sequence[ReleasePair], summary: Summary, models: Sequence[ScoredModel], most: int
) -> tuple[list[int], int, int]:
    """The places of the pairs whose tokens are shown; how many have tokens, and how many tokens these are.

    The scored text of a pair has to be as long as its sentences, which normalisation may change.
    """
    n_tokens = np.zeros(len(pairs), dtype=np.int64)
    for model in models:
        if model.tokens is not None:
            n_tokens += np.diff(model.tokens.ends, prepend=0).reshape(-1, 2).sum(axis=1)
    forms: set[Any] = {model.run.policy.normalisation for model in models if model.tokens is not None} - {"none"}
    kept = [
        place
        for place in np.flatnonzero(n_tokens).tolist()
        if all(is_normalized(form, pairs[place].sentence_good + pairs[place].sentence_bad) for form in forms)
    ]
    first = {place for places in listed(summary["pairs"]).values() for place in places}
    kept.sort(key=lambda place: (place not in first, place))
    totals = np.cumsum(n_tokens[kept])
    return sorted(kept[: int(np.searchsorted(totals, most, side="right"))]), len(kept), int(n_tokens[kept].sum())


def _numbered(labels: Sequence[str]) -> dict[str, list[Any]]:
    """Labels in the order in which they first come, and for each pair the number of its own."""
    places = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    return {"labels": list(places), "of": [places[label] for label in labels]}


def _token_arrays(tokens: SentenceTokens, chosen: Sequence[int]) -> Iterator[bytes]:
    """Of the sentences of the chosen pairs: how many tokens, where the first begins; of each token its length up to the
    next one, 0 for the last one, and its surprisal.
    """
    counts = np.diff(tokens.ends, prepend=0)
    taken = np.zeros((len(counts) // 2, 2), dtype=bool)
    taken[chosen] = True
    own = np.repeat(taken.ravel(), counts)
    counts, starts = counts[taken.ravel()], tokens.starts[own]
    lasts = np.cumsum(counts)[counts > 0] - 1
    firsts, lengths = np.zeros(len(counts)), np.diff(starts, append=0)
    firsts[counts > 0] = starts[lasts + 1 - counts[counts > 0]]
    lengths[lasts] = 0
    nats = np.clip(np.round(-100 * tokens.logprobs[own]), 0, 65535)
    yield from (_planes(values, "<u2", (0, 1)) for values in (counts, firsts, lengths, nats))


def _planes(values: Array, kind: str, kept: Sequence[int]) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on, which deflates best."""
    rows = np.ascontiguousarray(values.astype(kind)).view(np.uint8).reshape(len(values), np.dtype(kind).itemsize)
    return np.ascontiguousarray(rows[:, list(kept)].T).tobytes()


def pairs_csv(release: Release, summary: Summary) -> bytes:
    """pairs.csv: every pair with each model's verdicts (1 right, 0 not, empty without a score), score differences in
    float32, and scored tokens. Large tables take columns, not rows."""
    import pyarrow as pa
    from pyarrow import csv

    names = {"pair_id": "id"} | {name: name for name in ("rule_code", "phenomenon", "sentence_good", "sentence_bad")}
    columns: dict[str, Any] = {
        name: [escape_csv_formula(str(getattr(pair, value))) for pair in release.pairs] for name, value in names.items()
    }
    for model in summary.scored:
        label = escape_csv_formula(model.label)
        for measure, values in model.differences.items():
            scored = model.scored(measure)
            columns[f"{label}, {measure}"] = pa.array(model.right(measure).astype(np.int8), mask=~scored)
            columns[f"{label}, {measure} difference"] = pa.array(values.astype(np.float32), mask=~scored)
        for side, name in enumerate(("good", "bad")):
            tokens = model.n_tokens[:, side]
            columns[f"{label}, tokens {name}"] = pa.array(tokens, mask=tokens == 0)
    data = io.BytesIO()
    csv.write_csv(pa.table(columns), data)
    return data.getvalue()
