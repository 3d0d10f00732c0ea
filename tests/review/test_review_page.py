"""The review page in a real browser: decisions by keyboard, nothing lost, nothing shown that must not be."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from review_queue import DECISION, QueueFixture, make_pair
from review_server import ReviewThread

from made_records import make_checked

Serve = Callable[..., "ReviewThread"]


@pytest.fixture
def serve(queue: QueueFixture) -> Iterator[Serve]:
    running: list[ReviewThread] = []

    def start(*reviewers: str, **options: object) -> ReviewThread:
        running.append(queue.serve(*(reviewers or ("ana",)), **options))  # type: ignore[arg-type]
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Page:
    """One page for all tests: each serves at a port of its own, whose cookies and memory no other has."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    return context.new_page()


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    yield window
    window.goto("about:blank")
    window.emulate_media(color_scheme="light")
    window.set_viewport_size({"width": 1280, "height": 900})


def item(page: Page) -> str:
    return page.locator("#page").get_attribute("data-item") or ""


def press(page: Page, key: str) -> None:
    """Presses a key and waits for the next item."""
    before = item(page)
    page.keyboard.press(key)
    page.wait_for_function("before => document.getElementById('page').dataset.item !== before", arg=before)


def test_decisions_by_keyboard_with_undo_reload_and_a_killed_server(
    queue: QueueFixture, serve: Serve, page: Page
) -> None:
    queue.add_pairs(10)
    queue.export()
    server = queue.serve_apart("ana")
    page.goto(server.address("ana"))
    assert "token" not in page.url
    given: dict[str, str] = {}
    keys = {"1": "approve", "3": "reject", "4": "unsure"}
    for number in range(15):
        if number == 5:
            page.reload()
        if number == 8:
            last = list(given)[-1]
            press(page, "u")
            assert item(page) == last
            assert given.pop(last) == "reject"
            expect(page.locator("#note")).to_have_text(f"Anuliuota: Atmesti. „{queue.known[last].good}“")
            assert last not in queue.decided()
            press(page, "1")
            given[last] = "approve"
        if number == 11:
            server.kill()
            page.keyboard.press("1")
            expect(page.locator("#note")).to_contain_text("Neišsaugota")
            assert queue.decided() == given
            here = serve("ana")
            page.goto(here.address("ana"))
        key = "134"[number % 3]
        given[item(page)] = keys[key]
        press(page, key)
    expect(page.locator("h1")).to_have_text("Viskas atlikta. Ačiū!")
    expect(page.locator("#count")).to_have_text("Atlikta 15 iš 15")
    assert queue.decided() == given
    assert len(given) == 15
    assert all(entry.seconds is not None and entry.via == "page" for entry in queue.latest.values())
    here.stop()
    assert queue.import_sheets().doubts == ()
    spelt = {"approve": "gerai", "reject": "atmesti", "unsure": "neaišku"}
    assert {row["Poros ID"]: row[DECISION] for row in queue.rows()} == {key: spelt[word] for key, word in given.items()}
    assert queue.import_sheets().sheets[0].n_new == 0


def test_a_correction_and_a_comment_are_written_without_the_mouse(
    exported: QueueFixture, serve: Serve, page: Page
) -> None:
    page.goto(serve("ana").address("ana"))
    first = item(page)
    good = exported.known[first].good
    page.keyboard.press("2")
    field = page.get_by_label("Pataisytas taisyklingas sakinys")
    expect(field).to_be_focused()
    expect(field).to_have_value(good)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#note")).to_have_text("Pataisykite vieną iš sakinių; jie turi skirtis.")
    assert exported.decided() == {}
    page.get_by_label("Pataisytas taisyklingas sakinys").fill("=Laukiu „mūsų“ autobuso.")
    page.keyboard.press("Escape")
    expect(page.locator("#fix")).to_be_hidden()
    page.keyboard.press("c")
    page.keyboard.type("1 klausimas: „ar tikrai“?")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("before => document.getElementById('page').dataset.item !== before", arg=first)
    entry = exported.latest[first, "ana"]
    assert (entry.decision, entry.good, entry.bad) == ("fix", "=Laukiu „mūsų“ autobuso.", None)
    assert entry.comment == "1 klausimas: „ar tikrai“?"
    press(page, "b")
    assert item(page) == first
    expect(page.locator(".decided")).to_have_text("Jūsų atsakymas: Taisyti")
    expect(page.get_by_label("Pataisytas taisyklingas sakinys")).to_have_value("=Laukiu „mūsų“ autobuso.")


