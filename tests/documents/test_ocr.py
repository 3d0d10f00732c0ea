"""What a user relies on when a page is read by its picture. Pages are set here, with the fonts of the typst wheel."""

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import typst
from numpy.typing import NDArray

from pairwright.core.config import OcrSettings
from pairwright.core.errors import ConfigError
from pairwright.documents.lines.data import PageData, Profile
from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.ocr import OcrReader
from pairwright.documents.tables.finder import ruled_tables
from pairwright.languages import load_language

SENTENCES = ("Į mišką ėjome po lietaus.", "Žąsys išsigando šuns ir įlėkė į ežerą.", "Jūratė įsidėjo į krepšį obuolių.")
TABLE = """
#table(columns: (3cm, 3cm, 3cm),
  [Linksnis], [Vienaskaita], [Daugiskaita],
  [Vardininkas], [miškas], [miškai],
  [Galininkas], [mišką], [miškus])
"""


def picture(body: str, dpi: int = 300) -> NDArray[np.uint8]:
    """A page of 140 x 100 mm with `body`, drawn as an RGB image."""
    source = (
        "#set page(width: 140mm, height: 100mm, margin: 12mm)\n"
        f'#set text(size: 11pt, font: "Libertinus Serif", hyphenate: false)\n{body}\n'
    )
    png = typst.compile(source.encode(), format="png", ppi=dpi)
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image[:, :, ::-1], dtype=np.uint8).copy()


def scanned(image: NDArray[np.uint8], degrees: float) -> NDArray[np.uint8]:
    """The image as a poor scanner gives it: turned, noisy and compressed."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    tilted = cv2.warpAffine(image, matrix, (width, height), borderValue=(250, 250, 250))
    noisy = np.clip(tilted + np.random.default_rng(1).normal(0, 10, tilted.shape), 0, 255).astype(np.uint8)
    jpeg = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 55])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), dtype=np.uint8)


def text_of(page: PageData) -> str:
    return "\n".join(row.text for row in rows(page.runs))


@pytest.fixture(scope="module")
def reader() -> OcrReader:
    return OcrReader(load_language("lt"))


HEADING, SPACED = "Daiktavardis", "Namas #h(4cm) stovi #h(1cm) miške."
COLUMNS = "#columns(2, gutter: 12mm)[Pirmas stulpelis.\n\nJis trumpas.\n#colbreak()\nAntras stulpelis.]"


@pytest.fixture(scope="module")
def image() -> NDArray[np.uint8]:
    """A page with a heading, the sentences, a line with wide spaces and two columns."""
    heading = f'#text(size: 18pt, weight: "bold")[{HEADING}]'
    return picture("\n\n".join((heading, *SENTENCES, SPACED, COLUMNS)))


@pytest.fixture(scope="module")
def known(reader: OcrReader, image: NDArray[np.uint8]) -> PageData:
    return reader.read_image(image)


def test_lithuanian_letters_are_read_and_columns_are_not_run_together(known: PageData) -> None:
    assert text_of(known).splitlines()[:4] == [HEADING, *SENTENCES]
    assert next(run for run in known.runs if run.text == "Antras").x0 > known.width / 2


@pytest.mark.parametrize("degrees", [pytest.param(-1.5, marks=pytest.mark.slow), 1.2])
def test_a_tilted_noisy_scan_reads_the_same_and_a_ruled_table_gives_its_cells(
    reader: OcrReader, degrees: float
) -> None:
    page = reader.read_image(scanned(picture("\n\n".join((*SENTENCES, TABLE))), degrees))
    assert text_of(page).splitlines()[:3] == list(SENTENCES)
    assert [table.cells for table in ruled_tables(rows(page.runs), page.rules, Profile())] == [
        (
            ("Linksnis", "Vienaskaita", "Daugiskaita"),
            ("Vardininkas", "miškas", "miškai"),
            ("Galininkas", "mišką", "miškus"),
        )
    ]


@pytest.mark.slow
def test_print_in_an_unknown_script_counts_as_unread(reader: OcrReader, known: PageData) -> None:
    mixed = reader.read_image(picture("\n\n".join((*SENTENCES, "Вчера мы долго гуляли в лесу."))))
    unknown = reader.read_image(picture("Вчера мы долго гуляли в лесу."))
    assert known.unread < 0.05 < 0.15 < mixed.unread < 0.5 < unknown.unread


def test_words_stand_where_they_are_printed(known: PageData, image: NDArray[np.uint8]) -> None:
    runs = sorted((run for run in known.runs if run.text in {"Namas", "stovi", "miške."}), key=lambda run: run.x0)
    assert [run.text for run in runs] == ["Namas", "stovi", "miške."]
    assert len({run.baseline for run in runs}) == 1
    top, below = (round(at / 72 * 300) for at in (min(run.y0 for run in runs), max(run.y1 for run in runs)))
    dark = (image[top:below].min(axis=2) < 128).any(axis=0)
    for run in runs:
        first, last = round(run.x0 / 72 * 300), round(run.x1 / 72 * 300)
        assert dark[first : first + 3].any()
        assert dark[last - 3 : last].any()
        assert not dark[first - 12 : first - 3].any()
        assert not dark[last + 3 : last + 12].any()


def test_sizes_and_weight_tell_a_heading(known: PageData) -> None:
    heading, *runs = known.runs
    assert (heading.text, heading.bold) == (HEADING, True)
    assert heading.size == pytest.approx(18, rel=0.15)
    assert {run.bold for run in runs} == {False}
    assert len({run.size for run in runs}) == 1


def test_a_page_without_text_has_no_words(reader: OcrReader) -> None:
    speck, ring = (np.full((side, 900, 3), 255, np.uint8) for side in (600, 1200))
    noise = np.random.default_rng(2).normal(235, 6, speck.shape).clip(0, 255).astype(np.uint8)
    speck[300:304, 225:229] = 0
    cv2.circle(ring, (450, 600), 200, (0, 0, 0), 30)
    assert [reader.read_image(image).runs for image in (noise, speck, ring)] == [()] * 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"recognition": "latin_PP-OCRv5_mobile_rec"}, "in no installed package; give its directory"),
        ({"recognition_dir": "nonexistent"}, "no inference.yml"),
        ({"recognition_dir": "damaged"}, "can't load PP-OCRv6_small_rec"),
    ],
)
def test_a_model_that_is_missing_or_damaged_is_one_clear_message(
    settings: dict[str, str], said: str, tmp_path: Path, image: NDArray[np.uint8]
) -> None:
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "inference.yml").write_text("Global: {model_name: PP-OCRv6_small_rec}\n", encoding="utf-8")
    (tmp_path / "damaged" / "inference.onnx").write_bytes(b"no model")
    given = {key: tmp_path / value if key.endswith("dir") else value for key, value in settings.items()}
    with pytest.raises(ConfigError, match=said) as raised:
        OcrReader(load_language("lt"), OcrSettings.model_validate(given)).read_image(image[:400, :700])
    assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_nothing_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    cv2.imwrite(str(path), picture(SENTENCES[0])[:, :, ::-1])
    code = (
        "import cv2\nfrom pairwright.documents.pages.ocr import OcrReader\n"
        "from pairwright.languages import load_language\n"
        f"page = OcrReader(load_language('lt')).read_image(cv2.imread({str(path)!r}))\nassert page.runs"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
