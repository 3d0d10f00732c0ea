"""The rules stage of the generate flow: from a source's blocks to its rules."""

from collections.abc import Iterator

import flow_support as support

# isort: split
from prefect import task

from assistant import Help
from pairwright import rules
from pairwright.errors import SourceError
from pairwright.languages import load_tagset
from pairwright.records import Block, Example, Record, Rule, Source
from pairwright.rules.error_lists.reader import read_error_list
from pairwright.rules.grammar.extract import grammar_rules, prompt_hashes, rule_requests
from pairwright.rules.starred.pairs import example_rules, starred_pairs
from pairwright.store import StageRun, read_jsonl, run_stage
from pairwright.workspace import Workspace


@task(name="find rules", retry_condition_fn=support.not_a_user_error, **support.TASK)
def find_rules(workspace: Workspace, source: Source, helper: Help | None) -> StageRun:
    """The rules stage: grammar points with the source's own examples.

    An error list states its rules itself. In a grammar book, starred examples do, and a model finds the others.
    """
    work = workspace.work(source.id)
    inputs = support.file_inputs(work / "blocks.jsonl")
    language = support.language_of(source, workspace)
    told = {"language": language.model_dump(), "notation": source.notation, "title": source.title}
    if source.kind == "error-list":
        return run_stage(
            work,
            rules.STAGE,
            inputs,
            told,
            lambda: read_error_list(read_jsonl(work / "blocks.jsonl", Block), source, language, workspace.root),
        )
    if source.kind != "grammar-book":
        raise SourceError(f"{source.id}: rules are found in error lists and grammar books, not in a {source.kind}")
    if helper is None:
        return run_stage(work, rules.STAGE, inputs, told, lambda: _rules_of_examples(workspace, source, None))
    told |= {"rules": workspace.config().rules.model_dump(), "llm": helper.described(rules.STAGE.name)}
    return run_stage(
        work,
        rules.STAGE,
        inputs,
        told,
        lambda: _rules_of_examples(workspace, source, helper),
        prompts=prompt_hashes(workspace.root),
        assistant=helper.kind,
    )


def _rules_of_examples(workspace: Workspace, source: Source, helper: Help | None) -> Iterator[Record]:
    """The rules that starred examples stand for, and with a model those that it finds in prose and tables."""
    blocks = list(read_jsonl(workspace.work(source.id) / "blocks.jsonl", Block))
    pairs, left_out = starred_pairs(blocks, load_tagset("leipzig", workspace.root))
    yield from left_out
    found: list[Rule] = list(example_rules(pairs, source))
    if helper:
        language, settings = support.language_of(source, workspace), workspace.config().rules
        helper.prepare("rules", lambda: rule_requests(blocks, source, language, settings, workspace.root))
        helper.batch(lambda: rule_requests(blocks, source, language, settings, workspace.root, helper.model))
        by_block: dict[str, list[Example]] = {}
        for pair in pairs:
            for block_id in pair.block_ids:
                by_block.setdefault(block_id, []).append(pair.example)
        for rule in grammar_rules(blocks, source, language, settings, helper.model, by_block, workspace.root):
            if isinstance(rule, Rule):
                found.append(rule)
            else:
                yield rule
    place = {block.id: number for number, block in enumerate(blocks)}
    yield from sorted(found, key=lambda rule: place[rule.block_ids[0]])
