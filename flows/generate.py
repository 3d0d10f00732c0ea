"""Generate candidate pairs from an ingested source: blocks to rules, rules to pairs, pairs through the checks.

    python flows/generate.py SOURCE [--llm none|local|server] [--workspace DIR]

Without a language model, rules and pairs come from the source's own examples. With one, rules are also found in a
grammar book's prose and tables, pairs are written for every rule that licenses them, and a judge looks at those.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import flow_support as support

# isort: split
import click
from prefect import flow, task

from assistant import Assistant, Help, assistant_options, opened
from finding import find_rules
from ingest import find_source
from pairwright import checks
from pairwright import generate as candidates
from pairwright.checks.judge import judge_pairs, judge_prompt, judge_requests
from pairwright.checks.registry import check_pairs
from pairwright.generate.corrections import fixed_candidates
from pairwright.generate.llm import llm_candidates, pair_requests, prompt_hashes, violation_requests
from pairwright.generate.source import source_candidates
from pairwright.ids import digest
from pairwright.ingest.source import load_source
from pairwright.morphology import lemmatiser_of
from pairwright.records import Candidate, CheckedPair, LLMJudgment, Record, Rule, Source
from pairwright.review.log.votes import source_decisions
from pairwright.store import StageInput, StageRun, read_jsonl, run_stage
from pairwright.workspace import Workspace

R = TypeVar("R", bound=Record)


def _records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a stage that is only run where a language model is asked."""
    return read_jsonl(path, kind) if path.exists() else iter(())


def other_sources(workspace: Workspace, source_id: str) -> list[Path]:
    """The checked pairs of the workspace's sources that come before this one, so that of two equal pairs one stays."""
    return sorted(
        path for path in (workspace.root / "output" / "work").glob("*/checked.jsonl") if path.parent.name < source_id
    )


@task(name="write pairs", retry_condition_fn=support.not_a_user_error, **support.TASK)
def write_pairs(workspace: Workspace, source: Source, helper: Help | None) -> StageRun:
    """The llm_pairs stage: pairs that a model writes for the rules that license any; nothing where none is asked."""
    work, settings = workspace.work(source.id), workspace.config().generate
    language, root = support.language_of(source, workspace), workspace.root
    inputs = support.file_inputs(work / "rules.jsonl")
    if helper is None:
        return run_stage(work, candidates.LLM_PAIRS, inputs, {}, lambda: iter(()))

    def produce() -> Iterator[Record]:
        rules = list(read_jsonl(work / "rules.jsonl", Rule))
        lemmas = lemmatiser_of(language)
        helper.prepare("pairs", lambda: pair_requests(rules, language, settings, lemmas, root, foreseen=True))
        helper.batch(lambda: pair_requests(rules, language, settings, lemmas, root))
        helper.batch(lambda: violation_requests(rules, language, settings, helper.model, lemmas, root))
        yield from llm_candidates(rules, language, settings, helper.model, lemmas, root)

    told = {
        "generate": settings.model_dump(),
        "language": language.model_dump(),
        "llm": helper.described("generate"),
    }
    prompts = prompt_hashes(root)
    return run_stage(work, candidates.LLM_PAIRS, inputs, told, produce, prompts=prompts, assistant=helper.kind)


@task(name="propose pairs", retry_condition_fn=support.not_a_user_error, **support.TASK)
def propose_pairs(workspace: Workspace, source: Source) -> StageRun:
    """The candidates stage: the source's own pairs, a model's, and those that reviewers made by correcting one."""
    work = workspace.work(source.id)
    decided = source_decisions(workspace.annotations, source.id)
    fixes = [decision for decision in decided if decision.decision == "fix"]

    def produce() -> Iterator[Candidate]:
        known = {pair.id: pair for pair in source_candidates(read_jsonl(work / "rules.jsonl", Rule))}
        for pair in _records(work / "llm_pairs.jsonl", Candidate):
            known.setdefault(pair.id, pair)
        yield from known.values()
        yield from fixed_candidates(fixes, known)

    corrected = digest([fix.model_dump(include={"pair_id", "good", "bad"}) for fix in fixes])
    inputs = [
        *support.file_inputs(work / "rules.jsonl", work / "llm_pairs.jsonl"),
        StageInput(name="fixes", sha256=corrected, count=len(fixes)),
    ]
    return run_stage(work, candidates.STAGE, inputs, {}, produce)


