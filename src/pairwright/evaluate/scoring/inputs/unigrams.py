"""The frequencies of a model's tokens, which SLOR subtracts from a sentence's log-probability.

SLOR (Pauls and Klein 2012; Lau, Clark and Lappin 2017) compares a sentence with what the frequencies of its tokens
predict, so that rare words do not make it unacceptable. The tokens are the model's own, counted in a corpus. One is
added to each count, so that no token is impossible.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pairwright.core.errors import ModelError
from pairwright.core.files import read_lines, user_path
from pairwright.core.ids import file_sha256
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs.encoding import policy_text
from pairwright.models.load.models import LoadedModel

LINES = 1000


class Unigrams:
    """Token counts with one added to each; `origin` names what they were counted from."""

    def __init__(self, counts: Counter[int], vocabulary_size: int, origin: str) -> None:
        self.origin = origin
        self._counts = counts
        self._log_total = math.log(sum(counts.values()) + vocabulary_size)

    def sum_logprob(self, tokens: Iterable[int]) -> float:
        """The sum of the tokens' log-probabilities, each on its own, in nats."""
        return math.fsum(math.log(self._counts[token] + 1) - self._log_total for token in tokens)


def count_unigrams(corpus: str | None, model: LoadedModel, policy: ScoringPolicy) -> Unigrams | None:
    """The unigram model that `score.unigrams` asks for; None where it asks for none.

    Raises ModelError where the corpus can't be read or is empty.
    """
    if corpus is None:
        return None
    path, counts = user_path(corpus), Counter[int]()
    lines = (policy_text(line.strip(), policy) for _, line in read_lines(path, ModelError))
    tokenizer: Any = model.tokenizer
    while chunk := list(itertools.islice(lines, LINES)):
        read = tokenizer(chunk, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        counts.update(itertools.chain.from_iterable(read))
    if not counts:
        raise ModelError(f"{corpus}: no word to count; give a text file, one sentence or paragraph a line")
    origin = f"{path.name}, SHA-256 {file_sha256(path, ModelError)}"
    return Unigrams(counts, model.info.vocabulary_size, origin)
