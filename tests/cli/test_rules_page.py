"""`pairwright show`: a list for the terminal and a page on which a linguist can judge each rule."""

import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from command_lines import Run
from grammar_parts import FREE, NEGATION, draft, find_rules, read_book, saying
from playwright.sync_api import Browser
from source_folders import SAMPLE, sample_blocks, write_source

from made_records import make_candidate, make_checked
from pairwright.api.sources import find_rules as starred_rules
from pairwright.api.sources import read_source
from pairwright.core.records import (
    Block,
    CheckedPair,
    Evidence,
    Example,
    Finding,
    LLMCall,
    Rejection,
    Rule,
)
from pairwright.core.store import read_jsonl, write_jsonl

HOSTILE = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>{{ 7 * 7 }}"


def keep(root: Path, document: Path, blocks: list[Block], rules: list[Rule], rejected: list[Rejection]) -> None:
    """A workspace whose source `grammar` has blocks and rules."""
    folder = root / "sources" / "grammar"
    folder.mkdir(parents=True)
    shutil.copy(document, folder / document.name)
    write_source(folder, document.name, title=f"A grammar {HOSTILE}", kind="grammar-book")
    work = root / "output" / "work" / "grammar"
    write_jsonl(work / "blocks.jsonl", blocks)
    write_jsonl(work / "rules.jsonl", rules)
    write_jsonl(work / "rules.rejected.jsonl", rejected)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a text document, two rules, and what was rejected."""
    _, blocks = read_book(tmp_path)
    example = next(block for block in blocks if block.kind == "gloss")
    place = Evidence(block_id=example.id, file=example.file, page=1, quote=example.text)
    pair = Example(good="Neturiu dviračio.", bad="Neturiu dviratį.", mark="*", evidence=place)
    hostile = draft(title=f"Negation {HOSTILE}")
    invented = draft(quotation="This stands nowhere in it.")
    script = saying({"a verb is negated": [hostile, invented], "words is generally free": [FREE]})
    rules, rejected = find_rules(tmp_path, script, pairs={example.id: [pair]})
    keep(tmp_path / "ws", tmp_path / "grammar.md", blocks, rules, rejected)
    return tmp_path / "ws"


def test_the_list_has_a_line_for_each_rule_and_says_what_was_left_out(workspace: Path, run: Run) -> None:
    out = run.done("show", "grammar", "--workspace", workspace)
    assert "2 Syntax > 2.1 The genitive of negation" in out
    assert "line 11, 1 pair, good: Case=Gen; bad: Case=Acc" in out
    assert "Free order of words" in out
    assert "1 of them with a contrast for new pairs (1 ruled out by the source); 1 pair of the source" in out
    assert "1  the quotation does not stand in the passage" in out
    (workspace / "output" / "work" / "grammar" / "rules.jsonl").unlink()
    err = run.refused("show", "grammar", "--workspace", workspace)
    assert "no rules yet; run pairwright build grammar" in err


def test_the_list_names_the_forms_that_a_person_has_to_decide_on(tmp_path: Path, run: Run) -> None:
    book = tmp_path / "case.md"
    book.write_text("# Case\n\n(1) a. Laukiu jo.\n    b. ?Laukiu jį.\n\nIt goes back to \\*jis.\n", encoding="utf-8")
    blocks = read_source(book, language="lt", kind="grammar-book")
    rules = starred_rules(blocks)
    keep(tmp_path / "ws", book, list(blocks), list(rules), list(rules.rejected))
    out = run.done("show", "grammar", "--workspace", tmp_path / "ws")
    assert "1  a reconstructed form" in out
    assert "In doubt, for a person to decide" in out
    assert "line 3  Laukiu jo. | Laukiu jį." in out


def test_the_page_shows_rule_licence_quotation_and_examples_and_runs_nothing(
    workspace: Path, run: Run, browser: Browser
) -> None:
    code, out, _ = run("show", "grammar", "--html", "--workspace", workspace)
    path = workspace / "output" / "previews" / "grammar-rules.html"
    assert code == 0
    assert out.startswith(f"{path}: 2 rules")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert "run" not in page.title().split()
    assert page.locator("script, img[src=x]").count() == 0
    rule = page.locator("article", has_text="Negation")
    assert HOSTILE in rule.locator("h3").inner_text()
    assert rule.locator("blockquote p").inner_text() == NEGATION["quotation"]
    assert "line 11" in rule.locator("blockquote").inner_text()
    assert "Licenses a pair" in rule.locator(".licence").inner_text()
    assert "The accusative is ungrammatical" in rule.locator(".licence").inner_text()
    assert "dviračio." in rule.locator(".block.gloss").inner_text()
    assert rule.locator(".pairs tr").all_inner_texts() == ["good\tNeturiu dviračio.", "*\tNeturiu dviratį."]
    assert "No pair" in page.locator("article", has_text="Free order").locator(".licence").inner_text()
    page.get_by_label("others").uncheck()
    assert page.locator("article:visible").count() == 1


def test_pairs_stand_under_their_own_heading_alone_and_guesses_are_named(tmp_path: Path, run: Run) -> None:
    items = "- Nematau kalnus (= kalnų).\n- Kada grįši, sakyk, kada valgysime (= kai).\n"
    (tmp_path / "list.md").write_text(f"# A\n\n{items}", encoding="utf-8")
    run.done("build", tmp_path / "list.md", "--language", "lt", "--workspace", tmp_path)
    run.done("show", "list", "--html", "--workspace", tmp_path)
    page = (tmp_path / "output" / "previews" / "list-rules.html").read_text(encoding="utf-8")
    captions = [it.get_text() for it in BeautifulSoup(page, "html.parser").select("caption")]
    assert captions == ["The 2 pairs read in the source"]
    assert "2 pairs read in the source, 1 of them guesses" in page
    assert page.count("a guess: ") == 1
    assert "Examples of the source" not in page


@pytest.fixture
def written(workspace: Path) -> list[CheckedPair]:
    """Two pairs that a model wrote for the rule on negation, one of them rejected, in the workspace."""
    work = workspace / "output" / "work" / "grammar"
    rule = next(rule for rule in read_jsonl(work / "rules.jsonl", Rule) if rule.contrast and rule.contrast.licensed)
    call = LLMCall(prompt="ground_pairs/v5", prompt_sha256="0" * 64, server="s", model="m", reply="0" * 64)
    example = next(block for block in read_jsonl(work / "blocks.jsonl", Block) if block.kind == "gloss")
    place = Evidence.at(example, "Neturiu dviračio.")
    pairs = []
    for good, bad in (("Neturiu stalo.", "Neturiu stalą."), ("Neturiu namo.", "Neturiu namai.")):
        of_rule = {"rule_id": rule.id, "source_id": "grammar", "method": "llm", "evidence": place, "asked": (call,)}
        glossed = {"segmentation": "Ne-turi-u dvirač-io", "gloss": "NEG-have-1SG bicycle-GEN"}
        more = {"translation": f"None {HOSTILE}", "attested_ids": (example.id,), "new_words": (good.split()[1][:-1],)}
        pairs.append(make_checked(make_candidate(good, bad, **of_rule, **glossed, **more)))
    error = Finding(check="morphology-features", level="error", message="'namai' is Case=Nom")
    pairs[1] = pairs[1].model_copy(update={"findings": (error,), "verdict": "reject"})
    write_jsonl(work / "checked.jsonl", pairs)
    return pairs


def test_the_page_shows_written_pairs_and_why_they_were_rejected_and_a_trace_what_they_rest_on(
    workspace: Path, written: list[CheckedPair], run: Run
) -> None:
    run.done("show", "grammar", "--html", "--workspace", workspace)
    text = (workspace / "output" / "previews" / "grammar-rules.html").read_text(encoding="utf-8")
    page = BeautifulSoup(text, "html.parser")
    passed, rejected = page.select(".made tbody")
    assert "Neturiu stalo." in passed.text
    assert "words that the source does not have: stalo" in passed.text
    assert "morphology-features: 'namai' is Case=Nom" in rejected.text
    assert not page.select("script, img[src=x]")
    assert "2 made by models or reviewers, of which 1 pass" in page.select(".facts")[0].text
    out = run.done("trace", written[0].candidate.id, "--workspace", workspace)
    for line in (
        "gloss      NEG-have-1SG bicycle-GEN",
        "morphemes  Ne-turi-u",
        "licence    banned: ",
        "new words  stalo: ",
        "rests on   The accusative is ungrammatical (grammar.md:11)",
        "attested   grammar.md:",
    ):
        assert line in out


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A workspace with the sample grammar and a rule that rests on a paragraph and on a row of a table."""
    blocks = sample_blocks()
    held = next(block for block in blocks if block.kind == "paragraph" and block.bbox and len(block.text) > 100)
    table = next(block for block in blocks if block.kind == "table" and block.cell_boxes)
    quotes = (held, held.text[:60]), (table, table.text.splitlines()[-1])
    places = tuple(Evidence(block_id=b.id, file=b.file, page=b.page, quote=words) for b, words in quotes)
    (rule,), _ = find_rules(tmp_path, saying({"a verb is negated": [NEGATION]}))
    changed = {"quote": places[0].quote, "evidence": places, "block_ids": (held.id, table.id), "example_ids": ()}
    keep(tmp_path / "ws", SAMPLE, blocks, [rule.model_copy(update=changed)], [])
    return tmp_path / "ws"


