"""Grammar books against truth: headings, lines of examples, starred pairs, words that a line end divides.

Four kinds of truth. Two books of Language Science Press (CC BY 4.0, in DATA/grammars) have their outline, which is
hidden from the readers, and hashes in `data` of what a person compared by eye with page images, so that no sentence of
the books is copied here. The layouts are set with their truth. The grammars in `data/unseen`, and every PDF in DATA
with its truth in JSON beside it, were made by linguists who had seen neither the reader nor what comes of it.
"""

import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from unicodedata import combining, normalize

import pandas as pd
import pymupdf
from rapidfuzz import fuzz

import layouts as made
from common import HERE, Json, Tally, blocks_of, by_kind, miss, need, read_tsv
from pairwright.core.records import Block, Gloss
from pairwright.documents.headings import plain_title
from pairwright.documents.pages.pdf import open_document, read_outline
from pairwright.languages import load_tagset
from pairwright.languages.conventions import Conventions, usual_conventions
from pairwright.sources.grammar.starred.pairs import starred_pairs
from peers import markdown_headings
from tables import grid_tally, note_tally

BOOKS = {"Pite Saami": "langsci17_pite_saami.pdf", "Iranian Armenian": "langsci354_iranian_armenian.pdf"}
LINES = ("surface", "segmentation", "gloss", "translation", "source", "judgement")
# What may stand around a word, with the marks of footnotes.
AROUND = "“”‘’().,;:!?*⁰¹²³⁴⁵⁶⁷⁸⁹"
OUTER = " .,;:!?/[]()*#%'\"‘’“”„«»"
SAME_TITLE, SAME_SENTENCE = 90, 95
Heading = tuple[int, str, int]  # page, text, level
Sides = tuple[str, str]
Leaf = tuple[int, Gloss]


def books(data: Path) -> dict[str, Path]:
    return {name: need(data / "grammars" / file) for name, file in BOOKS.items()}


def plain(text: str | None) -> str:
    """Letters alone, in small case: quotation marks, brackets, spaces and marks of judgement do not count."""
    composed = normalize("NFC", (text or "").casefold())
    return "".join(char for char in composed if char.isalnum() or combining(char))


@cache
def layouts() -> dict[str, tuple[Json, tuple[Block, ...]]]:
    """The truth of each layout, in the form of the unseen grammars, and what is read of it."""
    with tempfile.TemporaryDirectory() as folder:
        truths = made.make(Path(folder))
        return {name: (unified(truth), blocks_of(Path(folder) / f"{name}.pdf")) for name, truth in truths.items()}


def unified(truth: Json) -> Json:
    """A run-in heading begins a paragraph, and counts as none."""
    headings = [
        {**item, "text": " ".join(filter(None, (item["number"], item["title"])))}
        for item in truth["headings"]
        if not item["run_in"]
    ]
    examples = [
        {**line, "number": item["number"], "sub": line["letter"]}
        for item in truth["examples"]
        for line in item["lines"]
    ]
    return {**truth, "headings": headings, "examples": examples}


# --- headings


def read_headings(blocks: Iterable[Block]) -> list[Heading]:
    return [(block.page, block.text, block.level or 1) for block in blocks if block.kind == "heading"]


def matched(
    read: Sequence[Heading], there: Sequence[Heading], key: Callable[[str], str] = plain, near: int = 1
) -> tuple[Tally, Counter[int]]:
    """Texts with their pages, each matched once with one that is much the same on its page or so near to it.

    Returned are also the differences of levels: a reader that counts the lines of a title page as levels of their own
    still has the order of levels right.
    """
    left, shifts = list(read), Counter[int]()
    for page, text, level in there:
        alike = (it for it in left if abs(it[0] - page) <= near and fuzz.ratio(key(it[1]), key(text)) >= SAME_TITLE)
        if match := next(alike, None):
            left.remove(match)
            shifts[match[2] - level] += 1
        else:
            miss(f"missing p. {page}: {text}")
    for page, text, _ in left:
        miss(f"extra p. {page}: {text}")
    return Tally(shifts.total(), len(read), len(there)), shifts


def heading_row(tally: Tally, shifts: Counter[int]) -> dict[str, str]:
    """The figures of a document; levels are compared up to one shift for all of it."""
    level = max(shifts.values(), default=0) / max(tally.right, 1)
    figures = {"precision": tally.precision, "recall": tally.recall, "F1": tally.f1, "level right": level}
    return {"headings": str(tally.there), **{name: f"{figure:.3f}" for name, figure in figures.items()}}


