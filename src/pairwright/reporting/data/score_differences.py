"""From a table of scores to score differences: how far a model prefers the good sentence of each pair of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core.errors import ReleaseError
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc
from pairwright.stats.bootstrap import Floats

Measure = Literal["sum_logprob", "mean_nll", "slor"]
GOOD, BAD = 0, 1
_SIDES = ("good", "bad")


class SentenceTokens(NamedTuple):
    """The tokens of sentences: those of the first pair's good sentence, of its bad one, and so on, one after the other.

    ends      where the tokens of each sentence end; one without kept tokens ends where the one before it does
    logprobs  in nats
    starts    where each token begins, in characters of the scored text
    """

    ends: NDArray[np.int64]
    logprobs: Floats
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreDifferences:
    """A model's score differences. Arrays have an entry for each pair of the release, in its order.

    differences  by measure, above zero where the good sentence is preferred: good minus bad sum_logprob in nats, bad
                 minus good mean_nll and good minus bad slor in nats per token. NaN where the pair has no usable score;
                 without slor where no pair has it
    n_tokens     the scored tokens of the good and of the bad sentence, 0 where there is no usable score
    unigram      the difference of the unigram log-probabilities in nats, NaN where there is none
    missing      the ids of pairs that lack a score; `unusable` of those with one that is not finite
    tokens       None where no sentence has them
    """

    differences: dict[Measure, Floats]
    n_tokens: NDArray[np.int64]
    unigram: Floats
    missing: tuple[str, ...]
    unusable: tuple[str, ...]
    tokens: SentenceTokens | None

    def right(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the model prefers the good sentence, pair by pair; False where there is no score."""
        return np.nan_to_num(self.differences[measure]) > 0

    def scored(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the pair has usable scores, pair by pair."""
        return np.isfinite(self.differences[measure])

    def accuracy(self) -> float:
        """The share of scored pairs that are right by sum_logprob, 0 where no pair is scored."""
        return float(self.right("sum_logprob").sum()) / max(int(self.scored("sum_logprob").sum()), 1)


def pair_columns(pairs: Sequence[ReleasePair]) -> dict[str, Any]:
    """Ids and sentences of the pairs of a release as pyarrow arrays, which every model's table is checked against."""
    import pyarrow as pa

    names = ("id", "sentence_good", "sentence_bad")
    return {name: pa.array([getattr(pair, name) for pair in pairs], pa.string()) for name in names}


def score_differences(columns: Mapping[str, Any], table: Any) -> ScoreDifferences:
    """The score differences of a model from a pyarrow table of its scores, one row a sentence.

    columns  of the release, as `pair_columns` gives them
    table  with the columns pair_id, side, sentence, n_tokens, sum_logprob, unigram_sum_logprob, token_logprobs and
           token_starts of `Score`

    Raises ReleaseError, worded to follow a model's name, for scores of other pairs or sentences and for double ones.
    """
    place, side = _places(columns, table)
    n_pairs = len(columns["id"])
    present = np.zeros((n_pairs, 2), dtype=bool)
    sums, unigrams = np.full((n_pairs, 2), np.nan), np.full((n_pairs, 2), np.nan)
    tokens = np.zeros((n_pairs, 2), dtype=np.int64)
    present[place, side] = True
    for name, values in (("sum_logprob", sums), ("unigram_sum_logprob", unigrams), ("n_tokens", tokens)):
        # NaN where there is no number.
        values[place, side] = table[name].combine_chunks().to_numpy(zero_copy_only=False)
    both: NDArray[np.bool_] = present[:, GOOD] & present[:, BAD]
    usable = both & np.isfinite(sums).all(axis=1)
    sums[~usable], unigrams[~usable], tokens[~usable] = np.nan, np.nan, 0
    per_token = np.where(usable[:, None], tokens, 1)
    means, slors = sums / per_token, (sums - unigrams) / per_token
    differences: dict[Measure, Floats] = {
        "sum_logprob": sums[:, GOOD] - sums[:, BAD],
        "mean_nll": means[:, GOOD] - means[:, BAD],
    }
    if np.isfinite(slors).all(axis=1).any():
        differences["slor"] = slors[:, GOOD] - slors[:, BAD]
    missing, unusable = (tuple(columns["id"].filter(chosen).to_pylist()) for chosen in (~both, both & ~usable))
    shown = _tokens(table, 2 * place + side, 2 * n_pairs)
    return ScoreDifferences(differences, tokens, unigrams[:, GOOD] - unigrams[:, BAD], missing, unusable, shown)


def _places(columns: Mapping[str, Any], table: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row of a table the place of its pair in the release, and its side."""
    import pyarrow.compute as pc

    ids, sentences = table["pair_id"].combine_chunks(), table["sentence"].combine_chunks()
    rows = pc.index_in(ids, value_set=columns["id"])
    if rows.null_count:
        other = ids.filter(pc.is_null(rows))[0].as_py()
        raise ReleaseError(f"scores {other}, which is not in the release; score the release again")
    is_good = pc.equal(table["side"].combine_chunks(), "good")
    expected = pc.if_else(is_good, columns["sentence_good"].take(rows), columns["sentence_bad"].take(rows))
    place = rows.to_numpy(zero_copy_only=False).astype(np.int64)
    side = np.where(is_good.to_numpy(zero_copy_only=False), GOOD, BAD)
    for row in np.flatnonzero(~pc.equal(sentences, expected).to_numpy(zero_copy_only=False)):
        if nfc(sentences[row].as_py()) != nfc(expected[row].as_py()):
            raise ReleaseError(
                f"scored another {_SIDES[side[row]]} sentence of {ids[row].as_py()} than the release has; "
                "score the release again"
            )
    double = np.flatnonzero(np.bincount(2 * place + side, minlength=1) > 1)
    if len(double):
        pair, which = divmod(int(double[0]), 2)
        raise ReleaseError(f"scores the {_SIDES[which]} sentence of {columns['id'][pair].as_py()} twice; score again")
    return place, side


def _tokens(table: Any, places: NDArray[np.int64], n_sentences: int) -> SentenceTokens | None:
    """The tokens of a table whose rows have these places among all sentences."""
    import pyarrow.compute as pc

    columns = [table[name].combine_chunks() for name in ("token_logprobs", "token_starts")]
    lengths, others = (pc.fill_null(pc.list_value_length(it), 0).to_numpy(zero_copy_only=False) for it in columns)
    kept = lengths == others
    if not lengths[kept].any():
        return None
    counts = np.zeros(n_sentences, dtype=np.int64)
    counts[places] = np.where(kept, lengths, 0)
    order = np.argsort(places)
    values = []
    for column, own in zip(columns, (lengths, others), strict=True):
        numbers, ends = column.flatten().to_numpy(zero_copy_only=False), np.cumsum(own)
        values.append(np.concatenate([numbers[ends[row] - own[row] : ends[row]] for row in order if kept[row]]))
    return SentenceTokens(np.cumsum(counts), *values)
