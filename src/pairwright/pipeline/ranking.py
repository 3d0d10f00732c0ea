"""How probable a causal model finds sentences. Each is scored once and kept by content."""

from collections.abc import Sequence
from pathlib import Path

from pairwright.core.errors import StoreError
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.store import append_log, read_log
from pairwright.evaluate.scoring.inputs import Scorer, SentenceScore
from pairwright.evaluate.scoring.scorers.registry import open_scorer, settings_for
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context

# A run that is killed loses no more sentences than this.
_KEPT_TOGETHER = 512
# Of a sentence that a model can't score.
_IMPROBABLE = -1e9


class SentenceLogprob(Record):
    """A sentence with its log-probability in nats, None where the model can't score it."""

    sentence: str
    sum_logprob: float | None


class SentenceRanker:
    """Log-probabilities of sentences by a model, which is loaded at the first one. Raises ModelError.

    per_byte  divides them by the bytes of the sentence, so that none gains by being short
    """

    def __init__(self, context: Context, model: ModelSettings, *, per_byte: bool = False) -> None:
        self._context, self._model, self._per_byte = context, model, per_byte
        self._scorer: Scorer | None = None
        self._path = Path()
        self._known: dict[str, float | None] = {}

    def __call__(self, sentences: Sequence[str]) -> list[float]:
        """The log-probabilities of sentences in nats, in their order."""
        if not sentences:
            return []
        scorer = self._scorer or self._open()
        missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._known]
        with self._context.reporter.progress("ranking sentences", len(missing)) as advance:
            for start in range(0, len(missing), _KEPT_TOGETHER):
                outcomes = scorer.score(missing[start : start + _KEPT_TOGETHER])
                new = {it.sentence: it.sum_logprob if isinstance(it, SentenceScore) else None for it in outcomes}
                append_log(self._path, [SentenceLogprob(sentence=text, sum_logprob=of) for text, of in new.items()])
                self._known |= new
                advance(len(new))
        values = (self._known[sentence] for sentence in sentences)
        logprobs = [_IMPROBABLE if value is None else value for value in values]
        if not self._per_byte:
            return logprobs
        return [value / max(1, len(text.encode())) for text, value in zip(sentences, logprobs, strict=True)]

    def _open(self) -> Scorer:
        workspace = self._context.workspace
        scorer = open_scorer(self._model, settings_for(self._model, workspace.config().score))
        identity = digest([scorer.info.weights_sha256, scorer.info.revision, scorer.policy.model_dump()])[:8]
        self._path = workspace.cache / "sentences" / f"{scorer.info.slug}-{identity}.jsonl"
        try:
            self._known = {item.sentence: item.sum_logprob for item in read_log(self._path, SentenceLogprob)}
        except StoreError as fault:
            raise StoreError(f"{fault}; delete the file, and its sentences are scored again") from None
        self._scorer = scorer
        return scorer