def test_on_a_phone_the_correction_is_seen_whole_and_a_key_takes_a_listed_one(
    queue: QueueFixture, serve: Serve, page: Page
) -> None:
    others = ("Palaukiu troleibuso.", "Sulauksiu troleibuso.")
    queue.pairs = [make_checked(make_pair("Laukiu troleibuso.", "Laukiu troleibusą.", alternatives=others))]
    queue.export()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(serve("ana").address("ana"))
    page.locator("#open-fix").click()
    for shown in ("#good", "#bad", "#fix .save"):
        expect(page.locator(shown)).to_be_in_viewport(ratio=1)
    expect(page.locator(".decide")).to_be_hidden()
    page.locator("#close-fix").click()
    expect(page.locator(".decide")).to_be_visible()
    press(page, "Shift+Digit2")
    (decision,) = queue.latest.values()
    assert (decision.decision, decision.good) == ("fix", others[1])


def strike(page: Page, code: str, key: str) -> None:
    """Presses a key as a layout does whose key at the place `code` gives `key`, and waits for the next item."""
    before = item(page)
    page.evaluate(
        "key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true }))",
        {"code": code, "key": key},
    )
    page.wait_for_function("before => document.getElementById('page').dataset.item !== before", arg=before)


def test_keys_go_by_their_place_and_can_be_switched_off(exported: QueueFixture, serve: Serve, page: Page) -> None:
    page.goto(serve("ana").address("ana"))
    given = [item(page)]
    strike(page, "Digit1", "ą")  # the number row of the Lithuanian layout
    given.append(item(page))
    strike(page, "Numpad3", "3")
    given.append(item(page))
    strike(page, "KeyS", "ы")  # another script
    assert [exported.decided().get(one) for one in given] == ["approve", "reject", None]
    page.get_by_label("Naudoti klavišus").uncheck()
    page.reload()
    page.locator("#question").focus()
    for key in "1234us":
        page.keyboard.press(key)
    expect(page.locator(".decide kbd").first).to_be_hidden()
    page.get_by_label("Naudoti klavišus").check()
    press(page, "4")
    assert sorted(exported.decided().values(), key=str) == ["approve", "reject", "unsure"]


def test_a_draft_outlives_a_later_a_reload_a_way_back_and_the_server(
    exported: QueueFixture, serve: Serve, page: Page
) -> None:
    server = serve("ana")
    page.goto(server.address("ana"))
    press(page, "1")
    first = item(page)
    comment, good = page.locator("#comment"), page.locator("#good")
    comment.fill("svarbu: „taip“")
    page.keyboard.press("Escape")
    press(page, "s")
    press(page, "b")
    press(page, "s")
    page.goto(f"{server.root}/?item={first}")
    expect(comment).to_have_value("svarbu: „taip“")
    page.keyboard.press("2")
    good.fill("Laukiu seno draugo.")
    page.reload()
    page.goto(f"{server.root}/?item={first}")
    expect(good).to_have_value("Laukiu seno draugo.")
    good.fill("Laukiu gero draugo.")
    server.stop()
    server = serve("ana", port=server.port)
    page.goto(f"{server.address('ana')}")
    page.goto(f"{server.root}/?item={first}")
    expect(good).to_have_value("Laukiu gero draugo.")
    page.get_by_role("button", name="Išsaugoti pataisymą").click()
    page.wait_for_function("before => document.getElementById('page').dataset.item !== before", arg=first)
    entry = exported.latest[first, "ana"]
    assert (entry.good, entry.comment) == ("Laukiu gero draugo.", "svarbu: „taip“")
    page.keyboard.press("u")
    expect(good).to_have_value("Laukiu gero draugo.")
    expect(good).to_be_visible()


def test_the_page_shows_the_rule_the_place_the_gloss_what_differs_and_what_a_pair_rests_on_and_markup_as_text(
    queue: QueueFixture, serve: Serve, page: Page
) -> None:
    glossed = {"segmentation": "Šuo lauk-ia kaul-o.", "gloss": "dog wait-PRS <b>bone</b>", "translation": "A dog."}
    evil = "Šuo laukia <img src=x onerror=\"document.title='x'\"> kaulo</dd><script>document.title='x'</script>."
    pair = make_pair(evil, evil.replace("kaulo", "kaulą"), method="llm").model_copy(update=glossed)
    queue.pairs.insert(0, make_checked(pair))
    queue.set(order="source")
    queue.export()
    server, asked, faults = serve("ana"), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(server.address("ana"))
    # Nothing is loaded from elsewhere.
    assert all(url.startswith((server.root, "data:")) for url in asked)
    assert faults == []
    expect(page.locator(".good dd")).to_have_text(pair.good)
    expect(page.locator(".bad dd")).to_have_text(pair.bad)
    expect(page.locator("#good")).to_have_value(evil)
    assert page.locator("dd img, dd script").count() == 0
    assert page.title().startswith("Vertinimas")
    assert page.locator("mark.good").all_text_contents() == [change.good for change in pair.changes]
    assert page.locator("mark.bad").all_text_contents() == [change.bad for change in pair.changes]
    aside = page.locator("aside")
    expect(page.locator(".gloss .label")).to_have_text(["dog", "wait-PRS", "<b>bone</b>"])
    expect(aside.locator("section", has_text="Kuo pora pagrįsta")).to_contain_text("sudarė kalbos modelis")
    expect(page.locator(".rule")).to_contain_text("taisyklė 1 iš 2: 1.1 Taisyklė 1.1")
    for text in ("‘A dog.’", "Laukiu draugo.", "*Laukiu draugą.", "Klaidų sąrašas, klaidos.md:7", pair.bad):
        expect(aside).to_contain_text(text)


