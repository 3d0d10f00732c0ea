"""Pages per second and peak memory: `python benchmarks/grammar_speed.py BOOK.pdf [--pages 60-100] [--peers]`.

The pages are copied to a document of their own. Each reader runs on it in a process of its own, after its imports; ours
includes learning the profile. Processor time is given beside wall time, so that a busy machine does not decide.
"""

import argparse
import importlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pymupdf

from pairwright.documents.read.reader import learn_book, link, read_pages


def ours(path: Path) -> None:
    book = learn_book(path, "speed")
    for page in link(read_pages(book)):
        assert page.page


def pymupdf4llm(path: Path) -> None:
    peer = importlib.import_module("pymupdf4llm")
    peer.to_markdown(str(path), show_progress=False)


READERS: dict[str, Callable[[Path], None]] = {"pairwright": ours, "pymupdf4llm": pymupdf4llm}


def measure(name: str, path: Path) -> None:
    """Prints pages per second of processor time and of wall time, and the peak memory in MB, of one reader."""
    if name != "pairwright":
        importlib.import_module(name)
    with pymupdf.open(path) as document:
        n_pages = document.page_count
    wall, processor = time.perf_counter(), time.process_time()
    READERS[name](path)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n_pages / processor:.1f} {n_pages / wall:.1f} {peak:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path)
    parser.add_argument("--pages", default="60-100")
    parser.add_argument("--peers", action="store_true", help="also pymupdf4llm, where it is installed")
    parser.add_argument("--one", choices=READERS, help="measure one reader in this process")
    arguments = parser.parse_args()
    if arguments.one:
        measure(arguments.one, arguments.book)
        return
    first, last = (int(part) for part in arguments.pages.split("-"))
    print("| reader | pages/s, processor | pages/s, wall | peak memory MB |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages.pdf"
        with pymupdf.open(arguments.book) as document, pymupdf.open() as part:
            part.insert_pdf(document, from_page=first - 1, to_page=last - 1)
            part.save(pages)
        for name in READERS if arguments.peers else ["pairwright"]:
            command = [sys.executable, __file__, str(pages), "--one", name]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"| {name} | {' | '.join(done.stdout.split()[-3:])} |")


if __name__ == "__main__":
    main()
