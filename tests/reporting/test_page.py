"""The page shows the numbers, opens anywhere without help, and never runs what a document or a model name says."""

import base64
import csv
import json
import random
import re
import zlib
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal, get_args

import pandas
import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page
from report_parts import Given, Scored, english_on, make_evaluation, make_pair, make_release, numbered, rows_of

from pairwright.core.records import Side
from pairwright.core.records.release import Release
from pairwright.languages.locale import load_words
from pairwright.reporting.analysis.comparisons import listed
from pairwright.reporting.analysis.inputs import ReportInputs
from pairwright.reporting.analysis.summary import Summary, summarise
from pairwright.reporting.external import HumanChoice, HumanRating, PairResults, TaskResult
from pairwright.reporting.render.page import marked, write_report
from pairwright.reporting.render.tables import TABLES, packed_pairs

# They have tests of their own.
OF_TASKS = {
    *("task-scores", "task-outcomes", "task-cost", "task-runs"),
    *("conditions", "leaderboard"),
}
LATEX = "& \\input{x} $x_1^2$ 100 %"
HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


@pytest.fixture(scope="session")
def write(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    def run(release: Release, *evaluations: Scored) -> Path:
        return write_report(tmp_path_factory.mktemp("report"), release, summarise(release, evaluations))

    return run


@pytest.fixture(scope="module")
def single(write: Callable[..., Path], release: Release, given: dict[str, Given]) -> Path:
    """The report on one model."""
    return write(release, make_evaluation(release, given))


@pytest.fixture(scope="module")
def many() -> Release:
    """Forty pairs of four rules and three phenomena."""
    made = numbered(("3.1", "4.2", "5.1", "5.2")[n % 4] for n in range(40))
    return make_release([it.model_copy(update={"exception": n > 35}) for n, it in enumerate(made.pairs)])


MODELS = ("Aa-1B", "Aa-1B-Instruct", "Aa-7B", "Bb-1B")


@pytest.fixture(scope="module")
def rich(many: Release) -> Summary:
    """Four models of two families, one without BOS and without a score, and all that a report can set beside them."""
    generator = random.Random(5)
    runs = []
    for place, name in enumerate(MODELS):
        scores: dict[str, Given] = {
            item.id: ((generator.gauss(place - 20, 3), 5), (generator.gauss(-20, 3), generator.choice((4, 5, 6))))
            for item in many.pairs[place == 3 :]
        }
        if place < 3:
            scores[many.pairs[0].id] = (-40.0, 5), (-20.0, 4)
        runs.append(make_evaluation(many, scores, name=name, bos_token_id=None if place == 3 else 2, tokens=place == 2))
    shown = many.pairs[:20]
    of_tool = {"tool": "another", "file": "scores.csv", "model": "Bb-1B", "measure": "sum_logprob"}
    right: dict[str, Any] = {"verdicts": {pair.id: True for pair in shown}}
    of_task = {"tool": "EuroEval", "dataset": "sc", "task": "t", "languages": ("lt", "lv"), "metric": "mcc"}
    ratings = [
        HumanRating(pair_id=pair.id, side=side, rater=rater, rating=generator.randint(1, 7))
        for pair, side, rater in product(shown, get_args(Side), ("R1", "R2"))
    ]
    inputs = ReportInputs(
        judgements=(*ratings, *(HumanChoice(pair_id=pair.id, rater="R3", choice="good") for pair in shown)),
        pair_results=(PairResults.model_validate(of_tool | right),),
        task_results=tuple(TaskResult.model_validate(of_task | {"model": name, "value": 0.5}) for name in MODELS),
    )
    return summarise(many, runs, inputs)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory, many: Release, rich: Summary) -> Path:
    return write_report(tmp_path_factory.mktemp("several"), many, rich)


@pytest.fixture(scope="module")
def hostile() -> Release:
    """Sentences and titles that try to become markup, a table cell, a formula or one endless word."""
    pairs = [
        make_pair(1, f"Ar {HOSTILE} veikia?", f"Ar {HOSTILE} veikė?"),
        make_pair(2, "Vienas | du *trys* `keturi` [penki](http://x) __šeši__ \\ ~~septyni~~", "Vienas | dvi"),
        make_pair(3, "Ž" * 300, "Ž" * 299 + "x", code="9" * 150),
        make_pair(4, f"=HYPERLINK(1) {LATEX}", f"=HYPERLINK(2) {LATEX}", code="=1+1"),
    ]
    release = make_release([item.model_copy(update={"rule": HOSTILE, "phenomenon": HOSTILE}) for item in pairs])
    source = release.info.sources[0].model_copy(
        update={"title": HOSTILE, "citation": f"{HOSTILE} | http://{'a' * 200}"}
    )
    return release.model_copy(update={"info": release.info.model_copy(update={"sources": (source,)})})