def test_the_page_of_a_book_shows_the_place_of_each_quotation_and_names_a_book_that_is_gone(
    book: Path, run: Run
) -> None:
    run.done("show", "grammar", "--html", "--out", book / "page.html", "--workspace", book)
    pictures = BeautifulSoup((book / "page.html").read_text(encoding="utf-8"), "html.parser").select("figure img")
    assert len(pictures) == 2
    assert all(str(picture["src"]).startswith("data:image/webp;base64,") for picture in pictures)
    (book / "sources" / "grammar" / SAMPLE.name).unlink()
    assert SAMPLE.name in run.refused("show", "grammar", "--html", "--workspace", book)


def test_the_page_begins_with_what_gives_pairs_and_stays_light_however_much_there_is(book: Path, run: Run) -> None:
    work = book / "output" / "work" / "grammar"
    (rule,) = read_jsonl(work / "rules.jsonl", Rule)
    assert rule.contrast
    none = rule.contrast.model_copy(update={"licence": "none"})
    rules = [rule.model_copy(update={"id": f"rule-{n}", "contrast": (none, rule.contrast)[n % 2]}) for n in range(40)]
    write_jsonl(work / "rules.jsonl", rules)
    made = (
        make_checked(make_candidate(f"Neturiu {n} stalų.", f"Neturiu {n} stalus.", rule_id=it.id, method="llm"))
        for it in rules[1::2]
        for n in range(10)
    )
    write_jsonl(work / "checked.jsonl", made)
    run.done("show", "grammar", "--html", "--out", book / "page.html", "--workspace", book)
    assert (book / "page.html").stat().st_size < 500_000
    page = BeautifulSoup((book / "page.html").read_text(encoding="utf-8"), "html.parser")
    shown = [str(article["id"]) for article in page.select("article")]
    assert shown == [it.id for it in (*rules[1::2], *rules[::2])]
    assert "[overrule.rule-0]" in page.select("#rule-0")[0].text
