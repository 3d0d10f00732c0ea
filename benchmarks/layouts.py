"""A made-up language in four layouts and eight manners of text, with the truth of what stands on each page.

`data/layouts/grammar.toml` is set in the manners of real grammars:

    one     decimal headings; (12) a. and b.; words over their glosses, then the translation
    two     (3.12); the words as they are said, with the star; below them morphemes, glosses, translation
    three   roman chapters, sections with §; examples without numbers, each with its source on a line of its own
    four    "Chapter 3" over its title, bold and run-in headings; (12a); words and translation; ligatures

The truth has the headings, the lines of the examples, the pairs of sentences or words that a linguist takes from the
page, and the traps: what bears an asterisk and makes no pair. Glosses are in capitals in the truth where the page has
small ones, and no ligatures stand in it. The page of a piece is the one on which it begins.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typst

from common import HERE, Json

DATA = HERE / "data" / "layouts"
INLINE = re.compile(r"_(?P<italic>[^_]+)_|\[\^(?P<note>[a-z]+)\]")
REFERENCE = re.compile(r"@(?P<id>[a-z0-9-]+)(?::(?P<letter>[a-z]))?\((?P<words>[^)]+)\)")
CHOICE = re.compile(r"\{(?P<good>[^/]+)/\*(?P<bad>[^}]+)\}|\(\*(?P<never>[^)]+)\)|\*\((?P<always>[^)]+)\)")
LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ"}
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
OBJECT, GLOSS, TRANSLATION = ("surface", "segmentation"), "gloss", "translation"


@dataclass(frozen=True)
class Layout:
    """What a layout prints of the grammar.

    lines     the lines of an example, in their order: surface, segmentation, gloss, translation, source
    example   how an example is numbered, from `n` in the book, `chapter`, `m` in the chapter; "" where it is not
    headings  how headings of the three levels are numbered
    """

    name: str
    lines: tuple[str, ...]
    example: str
    headings: tuple[str, str, str]
    ligatures: bool = False


LAYOUTS = (
    Layout(
        "one",
        ("segmentation", GLOSS, TRANSLATION),
        "{n}",
        ("{chapter}", "{chapter}.{section}", "{chapter}.{section}.{part}"),
    ),
    Layout("two", (*OBJECT, GLOSS, TRANSLATION), "{chapter}.{m}", ("{chapter}", "{chapter}.{section}", "")),
    Layout("three", ("segmentation", GLOSS, TRANSLATION, "source"), "", ("{roman}.", "§ {sign}.", "")),
    Layout("four", ("surface", TRANSLATION), "{n}", ("Chapter {chapter}", "", ""), ligatures=True),
)


def read_book() -> Json:
    return tomllib.loads((DATA / "grammar.toml").read_text(encoding="utf-8"))


def unsegmented(text: str) -> str:
    """An object line without the signs between its morphemes."""
    return re.sub(r"(?<=\w)[-=](?=\w)|=(?=\w)", "", text)


def choices(text: str) -> Iterator[tuple[str, str, str]]:
    """The kind of each bracket with a star in a line, and the line with the good and with the bad choice."""
    for match in CHOICE.finditer(text):
        kind = "alternative" if match["good"] else "optional" if match["never"] else "obligatory"
        variants = (match["good"] or match["always"] or "", match["bad"] or match["never"] or "")
        good, bad = (" ".join((text[: match.start()] + v + text[match.end() :]).split()) for v in variants)
        yield kind, good, bad


def with_ligatures(value: Any) -> Any:
    """What a layout reads, with the signs for ligatures in its texts; ids stay."""
    if isinstance(value, dict):
        return {key: text if key in ("id", "kind", "style") else with_ligatures(text) for key, text in value.items()}
    if isinstance(value, list):
        return [with_ligatures(part) for part in value]
    if isinstance(value, str):
        for letters, sign in LIGATURES.items():
            value = value.replace(letters, sign)
    return value


@dataclass(frozen=True)
class Line:
    """A line of an example with its place: `at` is the id under which the page is told."""

    at: str
    letter: str | None
    entry: Json
    layout: Layout

    @property
    def judgement(self) -> str:
        return "*" if self.entry.get("star") else "?" if self.entry.get("doubt") else ""

    def text(self, role: str) -> str | None:
        """What is printed in the place of a role; None where the layout has no such line."""
        if role not in self.layout.lines:
            return None
        words, free = self.entry["text"], self.entry.get("free")
        if role == "surface":
            return str(self.entry.get("surface") or unsegmented(words))
        if role == "segmentation":
            # Below a surface line the morphemes have no capital and no full stop.
            bare = re.sub(r"[.!?,“”]", "", words)
            return bare[0].lower() + bare[1:] if "surface" in self.layout.lines else str(words)
        if role == "source":
            return f"({self.entry.get('source', 'elicited')})"
        if role == TRANSLATION:
            return None if free is None else f"Intended: ‘{free}’" if self.entry.get("intended") else f"‘{free}’"
        return str(self.entry[role])

    @property
    def printed(self) -> str:
        """The line of the object language that stands first."""
        return self.text("surface") or self.text("segmentation") or ""

    def truth(self) -> Json:
        roles = (*OBJECT, GLOSS, TRANSLATION, "source")
        texts = {role: self.text(role) for role in roles}
        return {"at": self.at, "letter": self.letter, "judgement": self.judgement, **texts}

    def set(self) -> Json:
        words = []
        if GLOSS in self.layout.lines:
            words = list(zip((self.text("segmentation") or "").split(), self.entry["gloss"].split(), strict=True))
        star_on = "surface" if "surface" in self.layout.lines else "words"
        return {**self.truth(), "id": self.at, "words": words, "star-on": star_on}


@dataclass
class Setting:
    """The grammar in one layout."""

    book: Json
    layout: Layout
    numbers: dict[str, str] = field(default_factory=dict)
    lines: dict[str, list[Line]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("chapter", "section", "part", "sign", "n", "m"), 0)
        for index, block in enumerate(self.book["block"]):
            if "heading" in block:
                self.count_heading(counts, block["level"])
                roman = ROMAN[counts["chapter"] - 1]
                self.labels[index] = self.layout.headings[block["level"] - 1].format(roman=roman, **counts)
            if "lines" in block:
                counts["n"], counts["m"] = counts["n"] + 1, counts["m"] + 1
                self.numbers[block["id"]] = self.layout.example.format(**counts)
                entries = block["lines"]
                letters = [chr(97 + place) if len(entries) > 1 else None for place in range(len(entries))]
                self.lines[block["id"]] = [
                    Line(f"b{index}/{place}", letters[place], entry, self.layout) for place, entry in enumerate(entries)
                ]

    def count_heading(self, counts: dict[str, int], level: int) -> None:
        counter = ("chapter", "section", "part")[level - 1]
        counts[counter] += 1
        counts["sign"] += level == 2
        for lower in {"chapter": ("section", "part", "m"), "section": ("part",), "part": ()}[counter]:
            counts[lower] = 0

    def resolve(self, text: str) -> str:
        """The text with the numbers of its examples, or with words where the layout has no numbers."""

        def refer(match: re.Match[str]) -> str:
            number = self.numbers[match["id"]]
            return f"({number}{match['letter'] or ''})" if number else match["words"]

        resolved = REFERENCE.sub(refer, text)
        return resolved[0].upper() + resolved[1:]

    def runs(self, text: str) -> list[Json]:
        """Stretches of one style each; a footnote is a stretch of its own."""
        runs, end = list[Json](), 0
        for match in INLINE.finditer(text):
            runs.append({"style": "plain", "text": text[end : match.start()]})
            note = match["note"]
            runs.append(
                {"style": "note", "runs": self.runs(self.book["notes"][note])}
                if note
                else {"style": "italic", "text": match["italic"]}
            )
            end = match.end()
        return [*runs, {"style": "plain", "text": text[end:]}]

    def block(self, index: int, block: Json) -> Json:
        """A block as the layouts read it."""
        at = f"b{index}"
        if "heading" in block:
            number, title = self.labels[index], block["heading"]
            note = self.book["notes"][block["star_note"]] if "star_note" in block else None
            named = {"number": number, "title": title, "label": f"{number} {title}".strip(), "note": note}
            return {"kind": "heading", "id": at, "level": block["level"], **named}
        if "lines" in block:
            lines = [line.set() for line in self.lines[block["id"]]]
            return {"kind": "example", "id": at, "number": self.numbers[block["id"]], "lines": lines}
        if "table" in block:
            rows = [[cell.strip() for cell in row.split("|")] for row in block["table"].strip("\n").splitlines()]
            return {"kind": "table", "id": at, "caption": block["caption"], "rows": rows}
        if "items" in block:
            return {"kind": "list", "id": at, "items": [self.runs(item) for item in block["items"]]}
        return {"kind": "paragraph", "id": at, "runs": self.runs(self.resolve(block["text"]))}

    def pages(self) -> Json:
        """What a layout reads."""
        blocks = [self.block(index, block) for index, block in enumerate(self.book["block"])]
        data = {"title": self.book["title"], "author": self.book["author"], "blocks": blocks}
        return dict(with_ligatures(data)) if self.layout.ligatures else data

    def truth(self) -> Json:
        blocks = list(enumerate(self.book["block"]))
        return {
            "layout": self.layout.name,
            "headings": [self.heading(index, block) for index, block in blocks if "heading" in block],
            "examples": [
                {"number": self.numbers[key] or None, "lines": [line.truth() for line in lines]}
                for key, lines in self.lines.items()
            ],
            "pairs": [pair for index, block in blocks for pair in self.pairs(index, block)],
            "traps": [trap for index, block in blocks for trap in self.traps(index, block)],
        }

    def heading(self, index: int, block: Json) -> Json:
        number, title = self.labels[index], block["heading"]
        run_in = self.layout.name == "four" and block["level"] == 3
        return {"at": f"b{index}", "level": block["level"], "number": number or None, "title": title, "run_in": run_in}

    def pairs(self, index: int, block: Json) -> Iterator[Json]:
        for good, bad in block.get("words", []):
            yield self.pair("words", good, bad, f"b{index}")
        for names in block.get("pairs", []):
            good_line, bad_line = (self.line_named(name, block["id"]) for name in names.split())
            kind = "between examples" if ":" in names else "within an example"
            yield self.pair(kind, good_line.printed, bad_line.printed, bad_line.at)
        for line in self.lines[block["id"]] if "lines" in block else ():
            for kind, good, bad in choices(line.printed):
                yield self.pair(kind, good, bad, line.at)

    def pair(self, kind: str, good: str, bad: str, at: str) -> Json:
        """A pair as it is printed, and without the hyphens between morphemes."""
        printed = {"good_printed": good, "bad_printed": bad}
        return {"at": at, "kind": kind, "good": unsegmented(good), "bad": unsegmented(bad), **printed}

    def line_named(self, name: str, here: str) -> Line:
        example, _, letter = name.rpartition(":")
        return self.lines[example or here][ord(letter) - 97]

    def traps(self, index: int, block: Json) -> Iterator[Json]:
        for kind, text in block.get("traps", []):
            starred = [line for line in self.lines[block["id"]] if line.judgement == "*"] if "lines" in block else []
            yield {"at": f"b{index}" + ("/0" if "lines" in block else ""), "kind": kind} | {
                "text": "*" + starred[0].printed if starred else text
            }


def set_pages(layout: Path, data: Json) -> tuple[bytes, list[Json]]:
    """The PDF that a layout makes of the data, and the values of the layout's metadata elements labelled <at>."""
    fonts = typst.Fonts(include_system_fonts=False)
    inputs = {"data": json.dumps(data, ensure_ascii=False)}
    compiler = typst.Compiler(str(layout), root=str(layout.parent), font_paths=fonts, sys_inputs=inputs)
    places: list[Json] = json.loads(compiler.query("<at>", field="value"))
    pdf = compiler.compile(format="pdf", pdf_tags=False)
    assert isinstance(pdf, bytes)
    return pdf, places