@task(name="ask a judge", retry_condition_fn=support.not_a_user_error, **support.TASK)
def ask_judge(workspace: Workspace, source: Source, helper: Help | None) -> StageRun:
    """The llm_judgments stage: what a model says of the pairs that pass all other checks; nothing without a model."""
    work, settings = workspace.work(source.id), workspace.config().judge
    language, root = support.language_of(source, workspace), workspace.root
    inputs = support.file_inputs(work / "candidates.jsonl", work / "rules.jsonl", *other_sources(workspace, source.id))

    if helper is None:
        return run_stage(work, checks.LLM_JUDGMENTS, inputs, {}, lambda: iter(()))

    def produce() -> Iterator[Record]:
        rules = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
        sound = [pair.candidate for pair in _checked(workspace, source, {}) if pair.verdict == "pass"]
        helper.prepare("judge", lambda: judge_requests(sound, rules, language, settings, root))
        helper.batch(lambda: judge_requests(sound, rules, language, settings, root))
        yield from judge_pairs(sound, rules, language, settings, helper.model, root)

    prompt = judge_prompt(root)
    told = {
        "judge": settings.model_dump(),
        "checks": workspace.config().checks.model_dump(),
        "language": language.model_dump(),
        "llm": helper.described("judge"),
    }
    prompts = {f"{prompt.name}/v{prompt.version}": prompt.sha256}
    return run_stage(work, checks.LLM_JUDGMENTS, inputs, told, produce, prompts=prompts, assistant=helper.kind)


def _checked(workspace: Workspace, source: Source, judgments: dict[str, LLMJudgment]) -> Iterator[CheckedPair]:
    work, config = workspace.work(source.id), workspace.config()
    known = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
    before = (pair for path in other_sources(workspace, source.id) for pair in read_jsonl(path, CheckedPair))
    yield from check_pairs(
        read_jsonl(work / "candidates.jsonl", Candidate),
        known,
        support.language_of(source, workspace),
        config.checks,
        before,
        judgments=judgments,
        judging=config.judge,
    )


@task(name="check pairs", retry_condition_fn=support.not_a_user_error, **support.TASK)
def check(workspace: Workspace, source: Source) -> StageRun:
    """The checked stage: every candidate with its findings and a verdict."""
    work, config = workspace.work(source.id), workspace.config()

    def produce() -> Iterator[CheckedPair]:
        judgments = {judgment.pair_id: judgment for judgment in _records(work / "llm_judgments.jsonl", LLMJudgment)}
        yield from _checked(workspace, source, judgments)

    files = [work / f"{name}.jsonl" for name in ("candidates", "rules", "llm_judgments")]
    inputs = support.file_inputs(*files, *other_sources(workspace, source.id))
    language = support.language_of(source, workspace)
    told = {
        "checks": config.checks.model_dump(),
        "judge": config.judge.model_dump(),
        "language": language.model_dump(),
    }
    return run_stage(work, checks.STAGE, inputs, told, produce)


@flow(name="generate")
def generate(workspace_dir: Path, source_dir: Path, assistant: Assistant | None = None) -> list[StageRun]:
    """Blocks to checked pairs. Raises SourceError where the source has no corrections in any known notation."""
    workspace = Workspace(workspace_dir)
    source = load_source(source_dir)
    with opened(workspace, source.id, assistant or Assistant()) as helper:
        runs = [find_rules(workspace, source, helper)]
        support.say_stage(runs[-1], "rules")
        runs.append(write_pairs(workspace, source, helper))
        runs.append(propose_pairs(workspace, source))
        if helper:
            support.say_stage(runs[1], "pairs by a language model")
        support.say_stage(runs[-1], "candidate pairs")
        runs.append(ask_judge(workspace, source, helper))
        if helper:
            support.say_stage(runs[-1], "judgments")
    runs.append(check(workspace, source))
    support.say_stage(runs[-1], "checked pairs")
    _say_findings(workspace.work(source.id) / "checked.jsonl")
    support.record_stages("generate", runs)
    return runs


def _say_findings(path: Path) -> None:
    """What the checks found: pairs rejected, by method, and the checks that reject and warn most."""
    pairs, rejected = Counter[str](), Counter[str]()
    reasons, warned = Counter[str](), Counter[str]()
    for pair in read_jsonl(path, CheckedPair):
        pairs[pair.candidate.method] += 1
        rejected[pair.candidate.method] += pair.verdict == "reject"
        reasons.update({finding.check for finding in pair.findings if finding.level == "error"})
        warned.update({finding.check for finding in pair.findings if finding.level == "warning"})
    for method, count in pairs.items():
        support.say("findings", f"{rejected[method]:,} of {count:,} {method} pairs rejected")
    for label, found in (("errors", reasons), ("warnings", warned)):
        if most := ", ".join(f"{name} {count:,}" for name, count in found.most_common(3)):
            support.say(label, most)


@click.command(help=__doc__)
@click.argument("source", type=click.Path(path_type=Path))
@assistant_options
@support.workspace_option
def main(source: Path, workspace: Path, assistant: Assistant) -> None:
    generate(workspace, find_source(Workspace(workspace), source), assistant)


if __name__ == "__main__":
    support.run_command(main)
