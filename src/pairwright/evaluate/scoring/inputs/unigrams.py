"""The frequencies of a model's tokens, which SLOR subtracts from a sentence's log-probability.

SLOR (Pauls and Klein 2012; Lau, Clark and Lappin 2017) compares a sentence with what the frequencies of its tokens
predict, so that rare words do not make it unacceptable. The tokens are the model's own, counted in a corpus, or in the
words of wordfreq weighted by their frequencies. One is added to each count, so that no token is impossible.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pairwright.core.errors import ModelError, counted
from pairwright.core.files import read_lines, user_path
from pairwright.core.ids import file_sha256
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs.encoding import policy_text
from pairwright.models.load.models import LoadedModel

WORDFREQ = "wordfreq:"
WORDFREQ_WORDS = 100_000
# Frequencies become counts in a corpus of this many words.
WORDFREQ_TOTAL = 10**9
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

    Raises ModelError where the corpus can't be read or is empty, or wordfreq is missing or lacks the language.
    """
    if corpus is None:
        return None
    counts: Counter[int] = Counter()
    if corpus.startswith(WORDFREQ):
        texts, origin = _wordfreq(corpus.removeprefix(WORDFREQ))
    else:
        path = user_path(corpus)
        origin = f"{path.name}, SHA-256 {file_sha256(path, ModelError)}"
        texts = ((line.strip(), 1) for _, line in read_lines(path, ModelError))
    tokenizer: Any = model.tokenizer
    while chunk := list(itertools.islice(texts, LINES)):
        read = tokenizer(
            [policy_text(text, policy) for text, _ in chunk],
            add_special_tokens=False,
            split_special_tokens=True,
            verbose=False,
        )["input_ids"]
        for (_, weight), ids in zip(chunk, read, strict=True):
            for token in ids:
                counts[token] += weight
    if not counts:
        raise ModelError(f"{corpus}: no word to count; give a text file, one sentence or paragraph a line")
    return Unigrams(counts, model.info.vocabulary_size, origin)


def _wordfreq(language: str) -> tuple[Iterator[tuple[str, int]], str]:
    """The commonest words of a language, with a space before as in a sentence, and their counts in a corpus."""
    try:
        import wordfreq
    except ImportError:
        raise ModelError(f'{WORDFREQ}{language}: wordfreq is not installed; pip install "pairwright[slor]"') from None
    try:
        words = wordfreq.top_n_list(language, WORDFREQ_WORDS)
    except LookupError:
        raise ModelError(f"{WORDFREQ}{language}: wordfreq has no such language; give a text file instead") from None
    weighted = ((f" {word}", max(1, round(wordfreq.word_frequency(word, language) * WORDFREQ_TOTAL))) for word in words)
    return weighted, f"wordfreq {language}, {counted(len(words), 'word')}"
