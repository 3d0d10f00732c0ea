"""A small queue to review, reviewers who fill in their sheets, and a spreadsheet program that saves them its way."""

import csv
import io
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from review_server import ReviewProcess, ReviewThread, serve_here, start_review

import made_records
from made_records import NO_HASH, make_candidate, make_checked, make_evidence, make_source
from pairwright.core.config import ReviewSettings
from pairwright.core.records import Block, Candidate, CheckedPair, Example, QueueKind, Rule, SourceFile
from pairwright.languages import Language, load_language
from pairwright.review.assign.design import TrialItems
from pairwright.review.assign.export import export_queue
from pairwright.review.log.queue import QueueFolder, ReviewContext
from pairwright.review.sheets.importing import ImportResult, import_answers
from pairwright.review.sheets.writing import QueueExport

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
QUEUE = "linksniai"
LT = load_language("lt")

SOURCE = make_source(title="Klaidų sąrašas", files=[SourceFile(path="klaidos.md", sha256=NO_HASH)])

SENTENCES = {
    "1.1": [
        ("Laukiu autobuso.", "Laukiu autobusą."),
        ("Ieškome naujo žąsų šėrėjo.", "Ieškome naują žąsų šėrėją."),
        ("Vaikai nori ledų.", "Vaikai nori ledus."),
    ],
    "1.2": [
        ("Džiaugiuosi tavo sėkme.", "Džiaugiuosi dėl tavo sėkmės."),
        ("„Ąžuolas“ laimėjo rungtynes; visi šaukė.", "„Ąžuolas“ laimėjo rungtynėse; visi šaukė."),
    ],
}


def make_rule(code: str) -> Rule:
    evidence = make_evidence("valdo kilmininką", file="klaidos.md")
    examples = (
        Example(good="Laukiu draugo.", bad="Laukiu draugą.", evidence=evidence),
        Example(good="Tikiuosi draugo.", bad="Laukiu draugą.", evidence=evidence, default=False),
        Example(good="Noriu miego.", bad=None, evidence=evidence, exception=True),
    )
    return made_records.make_rule(
        code,
        title=f"Taisyklė {code}",
        description="Veiksmažodis valdo kilmininką.",
        category="linksniai",
        phenomenon="valdymas",
        quote="valdo kilmininką",
        examples=examples,
    )


def make_pair(
    good: str, bad: str, code: str = "1.1", *, page: int = 1, line: int | None = 7, **fields: Any
) -> Candidate:
    evidence = make_evidence(bad, file="klaidos.md", page=page, line=line)
    return make_candidate(good, bad, rule_id=make_rule(code).id, evidence=evidence, **fields)


def resave(path: Path, encoding: str, separator: str, line_end: str) -> None:
    """Saves a sheet as a spreadsheet program does: letters that the encoding lacks become question marks."""
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=line_end).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding, errors="replace"))


