"""Says early in a long run what the recogniser can't read of a scan, from a sample of its pages."""

import threading
from collections.abc import Callable, Sequence
from statistics import fmean

from pairwright.core.codes import three_letter_code
from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import PageData
from pairwright.documents.read.reader import MAX_UNREAD
from pairwright.documents.read.worker import ReadJob, load_page, page_path
from pairwright.languages import load_language

SAMPLE = 5
# With more unread ink than this on each page of the sample, the run is not worth its time.
HOPELESS = 0.6
HOPELESS_PAGES = 3


class LegibilitySample:
    """Pages of a document that are read before the others, and what they say of the rest.

    `pages` are the document's pages in the order in which to read them, the sample first. `say` is called once at most,
    from any thread, with one line, where the sample is read and some of its print could not be.
    """

    def __init__(self, job: ReadJob, numbers: Sequence[int], say: Callable[[str], None]) -> None:
        step = max(1, len(numbers) // SAMPLE)
        self.sample = list(numbers[step // 2 :: step][:SAMPLE])
        self.pages = [*self.sample, *(number for number in numbers if number not in self.sample)]
        self._job, self._say, self._lock, self._done = job, say, threading.Lock(), False

    def look(self, *, ended: bool = False) -> None:
        """Judges the sample where all of it is read, or where reading has `ended`; later calls do nothing.

        Raises SourceError where hardly anything can be read, unless the reader was chosen by option.
        """
        with self._lock:
            read = [number for number in self.sample if page_path(self._job.directory, number).exists()]
            if self._done or not (ended or len(read) == len(self.sample)):
                return
            self._done = True
        scans = [page.scan for page in (load_page(self._job.directory, number) for number in read) if page.scan]
        doubtful = [scan for scan in scans if scan.unread > MAX_UNREAD]
        if not doubtful:
            return
        line = _advice(self._job, doubtful, len(read))
        hopeless = len(scans) == len(read) >= HOPELESS_PAGES and min(scan.unread for scan in scans) > HOPELESS
        if hopeless and not ended and self._job.options.reader is None:
            raise SourceError(f"{self._job.path}: {line}; or read it all the same with --reader ocr")
        self._say(f"{self._job.name}: {line}")


def _advice(job: ReadJob, doubtful: Sequence[PageData], n_read: int) -> str:
    from pairwright.documents.pages.ocr import adaptation, model_directory, readable_scripts

    numbers = ", ".join(str(page.number) for page in sorted(doubtful, key=lambda page: page.number))
    share = fmean(page.unread for page in doubtful)
    adapted = adaptation(job.language, [load_language(code) for code in job.written_in])
    directory = model_directory(job.ocr.recognition, job.ocr.recognition_dir, job.ocr, adapted)
    scripts = ", ".join(readable_scripts(directory) if directory else ()) or "other"
    return (
        f"page {numbers} of the {n_read} read first: no sure words for {share:.0%} of the print. {job.ocr.recognition} "
        f"reads {scripts} letters; for others, add a text layer with Tesseract "
        f"(ocrmypdf -l {three_letter_code(job.language.code)} IN OUT), or set ingest.ocr.recognition_dir"
    )
