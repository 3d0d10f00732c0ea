"""A release of a few pairs and the scores of models that never ran: their log-probabilities are given."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairwright.records.evaluation import EvaluationRun, ModelInfo, Score, ScoringPolicy
from pairwright.records.release import Release, ReleaseInfo, ReleasePair, ReleaseSource
from pairwright.scoring.runs.shards import as_table
from pairwright.text import changes

# A pyarrow table of scores, and the run.
Scored = tuple[Any, EvaluationRun]
# The sum of log-probabilities in nats and the number of tokens of the good, then of the bad sentence.
Given = tuple[tuple[float, int], tuple[float, int]]


def make_pair(number: int, good: str, bad: str, *, code: str = "3.1", exception: bool = False) -> ReleasePair:
    return ReleasePair(
        id=f"pair-{number:016x}",
        sentence_good=good,
        sentence_bad=bad,
        phenomenon=f"case {code[0]}",
        rule_code=code,
        rule=f"Taisyklė {code}",
        rule_id=f"rule-{code}",
        source_id="mini",
        method="source",
        exception=exception,
        changes=changes(good, bad),
        votes=(),
        agreement=1.0,
        citation="Pavyzdžių rinkinys, 2026",
        licence="CC-BY-4.0",
        split="test",
    )


PAIRS = (
    make_pair(1, "Mes laukiame traukinio.", "Mes laukiame traukinį."),
    make_pair(2, "Mums trūksta laiko.", "Mums trūksta laikas."),
    make_pair(3, "Ji rašo pieštuku.", "Ji rašo su pieštuku.", code="4.2"),
    make_pair(4, "Jis eina su lazda.", "Jis eina lazda.", code="4.2", exception=True),
)


def make_release(pairs: Sequence[ReleasePair] = PAIRS) -> Release:
    source = ReleaseSource(
        id="mini", title="Sąrašas", language="lt", licence="CC-BY-4.0", citation="Rinkinys, 2026", url=None, files=()
    )
    info = ReleaseInfo(
        name="mini-cases",
        version="1.0.0",
        votes_needed=2,
        n_pairs=len(pairs),
        n_exceptions=sum(pair.exception for pair in pairs),
        n_rules=len({pair.rule_id for pair in pairs}),
        n_reviewers=2,
        n_excluded=0,
        n_conflicts=0,
        sources=(source,),
    )
    return Release(path=Path("mini-cases-1.0.0"), sha256="ab" * 32, info=info, pairs=tuple(pairs))


def make_evaluation(
    release: Release,
    given: Mapping[str, Given],
    *,
    name: str = "tiny",
    slug: str | None = None,
    bos_token_id: int | None = 2,
) -> Scored:
    """The scores and the run of a model; a pair that `given` lacks has no score."""
    sentences = {pair.id: (pair.sentence_good, pair.sentence_bad) for pair in release.pairs}
    scores = [
        Score(
            pair_id=pair_id, side=side, sentence=sentence, n_tokens=n, n_bytes=len(sentence.encode()), sum_logprob=nats
        )
        for pair_id, both in given.items()
        for side, sentence, (nats, n) in zip(("good", "bad"), sentences[pair_id], both, strict=True)
    ]
    model = ModelInfo(
        name=name,
        requested=name,
        slug=slug or name,
        architecture="LlamaForCausalLM",
        n_parameters=1_700_000_000,
        revision=None,
        weights_sha256="c" * 64,
        tokenizer_sha256="d" * 64,
        dtype="float32",
        device="cpu",
        context_length=128,
        vocabulary_size=300,
        bos_token_id=bos_token_id,
        packages={"torch": "2.13.0"},
        torch_threads=1,
        hardware="a processor",
    )
    run = EvaluationRun(
        release="mini-cases-1.0.0",
        release_sha256=release.sha256,
        model=model,
        policy=ScoringPolicy(),
        first_token_scored=bos_token_id is not None,
        batch_size=8,
        n_pairs=len(release.pairs),
        n_scored=len(given),
        n_rejected=len(release.pairs) - len(given),
        n_sentences=len(scores),
        seconds=1.0,
        sentences_per_second=float(len(scores)),
        started_at="2026-11-21T10:00:00+00:00",
        finished_at="2026-11-21T10:00:01+00:00",
        files={},
    )
    return as_table(scores), run


@pytest.fixture(scope="session")
def pair() -> Callable[..., ReleasePair]:
    return make_pair


@pytest.fixture(scope="session")
def release() -> Release:
    return make_release()


@pytest.fixture(scope="session")
def release_of() -> Callable[[Sequence[ReleasePair]], Release]:
    return make_release


@pytest.fixture(scope="session")
def evaluation() -> Callable[..., Scored]:
    return make_evaluation


@pytest.fixture(scope="session")
def given(release: Release) -> dict[str, Given]:
    """Right by both; right by the mean alone; right by the sum alone; a tie."""
    scores: list[Given] = [
        ((-20.0, 4), (-24.0, 4)),
        ((-30.0, 6), (-26.0, 4)),
        ((-20.0, 4), (-21.0, 5)),
        ((-20.0, 4), (-20.0, 4)),
    ]
    return dict(zip((pair.id for pair in release.pairs), scores, strict=True))
