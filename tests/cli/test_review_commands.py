"""`pairwright review`: from an export to a release's votes, as people type it, with one line for each fault."""

import csv
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pymupdf
import pytest

from pairwright.cli import main
from pairwright.ids import content_id, file_sha256, pair_id
from pairwright.records import Block, Candidate, CheckedPair, Evidence, Example, Rule
from pairwright.store import write_jsonl, write_text
from pairwright.text import changes

SENTENCES = [
    ("Laukiu autobuso.", "Laukiu autobusą."),
    ("Noriu ledų.", "Noriu ledus."),
    ("Ieškau namų.", "Ieškau namus."),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A built source whose pairs come from a page of a PDF file."""
    folder = tmp_path / "sources" / "knyga"
    folder.mkdir(parents=True)
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "Laukiu autobuso.")
        document.save(folder / "knyga.pdf")
    write_text(
        folder / "source.toml",
        'id = "knyga"\ntitle = "Knyga"\nlanguage = "lt"\nkind = "grammar-book"\nlicence = "CC0-1.0"\ncitation = "x"\n'
        f'[[files]]\npath = "knyga.pdf"\nsha256 = "{file_sha256(folder / "knyga.pdf")}"\n',
    )
    block = Block(
        id="block-0123456789abcdef",
        source_id="knyga",
        kind="paragraph",
        text="Laukiu autobuso.",
        file="knyga.pdf",
        page=1,
        bbox=(72, 88, 170, 104),
        reader="pdf-text/1",
    )
    evidence = Evidence(block_id=block.id, file="knyga.pdf", page=1, quote="Laukiu autobuso.")
    rule = Rule(
        id=content_id("rule", "knyga", "1"),
        source_id="knyga",
        code="1",
        title="Kilmininkas",
        description="Veiksmažodis valdo kilmininką.",
        category="linksniai",
        phenomenon="valdymas",
        block_ids=(block.id,),
        quote="Laukiu autobuso.",
        page=1,
        examples=(Example(good="Laukiu draugo.", bad="Laukiu draugą.", evidence=evidence),),
        extracted_by="test",
    )
    pairs = [
        CheckedPair(
            candidate=Candidate(
                id=pair_id(rule.id, good, bad),
                rule_id=rule.id,
                source_id="knyga",
                good=good,
                bad=bad,
                changes=changes(good, bad),
                method="source",
                evidence=evidence,
            ),
            findings=(),
            verdict="pass",
        )
        for good, bad in SENTENCES
    ]
    work = tmp_path / "output" / "work" / "knyga"
    write_jsonl(work / "blocks.jsonl", [block])
    write_jsonl(work / "rules.jsonl", [rule])
    write_jsonl(work / "checked.jsonl", pairs)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], workspace: Path, *arguments: object) -> tuple[int, str, str]:
    sys.argv = ["pairwright", "review", *map(str, arguments), "--workspace", str(workspace)]
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def decide(workspace: Path, reviewer: str, *words: str, queue: str = "knyga") -> Path:
    path = workspace / "annotations" / queue / f"{reviewer}.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys(), delimiter=";")
    writer.writeheader()
    writer.writerows({**row, "Sprendimas": word} for row, word in zip(rows, words, strict=True))
    path.write_bytes(out.getvalue().encode("utf-8-sig"))
    return path


def test_the_way_from_sheets_to_an_adjudicated_pair(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, workspace, "export", "--queue", "knyga", "--reviewers", "ana,jonas", "--per-pair", 2)
    assert (code, out.count("3 new rows")) == (0, 2)
    decide(workspace, "ana", "gerai", "gerai", "atmesti")
    path = decide(workspace, "jonas", "atmesti", "gerai", "gal")
    code, out, _ = run(capsys, workspace, "import", "--queue", "knyga")
    assert code == 1
    assert f"{path}:4:" in out
    assert "1 rows kept with their reasons" in out
    assert "next: pairwright review sync knyga" in out
    code, out, _ = run(capsys, workspace, "status")
    assert code == 0
    assert "queue knyga: pairs, 2 reviewers, 1 conflicts" in out
    code, out, _ = run(capsys, workspace, "agreement", "--queue", "knyga")
    assert "Krippendorff's alpha, nominal:" in out
    assert "Cohen's kappa of ana and jonas" in out
    code, out, _ = run(capsys, workspace, "conflicts", "--queue", "knyga")
    assert "1 conflicts" in out
    code, out, _ = run(capsys, workspace, "conflicts", "--queue", "knyga", "--adjudicators", "ona")
    assert "knyga-conflicts/ona.csv: 1 new rows" in out
    decide(workspace, "ona", "gerai", queue="knyga-conflicts")
    assert run(capsys, workspace, "import", "--queue", "knyga-conflicts")[0] == 0
    assert "0 conflicts" in run(capsys, workspace, "conflicts", "--queue", "knyga")[1]


def test_a_sheet_has_the_separator_the_language_and_the_columns_that_were_asked_for(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--separator", "comma", "--language", "en", "--show-findings", "--reviewers", "ana", "--per-pair", 1)
    assert run(capsys, workspace, "export", "--queue", "eile", "--source", "knyga", *options)[0] == 0
    header = (workspace / "annotations" / "eile" / "ana.csv").read_bytes().decode("utf-8-sig").splitlines()[0]
    assert header.startswith("Pair ID,Reviewer,Rule,Acceptable sentence,")
    assert "What the checks say" in header
    assert (workspace / "annotations" / "eile" / "INSTRUCTIONS.en.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "--queue", "nope"), "nope: no source of this id"),
        (("export", "--queue", "../x", "--source", "knyga"), "not a plain name"),
        (("export", "--queue", "knyga", "--per-pair", "0"), "--per-pair:"),
        (("export", "--queue", "knyga", "--versions", "3"), "--versions:"),
        (("export", "--queue", "knyga", "--reviewers", "Ana"), "not a plain name"),
        (("import", "--queue", "nope"), "there is no such queue"),
        (("status", "--queue", "nope"), "there is no such queue"),
        (("conflicts", "--queue", "nope"), "there is no such queue"),
        (("agreement", "--queue", "nope"), "there is no such queue"),
        (("serve", "--queue", "nope", "--reviewer", "ana"), "there is no such queue"),
    ],
)
def test_a_fault_of_the_user_is_one_line(
    arguments: tuple[str, ...], words: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, workspace, *arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert words in err
    assert err.count("\n") == 1


def test_damaged_logs_are_rebuilt_and_the_import_says_how_much_came_back(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, workspace, "export", "--queue", "knyga", "--reviewers", "ana", "--per-pair", 1)
    decide(workspace, "ana", "gerai", "atmesti", "gerai")
    assert run(capsys, workspace, "import", "--queue", "knyga")[0] == 0
    log = workspace / "annotations" / "knyga" / "decisions.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b'"approve"', b'"appr', 1))
    for command in ("import", "status", "agreement", "conflicts"):
        code, _, err = run(capsys, workspace, command, "--queue", "knyga")
        assert (code, err.count("\n")) == (2, 1)
        assert err.endswith("rebuild it with pairwright review import --queue knyga --rebuild\n")
    code, out, _ = run(capsys, workspace, "import", "--queue", "knyga", "--rebuild")
    assert code == 0
    assert "kept; its readable lines stay in the log" in out
    assert f"{log}: lacked 1 answers that stand in the sheets; they are restored" in out
    assert sorted(log.read_bytes().splitlines()) == sorted(whole.splitlines())
    assert "restored" not in run(capsys, workspace, "import", "--queue", "knyga")[1]


def test_a_pipe_that_is_given_for_a_sheet_is_named_at_once(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, workspace, "export", "--queue", "knyga", "--reviewers", "ana", "--per-pair", 1)
    os.mkfifo(tmp_path / "ana.csv")
    code, out, _ = run(capsys, workspace, "import", "--queue", "knyga", tmp_path / "ana.csv")
    assert (code, out) == (1, f"{tmp_path / 'ana.csv'}: not a file; give the sheet itself\n")


def test_a_reviewer_without_a_queue_is_named(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, workspace, "export", "--queue", "knyga", "--reviewers", "ana,jonas")
    code, _, err = run(capsys, workspace, "serve", "--queue", "knyga", "--reviewer", "petras")
    assert code == 2
    assert "'petras' has nothing in this queue; known: ana, jonas" in err


@pytest.fixture
def address(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """The address that `pairwright review serve` prints."""
    run(capsys, workspace, "export", "--queue", "knyga", "--reviewers", "ana,jonas")
    arguments = ["review", "serve", "--queue", "knyga", "--reviewer", "ana", "--workspace", str(workspace)]
    process = subprocess.Popen(
        [sys.executable, "-c", "from pairwright.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert process.stdout is not None
    yield process.stdout.readline().rpartition(": ")[2].strip()
    process.terminate()
    process.communicate(timeout=20)


def test_the_page_shows_the_place_on_the_page_of_the_document(address: str) -> None:
    root = address.partition("/?")[0]
    with httpx.Client(base_url=root, follow_redirects=True, timeout=30) as client:
        page = client.get(address)
        assert "Vieta puslapyje" in page.text
        item = page.text.partition('src="/crop/')[2].partition('"')[0]
        picture = client.get(f"/crop/{item}")
        assert picture.headers["content-type"] == "image/png"
        assert picture.content.startswith(b"\x89PNG")
        assert pymupdf.Pixmap(picture.content).width > 100
        answer = client.post("/answer", data={"item": item, "decision": "approve"}, headers={"Origin": root})
        assert "Atlikta 1 iš 3" in answer.text
