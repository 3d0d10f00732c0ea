"""A workspace with a damaged file: each command works or says in one line what is wrong, and never falls silent."""

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from command_lines import Run
from workspace_parts import approve_all

from made_records import make_candidate, make_rule
from pairwright.core.errors import StoreError
from pairwright.core.records import CheckedPair, Decision
from pairwright.core.store import append_log, read_jsonl, write_jsonl, write_text
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import keep_rules
from pairwright.pipeline.options import ReleaseOptions, SourceOptions
from pairwright.pipeline.release import create
from pairwright.pipeline.review import build
from pairwright.review.log import QueueFolder, QueueInfo

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).

## 1.2. Naudininkas nevartotinas su šiais veiksmažodžiais:
- Jis vadovauja skyrių (= skyriui).
"""


def delete(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def drop_a_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :]))


def fill_with_garbage(path: Path) -> None:
    path.write_bytes(b'\xff\xfe{"\x00garbage": [[[\n\n{}\nnull\n')


DAMAGES: tuple[Callable[[Path], None], ...] = (delete, empty, cut, replace_by_folder, drop_a_line, fill_with_garbage)


class Whole(NamedTuple):
    """A workspace in which pairs were released, and one of them."""

    root: Path
    pair: str

    def files(self, below: str) -> list[Path]:
        paths = (self.root / below).rglob("*")
        return sorted(path.relative_to(self.root) for path in paths if path.is_file())

    def commands(self) -> list[tuple[str, ...]]:
        return [
            ("status",),
            ("trace", self.pair),
            ("show", "sarasas"),
            ("release", "create", "--name", "lt-test", "--version", "1.0.1"),
            ("build", "sarasas"),
        ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    root, document = folder / "workspace", folder / "sarasas.md"
    root.mkdir()
    (root / "pairwright.toml").write_text('[review]\nreviewers = ["ana", "jonas"]\n', encoding="utf-8")
    document.write_text(LIST, encoding="utf-8")
    context = Context(Workspace(root))
    build(context, document, SourceOptions(language="lt"))
    approve_all(root)
    create(context, ReleaseOptions("lt-test", "1.0.0"))
    pair = next(read_jsonl(root / "output" / "work" / "sarasas" / "checked.jsonl", CheckedPair)).candidate.id
    return Whole(root, pair)


def unclear(whole: Whole, name: Path, damage: Callable[[Path], None], run: Run, copy: Path) -> Iterator[str]:
    """What commands say of a damaged copy of a workspace that is neither their work nor one clear line."""
    shutil.copytree(whole.root, copy)
    damage(copy / name)
    for command in whole.commands():
        code, _, err = run(*command, "--workspace", copy)
        line = err.startswith("error: ") and err.count("\n") == 1 and "fault of pairwright" not in err
        if not (code == 0 or (code == 2 and line)):
            yield f"{damage.__name__} {name}: {' '.join(command)}: {code}: {err}"
    shutil.rmtree(copy)


def test_a_released_pair_that_no_source_gives_any_more_is_traced(whole: Whole, run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(whole.root, copy)
    path = copy / "output" / "work" / "sarasas" / "checked.jsonl"
    write_jsonl(path, [pair for pair in read_jsonl(path, CheckedPair) if pair.candidate.id != whole.pair])
    out = run.done("trace", whole.pair, "--workspace", copy)
    assert "Nematau kalnų." in out
    assert "sarasas.md:4, as lt-test-1.0.0 was made; no source gives it now" in out
    assert "release    lt-test-1.0.0 (" in out
    assert run("trace", "pair-0000000000000000", "--workspace", copy)[0] == 2


@pytest.mark.parametrize("name", ["decisions", ".links", "audit"])
def test_status_names_the_line_of_a_log_that_is_not_as_it_was_written(
    name: str, whole: Whole, run: Run, tmp_path: Path
) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(whole.root, root)
    path = root / "annotations" / "sarasas" / f"{name}.jsonl"
    if not path.exists():
        append_log(path, [QueueInfo(queue="q", kind="pairs", source="s", language="lt")] * 2)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b'":"', b'":"x', 1)]))
    assert f"{path}:{len(lines)}: " in run.done("status", "--workspace", root)


def test_a_damaged_stage_is_made_again_or_named(whole: Whole, run: Run, tmp_path: Path) -> None:
    """Each file of each stage, every fourth of the ways in which it can be damaged."""
    work = str(Path("output") / "work")
    cases = [case for case in product(whole.files(work), DAMAGES) if case[0].name.count(".") == 1 or case[1] is cut][
        ::4
    ]
    assert len(cases) > 10
    faults = [
        fault
        for number, (name, damage) in enumerate(cases)
        for fault in unclear(whole, name, damage, run, tmp_path / str(number))
    ]
    assert not faults, "\n".join(faults)


def test_rules_of_decided_pairs_are_not_lost_by_a_damaged_file(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    folder = QueueFolder(workspace.annotations, "book")
    folder.path.mkdir(parents=True)
    folder.write_info(QueueInfo(queue="book", kind="pairs", source="book", language="lt"))
    pair = make_candidate("Laukiu traukinio.", "Laukiu traukinį.", source_id="book", rule_id="rule-1", method="llm")
    folder.add_pairs([pair])
    decision = Decision(pair_id=pair.id, reviewer="ana", decision="approve", at="2026-05-01T10:00:00+00:00")
    append_log(folder.log(), [decision])
    keep_rules(workspace, "book")  # nothing was built here yet
    rules = workspace.stage_file("book", "rules")
    write_text(rules, '{"id": "rule-1", "co')
    with pytest.raises(StoreError, match=r"rules\.jsonl: damaged, and perhaps the only place of 1 rule"):
        keep_rules(workspace, "book")
    write_jsonl(rules, [make_rule("1.1", id="rule-1")])
    keep_rules(workspace, "book")
    assert list(folder.rules()) == ["rule-1"]