@pytest.fixture(scope="module")
def hostile_page(write: Callable[..., Path], hostile: Release) -> Path:
    other = make_evaluation(hostile, wrong(hostile), name="n" * 90)
    return write(hostile, make_evaluation(hostile, wrong(hostile), name=f"model {HOSTILE} $a_b$", slug="model"), other)


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
    """The cells of the table of this caption, white space squeezed."""
    found = next(item for item in document.find_all("caption") if item.get_text() == caption)
    assert isinstance(found.parent, Tag)
    return [[" ".join(cell.get_text(" ").split()) for cell in row(["th", "td"])] for row in found.parent("tr")]


def test_the_page_shows_accuracies_with_their_intervals(single: Path, release: Release) -> None:
    page = soup(single)
    assert table(page, "Accuracy on all pairs")[1] == ["tiny", "50.0 15.0–85.0", "50.0 15.0–85.0", "4"]
    assert [row[1].split()[0] for row in table(page, "Mean over rules")[1:]] == ["50.0", "50.0"]
    assert table(page, "Accuracy with and without exceptions")[1:] == [
        ["all pairs", "50.0 15.0–85.0", "50.0 15.0–85.0", "4", "1"],
        ["without exceptions", "66.7 20.8–93.9", "66.7 20.8–93.9", "3", "0"],
        ["exceptions alone", "0.0 0.0–79.3", "0.0 0.0–79.3", "1", "1"],
    ]
    assert [row[0] for row in table(page, "Accuracy by rule")[1:]] == ["3.1 Taisyklė 3.1", "4.2 Taisyklė 4.2"]
    assert table(page, "Pairs by the measures that find them right")[1:] == [["tiny", "1", "1", "1", "1"]]
    text = page.get_text(" ")
    assert "tiny finds the good sentence more probable in 50.0% of 4 pairs (95% interval 15.0–85.0%" in text
    assert "This is not significantly better than chance." in text
    assert "mini-cases 1.0.0" in text
    assert release.sha256 in text
    assert "exactly one beginning-of-sequence token (id 2); the first token is scored" in text
    hardest = page.select("#pairs .pairs > li")
    assert [item.get_text() for item in hardest[0]("mark")] == ["laiko", "laikas"]
    good = hardest[0].select_one(".good [lang]")
    assert good is not None
    assert (good.get_text(), good["lang"]) == ("Mums trūksta laiko.", "lt")
    assert "leads by sum_logprob −4.00 nats, mean_nll +1.50 nats per token (6 and 4 tokens)" in hardest[0].get_text()


def test_a_figure_or_table_on_fewer_than_ten_pairs_says_so(single: Path, several: Path) -> None:
    words = "Some points rest on fewer than 10 pairs, the smallest on 2 pairs."
    drawn = (single.parent / "figures" / "rules.svg").read_text(encoding="utf-8").replace("\n", " ")
    assert words in drawn
    assert ", n=2" in drawn
    assert "2 of 2 rows rest on fewer than 10 pairs" in soup(single).get_text(" ")
    assert "fewer than 10 pairs" not in (several.parent / "figures" / "ranking.svg").read_text(encoding="utf-8")


def test_the_markdown_says_the_same_as_the_page(single: Path, several: Path) -> None:
    for path in (single, several):
        page, text = soup(path), from_markdown(path)
        lists = {item.get_text() for item in page("h3")}
        assert [item.get_text() for item in text("mark")] == [item.get_text() for item in page("mark")]
        assert {item.get_text() for item in page("caption")} == {item.get_text() for item in text("h3")} - lists
        assert {item.get_text() for item in page("h2")} - {"All pairs"} <= {item.get_text() for item in text("h2")}
        for words in page.select("#limits p, #methods p"):
            assert words.get_text() in text.get_text()
    # The tenth pair keeps its score differences.
    ordered = from_markdown(several)("ol")
    assert len(ordered) == 2
    for found in ordered:
        items = found.find_all("li", recursive=False)
        assert len(items) == 10
        assert {len(item("li")) for item in items} <= {3, 4}