@pytest.mark.parametrize(("kind", "keys"), [("choice", "ab12ab"), ("likert", "1234567")])
def test_blind_experiments_show_the_sentences_alone(
    kind: str, keys: str, queue: QueueFixture, serve: Serve, page: Page
) -> None:
    queue.set(catch_share=0.2)
    queue.export("tyrimas", kind)  # type: ignore[arg-type]
    server = serve("ana", queue="tyrimas", language="en")
    page.goto(server.address("ana"))
    assert page.locator("aside, mark").count() == 0
    html = page.locator("#page").inner_html()
    assert not re.search(r"pair-[0-9a-f]{16}|1\.1|klaidos\.md", html)
    for key in keys[:6]:
        press(page, key)
    expect(page.locator("h1")).to_have_text("All done. Thank you!")
    lines = (queue.annotations / "tyrimas" / "judgements.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6


CONTRAST = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour) && colour !== 'transparent') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('p, dt, dd, mark, button, a, h1, h2, li, label, kbd, .wrong, textarea')]
    .filter((element) => element.offsetParent !== null && element.textContent.trim())
    .map((element) => {
      const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
      return [(Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05), element.outerHTML.slice(0, 80)];
    })
    .filter(([ratio]) => ratio < 4.5);
}"""


def test_the_page_fits_a_phone_and_can_be_read_in_light_and_dark(queue: QueueFixture, serve: Serve, page: Page) -> None:
    long = "Nebeprisikiškiakopūsteliaujantiesiems" * 3
    queue.pairs.insert(0, make_checked(make_pair(f"Laukiu {long} autobuso.", f"Laukiu {long} autobusą.")))
    queue.export()
    page.goto(serve("ana").address("ana"))
    for scheme, width in (("light", 320), ("light", 1280), ("dark", 1280), ("dark", 390)):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        answers, rule = page.locator(".decide").bounding_box(), page.locator(".rule").bounding_box()
        assert answers is not None
        assert rule is not None
        assert rule["y"] + rule["height"] <= answers["y"]
        if width < 640:
            assert answers["y"] + answers["height"] == 800
        page.keyboard.press("2")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) == []
        heights = page.evaluate("[...document.querySelectorAll('button')].map((it) => it.offsetHeight).filter(Boolean)")
        assert min(heights) >= 36


def test_everything_can_be_reached_with_the_tab_key_and_has_a_name(
    exported: QueueFixture, serve: Serve, page: Page
) -> None:
    page.goto(serve("ana").address("ana"))
    named = []
    for _ in range(12):
        page.keyboard.press("Tab")
        named.append(page.evaluate("document.activeElement.innerText || document.activeElement.id"))
    text = " | ".join(named)
    for name in ("Eiti prie klausimo", "Gerai", "Taisyti", "Atmesti", "Neaišku", "comment", "Anuliuoti", "Vėliau"):
        assert name in text
    for role, name in (("button", "Gerai"), ("textbox", "Pastaba"), ("progressbar", "Atlikta 0 iš 5")):
        expect(page.get_by_role(role, name=name).first).to_be_visible()  # type: ignore[arg-type]
    expect(page.get_by_role("status")).to_have_count(1)
    assert page.locator("html").get_attribute("lang") == "lt"
    page.keyboard.press("Shift+Tab")
    press(page, "1")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_role("status")).to_have_text("Išsaugota.")


def test_the_buttons_work_without_javascript(exported: QueueFixture, serve: Serve, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(serve("ana").address("ana"))
    first = item(page)
    page.get_by_role("button", name="Vėliau").click()
    page.goto(f"{page.url.partition('?')[0]}?item={first}")
    page.get_by_role("button", name="Atmesti").click()
    assert item(page) != first
    assert exported.decided() == {first: "reject"}
    page.get_by_role("button", name="Anuliuoti").click()
    assert (item(page), exported.decided()) == (first, {})
    context.close()