def with_pages(truth: Any, pages: dict[str, int]) -> Any:
    """The truth with pages in place of the ids of what was set."""
    if isinstance(truth, dict):
        rest = {key: with_pages(value, pages) for key, value in truth.items() if key != "at"}
        return {"page": pages[truth["at"]], **rest} if "at" in truth else rest
    return [with_pages(value, pages) for value in truth] if isinstance(truth, list) else truth


def make(folder: Path) -> dict[str, Json]:
    """Writes the PDFs and their truth; returns the truth by the names of the layouts."""
    book = read_book()
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for layout in LAYOUTS:
        setting = Setting(book, layout)
        pdf, places = set_pages(DATA / f"{layout.name}.typ", setting.pages())
        truth = with_pages(setting.truth(), {place["id"]: place["page"] for place in places})
        (folder / f"{layout.name}.pdf").write_bytes(pdf)
        text = json.dumps(truth, ensure_ascii=False, indent=1)
        (folder / f"{layout.name}.json").write_text(text + "\n", encoding="utf-8")
        made[layout.name] = truth
    return made


# The manners of texts, and which of them set the translation of a whole text below it, and a source for each sentence.
STYLES = {
    "plain": "surface, words, glosses, translation without quotation marks; no indentation",
    "margin": "numbers in the margin, words and glosses, translation, then the recording on a line of its own",
    "fieldworks": "a number, words over morphemes over glosses, each in a box; translation without quotation marks",
    "facing": "numbers in the margin, words and glosses; the translation of the whole text on the next page",
    "source": "words, glosses, translation, and the source on a line of its own",
    "labels": "the name of each line before it: Word, Morphemes, Lex. Gloss, Free",
    "words": "one plain word below each word, neither hyphens nor categories in capitals",
    "numbered": "numbers in brackets, translation without quotation marks",
}
UNTRANSLATED, SOURCED, N_TEXTS = {"facing"}, {"margin", "source"}, 4


