"""Block -> Rule: grammar points with the source's own examples."""

from collections.abc import Iterable, Iterator

from pairwright.contrasts import DeclaredContrast
from pairwright.core.config import RuleSettings
from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Example, Record, Rejection, Rule, Source
from pairwright.core.store import StageRun
from pairwright.languages import Language, load_language
from pairwright.languages.conventions import Conventions
from pairwright.languages.features import Tagset
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import keep_rules
from pairwright.pipeline.llm import LLMSession
from pairwright.pipeline.stages import Lines, stage
from pairwright.sources import STAGE
from pairwright.sources.grammar.rules.overruled import OwnRules


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


@stage(STAGE, "rule", also=("notations",), step="rules", prompts="pairwright.sources.error_list.questions")
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
    from pairwright.sources.error_list.questions import Choose, Questions
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
    from pairwright.sources.grammar.rules.overruled import overruled
    from pairwright.sources.grammar.rules.sections import sections_left_out
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