@dataclass
class QueueFixture:
    """One queue in a folder of its own. `pairs` and `settings` may be changed between exports."""

    make_pair = staticmethod(make_pair)
    checked = staticmethod(make_checked)

    source = SOURCE

    annotations: Path
    pairs: list[CheckedPair]
    settings: ReviewSettings = field(default_factory=lambda: ReviewSettings(reviewers=("ana", "jonas")))
    language: Language = LT
    rules: dict[str, Rule] = field(
        default_factory=lambda: {rule.id: rule for rule in (make_rule("1.1"), make_rule("1.2"))}
    )
    attested: dict[str, Block] = field(default_factory=dict)

    def fresh(self) -> "QueueFixture":
        """The same pairs and settings in an empty folder, for the next example of a property test."""
        folder = tempfile.mkdtemp(dir=self.annotations.parent)
        return replace(self, annotations=Path(folder) / "annotations", pairs=list(self.pairs))

    def context(self, queue: str = QUEUE) -> ReviewContext:
        """What a review of the current pairs works on."""
        pairs = {pair.candidate.id: pair for pair in self.pairs}
        return ReviewContext(
            self.annotations, queue, SOURCE, pairs, self.rules, self.language, self.settings, attested=self.attested
        )

    def export(
        self, queue: str = QUEUE, kind: QueueKind = "pairs", trial_items: TrialItems | None = None
    ) -> QueueExport:
        return export_queue(self.context(queue), kind, trial_items)

    def import_sheets(self, now: datetime = NOW, queue: str = QUEUE) -> ImportResult:
        return import_answers(QueueFolder(self.annotations, queue), self.language, now)

    def import_files(self, *files: Path, reviewer: str | None = None, now: datetime = NOW) -> ImportResult:
        return import_answers(QueueFolder(self.annotations, QUEUE), self.language, now, files=files, reviewer=reviewer)

    def serve(
        self,
        *reviewers: str,
        queue: str = QUEUE,
        language: str = "lt",
        png: bytes | None = None,
        votes: Mapping[str, str] | None = None,
        port: int = 0,
    ) -> ReviewThread:
        """The review page of reviewers."""
        return serve_here(self.context(queue), reviewers, language, png, votes or {}, port)

    def serve_apart(self, *reviewers: str) -> ReviewProcess:
        """The review page of reviewers, in a process of its own."""
        data = self.annotations.parent / "data"
        return start_review(self.annotations, QUEUE, data, SOURCE, self.pairs, list(self.rules.values()), *reviewers)

    @property
    def known(self) -> dict[str, Candidate]:
        return {pair.candidate.id: pair.candidate for pair in self.pairs}

    def good(self, number: int = 0) -> str:
        """The acceptable sentence of a pair by its number."""
        return self.pairs[number].candidate.good

    def id(self, number: int = 0) -> str:
        return self.pairs[number].candidate.id

    def path(self, reviewer: str = "ana", queue: str = QUEUE) -> Path:
        return self.annotations / queue / f"{reviewer}.csv"

    @property
    def log(self) -> Path:
        return self.annotations / QUEUE / "decisions.jsonl"

    def rows(self, reviewer: str = "ana", separator: str = ";", queue: str = QUEUE) -> list[dict[str, str]]:
        """The sheet as an independent reader sees it."""
        text = self.path(reviewer, queue).read_bytes().decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))

    def fill(self, answers: Mapping[str, Mapping[str, str]], reviewer: str = "ana") -> None:
        """Writes cells into the rows of pairs, given by their good sentences."""
        rows = self.rows(reviewer)
        assert set(answers) <= {row["Taisyklingas sakinys"] for row in rows}
        for row in rows:
            row.update(answers.get(row["Taisyklingas sakinys"], {}))
        self.save(rows, reviewer)

    def resave(self, encoding: str, separator: str = ";", line_end: str = "\r\n", reviewer: str = "ana") -> None:
        """Opens a sheet and saves it in another form."""
        resave(self.path(reviewer), encoding, separator, line_end)

    def edit(self, old: str, new: str, reviewer: str = "ana") -> None:
        """Changes a sheet as in a text editor."""
        text = self.path(reviewer).read_bytes().decode("utf-8")
        assert old in text
        self.path(reviewer).write_bytes(text.replace(old, new).encode())

    def save(self, rows: list[dict[str, str]], reviewer: str = "ana", queue: str = QUEUE) -> None:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, rows[0].keys(), delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
        self.path(reviewer, queue).write_bytes(text.getvalue().encode("utf-8-sig"))


@pytest.fixture
def queue(tmp_path: Path) -> QueueFixture:
    return make_queue(tmp_path)


@pytest.fixture(scope="module")
def lasting_queue(tmp_path_factory: pytest.TempPathFactory) -> QueueFixture:
    """A queue for all tests of a file, which leave it as it is."""
    return make_queue(tmp_path_factory.mktemp("queue"))


def make_queue(folder: Path) -> QueueFixture:
    pairs = [
        make_checked(make_pair(good, bad, code)) for code, sentences in SENTENCES.items() for good, bad in sentences
    ]
    return QueueFixture(folder / "annotations", pairs)


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """The contents of a folder, to show that nothing was written; the lock is no content."""

    def take(folder: Path) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}

    return take