def test_several_models_stand_side_by_side(several: Path, many: Release) -> None:
    page = soup(several)
    assert [row[0] for row in table(page, "Accuracy on all pairs")[1:]] == ["Bb-1B", "Aa-7B", "Aa-1B-Instruct", "Aa-1B"]
    settings = [row[3] for row in table(page, "Accuracy on all pairs")[1:]]
    assert settings == ["without the first token", *3 * ["with the first token"]]
    compared = table(page, "Model against model on the same pairs")[1:]
    assert "Bb-1B" not in {name for row in compared for name in row[:2]}
    heat = table(page, "Accuracy by rule and model, by sum_logprob")
    assert heat[0] == ["Rule", "Pairs", "Bb-1B", "Aa-7B", "Aa-1B-Instruct", "Aa-1B"]
    assert len(heat) == 5
    text = page.get_text(" ")
    assert "Bb-1B: no beginning-of-sequence token, since the model has none; the first token is not scored" in text
    assert "The first token is scored for some models only" in text
    assert {path.stem for path in (several.parent / "figures").glob("*.pdf")} == {
        *("ranking", "ranking-2", "size-2"),
    }
    for stem, models in (("ranking", {"Bb-1B"}), ("ranking-2", {"Aa-7B", "Aa-1B", "Aa-1B-Instruct"})):
        figure = (several.parent / "figures" / f"{stem}.svg").read_text(encoding="utf-8")
        assert {name for name in heat[0][2:] if f">{name}<" in figure} == models
    box = page.select_one("header .faults")
    assert box is not None
    assert f"Bb-1B has no score for 1 of 40 pairs, which its numbers leave out: {many.pairs[0].id}." in box.get_text()
    assert table(page, "Accuracy on all pairs")[1][4] == "39"
    assert rows_of(several, "faults")[0]["Of"] == "Bb-1B"


def test_every_table_is_there_for_spreadsheets_papers_and_texts(several: Path) -> None:
    folder = several.parent / "tables"
    names = {path.stem for path in folder.glob("*.tex")}
    assert (
        names == {path.stem for path in folder.glob("*.md")} == {path.stem for path in folder.glob("*.csv")} - {"pairs"}
    )
    assert {"ranking", "table-2", "comparisons", "confounds"} <= names
    row = rows_of(several, "ranking")[0]
    assert (row["Model"], row["Pairs"]) == ("Bb-1B", "39")
    ends = [float(row[f"By sum_logprob{end}"]) for end in (" low", "", " high")]
    assert [0, *ends, 1] == sorted([0, *ends, 1])
    latex = (folder / "table-2.tex").read_text(encoding="utf-8")
    assert latex.count("\\toprule") == latex.count("\\midrule") == latex.count("\\bottomrule") == 1
    lines = [line for line in latex.splitlines() if line.endswith("\\\\")]
    assert {line.count("&") for line in lines} == {5}


@pytest.fixture(scope="module")
def lithuanian(tmp_path_factory: pytest.TempPathFactory, many: Release, rich: Summary) -> Path:
    return write_report(tmp_path_factory.mktemp("lt"), many, rich, words=load_words("report", "lt"))


def test_each_specified_table_is_written_with_its_columns(lithuanian: Path, single: Path, many: Release) -> None:
    assert {name for name in {"ranking", *TABLES} - OF_TASKS if not rows_of(lithuanian, name)} == set()
    assert rows_of(lithuanian, "other-tasks")[0]["Kalba"] == "lt, lv"
    assert rows_of(lithuanian, "other-tools")[0]["Jų"] == "1.0"
    assert rows_of(lithuanian, "ranking")[0]["Pagal sum_logprob nuo"]
    assert rows_of(lithuanian, "back-to-review")[0]["pair_id"] == many.pairs[0].id
    for page in (lithuanian, single):
        ids = [str(item["id"]) for item in soup(page).select("section, caption, figcaption")]
        assert sorted(set(ids)) == sorted(ids)


def test_a_lithuanian_page_has_no_english_left(lithuanian: Path) -> None:
    assert english_on(lithuanian) == []
    document = soup(lithuanian)
    assert document.find("html", lang="lt") is not None
    text = document.get_text(" ")
    assert "Geriausias iš 3 modelių – " in text
    assert re.search(r"\d,\d\u00a0% atvejų iš \d+ por", text)


