"""Records that tests and benchmarks make up: a field that a case does not name has a plain value."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pairwright.core.ids import content_id, digest, file_sha256, pair_id
from pairwright.core.records import (
    Augmentation,
    Candidate,
    CheckedPair,
    Evidence,
    Finding,
    Replacement,
    Rule,
    Source,
    SourceFile,
)
from pairwright.core.records.evaluation import EvaluationRun, ModelInfo, ScoringPolicy
from pairwright.core.records.release import ReleaseInfo, ReleasePair, ReleaseSource
from pairwright.languages import Language, load_language
from pairwright.languages.linguistics.sentences import changes

NO_HASH = "0" * 64


def make_source(*documents: Path, **fields: Any) -> Source:
    """A source of documents, or of a file that is nowhere."""
    files = [SourceFile(path=path.name, sha256=file_sha256(path)) for path in documents]
    plain = {"id": "mini", "title": "Mini", "language": "lt", "kind": "error-list", "licence": "CC0-1.0"}
    more = {"citation": "Mini, 2026", "files": files or [SourceFile(path="list.md", sha256=NO_HASH)]}
    return Source.model_validate(plain | more | fields)


def make_evidence(quote: str, **fields: Any) -> Evidence:
    return Evidence.model_validate({"block_id": "block-1", "file": "list.md", "page": 1, "quote": quote} | fields)


def make_rule(code: str = "1", **fields: Any) -> Rule:
    """A rule; its description and quotation are its title."""
    title, source_id = fields.get("title", f"Rule {code}"), fields.get("source_id", "mini")
    plain = {"id": content_id("rule", source_id, code), "source_id": source_id, "code": code, "title": title}
    words = {"description": title, "category": "case", "phenomenon": "government", "quote": title}
    return Rule.model_validate(plain | words | {"block_ids": ["block-1"], "page": 1, "extracted_by": "hand"} | fields)


def make_candidate(good: str, bad: str, **fields: Any) -> Candidate:
    rule_id = fields.get("rule_id", "rule-1")
    plain = {"id": pair_id(rule_id, good, bad), "rule_id": rule_id, "source_id": "mini", "method": "source"}
    sides = {"good": good, "bad": bad, "changes": changes(good, bad), "evidence": make_evidence(bad)}
    return Candidate.model_validate(plain | sides | fields)


def make_checked(candidate: Candidate, error: str | None = None) -> CheckedPair:
    """A pair that passes the checks, or has an error."""
    findings = (Finding(check="form", level="error", message=error),) if error else ()
    return CheckedPair(candidate=candidate, findings=findings, verdict="reject" if error else "pass")


def make_grown(seed: Candidate, number: int, **fields: Any) -> CheckedPair:
    """A pair that a program made of another, with a word of its own; fields are of its derivation."""
    word = f"{number} kartą"
    good, bad = (f"{sentence[:-1]} {word}." for sentence in (seed.good, seed.bad))
    new = Replacement(seed="", new=word, lemma="kartas", good_at=0, bad_at=0)
    plain = {"method": "lexicon", "seed_id": seed.id, "replacements": (new,), "model": "tiny", "rank": 1}
    made = {"method": "lexicon", "parent_id": seed.id, "derivation": Augmentation.model_validate(plain | fields)}
    return make_checked(make_candidate(good, bad, rule_id=seed.rule_id, source_id=seed.source_id, **made))


def make_released(good: str, bad: str, **fields: Any) -> ReleasePair:
    rule_id = fields.get("rule_id", "rule-1")
    plain = {"id": pair_id(rule_id, good, bad), "sentence_good": good, "sentence_bad": bad, "rule_id": rule_id}
    rule = {"phenomenon": "government", "rule_code": "1", "rule": "Rule 1", "source_id": "mini", "method": "source"}
    votes = {"exception": False, "changes": changes(good, bad), "votes": (), "agreement": 1.0, "split": "test"}
    return ReleasePair.model_validate(plain | rule | votes | {"citation": "Mini, 2026", "licence": "CC0-1.0"} | fields)


def make_release_info(pairs: Sequence[ReleasePair], **fields: Any) -> ReleaseInfo:
    """What a release of pairs of one source says of itself."""
    source = ReleaseSource(
        id="mini", title="Mini", language="lt", licence="CC0-1.0", citation="Mini, 2026", url=None, files=()
    )
    counts = {
        "n_pairs": len(pairs),
        "n_exceptions": sum(pair.exception for pair in pairs),
        "n_rules": len({pair.rule_id for pair in pairs}),
    }
    plain = {"name": "mini-cases", "version": "1.0.0", "votes_needed": 2, "n_reviewers": 2, "sources": (source,)}
    return ReleaseInfo.model_validate(plain | counts | {"n_excluded": 0, "n_conflicts": 0} | fields)


def language_with(lexicon: Path, kind: str = "hunspell", tagset: str = "lt-hunspell") -> Language:
    """Lithuanian with this file of words alone."""
    with tempfile.TemporaryDirectory() as workspace:
        settings = f'[[morphology.lt]]\nkind = "{kind}"\npath = "{lexicon.absolute()}"\ntagset = "{tagset}"\n'
        (Path(workspace) / "pairwright.toml").write_text(settings, encoding="utf-8")
        return load_language("lt", Path(workspace))


def make_run(n_pairs: int, name: str, model: dict[str, Any], **fields: Any) -> EvaluationRun:
    """The run of a model that never ran on a release of so many pairs; `model` has fields of its ModelInfo."""
    plain_model = {
        "name": name,
        "requested": name,
        "slug": name,
        "architecture": "LlamaForCausalLM",
        "n_parameters": 1_700_000_000,
        "revision": None,
        "weights_sha256": digest(name),
        "tokenizer_sha256": "d" * 64,
        "dtype": "float32",
        "device": "cpu",
        "context_length": 128,
        "vocabulary_size": 300,
        "bos_token_id": 2,
        "packages": {"torch": "2.13.0"},
        "torch_threads": 1,
        "hardware": "a processor",
    }
    plain = {
        "release": "mini-cases-1.0.0",
        "release_sha256": NO_HASH,
        "model": ModelInfo.model_validate(plain_model | model),
        "policy": ScoringPolicy(),
        "first_token_scored": True,
        "batch_size": 8,
        "n_pairs": n_pairs,
        "n_scored": n_pairs,
        "n_rejected": 0,
        "n_sentences": 2 * n_pairs,
        "seconds": 1.0,
        "sentences_per_second": 2.0 * n_pairs,
        "started_at": "2026-11-21T10:00:00+00:00",
        "finished_at": "2026-11-21T10:00:01+00:00",
        "files": {},
    }
    return EvaluationRun.model_validate(plain | fields)
