"""The glossed examples of the released rules as a CLDF dataset (Forkel et al. 2018), for linguists.

    cldf validate RELEASE/cldf/Generic-metadata.json

Only examples whose object and gloss lines have as many words go in: in CLDF they are aligned word by word.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pairwright import store
from pairwright.languages import load_language
from pairwright.records import Block, Rule
from pairwright.release.contents.contents import Material
from pairwright.release.exports.tables import write_csv

TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"
# What stands for a word that has no gloss, or for a gloss without a word: a list in CLDF has no empty members.
NOTHING = "∅"
SEPARATOR = "\t"

EXAMPLES = {
    "ID": "id",
    "Language_ID": "languageReference",
    "Primary_Text": "primaryText",
    "Analyzed_Word": "analyzedWord",
    "Gloss": "gloss",
    "Translated_Text": "translatedText",
    "LGR_Conformance": "lgrConformance",
    "Source": "source",
    "Comment": "comment",
    "Judgement": None,
    "Page": None,
    "Rule_ID": None,
    "Rule_UID": None,
}
LISTS = {"Analyzed_Word": SEPARATOR, "Gloss": SEPARATOR, "Source": ";"}
REQUIRED = ("ID", "Language_ID", "Primary_Text")
LANGUAGES = {"ID": "id", "Name": "name"}


def write_cldf(directory: Path, material: Material) -> str | None:
    """examples.csv, languages.csv, sources.bib and Generic-metadata.json."""
    uids = material.uids
    languages = {source.id: source.language for source in material.info.sources}
    rows: dict[str, tuple[str, ...]] = {}
    for rule in material.rules:
        for block in material.glosses.get(rule.id, ()):
            for row in _rows(block, rule, languages[rule.source_id], uids[rule.id]):
                rows.setdefault(row[0], row)
    if not rows:
        return "no rule of this release has a glossed example"
    used = sorted({row[1] for row in rows.values()})
    write_csv(directory / "examples.csv", tuple(EXAMPLES), rows.values())
    write_csv(directory / "languages.csv", tuple(LANGUAGES), [(code, load_language(code).name) for code in used])
    store.write_text(directory / "sources.bib", "".join(_bibtex(material)))
    store.write_json(directory / "Generic-metadata.json", _metadata(material))
    return None


def _rows(block: Block, rule: Rule, language: str, uid: str) -> Iterator[tuple[str, ...]]:
    if block.gloss is None:
        return
    for number, (_, gloss) in enumerate(block.gloss.leaves(), start=1):
        if not gloss.objects or not gloss.glosses or len(gloss.objects[-1]) != len(gloss.glosses[0]):
            continue
        words, glosses = gloss.objects[-1], gloss.glosses[0]
        yield (
            _identifier(f"{block.id}-{number}"),
            language,
            " ".join(word for word in gloss.objects[0] if word),
            SEPARATOR.join(word or NOTHING for word in words),
            SEPARATOR.join(word or NOTHING for word in glosses),
            gloss.translation or "",
            "MORPHEME_ALIGNED" if _is_aligned(words, glosses) else "WORD_ALIGNED",
            f"{_identifier(rule.source_id)}[{block.page}]",
            " ".join(gloss.notes),
            gloss.judgement or "",
            str(block.page),
            rule.id,
            uid,
        )


def _is_aligned(words: tuple[str, ...], glosses: tuple[str, ...]) -> bool:
    """Whether each word has as many morphemes as its gloss, as the Leipzig Glossing Rules ask."""
    return all(
        len(re.split("[-=]", word)) == len(re.split("[-=]", gloss)) for word, gloss in zip(words, glosses, strict=True)
    )


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)


def _bibtex(material: Material) -> Iterator[str]:
    for source in material.info.sources:
        fields = {"title": source.title, "note": source.citation, "url": source.url}
        lines = "".join(f"  {name} = {{{_escaped(value)}}},\n" for name, value in fields.items() if value)
        yield f"@misc{{{_identifier(source.id)},\n{lines}}}\n"


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_])", r"\\\1", text.replace("\\", "/").replace("{", "(").replace("}", ")"))


def _metadata(material: Material) -> dict[str, Any]:
    info = material.info
    return {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:conformsTo": f"{TERMS}Generic",
        "dc:title": f"{info.title} {info.version}: glossed examples",
        "dc:source": "sources.bib",
        "dc:bibliographicCitation": " ".join(source.citation for source in info.sources),
        "dialect": {"commentPrefix": None},
        "tables": [
            {
                "url": "examples.csv",
                "dc:conformsTo": f"{TERMS}ExampleTable",
                "tableSchema": {
                    "columns": [_column(name, term) for name, term in EXAMPLES.items()],
                    "primaryKey": ["ID"],
                    "foreignKeys": [
                        {
                            "columnReference": ["Language_ID"],
                            "reference": {"resource": "languages.csv", "columnReference": ["ID"]},
                        }
                    ],
                },
            },
            {
                "url": "languages.csv",
                "dc:conformsTo": f"{TERMS}LanguageTable",
                "tableSchema": {
                    "columns": [_column(name, term) for name, term in LANGUAGES.items()],
                    "primaryKey": ["ID"],
                },
            },
        ],
    }


def _column(name: str, term: str | None) -> dict[str, Any]:
    column: dict[str, Any] = {"name": name, "required": name in REQUIRED, "datatype": "string"}
    if name == "ID":
        column["datatype"] = {"base": "string", "format": r"[a-zA-Z0-9_\-]+"}
    if term:
        column["propertyUrl"] = TERMS + term
    if name in LISTS:
        column["separator"] = LISTS[name]
    return column
