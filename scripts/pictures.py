"""Makes the pictures of the documentation from the sample workspace, in a real browser: docs/pictures/*.webp.

    python scripts/pictures.py WORKSPACE    # a workspace of `pairwright init --sample` in which both samples are built,
                                            # released as lt-sample-1.0.0 and evaluated, such as output/demo

Needs playwright and a Chromium on the PATH.
"""

import csv
import html
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
PAIR = "pair-f706fd4ef0c6574f"
DESK, PHONE = (1200, 820), (390, 780)
_SHEET = """<style>body { margin: 0; font: 14px sans-serif } table { border-collapse: collapse } th { background: #eee }
td, th { border: 1px solid #bbb; padding: 4px 6px; max-width: 24em; white-space: nowrap; overflow: hidden;
text-overflow: ellipsis; text-align: left } td:nth-child(2) { max-width: 12em }</style><table>"""
_TERMINAL = """<style>body { margin: 0; background: #1e1e1e }
pre { color: #ddd; font: 14px/1.45 monospace; padding: 1em; margin: 0 }</style>"""


def main(workspace: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    pairwright("show", "lt-sample-grammar", "--pages", "3-8", "--workspace", workspace)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=size(DESK))
        page.goto((workspace / "output/previews/lt-sample-grammar-3-8.html").absolute().as_uri())
        page.locator("text=2.1.1").first.scroll_into_view_if_needed()
        save(page, "preview")
        page.goto((workspace / "output/reports/lt-sample-1.0.0/index.html").absolute().as_uri())
        save(page, "report")
        page.set_content(sheet(workspace / "annotations/lt-sample/ruta.csv"))
        save(page, "sheet", page.locator("table").bounding_box())
        page.set_content(f"{_TERMINAL}<pre>{html.escape(trace(workspace))}</pre>")
        save(page, "trace", page.locator("pre").bounding_box())
        with served(workspace) as address:
            for name, extent in (("review", DESK), ("phone", PHONE)):
                page = browser.new_page(viewport=size(extent))
                page.goto(address)
                page.wait_for_load_state("networkidle")
                save(page, name)
        browser.close()


def save(page: Page, name: str, box: object = None) -> None:
    """The window as WebP, or what of it is inside a box."""
    clip = {key: box[key] for key in ("x", "y", "width", "height")} if isinstance(box, dict) else None
    if clip:
        clip["width"] = min(clip["width"], DESK[0])
    image = Image.open(io.BytesIO(page.screenshot(clip=clip)))  # type: ignore[arg-type]
    image.convert("RGB").save(PICTURES / f"{name}.webp", quality=80, method=6)


def sheet(path: Path) -> str:
    """The first rows of a reviewer's sheet as a spreadsheet program shows them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))[:13]
    cells = [row[2:8] for row in rows]
    head = "".join(f"<th>{letter}</th>" for letter in "CDEFGH")
    body = "".join(
        f"<tr><th>{number}</th>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for number, row in enumerate(cells, 1)
    )
    return f"{_SHEET}<tr><th></th>{head}</tr>{body}</table>"


def trace(workspace: Path) -> str:
    text = pairwright("trace", PAIR, "--workspace", workspace)
    lines = [line if len(line) <= 130 else f"{line[:129]}…" for line in text.splitlines()]
    return "\n".join([f"$ pairwright trace {PAIR}", *lines])


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """The address of the review page, in English, for a reviewer who has decided nothing yet."""
    pairwright("build", "lt-sample-treebank", "--workspace", workspace)
    command = [program(), "review", "serve", "--queue", "lt-sample-treebank", "--reviewer", "ruta", "--language", "en"]
    with subprocess.Popen([*command, "--workspace", str(workspace)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield next(match[0] for line in process.stdout if (match := re.search(r"http://\S+", line)))
        finally:
            process.terminate()


def program() -> str:
    return str(Path(sys.executable).with_name("pairwright"))


def pairwright(*words: str | Path) -> str:
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def size(extent: tuple[int, int]) -> dict[str, int]:
    return {"width": extent[0], "height": extent[1]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
