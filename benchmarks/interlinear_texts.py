"""Interlinear texts in many manners: `python benchmarks/interlinear_texts.py DIR [--show]`.

Sets the sentences of `data/layouts/grammar.toml` that have a translation as four texts, each after two paragraphs of
prose, writes the PDFs to DIR, reads them, and counts the sentences that are a gloss of their own, with their lines
right. Extra are glosses that are no sentence.

    boas        small glosses below running lines without end; the translation of the whole text below them
    plain       surface, words, glosses, translation without quotation marks; no indentation
    margin      numbers in the margin, words and glosses, translation, then the recording on a line of its own
    fieldworks  a number, words over morphemes over glosses, each in its own box; translation without quotation marks
    first       the translation above words and glosses
    right       words and glosses, the translation in a column beside them
    facing      numbers in the margin, words and glosses; the translation of the whole text on the next page
    source      words, glosses, translation, and the source on a line of its own
    labels      the name of each line before it: Word, Morphemes, Lex. Gloss, Free
    boxes       words over glosses in grids with rules, translation without quotation marks
    free        the translation in italics above words and glosses
    words       one plain word below each word, neither hyphens nor categories in capitals
    numbered    numbers in brackets, translation without quotation marks
    above       numbers in brackets, the translation above words and glosses
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from grammar_layouts import blocks_of, same
from grammar_layouts_book import DATA, INLINE, REFERENCE, read_book, unsegmented
from typesetting import Json, set_pages

STYLES = (
    "boas",
    "plain",
    "margin",
    "fieldworks",
    "first",
    "right",
    "facing",
    "source",
    "labels",
    "boxes",
    "free",
    "words",
    "numbered",
    "above",
)
UNTRANSLATED = {"boas", "facing"}
SOURCED = {"margin", "source"}
COLUMNS = ("sentences", "found", "gloss", "translation", "source", "extra")
N_TEXTS = 4


def texts(book: Json) -> Json:
    """The sentences in four texts, and prose before each."""
    entries = [line for block in book["block"] for line in block.get("lines", []) if line.get("free")]
    entries = [
        entry for entry in entries if not (entry.get("star") or entry.get("doubt") or set("{}()") & set(entry["text"]))
    ]
    sentences = [sentence(index, entry) for index, entry in enumerate(entries)]
    prose = [plain(block["text"]) for block in book["block"] if len(block.get("text", "")) > 250]
    titles = [block["heading"] for block in book["block"] if "heading" in block]
    return {
        "texts": [sentences[start::N_TEXTS] for start in range(N_TEXTS)],
        "prose": [prose[start : start + 2] for start in range(0, 2 * N_TEXTS, 2)],
        "titles": titles[:N_TEXTS],
    }


def sentence(index: int, entry: Json) -> Json:
    words = list(zip(entry["text"].split(), entry["gloss"].split(), strict=True))
    return {"id": f"s{index}", "surface": unsegmented(entry["text"]), "words": words, "free": entry["free"]}


def plain(text: str) -> str:
    """Prose without its marks of style, notes and examples."""
    return re.sub(r"\*", "", INLINE.sub(lambda match: match["italic"] or "", REFERENCE.sub(r"\g<words>", text)))


def letters(text: str) -> str:
    """What two manners of writing a line have in common."""
    return "".join(char for char in text.casefold() if char.isalnum())


def score(path: Path, style: str, sentences: list[Json], show: bool) -> str:
    leaves = [leaf for block in blocks_of(path) if block.gloss for _, leaf in block.gloss.leaves()]
    by_words = {letters("".join(leaf.segmentation)): leaf for leaf in leaves}
    right: Counter[str] = Counter(sentences=len(sentences))
    for entry in sentences:
        leaf = by_words.pop(letters("".join(form for form, _ in entry["words"])), None)
        if leaf is None:
            if show:
                print(f"  {style}: missing {entry['surface']}")
            continue
        free = None if style in UNTRANSLATED else entry["free"].strip("“”")
        lines = {
            "found": True,
            "gloss": len(leaf.glosses) == 1
            and letters("".join(leaf.glosses[0])) == letters("".join(gloss for _, gloss in entry["words"])),
            "translation": same((leaf.translation or "").strip("“”"), free),
            "source": (leaf.source is not None) == (style in SOURCED),
        }
        right.update(name for name, is_right in lines.items() if is_right)
        if show and not all(lines.values()):
            print(f"  {style}: {entry['surface']}: {leaf!r}")
    right["extra"] = len(by_words)
    if show:
        print(*(f"  {style}: extra {leaf!r}" for leaf in by_words.values()), sep="\n")
    return f"| {style} | {' | '.join(str(right[name]) for name in COLUMNS)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the PDFs are written here")
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    data = texts(read_book())
    sentences = [entry for text in data["texts"] for entry in text]
    print(f"| manner | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}")
    for style in STYLES:
        path = arguments.folder / f"{style}.pdf"
        path.write_bytes(set_pages(DATA / "texts.typ", {**data, "style": style})[0])
        print(score(path, style, sentences, arguments.show))


if __name__ == "__main__":
    main()
