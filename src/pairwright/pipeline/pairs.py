"""Block -> Rule -> Candidate -> CheckedPair: rules, pairs of the source, a model and reviewers, through the checks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

from pairwright import checks
from pairwright.contrasts import DeclaredContrast
from pairwright.core.config import CheckSettings, GenerateSettings, JudgeSettings, RuleSettings, TreebankSettings
from pairwright.core.errors import BudgetError, SourceError, StoreError, counted
from pairwright.core.ids import digest
from pairwright.core.records import (
    Block,
    Candidate,
    CheckedPair,
    Decision,
    Example,
    LLMJudgment,
    Record,
    Rejection,
    Rule,
    Source,
)
from pairwright.core.records.documents import CANDIDATES, LLM_PAIRS, NO_MATCH, TREEBANK_PAIRS
from pairwright.core.store import StageRun, read_if_there, read_jsonl
from pairwright.languages import Language, load_language
from pairwright.languages.conventions import Conventions
from pairwright.languages.features import Tagset
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import gap, keep_rules, pairs_before, rejections_of, standing_of, unmatched
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import LLMOptions
from pairwright.pipeline.stages import Lines, stage
from pairwright.review.log import source_decisions
from pairwright.sources import STAGE
from pairwright.sources.asked.targets import Standing
from pairwright.sources.grammar.rules.extract import OwnRules

# Each time, refused pairs are replaced by others, some of which may be refused.
_MOST_REPLACEMENTS = 20
_MISSES_SHOWN = 5


def find_rules(context: Context, source: Source, session: LLMSession | None) -> StageRun:
    """The rules stage of a source.

    An error list states its rules itself. In a grammar book starred examples do, and a language model finds the others.
    Those of a treebank are declared in contrast files, or other sources state them. Raises SourceError where such a
    source has no rules yet.
    """
    keep_rules(context.workspace, source.id)
    if source.kind == "error-list":
        # The packaged model chooses no better than the order that it is given.
        return listed_rules(context, source, session if session and session.kind == "server" else None)
    if source.kind == "grammar-book":
        return grammar_rules(context, source, session)
    others = tuple(Lines(context.workspace.stage_file(other, STAGE.name), Rule) for other in source.rules_of)
    if missing := next((other.path.parent.name for other in others if not other.path.exists()), None):
        raise SourceError(
            f"{source.id}: rules_of names '{missing}', which has no rules; run pairwright build {missing}"
        )
    of_extras = tuple(rule for extra in context.extras for rule in extra.rules(context, source))
    return treebank_rules(context, source, of_extras=of_extras, others=others)


def _with_kept(read: Iterable[Record], kept: dict[str, Rule]) -> Iterator[Record]:
    """What is read now, then the rules of decided pairs that are not among it."""
    lost = dict(kept)
    for record in read:
        if isinstance(record, Rule):
            lost.pop(record.id, None)
        yield record
    yield from lost.values()


@stage(STAGE, "rule", also=("notations",), step="rules", prompts="pairwright.sources.error_list.corrections")
def listed_rules(
    context: Context,
    session: LLMSession | None,
    source: Source,
    blocks: Lines[Block],
    language: Language,
    settings: RuleSettings,
    kept: dict[str, Rule],
) -> Iterator[Record]:
    """The rules of an error list; a language model is asked which words an uncertain bracket replaces."""
    from pairwright.models.load.settings import ModelSettings
    from pairwright.pipeline.ranking import SentenceRanker
    from pairwright.sources.error_list.corrections import Choose, Questions
    from pairwright.sources.error_list.reader import read_error_list

    root, model = context.workspace.root, settings.span_model
    rank = SentenceRanker(context, ModelSettings(name=model), per_byte=True) if model else None

    def read_list(choose: Choose | None = None) -> Iterator[Rule | Rejection]:
        return read_error_list(blocks, source, language, root, rank, choose)

    if session is None:
        yield from _with_kept(read_list(), kept)
        return
    questions = Questions(read_list, source, language, root)
    session.announce_cost("rules", questions.requests)
    yield from _with_kept(questions.answered(session), kept)
    session.verify_answered()


@stage(STAGE, "rule")
def treebank_rules(
    source: Source,
    contrasts: tuple[DeclaredContrast, ...],
    kept: dict[str, Rule],
    of_extras: tuple[Rule, ...],
    others: tuple[Lines[Rule], ...],
) -> Iterator[Record]:
    """The rules that contrast files declare for the language, those of extras, and those of the sources in rules_of."""
    from pairwright.sources.treebank.candidates import declared_rules, taken_over

    taken = (rule for other in others for rule in taken_over(other, source))
    yield from _with_kept((*declared_rules(contrasts, source), *of_extras, *taken), kept)


@stage(STAGE, "rule", also=("prose",), step="rules", prompts="pairwright.sources.grammar.rules.extract")
def grammar_rules(
    context: Context,
    session: LLMSession | None,
    source: Source,
    blocks: Lines[Block],
    language: Language,
    glosses: Tagset,
    conventions: Conventions,
    settings: RuleSettings,
    kept: dict[str, Rule],
    own: OwnRules,
) -> Iterator[Record]:
    """The rules that starred examples stand for, and with a language model those that it finds in prose and tables.

    own  what a person says of them
    """
    from pairwright.sources.grammar.rules.extract import overruled
    from pairwright.sources.grammar.rules.passages import sections_left_out
    from pairwright.sources.grammar.starred.pairs import example_rules, left_to_examples, starred_pairs

    read = list(blocks)
    prose = [load_language(code, context.workspace.root) for code in source.written_in]
    not_read = sections_left_out(read, settings.patterns(source.id), prose)
    pairs, left_out = starred_pairs(read, glosses, conventions, not_read)
    yield from left_out
    stated: list[Rule] = []
    if session:
        from pairwright.sources.grammar.rules.extract import GrammarReader

        reader = GrammarReader(read, source, language, settings, context.workspace.root)
        session.announce_cost("rules", reader.requests)
        examples: dict[str, list[Example]] = {}
        for pair in pairs:
            for block_id in pair.block_ids:
                examples.setdefault(block_id, []).append(pair.example)
        for record in reader.rules(session, examples):
            if isinstance(record, Rule):
                stated.append(record)
            else:
                yield record
        session.verify_answered()
    pairs, joined = left_to_examples(pairs, stated, read)
    yield from joined
    rules = [*example_rules(pairs, source), *stated]
    place, decided = {block.id: number for number, block in enumerate(read)}, list[Rule]()
    for record in overruled(own, rules, read, source.id):
        if isinstance(record, Rule):
            decided.append(record)
        else:
            yield record
    decided.sort(key=lambda rule: place[rule.block_ids[0]])
    yield from _with_kept(decided, kept)


def generate(context: Context, source: Source, llm: LLMOptions = LLMOptions()) -> list[StageRun]:
    """Blocks to checked pairs. Raises SourceError where no rules can be found in a source of this kind."""
    with open_session(context, source.id, llm) as session:
        context = session.context if session else context
        runs = [find_rules(context, source, session)]
        context.say_stage(runs[0], grammar_rules.noun)
        if source.kind == "treebank":
            runs.append(make_pairs(context, source))
            for extra in context.extras:
                runs += extra.candidates(context, source)
        written, proposed, judged, checked = _standing_pairs(context, source, session)
        # What follows an empty stage is empty for the same reason.
        if runs[0].n_out and session:
            context.say_stage(written, write_pairs.noun)
        if proposed.n_out:
            context.say_stage(proposed, propose_pairs.noun)
            if source.kind == "error-list":
                _say_silent(context, source, proposed.n_out)
        if written.n_out and session:
            context.say_stage(judged, judge_pairs.noun)
    if proposed.n_out:
        context.say_stage(checked, check_pairs.noun)
        _say_findings(context, checked.path)
    else:
        context.say_nothing(gap(context.workspace, source))
    return [*runs, written, proposed, judged, checked]


def _say_silent(context: Context, source: Source, n_pairs: int) -> None:
    """Says that a list has far more lines than pairs: it may be written in a manner that is not read."""
    blocks = read_jsonl(context.workspace.stage_file(source.id, "blocks"), Block)
    n_lines = sum(block.text.count("\n") + 1 for block in blocks if block.kind in ("paragraph", "list_item"))
    if n_lines > 2 * n_pairs:
        tried = context.workspace.command("notation", "try", source.files[0].path)
        context.say("list", f"{counted(n_lines, 'line')} gave {counted(n_pairs, 'pair')}; what each gives: {tried}")


def _standing_pairs(context: Context, source: Source, session: LLMSession | None) -> list[StageRun]:
    """Pairs written, proposed, judged and checked; with a model, until none is refused that could be replaced.

    A cap on the money ends the replacements, not the run.
    """
    if session is None:
        return _written_and_checked(context, source, None, Standing())
    runs, earlier = list[StageRun](), None
    for _ in range(1 + _MOST_REPLACEMENTS):
        standing = standing_of(context.workspace, source.id)
        if standing == earlier:
            break
        earlier = standing
        try:
            runs = _written_and_checked(context, source, session, standing)
        except BudgetError as fault:
            if not runs:
                raise
            context.say("llm", f"refused pairs are not replaced: {fault}")
            runs[-1] = check_pairs(context, source)
            break
    return runs


def _written_and_checked(
    context: Context, source: Source, session: LLMSession | None, standing: Standing
) -> list[StageRun]:
    refused = tuple(sorted(standing.refused))
    written = write_pairs(context, source, session, refused=refused, reasons=dict(standing.reasons), kept=standing.kept)
    proposed, before = propose_pairs(context, source), pairs_before(context.workspace, source.id)
    judged = judge_pairs(context, source, session, before=before)
    return [written, proposed, judged, check_pairs(context, source, before=before)]


def make_pairs(context: Context, source: Source) -> StageRun:
    """The stage of a treebank's pairs. Says what each contrast gives, and why no more."""
    language = context.language(source)
    run = treebank_pairs(context, source)
    if not any(lexicon.sha256 for lexicon in language.lexicons):
        n_more = sum("no form of" in item.reason for item in rejections_of(run.path))
        more = f"; one may add up to {counted(n_more, 'pair')}" if n_more else ""
        none = f"no file of word forms of {language.name}: forms come from the treebank alone{more}"
        context.say("lexicon", f"{none}; see A new language in `pairwright docs`")
    context.say_stage(run, treebank_pairs.noun)
    if run.n_out:
        _say_counts(context, run)
    return run