def test_a_page_has_at_most_so_many_tokens_those_of_listed_pairs_first(many: Release) -> None:
    scores = {item.id: ((-20.0 - n, 5), (-20.0, 4)) for n, item in enumerate(many.pairs)}
    summary = summarise(many, [make_evaluation(many, scores, tokens=True)])
    first = {many.pairs[row].id for rows in listed(summary["pairs"]).values() for row in rows}
    for most, n_shown in ((5000, 40), (9 * len(first) + 8, len(first)), (0, 0)):
        packed = packed_pairs(many, summary, most)
        assert packed is not None
        assert (packed.n_shown, packed.n_kept, packed.n_tokens) == (n_shown, 40, 360)
        block = zlib.decompress(base64.b64decode(packed.data))
        head = json.loads(block[4 : 4 + int.from_bytes(block[:4], "little")])
        shown = {many.pairs[place].id for place in head["shown"]}
        assert shown == (first if 0 < n_shown < 40 else {pair.id for pair in many.pairs[:n_shown]})
        # Two bytes each: of a sentence its tokens and where the first begins, of a token its length and its surprisal.
        assert len(zlib.decompress(base64.b64decode(packed.tokens))) == 2 * (2 * 2 * n_shown + 2 * 9 * n_shown)


def test_markup_in_documents_stays_text_in_spreadsheets_and_latex_too(hostile_page: Path, hostile: Release) -> None:
    page, text = soup(hostile_page), from_markdown(hostile_page)
    assert len(page("script")) == 1
    assert text("script") == []
    assert [item for item in text("img") if not str(item["src"]).startswith("figures/")] == []
    for document in (page, text):
        assert document(["em", "del", "s", "iframe"]) == []
        assert all(str(link["href"]).startswith(("#", "figures/", "tables/")) for link in document("a"))
        for pair in hostile.pairs:
            assert pair.sentence_good in document.get_text()
            assert pair.sentence_bad in document.get_text()
    assert page("img") == []
    for found in text("table"):
        assert len({len(row(["td", "th"])) for row in found("tr")}) == 1
    for path in (hostile_page.parent / "figures").glob("*.svg"):
        assert "<script" not in path.read_text(encoding="utf-8")

    for path in (hostile_page.parent / "tables").glob("*.csv"):
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines()):
            assert not any(cell.startswith(("=", "@", "+")) for cell in row)
    for path in (hostile_page.parent / "tables").glob("*.tex"):
        body = path.read_text(encoding="utf-8")
        assert "\\input" not in body
        assert re.search(r"(?<!\\)[#$]", body.replace("$-$", "")) is None


def test_a_report_is_written_again_in_place(tmp_path: Path, release: Release, given: dict[str, Given]) -> None:
    def everything() -> dict[str, bytes]:
        write_report(tmp_path, release, summarise(release, [make_evaluation(release, given)]))
        return {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    first = everything()
    pdf = tmp_path / "figures" / "ranking.pdf"
    pdf.with_suffix(".svg").write_text("another figure", encoding="utf-8")
    pdf.write_bytes(b"of it")
    assert everything() == first


@settings(max_examples=40)
@draw(good=st.text(max_size=40), bad=st.text(max_size=40))
def test_the_stretches_of_a_sentence_are_the_sentence(good: str, bad: str) -> None:
    judged = make_pair(1, good, bad)
    assert "".join(text for text, _ in marked(judged, "good")) == good
    assert "".join(text for text, _ in marked(judged, "bad")) == bad
    differing = [change.good for change in judged.changes if change.good]
    assert [text for text, differs in marked(judged, "good") if differs] == differing


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1600, "dark")])
def test_the_page_in_a_browser(
    browser: Browser, hostile_page: Path, several: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    for path in (hostile_page, several):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        asked: list[str] = []
        said: list[str] = []
        _listen(page, asked, said)
        page.goto(path.as_uri())
        assert page.title() == "mini-cases 1.0.0: language models on minimal pairs"
        assert page.evaluate("document.scripts.length") == 1
        for _ in range(2):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
        assert asked == [path.as_uri()]
        assert said == []
        assert page.locator("thead th:not([scope]), tbody th:not([scope])").count() == 0
        assert page.locator(".drawing:visible svg").count() == page.locator("figure").count()
        texts = page.locator(".drawing svg text")
        letters = texts.evaluate_all("all => all.map(item => item.getBoundingClientRect().height)")
        assert min(letters) > 7
        paper, ink = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("backgroundColor", "color"))
        brightness = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (paper, ink)]
        assert (brightness[0] < brightness[1]) == (scheme == "dark")
        page.close()


