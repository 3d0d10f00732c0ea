"""The command line in this process, a browser for the pages that we write, and what makes tests fast and steady."""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from command_lines import Run
from forked import Forks
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright
from xdist.scheduler import LoadFileScheduling

from pairwright.core import processes
from pairwright.documents.pages.pdf import load_pymupdf

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).
- Pastaba. Be neigimo galininkas – ne klaida: Matau kalnus.
"""

# Tests make PDF files with PyMuPDF: without what it would bring, it takes a third of the time to load.
load_pymupdf()

# Processes of tests share the cores: threads of torch would wait for one another, and spin as they wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests write, sync and remove tens of thousands of small files: a minute or more on a disk, nothing in memory.
MEMORY = Path("/dev/shm")
has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4_000_000_000
if "TMPDIR" not in os.environ and has_room and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Prefect and torch fill a process with objects that live as long as it: to look through them for garbage again and
# again, as statsmodels has it done at each call, takes longer than many a test.
gc.set_threshold(100_000, 50, 100)

# How long an example takes says more of the machine than of what is tested. Each run draws other examples; many more
# are drawn by --hypothesis-profile=thorough.
settings.register_profile("quick", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=500)
settings.load_profile("quick")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: tests wait for forks, servers and browsers, which share the cores with them."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """The tests of a file run in one process, and those of all files that load models in one too.

    To load torch and what comes with it takes six seconds, longer than most of these files.
    """
    scheduling = LoadFileScheduling(config, log)
    file_of = scheduling._split_scope
    scheduling._split_scope = lambda nodeid: _scope(config.rootpath / file_of(nodeid))
    return scheduling


@cache
def _scope(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    loads_models = file.parent.name == "scoring" or "import torch" in text or "tiny_model" in text
    return "models" if loads_models and file.parent.name not in ("flows", "killed") else str(file)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits longest comes first, so that others run meanwhile."""
    items.sort(key=lambda item: "/flows/" not in item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def readers() -> None:
    """Processes that read documents and tables are forks of one that has imported what they need.

    A new interpreter takes longer to import it than to read what tests give it.
    """
    if hasattr(os, "fork"):
        modules = [name for name in sys.modules if name.startswith(("pairwright.documents", "pairwright.core.tables"))]
        vars(processes)["Popen"] = Forks(modules, os.environ).popen


@pytest.fixture(scope="module", autouse=True)
def lasting_objects() -> None:
    """What stands at the beginning of a file's tests is not looked through for garbage again."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """At the end all garbage is collected: triton, which comes with torch, else reports what it calls leaks."""
    gc.unfreeze()


@pytest.fixture
def run_main(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs the `main` of a program in this process with arguments; gives exit code, stdout and stderr."""

    def command(main: Callable[[], None], *arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["program", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def run(run_main: Callable[..., tuple[int, str, str]]) -> Run:
    """Runs a command of `pairwright` in this process."""
    from pairwright.cli import main

    return Run(partial(run_main, main))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one source, two reviewers and nothing built."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "pairwright.toml").write_text(
        '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 1\n', encoding="utf-8"
    )
    return root


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "sarasas.md"
    path.write_text(LIST, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_model import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny-gpt2")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; where there is none, tests of pages skip."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield instance
        instance.close()