@stage(TREEBANK_PAIRS, "treebank pair")
def treebank_pairs(
    blocks: Lines[Block],
    rules: Lines[Rule],
    contrasts: tuple[DeclaredContrast, ...],
    language: Language,
    settings: TreebankSettings,
) -> Iterator[Candidate | Rejection]:
    """The pairs that contrasts make of a treebank's sentences."""
    from pairwright.languages.morphology.inflection import Inflector
    from pairwright.sources.treebank.candidates import rule_contrasts, treebank_candidates

    with_trees = [block for block in blocks if block.tree]
    matched, rejected = rule_contrasts(list(rules), contrasts)
    yield from rejected
    inflector = Inflector.of(language, [block.tree for block in with_trees if block.tree])
    yield from treebank_candidates(with_trees, matched, inflector, settings)


def _say_counts(context: Context, run: StageRun) -> None:
    """How many pairs each contrast has, which have no match, and the most frequent reasons why others made none."""
    pairs = (pair.derivation for pair in read_jsonl(run.path, Candidate))
    counts = Counter(change.contrast for change in pairs if change and change.method == "treebank")
    context.say("contrasts", ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    missed, others = unmatched(rejections_of(run.path))
    for miss in missed[:_MISSES_SHOWN]:
        context.say("no match", f"{miss.text}: {miss.reason.removeprefix(NO_MATCH)}")
    if len(missed) > _MISSES_SHOWN:
        context.say("no match", ", ".join(miss.text for miss in missed[_MISSES_SHOWN:]))
    context.say_reasons(others)


@stage(LLM_PAIRS, "written pair", step="generate", prompts="pairwright.sources.asked.pairs")
def write_pairs(
    context: Context,
    session: LLMSession | None,
    source: Source,
    rules: Lines[Rule],
    blocks: Lines[Block],
    language: Language,
    glosses: Tagset,
    settings: GenerateSettings,
    refused: tuple[str, ...],
    reasons: Mapping[str, str],
    kept: tuple[Candidate, ...],
) -> Iterator[Record]:
    """The pairs that a language model writes for the rules that license any; none without a model."""
    if session is None:
        return
    from pairwright.sources.asked.attested import Corpus
    from pairwright.sources.asked.pairs import llm_candidates, pair_requests
    from pairwright.sources.asked.targets import PairTask

    of_source, standing = tuple(rules), Standing(frozenset(refused), kept, reasons)
    corpus = Corpus(of_source, blocks, language.boundaries, glosses, f"{source.title} {language.name}")
    task = PairTask(of_source, language, settings, corpus, standing, context.workspace.root, source.title)
    session.announce_cost("pairs", lambda: pair_requests(task))
    yield from llm_candidates(task, session)
    session.verify_answered()


@stage(CANDIDATES, "candidate pair")
def propose_pairs(
    source: Source,
    rules: Lines[Rule],
    made: tuple[Lines[Candidate], ...],
    decided: dict[str, Candidate],
    fixes: tuple[Decision, ...],
) -> Iterator[Candidate]:
    """The candidates: the source's own pairs, a language model's without its reserve, derived ones, and corrections.

    A pair on which somebody decided stays, also if it is not made any more. The examples of a treebank's rules are
    pairs of the source that states them.
    """
    from pairwright.review.log import fixed_candidates
    from pairwright.sources.given import source_candidates

    pairs = {pair.id: pair for pair in source_candidates(() if source.kind == "treebank" else rules)}
    for pair in (*(pair for lines in made for pair in lines), *decided.values()):
        if not pair.reserve:
            pairs.setdefault(pair.id, pair)
    yield from pairs.values()
    yield from fixed_candidates(fixes, pairs)


@stage(checks.STAGE, "checked pair")
def check_pairs(
    source: Source,
    candidates: Lines[Candidate],
    rules: Lines[Rule],
    blocks: Lines[Block],
    language: Language,
    settings: CheckSettings,
    judging: JudgeSettings,
    before: dict[str, CheckedPair],
    llm_judgments: Lines[LLMJudgment] | None = None,
) -> Iterator[CheckedPair]:
    """Every candidate with its findings and a verdict."""
    from pairwright.checks import registry

    of_source = {rule.id: rule for rule in rules}
    judgments = {judgment.pair_id: judgment for judgment in llm_judgments or ()}
    attested, others = _attested(source, blocks, of_source.values(), language), before.values()
    return registry.check_pairs(candidates, of_source, language, settings, others, judgments, judging, attested)


def _attested(
    source: Source, blocks: Iterable[Block], rules: Iterable[Rule], language: Language
) -> AttestedWords | None:
    """What a grammar has of its language; None for another source."""
    from pairwright.languages.linguistics.attested import attested_words

    examples = (example.good for rule in rules for example in rule.examples)
    return attested_words(blocks, examples, language.boundaries) if source.kind == "grammar-book" else None


@stage(checks.LLM_JUDGMENTS, "judgment", step="judge", prompts="pairwright.checks.judging")
def judge_pairs(
    context: Context,
    session: LLMSession | None,
    source: Source,
    candidates: Lines[Candidate],
    rules: Lines[Rule],
    blocks: Lines[Block],
    language: Language,
    settings: JudgeSettings,
    checking: CheckSettings,
    before: dict[str, CheckedPair],
) -> Iterator[Record]:
    """What a language model says of the pairs that pass all other checks; nothing without a model."""
    if session is None:
        return
    from pairwright.checks.judging import Judge

    of_source = {rule.id: rule for rule in rules}
    given = source, candidates, rules, blocks, language, checking, settings, before

    def passing(judgments: Iterable[LLMJudgment] = ()) -> list[Candidate]:
        checked = cast("Iterator[CheckedPair]", check_pairs.produce(*given, list(judgments)))
        return [pair.candidate for pair in checked if pair.verdict == "pass"]

    earlier = list[LLMJudgment]()
    with suppress(StoreError):  # damaged, and about to be made again
        earlier += read_if_there(context.workspace.stage_file(source.id, checks.LLM_JUDGMENTS.name), LLMJudgment)
    said = source_decisions(context.workspace.annotations, source.id)
    judge = partial(
        Judge,
        of_source,
        language,
        settings,
        context.workspace.root,
        attested=_attested(source, blocks, of_source.values(), language),
        title=source.title if source.kind == "grammar-book" else "",
        reasons={it.pair_id: it.comment or "a reviewer rejected it" for it in said if it.decision == "reject"},
        asker=digest(session.described("judge")),
    )
    first, sound = judge(earlier=earlier), passing()
    session.announce_cost("judge", lambda: first.requests(sound))
    judged = list(first.judge(sound, session))
    # Where a pair is rejected, the same sentences under another rule are no duplicate any more.
    known = [it for it in judged if isinstance(it, LLMJudgment)]
    freed = [pair for pair in passing(known) if pair not in sound]
    yield from judge(earlier=known).judge([*sound, *freed], session) if freed else judged
    session.verify_answered()


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
