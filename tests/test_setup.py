"""`make setup` and `make test`: which build of torch is installed where, what the wheel holds."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# An installer that notes what it is asked for, and that finds PyTorch's own index only where it is told to.
INSTALLER = """#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in
  *--torch-backend=*) [ -n "${REACHABLE:-}" ] ;;
  *) for last; do :; done; cp "$last" "$LOG.wanted" ;;
esac
"""

Setup = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """Runs the installation with a noting installer: its exit code, what it says, and what it asks for."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only on Linux does the package index give CUDA libraries")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("sh", "grep", "uname", "cp"):
        (tools / name).symlink_to(str(shutil.which(name)))
    (tmp_path / "bin" / "uv").write_text(INSTALLER, encoding="utf-8")
    (tmp_path / "bin" / "uv").chmod(0o755)

    def run(*, driver: bool = False, **environment: str) -> tuple[int, str, list[str]]:
        if driver:
            (tools / "nvidia-smi").symlink_to("sh")
        log = tmp_path / "log"
        done = subprocess.run(
            ["/bin/sh", "scripts/install.sh", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60,
            check=False, env={"PATH": str(tools), "LOG": str(log), **environment},
        )  # fmt: skip
        asked = log.read_text(encoding="utf-8").splitlines()
        wanted = log.with_name("log.wanted")
        return done.returncode, done.stdout + done.stderr, [*asked, wanted.read_text() if wanted.exists() else ""]

    return run


def test_a_machine_without_a_gpu_gets_the_small_build_and_no_cuda_library(setup: Setup) -> None:
    code, said, asked = setup(REACHABLE="1")
    assert code == 0
    assert re.search(r"--torch-backend=cpu torch==[\d.]+$", asked[0])
    assert "torch==" in asked[-1]
    assert not re.search(r"^(nvidia|cuda|triton)", asked[-1], re.MULTILINE)
    assert "no NVIDIA driver" in said
    assert said.index("0.7 GB") < said.index("2.1 GB")
    assert "TORCH_BACKEND=index" in said


def test_where_the_small_build_is_out_of_reach_the_other_is_taken_and_its_size_told(setup: Setup) -> None:
    code, said, asked = setup()
    assert code == 0
    assert "can't be had" in said
    assert "7.3 GB" in said
    assert re.search("^nvidia-", asked[-1], re.MULTILINE)


@pytest.mark.parametrize("environment", [{"driver": True}, {"TORCH_BACKEND": "index"}])
def test_a_gpu_or_the_users_word_takes_the_cuda_build(setup: Setup, environment: dict[str, str]) -> None:
    code, said, asked = setup(**environment)
    assert code == 0
    assert not any("--torch-backend" in line for line in asked)
    assert "7.3 GB" in said


def test_a_build_that_was_asked_for_is_never_replaced_by_another(setup: Setup) -> None:
    code, said, asked = setup(TORCH_BACKEND="cpu")
    assert code == 2
    assert "no cpu build of torch could be had" in said
    assert len(asked) == 2


def test_the_readme_and_the_docs_of_the_wheel_point_to_files_that_it_has() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    shipped = {name: target.split("_scaffold/")[1] for name, target in build["wheel"]["force-include"].items()}
    assert {"README.md", "docs"} <= set(shipped)
    assert all(name == target for name, target in shipped.items())
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
            path = Path(os.path.relpath(page.parent / link, ROOT))
            assert (ROOT / path).exists(), f"{page.name}: {link}"
            assert path.parts[0] in shipped, f"{page.name}: {link} is not in the wheel"