def headings(data: Path) -> pd.DataFrame:
    """Headings of the books against their outlines, and of the layouts."""
    rows = [
        {"document": name, **against_outline(path, read_headings(blocks_of(path)))}
        for name, path in books(data).items()
    ]
    for name, (truth, blocks) in layouts().items():
        there = [(item["page"], item["text"], item["level"]) for item in truth["headings"]]
        rows.append({"document": f"layout {name}", **heading_row(*matched(read_headings(blocks), there))})
    return pd.DataFrame(rows)


def peer_headings(data: Path) -> pd.DataFrame:
    """The headings that pymupdf4llm finds in the books."""
    return pd.DataFrame(
        {"document": name, **against_outline(path, their_headings(path))} for name, path in books(data).items()
    )


def against_outline(path: Path, read: Sequence[Heading]) -> dict[str, str]:
    with open_document(path) as document:
        outline = [(entry.page, entry.title, entry.level) for entry in read_outline(document)]
    title = partial(plain_title, conventions=usual_conventions())
    return heading_row(*matched(read, outline, title, near=0))


def their_headings(path: Path) -> list[Heading]:
    """The headings that pymupdf4llm finds on the same pages, with the outline hidden as from our reader."""
    with tempfile.TemporaryDirectory() as folder, pymupdf.open(path) as document:
        document.set_toc([])
        bare = Path(folder) / path.name
        document.save(bare)
        return list(markdown_headings(bare))


# --- lines of examples


def line_of(gloss: Gloss, name: str) -> str:
    match name:
        case "surface":
            return gloss.surface or ""
        case "segmentation":
            return " ".join(gloss.segmentation) or gloss.surface or ""
        case "gloss":
            return " ".join(" ".join(row) for row in gloss.glosses)
        case _:
            return getattr(gloss, name) or ""


def leaves_of(blocks: Iterable[Block]) -> list[Leaf]:
    return [(block.page, leaf) for block in blocks if block.gloss for _, leaf in block.gloss.leaves()]


def sentences(leaves: Sequence[Leaf], examples: Sequence[Json]) -> list[tuple[Json, Gloss | None]]:
    """Each sentence of the truth with the one that was read of it on its page or beside it."""
    left, found = list(leaves), list[tuple[Json, Gloss | None]]()
    for item in examples:
        printed = plain(item["surface"] or item["segmentation"])

        def fit(read: Leaf, page: int = item["page"], printed: str = printed) -> float:
            lines = (read[1].surface, " ".join(read[1].segmentation))
            return max(fuzz.ratio(plain(line), printed) for line in lines) if abs(read[0] - page) <= 1 else 0.0

        best = max(left, key=fit, default=None)
        if best and fit(best) >= SAME_SENTENCE:
            left.remove(best)
            found.append((item, best[1]))
        else:
            found.append((item, None))
    for page, leaf in left:
        miss(f"extra p. {page}: {leaf.object_line}")
    return found


def line_tallies(blocks: Iterable[Block], examples: Sequence[Json]) -> dict[str, Tally]:
    """For each line that an example may have: how often it is right, of those that are printed."""
    leaves = leaves_of(blocks)
    found = sentences(leaves, examples)
    tallies = {"sentence": Tally(sum(leaf is not None for _, leaf in found), len(leaves), len(found))}
    for name in LINES:
        tally = tallies[name] = Tally()
        for item, leaf in found:
            if not item[name]:
                continue
            right = leaf is not None and agrees(name, line_of(leaf, name), item[name])
            tally.there, tally.read, tally.right = tally.there + 1, tally.read + bool(leaf), tally.right + right
            if not right:
                read = line_of(leaf, name) if leaf else None
                miss(f"p. {item['page']} {item['number']}{item['sub'] or ''} {name}: {read!r} for {item[name]!r}")
    return tallies


def agrees(name: str, read: str, text: str) -> bool:
    # A translation is read without its label.
    there = usual_conventions().intended.sub("", text) if name == "translation" else text
    return read == text if name == "judgement" else plain(read) == plain(there)


def examples(data: Path) -> pd.DataFrame:
    """Examples of the books that were compared by eye, and the numbers of all against the gaps in each chapter."""
    truth, rows = read_tsv("grammar_examples.tsv"), []
    for name, path in books(data).items():
        blocks = blocks_of(path)
        read = {
            (str(block.page), ".".join(place)): hashes(leaf)
            for block in blocks
            if block.gloss is not None
            for place, leaf in block.gloss.leaves()
        }
        own = [row for row in truth if row["book"] == path.name]
        found = [(lines, row) for row in own if (lines := read.get((row["page"], row["example"])))]
        right = pd.DataFrame([[line == row[key] for key, line in lines.items()] for lines, row in found])
        shares = [len(found), right[[0, 1]].all(axis=1).sum(), right[2].sum(), right.all(axis=1).sum()]
        named = zip(("found", "object and gloss", "translation", "all three"), shares, strict=True)
        there = {"numbers found": numbers(blocks), "by eye": len(own)}
        rows.append({"book": name, **there, **{key: f"{count / len(own):.3f}" for key, count in named}})
    return pd.DataFrame(rows)


