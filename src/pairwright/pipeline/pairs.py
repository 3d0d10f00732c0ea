"""Rule -> Candidate -> CheckedPair: pairs of the source, of a language model and of reviewers, through the checks."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from pairwright import checks
from pairwright.core import stages as candidates
from pairwright.core.errors import BudgetError, StoreError
from pairwright.core.ids import digest
from pairwright.core.records import Block, Candidate, CheckedPair, LLMJudgment, Record, Rule, Source
from pairwright.core.store import StageInput, StageRun, file_input, read_if_there, read_jsonl, run_stage
from pairwright.documents.source import load_source
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import decided_input, decided_pairs, handed_out, pairs_before, standing_of
from pairwright.pipeline.gaps import gap, none_judged, none_written
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import LLMOptions
from pairwright.pipeline.rules import find_rules
from pairwright.pipeline.sources import find_source
from pairwright.pipeline.treebank import make_pairs
from pairwright.sources.asked.targets import Standing

if TYPE_CHECKING:
    pass

M = TypeVar("M", bound=BaseModel)

# Each time, refused pairs are replaced by others, some of which may be refused.
_MOST_REPLACEMENTS = 20


def generate(context: Context, source: Path, llm: LLMOptions | None = None) -> list[StageRun]:
    """Blocks to checked pairs. Raises SourceError where no rules can be found in a source of this kind."""
    loaded = load_source(find_source(context.workspace, source))
    with open_session(context, loaded.id, llm or LLMOptions()) as session:
        context = session.context if session else context
        why = partial(gap, context.workspace, loaded)
        rules = context.call("find rules", find_rules, context, loaded, session)
        context.say_stage(rules, "rule", why)
        made: list[StageRun] = []
        if loaded.kind == "treebank":
            made.append(context.call("make treebank pairs", make_pairs, context, loaded))
            for extra in context.extras:
                made += context.call(f"make pairs of {extra.name}", extra.candidates, context, loaded)
        pairs, proposed, judged, checked = _standing_pairs(context, loaded, session)
        # What follows an empty stage is empty for the same reason.
        if rules.n_out and session:
            context.say_stage(pairs, "written pair", partial(none_written, context.workspace, loaded))
        if proposed.n_out or (rules.n_out and not made):
            context.say_stage(proposed, "candidate pair", why)
        if pairs.n_out and session:
            context.say_stage(judged, "judgment", partial(none_judged, context.workspace, loaded))
    if proposed.n_out:
        context.say_stage(checked, "checked pair", why)
        _say_findings(context, checked.path)
    return [rules, *made, pairs, proposed, judged, checked]


def _standing_pairs(context: Context, source: Source, session: LLMSession | None) -> list[StageRun]:
    """Pairs written, proposed, judged and checked; with a model, until none is refused that could be replaced.

    A cap on the money ends the replacements, not the run.
    """
    standing = standing_of(context.workspace, source.id)
    runs = _written_and_checked(context, source, session, standing)
    for _ in range(_MOST_REPLACEMENTS if session else 0):
        earlier, standing = standing, standing_of(context.workspace, source.id)
        if standing == earlier:
            break
        try:
            runs = _written_and_checked(context, source, session, standing, announce=False)
        except BudgetError as fault:
            context.say("llm", f"refused pairs are not replaced: {fault}")
            runs[-1] = context.call("check pairs", check, context, source)
            break
    return runs


def _written_and_checked(
    context: Context, source: Source, session: LLMSession | None, standing: Standing, *, announce: bool = True
) -> list[StageRun]:
    return [
        context.call("write pairs", write_pairs, context, source, session, standing, announce=announce),
        context.call("propose pairs", propose_pairs, context, source),
        context.call("judge pairs", judge, context, source, session),
        context.call("check pairs", check, context, source),
    ]


def write_pairs(
    context: Context, source: Source, session: LLMSession | None, standing: Standing, *, announce: bool = True
) -> StageRun:
    """The pairs that a language model writes for the rules that license any; none without a model."""
    work, root = context.workspace.work(source.id), context.workspace.root
    inputs = [file_input(work / "rules.jsonl")]
    if session is None:
        return run_stage(work, candidates.LLM_PAIRS, inputs, {}, lambda: iter(()))
    from pairwright.languages import load_tagset
    from pairwright.languages.morphology import lemmatiser_of
    from pairwright.models.prompts.files import prompt_hashes
    from pairwright.sources.asked.attested import Corpus
    from pairwright.sources.asked.pairs import PROMPTS, llm_candidates, pair_requests
    from pairwright.sources.asked.targets import PairTask

    settings, language = context.workspace.config().generate, context.language(source)

    def produce() -> Iterator[Record]:
        rules = tuple(read_jsonl(work / "rules.jsonl", Rule))
        blocks = read_jsonl(work / "blocks.jsonl", Block)
        described = f"{source.title} {language.name}"
        corpus = Corpus(rules, blocks, language.boundaries, load_tagset("leipzig", root), described)
        task = PairTask(rules, language, settings, lemmatiser_of(language), corpus, standing, root, source.title)
        if announce:
            session.announce_cost("pairs", lambda: pair_requests(task))
        yield from llm_candidates(task, session)
        session.verify_answered()

    inputs.append(file_input(work / "blocks.jsonl"))
    deciding = {
        "generate": settings.model_dump(),
        "language": language.model_dump(),
        "llm": session.described("generate"),
        "title": source.title,
        "standing": [sorted(standing.refused), sorted(pair.id for pair in standing.kept)],
    }
    prompts = prompt_hashes(PROMPTS, root)
    return run_stage(work, candidates.LLM_PAIRS, inputs, deciding, produce, prompts=prompts, assistant=session.kind)


def propose_pairs(context: Context, source: Source) -> StageRun:
    """The candidates: the source's own pairs, a language model's without its reserve, derived ones, and corrections.

    A pair on which somebody decided stays, also if it is not made any more.
    """
    from pairwright.review.corrections import fixed_candidates
    from pairwright.review.log.votes import source_decisions
    from pairwright.sources.given import source_candidates

    work = context.workspace.work(source.id)
    decisions = source_decisions(context.workspace.annotations, source.id)
    fixes = [decision for decision in decisions if decision.decision == "fix"]
    decided = decided_pairs(handed_out(context.workspace, source.id), decisions)
    names = [stage.name for stage in (candidates.LLM_PAIRS, *candidates.DERIVED)]
    names += [name for extra in context.extras for name in extra.stages]
    made = [work / f"{name}.jsonl" for name in names]

    def produce() -> Iterator[Candidate]:
        # The examples of a treebank's rules are pairs of the source that states them.
        rules = () if source.kind == "treebank" else read_jsonl(work / "rules.jsonl", Rule)
        pairs = {pair.id: pair for pair in source_candidates(rules)}
        for pair in (*(pair for path in made for pair in read_if_there(path, Candidate)), *decided.values()):
            if not pair.reserve:
                pairs.setdefault(pair.id, pair)
        yield from pairs.values()
        yield from fixed_candidates(fixes, pairs)

    corrected = digest([fix.model_dump(include={"pair_id", "good", "bad"}) for fix in fixes])
    inputs = [file_input(path) for path in (work / "rules.jsonl", *made) if path.exists()]
    inputs.append(StageInput(name="fixes", sha256=corrected, count=len(fixes)))
    inputs.append(decided_input("decided pairs", decided))
    return run_stage(work, candidates.STAGE, inputs, {}, produce)


def judge(context: Context, source: Source, session: LLMSession | None) -> StageRun:
    """What a language model says of the pairs that pass all other checks; nothing without a model."""
    work, root = context.workspace.work(source.id), context.workspace.root
    before = pairs_before(context.workspace, source.id)
    inputs = [file_input(work / f"{name}.jsonl") for name in ("candidates", "rules", "blocks")]
    inputs.append(decided_input("pairs of other sources", before))
    if session is None:
        return run_stage(work, checks.LLM_JUDGMENTS, inputs, {}, lambda: iter(()))
    from pairwright.checks.judging import PROMPTS, Judge
    from pairwright.models.prompts.files import prompt_hashes

    settings, language = context.workspace.config().judge, context.language(source)

    def produce() -> Iterator[Record]:
        rules = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
        sound = [pair.candidate for pair in _checked(context, source, {}, before) if pair.verdict == "pass"]
        earlier, asker = _earlier_judgments(work), digest(session.described("judge"))
        judge = Judge(rules, language, settings, root, earlier=earlier, asker=asker)
        session.announce_cost("judge", lambda: judge.requests(sound))
        yield from judge.judge(sound, session)
        session.verify_answered()

    deciding = {
        "judge": settings.model_dump(),
        "checks": context.workspace.config().checks.model_dump(),
        "language": language.model_dump(),
        "llm": session.described("judge"),
    }
    prompts = prompt_hashes(PROMPTS, root)
    return run_stage(work, checks.LLM_JUDGMENTS, inputs, deciding, produce, prompts=prompts, assistant=session.kind)


def _earlier_judgments(work: Path) -> list[LLMJudgment]:
    """The judgments of an earlier run; none where they are missing, or damaged and about to be made again."""
    try:
        return list(read_if_there(work / "llm_judgments.jsonl", LLMJudgment))
    except StoreError:
        return []


def check(context: Context, source: Source) -> StageRun:
    """The checked stage: every candidate with its findings and a verdict."""
    work, config = context.workspace.work(source.id), context.workspace.config()
    before = pairs_before(context.workspace, source.id)

    def produce() -> Iterator[CheckedPair]:
        judgments = {
            judgment.pair_id: judgment for judgment in read_if_there(work / "llm_judgments.jsonl", LLMJudgment)
        }
        yield from _checked(context, source, judgments, before)

    inputs = [file_input(work / f"{name}.jsonl") for name in ("candidates", "rules", "llm_judgments", "blocks")]
    inputs.append(decided_input("pairs of other sources", before))
    deciding = {
        "checks": config.checks.model_dump(),
        "judge": config.judge.model_dump(),
        "language": context.language(source).model_dump(),
    }
    return run_stage(work, checks.STAGE, inputs, deciding, produce)


def _checked(
    context: Context, source: Source, judgments: dict[str, LLMJudgment], before: Mapping[str, CheckedPair]
) -> Iterator[CheckedPair]:
    from pairwright.checks.registry import check_pairs
    from pairwright.languages.linguistics.attested import attested_words

    work, config = context.workspace.work(source.id), context.workspace.config()
    language = context.language(source)
    rules = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
    blocks = read_jsonl(work / "blocks.jsonl", Block)
    examples = (example.good for rule in rules.values() for example in rule.examples)
    yield from check_pairs(
        read_jsonl(work / "candidates.jsonl", Candidate),
        rules,
        language,
        config.checks,
        before.values(),
        judgments=judgments,
        judging=config.judge,
        attested=attested_words(blocks, examples, language.boundaries) if source.kind == "grammar-book" else None,
    )


def _say_findings(context: Context, path: Path) -> None:
    """What the checks found: pairs rejected, by method, and the checks that reject and warn most."""
    pairs, rejected = Counter[str](), Counter[str]()
    errors, warnings = Counter[str](), Counter[str]()
    for pair in read_jsonl(path, CheckedPair):
        pairs[pair.candidate.method] += 1
        rejected[pair.candidate.method] += pair.verdict == "reject"
        errors.update({finding.check for finding in pair.findings if finding.level == "error"})
        warnings.update({finding.check for finding in pair.findings if finding.level == "warning"})
    for method, count in pairs.items():
        context.say("findings", f"{rejected[method]:,} of {count:,} {method} pairs rejected")
    for label, names in (("errors", errors), ("warnings", warnings)):
        if most := ", ".join(f"{name} {count:,}" for name, count in names.most_common(3)):
            context.say(label, most)
