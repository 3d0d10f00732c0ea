"""The glossed examples of the released rules as a CLDF dataset (Forkel et al. 2018), for linguists.

    cldf validate RELEASE/cldf/Generic-metadata.json

Only examples whose object and gloss lines have as many words go in: in CLDF they are aligned word by word.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pairwright.core import store
from pairwright.core.records import Block, Rule
from pairwright.core.records.release import ReleaseSource
from pairwright.languages import load_language
from pairwright.languages.linguistics.morphemes import plain_sentence
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import write_csv

# What stands for a word that has no gloss, or for a gloss without a word: a list in CLDF has no empty members.
NOTHING = "∅"
# Between the words of a line.
SEPARATOR = "\t"
_TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"
_IDENTIFIER = {"base": "string", "format": r"[a-zA-Z0-9_\-]+"}
# The columns of the tables, with CLDF's terms for them; a cell of those in `_SEPARATED` is a list.
_COLUMNS: dict[str, dict[str, str | None]] = {
    "examples.csv": {
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
    },
    "languages.csv": {"ID": "id", "Name": "name"},
}
_TABLES = {"examples.csv": "ExampleTable", "languages.csv": "LanguageTable"}
_SEPARATED = {"Analyzed_Word": SEPARATOR, "Gloss": SEPARATOR, "Source": ";"}
_REQUIRED = ("ID", "Language_ID", "Primary_Text")


def write_cldf(directory: Path, contents: ReleaseContents) -> str | None:
    """examples.csv, languages.csv, sources.bib and Generic-metadata.json, which describes their columns."""
    uids = {pair.rule_id: pair.uid for pair in contents.pairs}
    languages = {source.id: source.language for source in contents.info.sources}
    rows: dict[str, dict[str, str]] = {}
    for rule in contents.rules:
        for block in contents.glosses.get(rule.id, ()):
            for row in _rows(block, rule, languages[rule.source_id], uids[rule.id]):
                rows.setdefault(row["ID"], row)
    if not rows:
        return "no rule of this release has a glossed example"
    codes = sorted({row["Language_ID"] for row in rows.values()})
    cited = {row["Source"].partition("[")[0] for row in rows.values()}
    info = contents.info
    sources = [source for source in info.sources if _identifier(source.id) in cited]
    metadata = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:conformsTo": f"{_TERMS}Generic",
        "dc:title": f"{info.title} {info.version}: glossed examples",
        "dc:source": "sources.bib",
        "dc:bibliographicCitation": " ".join(source.citation for source in sources),
        "dialect": {"commentPrefix": None},
        "tables": list(map(_table, _TABLES)),
    }
    names = [{"ID": code, "Name": load_language(code).name} for code in codes]
    for file, records in (("examples.csv", [*rows.values()]), ("languages.csv", names)):
        columns = [*_COLUMNS[file]]
        write_csv(directory / file, columns, ([record[name] for name in columns] for record in records))
    store.write_text(directory / "sources.bib", "".join(_bibtex(sources)))
    store.write_json(directory / "Generic-metadata.json", metadata)
    return None


def _table(file: str) -> dict[str, Any]:
    """The description of a table."""
    schema: dict[str, Any] = {"columns": [_column(*column) for column in _COLUMNS[file].items()], "primaryKey": ["ID"]}
    if file == "examples.csv":
        language = {"resource": "languages.csv", "columnReference": ["ID"]}
        schema["foreignKeys"] = [{"columnReference": ["Language_ID"], "reference": language}]
    return {"url": file, "dc:conformsTo": f"{_TERMS}{_TABLES[file]}", "tableSchema": schema}


def _column(name: str, term: str | None) -> dict[str, Any]:
    column: dict[str, Any] = {
        "name": name,
        "required": name in _REQUIRED,
        "datatype": _IDENTIFIER if name == "ID" else "string",
    }
    column |= {"propertyUrl": f"{_TERMS}{term}"} if term else {}
    return column | ({"separator": _SEPARATED[name]} if name in _SEPARATED else {})


def _rows(block: Block, rule: Rule, language: str, uid: str) -> Iterator[dict[str, str]]:
    for number, (_, gloss) in enumerate(block.gloss.leaves() if block.gloss else (), start=1):
        if not gloss.glosses or len(gloss.segmentation) != len(gloss.glosses[0]):
            continue
        words, glosses = gloss.segmentation, gloss.glosses[0]
        # Whether each word has as many morphemes as its gloss, as the Leipzig Glossing Rules ask.
        sizes = ([len(re.split("[-=]", text)) for text in line] for line in (words, glosses))
        is_aligned = next(sizes) == next(sizes)
        yield {
            "ID": _identifier(f"{block.id}-{number}"),
            "Language_ID": language,
            "Primary_Text": plain_sentence(gloss, load_language(language).boundaries),
            "Analyzed_Word": SEPARATOR.join(word or NOTHING for word in words),
            "Gloss": SEPARATOR.join(word or NOTHING for word in glosses),
            "Translated_Text": gloss.translation or "",
            "LGR_Conformance": f"{'MORPHEME' if is_aligned else 'WORD'}_ALIGNED",
            "Source": f"{_identifier(rule.source_id)}[{block.page}]",
            "Comment": " ".join(gloss.notes),
            "Judgement": gloss.judgement or "",
            "Page": str(block.page),
            "Rule_ID": rule.id,
            "Rule_UID": uid,
        }


def _identifier(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)


def _bibtex(sources: Iterable[ReleaseSource]) -> Iterator[str]:
    for source in sources:
        fields = {"title": source.title, "note": source.citation, "url": source.url}
        lines = "".join(f"  {name} = {{{_escaped(value)}}},\n" for name, value in fields.items() if value)
        yield f"@misc{{{_identifier(source.id)},\n{lines}}}\n"


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_])", r"\\\1", text.replace("\\", "/").replace("{", "(").replace("}", ")"))