def hashes(gloss: Gloss) -> dict[str, str]:
    """The lines of an example without spaces and case; the object line as written, with its mark of judgement."""
    lines = {"object": (gloss.judgement or "") + gloss.object_line, "gloss": line_of(gloss, "gloss")}
    lines["translation"] = gloss.translation or ""
    plain_lines = {name: "".join(normalize("NFC", line).casefold().split()) for name, line in lines.items()}
    return {name: hashlib.sha256(line.encode()).hexdigest() for name, line in plain_lines.items()}


def numbers(blocks: Iterable[Block]) -> str:
    """How many numbered examples were found, of those that the counting of each chapter demands."""
    chapters = [set[int]()]
    for block in blocks:
        if block.kind == "heading" and block.level == 1:
            chapters.append(set())
        if block.gloss and (block.gloss.number or "").isdigit() and not block.continues:
            chapters[-1].add(int(block.gloss.number or 0))
    return f"{sum(map(len, chapters))} of {sum(len(own | set(range(1, max(own, default=0) + 1))) for own in chapters)}"


def interlinear(data: Path) -> pd.DataFrame:
    """Sentences in eight manners of text that are a gloss of their own, with their lines right."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        entries = made.make_texts(Path(folder))
        for style in made.STYLES:
            leaves = leaves_of(blocks_of(Path(folder) / f"{style}.pdf"))
            by_words = {plain("".join(leaf.segmentation)): leaf for _, leaf in leaves}
            right = Counter[str]()
            for entry in entries:
                words, glosses = ("".join(column) for column in zip(*entry["words"], strict=True))
                leaf = by_words.pop(plain(words), None)
                if leaf is None:
                    miss(f"{style}: missing {entry['surface']}")
                    continue
                free = "" if style in made.UNTRANSLATED else entry["free"]
                right["found"] += 1
                right["gloss"] += len(leaf.glosses) == 1 and plain("".join(leaf.glosses[0])) == plain(glosses)
                right["translation"] += unquoted(leaf.translation) == unquoted(free)
                right["source"] += (leaf.source is not None) == (style in made.SOURCED)
            figures = {name: right[name] for name in ("found", "gloss", "translation", "source")}
            rows.append({"sentences": len(entries), **figures, "extra": len(by_words)})
            miss(f"{style}: {rows[-1]}")
    return pd.DataFrame(rows).sum().to_frame().T


def unquoted(text: str | None) -> str:
    return re.sub(r"[‘’“”\s]", "", text or "").casefold()


# --- pairs from stars


def starred(
    blocks: Sequence[Block],
    there: Mapping[Sides, Sides],
    traps: Iterable[str] = (),
    key: Callable[[str], str] = plain,
    book: Conventions | None = None,
) -> tuple[Tally, dict[str, int], Counter[str]]:
    """The pairs that are taken, of those that there are: by sides that are right, with the pair that they stand for.

    Returned are also the stars, the pairs with another good side and those whose bad side is none, and why other stars
    make no pair.
    """
    pairs, rejected = starred_pairs(blocks, load_tagset("leipzig"), conventions=book or usual_conventions())
    read = {(key(pair.example.good), key(pair.example.bad or "")): pair for pair in pairs}
    right, false = {there[sides] for sides in read if sides in there}, [sides for sides in read if sides not in there]
    bads, traps = {bad for _, bad in there.values()}, set(traps)
    for sides in false:
        example = read[sides].example
        miss(f"extra p. {example.evidence.page}: {example.good} / {example.bad}")
    for sides in set(there.values()) - right:
        miss(f"missing: {sides}")
    reasons = Counter(
        item.reason.removeprefix("starred: ").split(";")[0].split(" (the nearest")[0] for item in rejected
    )
    stars = {"starred": len(pairs) + len(rejected)}
    stars |= {"another partner": sum(bad in bads for _, bad in false), "traps": sum(bad in traps for _, bad in false)}
    return Tally(len(right), len(right) + len(false), len(set(there.values()))), stars, reasons


def side_hash(sentence: str) -> str:
    """The key of a sentence: its letters without case, spaces, morpheme signs and outer punctuation, as 12 digits."""
    bare = re.sub(r"[-=∅\s]", "", normalize("NFC", sentence).lower()).strip(OUTER)
    return hashlib.sha256(bare.encode()).hexdigest()[:12]


def book_stars(path: Path) -> tuple[dict[Sides, Sides], set[str]]:
    """The pairs of a book that a linguist takes, each by itself and by one as good, and the bad sides of no pair."""
    rows = [row for row in read_tsv("starred_pairs.tsv") if row["book"] == path.stem]
    taken = [row for row in rows if row["take"] == "yes"]
    pairs = {(row[side], row["bad"]): (row["good"], row["bad"]) for side in ("other_good", "good") for row in taken}
    return pairs, {row["bad"] for row in rows if row["take"] == "no"} - {"-"}


def stars(data: Path) -> pd.DataFrame:
    """Pairs from the stars of the books and layouts, and of the books with `?` for unacceptable, too."""
    given = [(name, blocks_of(path), *book_stars(path)) for name, path in books(data).items()]
    for name, (truth, blocks) in layouts().items():
        sides = [(side_hash(pair["good"]), side_hash(pair["bad"])) for pair in truth["pairs"]]
        traps = {side_hash(trap["text"]) for trap in truth["traps"]}
        given.append((f"layout {name}", blocks, dict(zip(sides, sides, strict=True)), traps))
    rows = []
    asked = [(*one, ()) for one in given] + [(f"{one[0]}, with ?", *one[1:], ("?",)) for one in given[: len(BOOKS)]]
    for name, blocks, there, traps, marks in asked:
        book = Conventions.of({"judgements": {"bad": list(marks)}})
        tally, stars, reasons = starred(blocks, there, traps, side_hash, book)
        for reason, count in reasons.most_common():
            miss(f"{name}: {count} without a pair: {reason}")
        found = {"pairs": tally.read, "pairs by eye": tally.there, "right": tally.right}
        shares = {"recall": f"{tally.recall:.2f}", "precision": f"{tally.precision:.2f}"}
        rows.append({"document": name, "starred": stars.pop("starred"), **found, **stars, **shares})
    return pd.DataFrame(rows)


# --- grammars that nobody who works on the reader made


def broken_words(blocks: Iterable[Block], truth: Json) -> Tally:
    """Words that a line end divides, as they should stand in the text."""
    text = {bare(word) for b in blocks if b.kind in {"paragraph", "footnote"} for word in b.text.split()}
    whole = [item["whole"] for item in truth["broken_words"]]
    missing = [word for word in whole if bare(word) not in text]
    for word in missing:
        miss(f"broken: {word}")
    return Tally(len(whole) - len(missing), len(whole), len(whole))


def bare(word: str) -> str:
    """A word without what stands around it and without combining marks, some of which the truth leaves out."""
    return "".join(char for char in normalize("NFD", word.strip(AROUND)) if not combining(char))


def score(blocks: Sequence[Block], truth: Json) -> Iterator[tuple[str, Tally]]:
    """The tally of each kind of thing in a grammar; the title of the whole is no heading."""
    title = plain(truth.get("title") or "")
    read = [it for it in read_headings(blocks) if not title or fuzz.ratio(plain(it[1]), title) < SAME_TITLE]
    yield "headings", matched(read, [(it["page"], it["text"], 1) for it in truth["headings"]])[0]
    sides = [(plain(item["good"]), plain(item["bad"])) for item in truth["stars"] if item["good"]]
    yield "stars: pairs", starred(blocks, dict(zip(sides, sides, strict=True)))[0]
    yield from ((f"line: {name}", tally) for name, tally in line_tallies(blocks, truth["examples"]).items())
    tables = [block for block in blocks if block.kind == "table"]
    yield "table: cells", grid_tally(tables, truth["tables"], plain)
    yield "table: notes", note_tally(tables, truth["tables"], matched)
    yield "broken words", broken_words(blocks, truth)


def unseen(data: Path) -> pd.DataFrame:
    """Right of there, with the precision where it is below 1; a pair from a star is right where both its sides are."""
    columns = {}
    for folder in (HERE / "data" / "unseen", data):
        for path, truth in by_kind(folder, ".pdf", ".json"):
            miss(f"--- {path.stem}")
            tallies = score(blocks_of(path), json.loads(truth.read_text(encoding="utf-8")))
            columns[path.stem] = {name: str(tally) for name, tally in tallies}
    return pd.DataFrame(columns).rename_axis("").reset_index()
