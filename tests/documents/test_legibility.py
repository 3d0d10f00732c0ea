"""What a user is told early of a scan that the recogniser can't read."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_records import make_source
from pairwright.core.config import IngestSettings
from pairwright.core.errors import SourceError
from pairwright.core.store import write_text
from pairwright.documents.lines.data import PageData
from pairwright.documents.read.pool import SAMPLE, LegibilitySample, ReadJob
from pairwright.documents.read.reader import PageBlocks, Reader, ReaderChoice, ReadOptions
from pairwright.languages import load_language


def job_in(directory: Path, reader: Reader | None = None) -> ReadJob:
    return ReadJob(
        path=directory / "scan.pdf",
        name="scan.pdf",
        source=make_source(kind="grammar-book"),
        options=ReadOptions(reader=reader),
        settings=IngestSettings(),
        language=load_language("hy"),
        directory=directory,
    )


def read(job: ReadJob, numbers: Iterable[int], unread: float) -> None:
    for number in numbers:
        scan = PageData(number, 595, 842, (), unread=unread)
        page = PageBlocks(page=number, choice=ReaderChoice("ocr", "no text layer"), scan=scan)
        write_text(job.page_path(number), page.model_dump_json())


def test_the_sample_is_judged_as_soon_as_it_is_read(tmp_path: Path) -> None:
    said: list[str] = []
    sample = LegibilitySample(job_in(tmp_path), range(1, 101), said.append)
    read(job_in(tmp_path), sample.pages[: SAMPLE - 1], 0.3)
    sample.look()
    assert said == []
    read(job_in(tmp_path), sample.pages[SAMPLE - 1 : SAMPLE], 0.3)
    sample.look()
    sample.look(ended=True)
    (line,) = said
    assert line.startswith("scan.pdf: page 11, 31, 51, 71, 91 of the 5 read first: no sure words for 30% of the print")
    assert "Greek" in line
    assert "ocrmypdf -l hye" in line
    assert "ingest.ocr.recognition_dir" in line


def test_a_scan_that_reads_well_gets_no_line(tmp_path: Path) -> None:
    said: list[str] = []
    sample = LegibilitySample(job_in(tmp_path), range(1, 9), said.append)
    read(job_in(tmp_path), range(1, 9), 0.04)
    sample.look(ended=True)
    assert said == []


def test_a_hopeless_scan_stops_unless_its_reader_was_chosen(tmp_path: Path) -> None:
    said: list[str] = []
    read(job_in(tmp_path), range(1, 21), 0.95)
    with pytest.raises(SourceError, match=r"scan\.pdf: page .* --reader ocr"):
        LegibilitySample(job_in(tmp_path), range(1, 21), said.append).look()
    LegibilitySample(job_in(tmp_path, "ocr"), range(1, 21), said.append).look()
    assert len(said) == 1


@given(st.sets(st.integers(1, 400)).map(sorted))
def test_each_page_is_read_once_and_the_sample_first(numbers: list[int]) -> None:
    sample = LegibilitySample(job_in(Path("none")), numbers, lambda line: None)
    assert sorted(sample.pages) == numbers
    assert sample.pages[: len(sample.sample)] == sample.sample
    assert len(sample.sample) == min(SAMPLE, len(numbers))
