"""The page shows the numbers, opens anywhere without help, and never runs what a document or a model name says."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import HealthCheck, settings
from hypothesis import given as draw
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from playwright.sync_api import Browser

from pairwright.releases import Release, ReleasePair
from pairwright.report.page import marked, write_report
from pairwright.report.summary import summarise
from pairwright.runs import EvaluationRun, Score

Scored = tuple[list[Score], EvaluationRun]
Given = tuple[tuple[float, int], tuple[float, int]]
Evaluate = Callable[..., Scored]
ReleaseOf = Callable[[Sequence[ReleasePair]], Release]

HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def run(release: Release, *evaluations: Scored) -> Path:
        return write_report(tmp_path, release, summarise(release, evaluations))

    return run


@pytest.fixture
def hostile(pair: Callable[..., ReleasePair], release_of: ReleaseOf) -> Release:
    """Sentences and titles that try to become markup, a table cell or one endless word."""
    pairs = [
        pair(1, f"Ar {HOSTILE} veikia?", f"Ar {HOSTILE} veikė?"),
        pair(2, "Vienas | du *trys* `keturi` [penki](http://x) __šeši__ \\ ~~septyni~~", "Vienas | dvi"),
        pair(3, "Ž" * 300, "Ž" * 299 + "x", code="9" * 150),
    ]
    release = release_of([item.model_copy(update={"rule": HOSTILE, "phenomenon": HOSTILE}) for item in pairs])
    source = release.info.sources[0].model_copy(
        update={"title": HOSTILE, "citation": f"{HOSTILE} | http://{'a' * 200}"}
    )
    return release.model_copy(update={"info": release.info.model_copy(update={"sources": (source,)})})


def wrong(release: Release) -> Mapping[str, Given]:
    """Every pair wrong by the sum and right by the mean, so that each is shown twice."""
    return {pair.id: ((-30.0, 10), (-26.0, 8)) for pair in release.pairs}


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def from_markdown(page: Path) -> BeautifulSoup:
    text = page.with_name("report.md").read_text(encoding="utf-8")
    return BeautifulSoup(
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text), "html.parser"
    )


def table(document: BeautifulSoup, caption: str) -> list[list[str]]:
    """The cells of the table whose caption begins so, white space squeezed."""
    found = next(item for item in document.find_all("caption") if item.get_text().startswith(caption))
    assert isinstance(found.parent, Tag)
    return [[" ".join(cell.get_text(" ").split()) for cell in row(["th", "td"])] for row in found.parent("tr")]


def test_the_page_shows_accuracies_with_their_intervals(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    page = soup(write(release, evaluation(release, given)))
    assert table(page, "Accuracy overall")[1:] == [
        ["all pairs fewer than 10 pairs", "4", "50.0% 15.0–85.0 1 tie", "50.0% 15.0–85.0 1 tie"],
        ["without exceptions fewer than 10 pairs", "3", "66.7% 20.8–93.9", "66.7% 20.8–93.9"],
        ["exceptions alone fewer than 10 pairs", "1", "0.0% 0.0–79.3 1 tie", "0.0% 0.0–79.3 1 tie"],
    ]
    assert [row[0] for row in table(page, "Accuracy by rule")[1:]] == [
        "3.1 Taisyklė 3.1 fewer than 10 pairs",
        "4.2 Taisyklė 4.2 fewer than 10 pairs",
    ]
    assert table(page, "Pairs by the measures")[1:] == [["tiny", "1", "1", "1", "1"]]
    text = page.get_text(" ")
    assert "tiny finds the good sentence more probable in 2 of 4 pairs (50.0%, 95% interval 15.0–85.0)" in text
    assert "mini-cases 1.0.0" in text
    assert release.sha256 in text
    assert "exactly one beginning-of-sequence token (id 2); the first token is scored" in text


def test_ten_pairs_are_enough_to_go_without_a_warning(
    write: Callable[..., Path],
    pair: Callable[..., ReleasePair],
    release_of: ReleaseOf,
    evaluation: Evaluate,
) -> None:
    release = release_of([pair(number, f"Turiu {number} knygas.", f"Turiu {number} knygos.") for number in range(10)])
    text = soup(write(release, evaluation(release, wrong(release)))).get_text()
    assert "fewer than 10 pairs" not in text


def test_the_markdown_says_the_same_as_the_page(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    path = write(release, evaluation(release, given))
    page, text = soup(path), from_markdown(path)
    rows = [[cell.get_text() for cell in row("td")] for row in text("tr") if row("td")]
    assert [
        "all pairs (fewer than 10 pairs)",
        "tiny",
        "4",
        "50.0% (15.0–85.0), 1 tie",
        "50.0% (15.0–85.0), 1 tie",
    ] in rows
    assert [item.get_text() for item in text("mark")] == [item.get_text() for item in page("mark")]
    for heading in (
        "What was measured",
        "Overall",
        "By rule",
        "Sum against mean",
        "Hardest pairs",
        "Methods",
        "Limits",
    ):
        assert heading in [item.get_text() for item in text("h2")]
        assert heading in [item.get_text() for item in page("h2")]
    for words in page.select("#methods li"):
        assert words.get_text() in text.get_text()


def test_the_tenth_pair_of_the_markdown_keeps_its_margins(
    write: Callable[..., Path], pair: Callable[..., ReleasePair], release_of: ReleaseOf, evaluation: Evaluate
) -> None:
    release = release_of([pair(number, f"Turiu {number} knygas.", f"Turiu {number} knygos.") for number in range(12)])
    lists = from_markdown(write(release, evaluation(release, wrong(release))))("ol")
    for found in lists:
        items = found.find_all("li", recursive=False)
        assert [len(item("li")) for item in items] == [1] * 10
    assert len(lists) == 2


def test_the_differing_words_are_marked(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    page = soup(write(release, evaluation(release, given)))
    hardest = page.select("#hardest .pairs > li")
    assert [item.get_text() for item in hardest[0]("mark")] == ["laiko", "laikas"]
    good = hardest[0].select_one(".good [lang]")
    assert good is not None
    assert (good.get_text(), good["lang"]) == ("Mums trūksta laiko.", "lt")
    assert "sum −4.00 nats, mean +1.50 nats per token (6 and 4 tokens)" in hardest[0].get_text()


def test_several_models_stand_side_by_side(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    perfect: dict[str, Given] = {key: ((-10.0, 4), (-20.0, 4)) for key in given}
    bare = evaluation(release, perfect, name="bare", bos_token_id=None)
    page = soup(write(release, evaluation(release, given), bare))
    assert table(page, "Accuracy overall")[1:4] == [
        ["all pairs fewer than 10 pairs"],
        ["bare", "4", "100.0% 51.0–100.0", "100.0% 51.0–100.0"],
        ["tiny", "4", "50.0% 15.0–85.0 1 tie", "50.0% 15.0–85.0 1 tie"],
    ]
    text = page.get_text(" ")
    assert "bare: no beginning-of-sequence token, since the model has none; the first token is not scored" in text
    assert "The first token is scored for some models only" in text


def test_what_was_not_scored_is_named(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    first = release.pairs[0].id
    page = soup(write(release, evaluation(release, {key: value for key, value in given.items() if key != first})))
    assert f"tiny has no score for 1 of 4 pairs, which are in none of its numbers: {first}." in page.get_text(" ")
    assert "3 scored" in table(page, "Accuracy overall")[1][2]


def test_markup_in_documents_stays_text(write: Callable[..., Path], hostile: Release, evaluation: Evaluate) -> None:
    path = write(hostile, evaluation(hostile, wrong(hostile), name=f"model {HOSTILE}", slug="model"))
    for document in (soup(path), from_markdown(path)):
        assert document(["script", "img", "strong", "em", "del", "s"]) == []
        assert [link["href"] for link in document("a") if not str(link["href"]).startswith("#")] == []
        text = document.get_text()
        for pair in hostile.pairs:
            assert pair.sentence_good in text
            assert pair.sentence_bad in text
    for found in from_markdown(path)("table"):
        assert len({len(row(["td", "th"])) for row in found("tr")}) == 1


def test_a_report_is_written_again_in_place(
    write: Callable[..., Path], release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    first = write(release, evaluation(release, given)).read_bytes()
    page = write(release, evaluation(release, given))
    assert page.read_bytes() == first
    assert sorted(item.name for item in page.parent.iterdir()) == ["index.html", "report.md"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@draw(good=st.text(max_size=40), bad=st.text(max_size=40))
def test_the_stretches_of_a_sentence_are_the_sentence(pair: Callable[..., ReleasePair], good: str, bad: str) -> None:
    judged = pair(1, good, bad)
    assert "".join(text for text, _ in marked(judged, "good")) == good
    assert "".join(text for text, _ in marked(judged, "bad")) == bad
    differing = [change.good for change in judged.changes if change.good]
    assert [text for text, differs in marked(judged, "good") if differs] == differing


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (400, "dark"), (800, "light"), (1400, "dark")])
def test_the_page_in_a_browser(
    browser: Browser,
    write: Callable[..., Path],
    hostile: Release,
    evaluation: Evaluate,
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    other = evaluation(hostile, wrong(hostile), name="n" * 90)
    path = write(hostile, evaluation(hostile, wrong(hostile), name=f"model {HOSTILE}", slug="model"), other)
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    assert page.title() == "mini-cases 1.0.0: language models on minimal pairs"
    assert page.evaluate("document.scripts.length + document.images.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked == [path.as_uri()]
    assert said == []
    tables = page.locator("table")
    assert tables.count() == 7
    for index in range(tables.count()):
        assert tables.nth(index).is_visible()
        assert tables.nth(index).locator("caption").count() == 1
    assert page.locator("thead th:not([scope]), tbody th:not([scope])").count() == 0
    paper, ink = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("backgroundColor", "color"))
    brightness = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (paper, ink)]
    assert (brightness[0] < brightness[1]) == (scheme == "dark")
    page.close()
