"""Block -> Rule: grammar points with the source's own examples."""

from collections.abc import Callable, Iterator
from typing import Any

from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Example, Record, Rejection, Rule, Source
from pairwright.core.store import StageInput, StageRun, file_input, read_jsonl, run_stage
from pairwright.languages import load_language, load_tagset
from pairwright.languages.conventions import Conventions, own_conventions
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import decided_input, keep_rules, kept_rules
from pairwright.pipeline.llm import LLMSession
from pairwright.sources import STAGE


def find_rules(context: Context, source: Source, session: LLMSession | None) -> StageRun:
    """The rules stage of a source.

    An error list states its rules itself. In a grammar book starred examples do, and a language model finds the others.
    Those of a treebank are declared in contrast files, or other sources state them. Raises SourceError where such a
    source has no rules yet.
    """
    work, root = context.workspace.work(source.id), context.workspace.root
    keep_rules(context.workspace, source.id)
    kept = {rule.id: rule for rule in kept_rules(context.workspace, source.id)}
    inputs = [file_input(work / "blocks.jsonl"), decided_input("kept rules", kept)]
    language = context.language(source)
    settings: dict[str, Any] = {"language": language.model_dump(), "notation": source.notation, "title": source.title}
    llm: dict[str, Any] = {}
    if source.kind == "error-list":
        from pairwright.sources.error_list.notation import load_notations

        settings["notations"] = [notation.model_dump() for notation in load_notations(root)]
        model = context.workspace.config().rules.span_model
        settings["span_model"] = model

        # The packaged model chooses no better than the order that it is given.
        asked = session if session and session.kind == "server" else None
        if asked:
            from pairwright.models.prompts.files import prompt_hashes
            from pairwright.sources.error_list.questions import PROMPT

            settings["llm"] = asked.described(STAGE.name)
            llm = {"prompts": prompt_hashes([PROMPT], root), "assistant": asked.kind}

        def read() -> Iterator[Record]:
            from pairwright.models.load.settings import ModelSettings
            from pairwright.pipeline.ranking import SentenceRanker
            from pairwright.sources.error_list.questions import Choose, Questions
            from pairwright.sources.error_list.reader import read_error_list

            rank = SentenceRanker(context, ModelSettings(name=model), per_byte=True) if model else None

            def read_list(choose: Choose | None = None) -> Iterator[Rule | Rejection]:
                return read_error_list(read_jsonl(work / "blocks.jsonl", Block), source, language, root, rank, choose)

            if asked is None:
                yield from read_list()
                return
            questions = Questions(read_list, source, language, root)
            asked.announce_cost("rules", questions.requests)
            yield from questions.answered(asked)
            asked.verify_answered()

        return run_stage(work, STAGE, inputs, settings, lambda: _with_kept(read, kept), **llm)
    if source.kind == "treebank":
        return _treebank_rules(context, source, inputs, kept)
    conventions = Conventions.of_source(source, root, own_conventions(context.workspace.sources / source.id))
    settings["conventions"] = conventions.model_dump()
    settings["prose"] = [load_language(code, root).model_dump() for code in source.written_in]
    if session:
        from pairwright.models.prompts.files import prompt_hashes
        from pairwright.sources.grammar.rules.extract import PROMPTS

        settings |= {"rules": context.workspace.config().rules.model_dump(), "llm": session.described(STAGE.name)}
        llm = {"prompts": prompt_hashes(PROMPTS, root), "assistant": session.kind}

    def find() -> Iterator[Record]:
        return _grammar_rules(context, source, conventions, session)

    return run_stage(work, STAGE, inputs, settings, lambda: _with_kept(find, kept), **llm)


def _treebank_rules(context: Context, source: Source, inputs: list[StageInput], kept: dict[str, Rule]) -> StageRun:
    """The rules that contrast files declare for the language, those of extras, and those of the sources in rules_of."""
    from pairwright.contrasts import load_contrasts
    from pairwright.sources.treebank.declared import declared_rules, taken_over

    of_extras = [rule for extra in context.extras for rule in extra.rules(context, source)]
    contrasts = load_contrasts(source.language, context.workspace.root)
    files = [context.workspace.stage_file(other, STAGE.name) for other in source.rules_of]
    if missing := next((file for file in files if not file.exists()), None):
        other = missing.parent.name
        raise SourceError(f"{source.id}: rules_of names '{other}', which has no rules; run pairwright build {other}")

    def read() -> Iterator[Record]:
        yield from declared_rules(contrasts, source)
        yield from of_extras
        for file in files:
            yield from taken_over(read_jsonl(file, Rule), source)

    settings = {
        "contrasts": [contrast.model_dump(by_alias=True) for contrast in contrasts],
        "extras": [rule.model_dump() for rule in of_extras],
    }
    inputs = [*inputs, *map(file_input, files)]
    return run_stage(context.workspace.work(source.id), STAGE, inputs, settings, lambda: _with_kept(read, kept))


def _with_kept(read: Callable[[], Iterator[Record]], kept: dict[str, Rule]) -> Iterator[Record]:
    """What is read now, then the rules of decided pairs that are not among it."""
    lost = dict(kept)
    for record in read():
        if isinstance(record, Rule):
            lost.pop(record.id, None)
        yield record
    yield from lost.values()


def _grammar_rules(
    context: Context, source: Source, conventions: Conventions, session: LLMSession | None
) -> Iterator[Record]:
    """The rules that starred examples stand for, and with a language model those that it finds in prose and tables."""
    from pairwright.sources.grammar.starred.pairs import example_rules, starred_pairs

    root = context.workspace.root
    blocks = list(read_jsonl(context.workspace.work(source.id) / "blocks.jsonl", Block))
    pairs, left_out = starred_pairs(blocks, load_tagset("leipzig", root), conventions)
    yield from left_out
    rules: list[Rule] = list(example_rules(pairs, source))
    if session:
        from pairwright.sources.grammar.rules.extract import GrammarReader

        reader = GrammarReader(blocks, source, context.language(source), context.workspace.config().rules, root)
        session.announce_cost("rules", reader.requests)
        examples: dict[str, list[Example]] = {}
        for pair in pairs:
            for block_id in pair.block_ids:
                examples.setdefault(block_id, []).append(pair.example)
        for record in reader.rules(session, examples):
            if isinstance(record, Rule):
                rules.append(record)
            else:
                yield record
        session.verify_answered()
    place = {block.id: number for number, block in enumerate(blocks)}
    yield from sorted(rules, key=lambda rule: place[rule.block_ids[0]])
