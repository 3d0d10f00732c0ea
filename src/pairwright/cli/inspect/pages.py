"""HTML pages of a source: `pairwright show SOURCE --pages 10-14`, what the reader understood of some pages, and
`pairwright show SOURCE --html`, each rule beside its place in the book and its examples."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from pairwright.cli.inspect.show import judgment_lines, own_pairs
from pairwright.core.errors import counted
from pairwright.core.records import Block, CheckedPair, Evidence, LLMJudgment, Rejection, Rule, Source
from pairwright.core.records.documents import LLM_PAIRS
from pairwright.core.store import read_if_there, read_jsonl, write_text
from pairwright.core.workspace import Workspace
from pairwright.documents import STAGE as BLOCKS
from pairwright.documents.preview import block_pictures, data_uri, environment, file_name, parse_pages, write_preview
from pairwright.documents.source import blocks_of_source
from pairwright.languages.linguistics.sentences import changes, stretches
from pairwright.pipeline.decided import rejections_of
from pairwright.sources.grammar.rules.extract import FILE

# What a page may weigh; of the pairs of a rule, its reasons and what was left out, how many are shown.
MOST_BYTES, MOST_SHOWN = 480_000, 5


def page_path(workspace: Workspace, out: Path | None, name: str) -> Path:
    """Where an HTML page goes: to `out` if that names one, else under `name` into that folder, or output/previews."""
    path = out or workspace.previews
    return path / name if path.suffix.lower() not in {".html", ".htm"} or path.is_dir() else path


def preview_lines(workspace: Workspace, source: str, pages: str, file: str | None, out: Path | None) -> Iterator[str]:
    """Writes the preview and yields a line with what it shows and its path.

    Raises SourceError or StoreError where the pages, the document or its blocks can't be shown.
    """
    numbers = parse_pages(pages)
    document = blocks_of_source(workspace, source, file)
    path = page_path(workspace, out, file_name(document, numbers))
    write_preview(path, document, numbers)
    n_blocks = sum(block.page in numbers for block in document.blocks)
    n_rejected = sum(item.page in numbers for item in document.rejections)
    rejected = f", {n_rejected} rejected" if n_rejected else ""
    yield f"{path}: {counted(len(numbers), 'page')}, {counted(n_blocks, 'block')}{rejected}"


def write_rules_page(
    path: Path,
    workspace: Workspace,
    folder: Path,
    source: Source,
    rules: Sequence[Rule],
    rejected: Sequence[Rejection],
    reasons: Sequence[str],
) -> None:
    """Writes the page: first the rules that give pairs, then, in short, why the others give none.

    It needs neither the network nor other files, runs no script, and has as many pictures of the source as MOST_BYTES
    leaves room for.

    folder  that of the source; where a document of it can't be drawn, its rules have the reason in place of pictures
    """
    work = workspace.work(source.id)
    made: defaultdict[str, list[CheckedPair]] = defaultdict(list)
    for checked in read_if_there(work / "checked.jsonl", CheckedPair):
        if checked.candidate.method != "source":
            made[checked.candidate.rule_id].append(checked)
    giving = [it for it in rules if not it.contrast or it.contrast.licensed or made[it.id] or own_pairs(it)]
    gives = {rule.id for rule in giving}
    others = [rule for rule in rules if rule.id not in gives]
    ids = {block_id for rule in giving for block_id in (*rule.block_ids, *rule.example_ids)}
    blocks = {block.id: block for block in read_jsonl(work / f"{BLOCKS.name}.jsonl", Block) if block.id in ids}
    places = {
        rule.id: [(item, _row(blocks.get(item.block_id), item.quote)) for item in passages(rule)] for rule in rules
    }
    # Each page is drawn once, whatever stands on it.
    cited = {(it.block_id, row) for rule in giving for it, row in places[rule.id] if it.block_id in blocks}
    wanted = ((blocks[block_id], row) for block_id, row in sorted(cited, key=str))
    drawn = {(it.block.id, it.row): it for it in block_pictures(folder, wanted)}
    judgments = read_if_there(work / "llm_judgments.jsonl", LLMJudgment)
    unwritten: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in rejections_of(workspace.stage_file(source.id, LLM_PAIRS.name)):
        unwritten[item.text.partition(":")[0]][item.reason.partition(":")[0]] += 1
    shown = [pair for rule in rules for pair in made[rule.id]]
    page = environment(Path(__file__).parent)
    page.globals.update(sides=_marked_sides, said=_said)
    template = page.get_template("rules.html.j2")

    def text(pictures: Mapping[tuple[str, str, int | None], str]) -> str:
        return template.render(
            source=source,
            sections=[
                (about, list(group))
                for part in (giving, others)
                for about, group in groupby(part, key=lambda rule: (rule.category, rule.phenomenon))
            ],
            giving=gives,
            n_rules=len(rules),
            n_licensed=sum(rule.contrast.licensed for rule in rules if rule.contrast),
            n_pairs=sum(len(own_pairs(rule)) for rule in rules),
            n_guesses=sum(pair.uncertain for rule in rules for pair in own_pairs(rule)),
            n_made=len(shown),
            n_passed=sum(pair.verdict == "pass" for pair in shown),
            asked=sorted({(call.model_label, call.prompt) for rule in rules for call in rule.asked}),
            blocks=blocks,
            places=places,
            drawn=drawn,
            pictures=pictures,
            made={rule_id: sorted(pairs, key=lambda pair: pair.verdict != "pass") for rule_id, pairs in made.items()},
            most=MOST_SHOWN,
            unwritten={code: counts.most_common(MOST_SHOWN) for code, counts in unwritten.items()},
            judged={judgment.pair_id: list(judgment_lines(judgment)) for judgment in judgments},
            reasons=reasons,
            rejected=rejected,
            own_file=FILE if source.kind == "grammar-book" else None,
        )

    left, pictures = MOST_BYTES - len(text({}).encode()), dict[tuple[str, str, int | None], str]()
    for rule in giving:
        for place, row in places[rule.id]:
            picture = drawn.get((place.block_id, row))
            uri = data_uri(picture.pixels) if picture and picture.pixels is not None and left > 0 else ""
            if 0 < len(uri) <= left:
                pictures[rule.id, place.block_id, row] = uri
                left -= len(uri)
    write_text(path, text(pictures))


def _marked_sides(good: str, bad: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both sentences of a pair in stretches, each with whether its words differ from the other sentence."""
    found = changes(good, bad)
    return (
        stretches(good, ((it.good_at, it.good_at + len(it.good)) for it in found)),
        stretches(bad, ((it.bad_at, it.bad_at + len(it.bad)) for it in found)),
    )


def _said(rule: Rule) -> tuple[str, str]:
    """What stands over a rule and below it, without what its section, or the line above, says already."""
    if rule.title in rule.phenomenon:
        return rule.description, ""
    return rule.title, "" if rule.description.endswith(rule.title) else rule.description


def passages(rule: Rule) -> Iterator[Evidence]:
    """The passages that a rule rests on, without those that stand whole in another one."""
    if rule.declaration or rule.taken_from:
        return
    every = rule.evidence or (
        Evidence(block_id=rule.block_ids[0], file="", page=rule.page, line=rule.line, quote=rule.quote),
    )
    for item in every:
        others = (other.quote for other in every if other.block_id == item.block_id)
        if not any(item.quote in other and item.quote != other for other in others):
            yield item


def _row(block: Block | None, quote: str) -> int | None:
    """The row of a table that words of it begin in; None elsewhere."""
    at = block.text.find(quote) if block and block.kind == "table" else -1
    return block.text.count("\n", 0, at) if block and at >= 0 else None