def make_texts(folder: Path) -> list[Json]:
    """Writes a PDF for each manner, with the sentences that have a translation in four texts; returns the sentences."""
    data = texts(read_book())
    for style in STYLES:
        (folder / f"{style}.pdf").write_bytes(set_pages(DATA / "texts.typ", {**data, "style": style})[0])
    return [entry for text in data["texts"] for entry in text]


def texts(book: Json) -> Json:
    """The sentences in four texts, and prose before each."""
    entries = [line for block in book["block"] for line in block.get("lines", []) if line.get("free")]
    entries = [
        entry for entry in entries if not (entry.get("star") or entry.get("doubt") or set("{}()") & set(entry["text"]))
    ]
    sentences = [sentence(index, entry) for index, entry in enumerate(entries)]
    prose = [unmarked(block["text"]) for block in book["block"] if len(block.get("text", "")) > 250]
    titles = [block["heading"] for block in book["block"] if "heading" in block]
    return {
        "texts": [sentences[start::N_TEXTS] for start in range(N_TEXTS)],
        "prose": [prose[start : start + 2] for start in range(0, 2 * N_TEXTS, 2)],
        "titles": titles[:N_TEXTS],
    }


def sentence(index: int, entry: Json) -> Json:
    words = list(zip(entry["text"].split(), entry["gloss"].split(), strict=True))
    return {"id": f"s{index}", "surface": unsegmented(entry["text"]), "words": words, "free": entry["free"]}


def unmarked(text: str) -> str:
    """Prose without its marks of style, notes and examples."""
    return re.sub(r"\*", "", INLINE.sub(lambda match: match["italic"] or "", REFERENCE.sub(r"\g<words>", text)))
