"""The rules of a source as one HTML file: each rule beside its place in the book and its examples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pairwright.cli.inspect.judgments import judgment_lines
from pairwright.core import store
from pairwright.core.records import (
    Block,
    Candidate,
    CheckedPair,
    Evidence,
    Example,
    LLMJudgment,
    Rejection,
    Rule,
    Source,
    Verdict,
)
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents import STAGE as BLOCKS
from pairwright.documents.preview.page import environment
from pairwright.documents.preview.pictures import BlockPicture, CropStyle, block_pictures, data_uri

STYLE = CropStyle(dpi=130, context=16.0, max_pixels=4_000_000)


@dataclass(frozen=True)
class ShownEvidence:
    """A passage that a rule rests on: its words, its block, and its picture, or the reason why there is none."""

    evidence: Evidence
    block: Block | None
    picture: str | None = None
    fault: str | None = None


@dataclass(frozen=True)
class MadePair:
    """A pair that was written for a rule, why the checks reject it, and what the judge said of it."""

    pair: Candidate
    verdict: Verdict
    errors: tuple[str, ...]
    judged: tuple[str, ...]


@dataclass(frozen=True)
class ShownRule:
    """A rule with its places and the example blocks that it refers to; `loose` are examples of no such block.

    made  the pairs that were written for it, by a language model or as corrections, as they were checked
    """

    rule: Rule
    places: tuple[ShownEvidence, ...]
    blocks: tuple[Block, ...]
    pairs: tuple[Example, ...]
    loose: tuple[Example, ...]
    made: tuple[MadePair, ...]


def write_rules_page(
    path: Path,
    workspace: Workspace,
    folder: Path,
    source: Source,
    rules: Sequence[Rule],
    rejected: Sequence[Rejection],
    reasons: Sequence[str],
    password: str | None,
) -> None:
    """Writes the page; it needs neither the network nor other files, and runs no script.

    folder  that of the source; where a document of it can't be drawn, its rules have the reason in place of pictures
    """
    blocks = _blocks(workspace, source, rules)
    pictures = _pictures(folder, blocks, rules, password)
    made = _made_pairs(workspace, source)
    shown = [_shown(rule, blocks, pictures, made.get(rule.id, ())) for rule in rules]
    sections = [(path, list(group)) for path, group in groupby(shown, key=lambda item: item.rule.section)]
    asked = sorted({(call.model_label, call.prompt) for rule in rules for call in rule.asked})
    template = environment(Path(__file__).parent).get_template("rules.html.j2")
    text = template.render(
        source=source,
        sections=sections,
        n_rules=len(rules),
        n_licensed=sum(rule.contrast.licensed for rule in rules if rule.contrast),
        n_pairs=sum(len(item.pairs) for item in shown),
        n_made=sum(len(item.made) for item in shown),
        n_passed=sum(pair.verdict == "pass" for item in shown for pair in item.made),
        asked=asked,
        reasons=reasons,
        rejected=rejected,
    )
    store.write_text(path, text)


def _blocks(workspace: Workspace, source: Source, rules: Sequence[Rule]) -> dict[str, Block]:
    """The blocks that rules rest on or refer to, by their ids."""
    ids = {block_id for rule in rules for block_id in (*rule.block_ids, *rule.example_ids)}
    stage = workspace.work(source.id) / f"{BLOCKS.name}.jsonl"
    return {block.id: block for block in read_jsonl(stage, Block) if block.id in ids}


def _made_pairs(workspace: Workspace, source: Source) -> dict[str, list[MadePair]]:
    """The pairs that were written for each rule, those that pass first."""
    work = workspace.work(source.id)
    judgments = read_if_there(work / "llm_judgments.jsonl", LLMJudgment)
    judged = {judgment.pair_id: tuple(judgment_lines(judgment)) for judgment in judgments}
    made: dict[str, list[MadePair]] = {}
    for checked in read_if_there(work / "checked.jsonl", CheckedPair):
        pair = checked.candidate
        if pair.method != "source":
            errors = tuple(f"{it.check}: {it.message}" for it in checked.findings if it.level == "error")
            made.setdefault(pair.rule_id, []).append(MadePair(pair, checked.verdict, errors, judged.get(pair.id, ())))
    return {rule_id: sorted(pairs, key=lambda item: item.verdict != "pass") for rule_id, pairs in made.items()}


def _row(block: Block, quote: str) -> int | None:
    """The row of a table that words of it begin in; None elsewhere."""
    at = block.text.find(quote)
    return block.text.count("\n", 0, at) if block.kind == "table" and at >= 0 else None


def _evidence(rule: Rule) -> Iterator[Evidence]:
    """A rule's passages, without those that stand whole in another one."""
    if rule.declaration or rule.taken_from:
        return
    passages = rule.evidence or (
        Evidence(block_id=rule.block_ids[0], file="", page=rule.page, line=rule.line, quote=rule.quote),
    )
    for item in passages:
        others = [other for other in passages if other is not item and other.block_id == item.block_id]
        if not any(item.quote in other.quote and item.quote != other.quote for other in others):
            yield item


Pictures = Mapping[tuple[str, int | None], BlockPicture]


def _pictures(folder: Path, blocks: Mapping[str, Block], rules: Sequence[Rule], password: str | None) -> Pictures:
    """The pictures of all passages, by block and row; each page is drawn once."""
    passages = [item for rule in rules for item in _evidence(rule) if item.block_id in blocks]
    cited = {(item.block_id, _row(blocks[item.block_id], item.quote)): blocks[item.block_id] for item in passages}
    drawn = block_pictures(folder, [(block, row) for (_, row), block in cited.items()], STYLE, password)
    return {(picture.block.id, picture.row): picture for picture in drawn}


def _shown(rule: Rule, blocks: Mapping[str, Block], pictures: Pictures, made: Sequence[MadePair]) -> ShownRule:
    places = []
    for item in _evidence(rule):
        block = blocks.get(item.block_id)
        picture = pictures.get((item.block_id, _row(block, item.quote))) if block else None
        places.append(
            ShownEvidence(
                item,
                block,
                picture=data_uri(picture.pixels) if picture and picture.pixels is not None else None,
                fault=str(picture.fault) if picture and picture.fault else None,
            )
        )
    shown_blocks = tuple(blocks[block_id] for block_id in rule.example_ids if block_id in blocks)
    ids = {block.id for block in shown_blocks}
    return ShownRule(
        rule=rule,
        places=tuple(places),
        blocks=shown_blocks,
        pairs=tuple(example for example in rule.examples if example.bad is not None),
        loose=tuple(item for item in rule.examples if item.bad is None and item.evidence.block_id not in ids),
        made=tuple(made),
    )