def test_who_wins_is_on_the_first_screen_and_a_link_opens_what_is_folded(browser: Browser, several: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(several.as_uri())
    for text in ("Bb-1B finds the good sentence", "Aa-7B is the best of 3 models", "By phenomenon, "):
        box = page.get_by_text(text).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800
    methods = page.locator("#methods p").first
    assert not methods.is_visible()
    page.locator("nav a[href='#methods']").click()
    assert methods.is_visible()
    page.close()


def _listen(page: Page, asked: list[str], said: list[str]) -> None:
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))


def test_a_table_is_sorted_by_the_heading_that_is_pressed(browser: Browser, several: Path) -> None:
    page = browser.new_page()
    page.goto(several.as_uri())
    heat = page.locator("table", has=page.locator("#table-2-caption"))
    page.locator("summary", has_text="Accuracy by rule and model, by sum_logprob").click()
    column = heat.locator("tbody td:nth-child(3)")
    heading = heat.locator("thead th:nth-child(3)")
    heading.locator("button").focus()
    for key, order in (("Enter", "descending"), ("Space", "ascending")):
        page.keyboard.press(key)
        assert heading.get_attribute("aria-sort") == order
        values = [float(text) for text in column.all_inner_texts()]
        assert values == sorted(values, reverse=order == "descending")
    page.close()


def test_pairs_are_filtered_as_the_table_of_pairs_says(browser: Browser, several: Path) -> None:
    frame = pandas.read_csv(several.parent / "tables" / "pairs.csv", dtype={"rule_code": str})
    sums = frame[[f"{model}, sum_logprob difference" for model in ("Aa-1B", "Aa-1B-Instruct", "Aa-7B", "Bb-1B")]]
    page = browser.new_page()
    page.goto(several.as_uri())
    page.locator("nav a[href='#browse']").click()
    section = page.locator("#browse")
    status, listed = section.locator("[role=status]"), section.locator("ol > li")

    def n_shown(**chosen: str) -> int:
        section.get_by_role("button", name="Clear all").press("Enter")
        for name, label in chosen.items():
            if name.startswith("Search"):
                section.get_by_role("searchbox", name=name, exact=True).fill(label)
            else:
                section.get_by_role("combobox", name=name, exact=True).select_option(label=label)
        text = status.inner_text()
        return 0 if text.startswith("None") else int(text.split(" of ")[1].split()[0])

    assert n_shown() == 40
    assert listed.count() == 20
    assert n_shown(Model="every model", Verdict="not right") == ((sums <= 0) | sums.isna()).all(axis=1).sum()
    assert n_shown(Model="any model", Verdict="right") == (sums > 0).any(axis=1).sum()
    assert (
        n_shown(Model="Bb-1B", Verdict="right", Rule="4.2 Taisyklė 4.2")
        == ((frame["Bb-1B, sum_logprob difference"] > 0) & (frame["rule_code"] == "4.2")).sum()
    )
    by_mean = frame["Aa-1B, mean_nll difference"] > 0
    assert n_shown(Model="Aa-1B", Measure="mean_nll, in nats per token", Verdict="right") == by_mean.sum()
    assert n_shown(**{"Search sentences, rules and ids": "TURIU 7 "}) == 1
    assert n_shown(Model="Aa-7B", Order="smallest difference first") == 40
    worst = frame.sort_values("Aa-7B, sum_logprob difference").iloc[0]
    assert worst["sentence_good"] in listed.first.inner_text()
    assert f"{worst['Aa-7B, sum_logprob difference']:+.2f}".replace("-", "−") in listed.first.inner_text()
    shown = listed.first.locator(".tokens tr")
    texts = [[cell.split("\n")[0] for cell in row.locator("td").all_inner_texts()] for row in shown.all()]
    for row, side in zip(texts, ("good", "bad"), strict=True):
        assert "".join(row) == worst[f"sentence_{side}"].replace(" ", "")
    assert texts[0][0] == texts[1][0] == "Turiu"
    nats = [float(text) for text in shown.first.locator("small").all_inner_texts()]
    assert len(nats) == worst["Aa-7B, tokens good"]
    assert shown.locator(".differs").count() > 0
    shown.nth(1).locator("td").first.hover()
    said = listed.first.locator(".said").inner_text()
    assert said.startswith(f"good: “Turiu” {nats[0]:.2f} nats · bad: “Turiu” ")
    assert frame.filter(like="tokens").isna().sum().sum() == 2  # of the pair that Bb-1B did not score
    section.get_by_role("button", name="Later pairs").press("Enter")
    assert status.inner_text().startswith("Pairs 21–40 of 40")
    page.close()
