"""A small queue to review, reviewers who fill in their sheets, and a spreadsheet program that saves them its way."""

import csv
import io
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from review_server import ReviewProcess, ReviewThread, page_of, run_here, serve_apart

import made_records
from made_records import NO_HASH, make_candidate, make_checked, make_evidence, make_source
from pairwright.core.config import ReviewSettings
from pairwright.core.records import Block, Candidate, CheckedPair, Decision, Example, QueueKind, Rule, SourceFile
from pairwright.languages import Language, load_language
from pairwright.languages.linguistics.glosses import GlossedBook
from pairwright.review.assign.design import TrialItems
from pairwright.review.assign.export import export_queue
from pairwright.review.log import QueueFolder, ReviewContext, latest_decisions
from pairwright.review.sheets.exchange import ImportResult, QueueExport, import_answers

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
QUEUE = "linksniai"
DECISION, GOOD, BAD, COMMENT = "Sprendimas", "Pataisytas taisyklingas", "Pataisytas klaidingas", "Pastaba"
Answers = Mapping[Any, str | Mapping[str, str]]
"""A decision, or cells by their titles, for pairs by their numbers or their good sentences."""
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


@dataclass
class QueueFixture:
    """One queue in a folder of its own. `pairs` and `settings` may be changed between exports."""

    source = SOURCE

    annotations: Path
    pairs: list[CheckedPair]
    settings: ReviewSettings = field(default_factory=lambda: ReviewSettings(reviewers=("ana", "jonas")))
    language: Language = LT
    rules: dict[str, Rule] = field(
        default_factory=lambda: {rule.id: rule for rule in (make_rule("1.1"), make_rule("1.2"))}
    )
    attested: dict[str, Block] = field(default_factory=dict)
    glosses: GlossedBook = field(default_factory=GlossedBook)

    def fresh(self) -> "QueueFixture":
        """The same pairs and settings in an empty folder, for the next example of a property test."""
        folder = tempfile.mkdtemp(dir=self.annotations.parent)
        return replace(self, annotations=Path(folder) / "annotations", pairs=list(self.pairs))

    def context(self, queue: str = QUEUE) -> ReviewContext:
        """What a review of the current pairs works on."""
        pairs = {pair.candidate.id: pair for pair in self.pairs}
        given = self.annotations, queue, SOURCE, pairs, self.rules, self.language, self.settings
        return ReviewContext(*given, attested=self.attested, glosses=self.glosses)

    def export(
        self, queue: str = QUEUE, kind: QueueKind = "pairs", trial_items: TrialItems | None = None
    ) -> QueueExport:
        return export_queue(self.context(queue), kind, trial_items)

    def import_sheets(self, now: datetime = NOW, queue: str = QUEUE) -> ImportResult:
        return import_answers(QueueFolder(self.annotations, queue), self.language, now)

    def import_files(self, *files: Path, reviewer: str | None = None, now: datetime = NOW) -> ImportResult:
        return import_answers(QueueFolder(self.annotations, QUEUE), self.language, now, files=files, reviewer=reviewer)

    def serve(self, *reviewers: str, queue: str = QUEUE, language: str = "lt", port: int = 0) -> ReviewThread:
        """The review page of reviewers."""
        return run_here([page_of(self.context(queue), reviewers, language)], port=port)

    def serve_apart(self, *reviewers: str) -> ReviewProcess:
        """The review page of reviewers, in a process of its own."""
        return serve_apart(self.context(), reviewers)

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

    @property
    def latest(self) -> dict[tuple[str, str], Decision]:
        """The last decision of each reviewer on each pair in the log."""
        return latest_decisions(self.log)

    def decided(self, reviewer: str = "ana") -> dict[str, str | None]:
        """The decisions of a reviewer in the log by the pair's id."""
        return {pair_id: entry.decision for (pair_id, name), entry in self.latest.items() if name == reviewer}

    def rows(self, reviewer: str = "ana", separator: str = ";", queue: str = QUEUE) -> list[dict[str, str]]:
        """The sheet as an independent reader sees it."""
        text = self.path(reviewer, queue).read_bytes().decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))

    def fill(self, answers: Answers, reviewer: str = "ana", rows: list[dict[str, str]] | None = None) -> None:
        """Writes answers into the rows of a sheet."""
        rows = self.rows(reviewer) if rows is None else rows
        by_good = {
            self.good(pair) if isinstance(pair, int) else pair: {DECISION: cells} if isinstance(cells, str) else cells
            for pair, cells in answers.items()
        }
        assert set(by_good) <= {row["Taisyklingas sakinys"] for row in rows}
        self.save([{**row, **by_good.get(row["Taisyklingas sakinys"], {})} for row in rows], reviewer)

    def answer(self, answers: Answers, reviewer: str = "ana") -> ImportResult:
        """Writes answers into a sheet, and imports the sheets of the queue."""
        self.fill(answers, reviewer)
        return self.import_sheets()

    def add_pairs(self, count: int, start: int = 0) -> None:
        """More pairs, by turns of both rules."""
        numbers = range(start, start + count)
        made = (make_pair(f"Laukiu {n} autobuso.", f"Laukiu {n} autobusą.", f"1.{1 + n % 2}") for n in numbers)
        self.pairs += map(make_checked, made)

    def add_child(self, good: str, **fields: Any) -> Candidate:
        """Another pair with the bad sentence of the first one, from which it is made; by a correction by default."""
        parent = self.pairs[0].candidate
        child = make_pair(good, parent.bad, parent_id=parent.id, **{"method": "manual"} | fields)
        self.pairs.append(make_checked(child))
        return child

    def set(self, **settings: Any) -> None:
        """Changes settings of the review."""
        self.settings = self.settings.model_copy(update=settings)

    def ids(self, reviewer: str = "ana") -> list[str]:
        """The pairs in a sheet, in order."""
        return [row["Poros ID"] for row in self.rows(reviewer)]

    @contextmanager
    def page(self, reviewer: str = "ana", **options: Any) -> Iterator[httpx.Client]:
        """A reviewer's browser at the review page, while a `with` lasts."""
        server = self.serve(reviewer, **options)
        client = server.client(reviewer)
        try:
            yield client
        finally:
            client.close()
            server.stop()

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


def one_doubt(result: ImportResult) -> str:
    """The only doubt of an import, in one line."""
    (doubt,) = map(str, result.doubts)
    assert "\n" not in doubt
    return doubt


def make_queue(folder: Path) -> QueueFixture:
    pairs = [
        make_checked(make_pair(good, bad, code)) for code, sentences in SENTENCES.items() for good, bad in sentences
    ]
    return QueueFixture(folder / "annotations", pairs)
