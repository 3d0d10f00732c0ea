"""The release as tables: CSV, Parquet, BLiMP's and TurBLiMP's JSON Lines, CLDF, and croissant.json, which describes it.

Parquet is written without compression and without what a writer adds of its own, so that one version of pyarrow gives
the same bytes on every machine; release.json names that version. For other programs plain text is JSON Lines, which no
spreadsheet takes for cells; CSV only where a tool reads no other.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from pairwright.core import store
from pairwright.core.ids import file_sha256
from pairwright.core.records import Block, Rule
from pairwright.core.records.release import SPLITS, ExcludedPair, ReleasePair, ReleaseSource
from pairwright.core.text import escape_csv_formula, words
from pairwright.languages import load_language
from pairwright.languages.linguistics.glosses import plain_sentence
from pairwright.release.contents.contents import (
    COLUMNS,
    NESTED,
    NUMBER,
    TEXT,
    TRUTH,
    ColumnType,
    Fields,
    ReleaseContents,
)

if TYPE_CHECKING:
    import pyarrow


def template(file: str) -> str:
    """A text of `data/`, as it is."""
    return files("pairwright.release.exports").joinpath("data", file).read_text(encoding="utf-8")


def filled_template(file: str, /, **values: str) -> str:
    """A text of `data/` with a value for each of its `$names`."""
    return Template(template(file)).substitute(values)


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """A JSON object a line."""
    with store.atomic(path) as handle:
        handle.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with commas, every cell quoted and otherwise as it is."""
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)


_PARQUET = {"version": "2.6", "data_page_version": "1.0", "compression": "NONE", "store_schema": False}
_ROW_GROUP = 10_000


def write_pairs(directory: Path, pairs: Sequence[ReleasePair]) -> int:
    """Writes all tables of pairs; returns how many cells of pairs.csv carry an apostrophe against formulas."""
    _write_parquet(directory / "pairs.parquet", pairs)
    for split in SPLITS:
        if own := [pair for pair in pairs if pair.split == split]:
            _write_parquet(directory / "data" / f"{split}.parquet", own)
    return _write_csv(directory / "pairs.csv", pairs)


def _write_parquet(path: Path, pairs: Sequence[ReleasePair]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    schema = pa.schema([(name, _arrow_type(kind)) for name, kind in COLUMNS.items()])
    with store.atomic(path, "wb") as handle, parquet.ParquetWriter(handle, schema, **_PARQUET) as writer:
        # In pieces: the rows of 100,000 pairs as dictionaries take a quarter of a gigabyte.
        for start in range(0, len(pairs), _ROW_GROUP):
            rows = pairs[start : start + _ROW_GROUP]
            columns = {name: [getattr(pair, name) for pair in rows] for name in COLUMNS}
            for name in NESTED:
                columns[name] = [[record.model_dump() for record in records] for records in columns[name]]
            writer.write_table(pa.table(columns, schema=schema))


def _arrow_type(kind: ColumnType | Fields) -> "pyarrow.DataType":
    import pyarrow as pa

    if isinstance(kind, str):
        return pa.type_for_alias(kind)
    if isinstance(kind, list):
        return pa.list_(_arrow_type(kind[0]))
    return pa.struct([(name, pa.type_for_alias(alias)) for name, alias in kind.items()])


def _write_csv(path: Path, pairs: Iterable[ReleasePair]) -> int:
    n_marked = 0

    def rows() -> Iterator[list[str]]:
        nonlocal n_marked
        for pair in pairs:
            plain = [_cell(value) for value in pair.model_dump(mode="json").values()]
            safe = [escape_csv_formula(cell) for cell in plain]
            n_marked += sum(cell != text for cell, text in zip(safe, plain, strict=True))
            yield safe

    write_csv(path, tuple(COLUMNS), rows())
    return n_marked


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def write_votes(path: Path, contents: ReleaseContents) -> None:
    """Every vote on every pair, released or not: what agreement is computed from. Reviewers stand by pseudonym."""
    pairs: list[ReleasePair | ExcludedPair] = [*contents.pairs, *contents.excluded]
    votes = ((pair.id, vote, str(isinstance(pair, ReleasePair)).lower()) for pair in pairs for vote in pair.votes)
    cells = ((pair_id, vote.reviewer, vote.decision, vote.basis, released) for pair_id, vote, released in votes)
    rows = (tuple(map(escape_csv_formula, row)) for row in cells)
    write_csv(path, ("pair_id", "reviewer", "decision", "basis", "released"), rows)


def write_blimp(directory: Path, contents: ReleaseContents) -> None:
    """`<UID>.jsonl` for each rule. Exceptions are among its pairs, and marked by the key `exception`."""
    by_uid: dict[str, list[ReleasePair]] = {}
    for pair in contents.pairs:
        by_uid.setdefault(pair.uid, []).append(pair)
    for uid, pairs in by_uid.items():
        write_rows(directory / f"{uid}.jsonl", map(_blimp_record, pairs))


def _blimp_record(pair: ReleasePair) -> dict[str, object]:
    """A pair with BLiMP's keys, followed by keys that BLiMP doesn't have.

    one_prefix_method    the sentences are the same up to one word that differs
    two_prefix_method    and after it they go on with the same words, which can be scored given either beginning
    lexically_identical  the sentences are made of the same words
    """
    one_word = len(pair.changes) == 1 and len(words(pair.changes[0].good)) == len(words(pair.changes[0].bad)) == 1
    good_words, bad_words = (
        sorted(word.casefold() for word in words(text)) for text in (pair.sentence_good, pair.sentence_bad)
    )
    return {
        "sentence_good": pair.sentence_good,
        "sentence_bad": pair.sentence_bad,
        "field": pair.phenomenon,
        "linguistics_term": pair.rule,
        "UID": pair.uid,
        "simple_LM_method": True,
        "one_prefix_method": one_word,
        "two_prefix_method": one_word and critical_region(pair) != "",
        "lexically_identical": good_words == bad_words,
        "pairID": pair.id,
        "split": pair.split,
        "exception": pair.exception,
        "licence": pair.licence,
        "canary": pair.canary,
    }


def write_minicons(directory: Path, contents: ReleaseContents) -> None:
    """pairs.jsonl in TurBLiMP's layout: `good_cue` and `bad_cue` are the words that differ, joined by ` … `."""
    rows = (
        {
            "id": pair.id,
            "good_sentence": pair.sentence_good,
            "bad_sentence": pair.sentence_bad,
            "good_cue": " … ".join(change.good for change in pair.changes),
            "bad_cue": " … ".join(change.bad for change in pair.changes),
            "critical_region": critical_region(pair),
            "phenomenon": pair.phenomenon,
            "subtype": pair.uid,
            "exception": pair.exception,
            "split": pair.split,
            "canary": pair.canary,
        }
        for pair in contents.pairs
    )
    write_rows(directory / "pairs.jsonl", rows)


def critical_region(pair: ReleasePair) -> str:
    """The first word after the last difference, where a reader notices it; empty where none follows."""
    if not pair.changes:
        return ""
    last = pair.changes[-1]
    return next(iter(words(pair.sentence_good[last.good_at + len(last.good) :])), "")


# What stands for a word that has no gloss, or for a gloss without a word: a list in CLDF has no empty members.
_NOTHING = "∅"
# Between the words of a line.
_TAB = "\t"
_CLDF_TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"
_CLDF_ID = {"base": "string", "format": r"[a-zA-Z0-9_\-]+"}
# The columns of the tables, with CLDF's terms for them; a cell of those in `_CLDF_LISTS` is a list.
_CLDF_COLUMNS: dict[str, dict[str, str | None]] = {
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
_CLDF_TABLES = {"examples.csv": "ExampleTable", "languages.csv": "LanguageTable"}
_CLDF_LISTS = {"Analyzed_Word": _TAB, "Gloss": _TAB, "Source": ";"}
_CLDF_REQUIRED = ("ID", "Language_ID", "Primary_Text")


def write_cldf(directory: Path, contents: ReleaseContents) -> str | None:
    """examples.csv, languages.csv, sources.bib and Generic-metadata.json, which describes their columns."""
    uids = {pair.rule_id: pair.uid for pair in contents.pairs}
    languages = {source.id: source.language for source in contents.info.sources}
    rows: dict[str, dict[str, str]] = {}
    for rule in contents.rules:
        for block in contents.glosses.get(rule.id, ()):
            for row in _cldf_rows(block, rule, languages[rule.source_id], uids[rule.id]):
                rows.setdefault(row["ID"], row)
    if not rows:
        return "no rule of this release has a glossed example"
    codes = sorted({row["Language_ID"] for row in rows.values()})
    cited = {row["Source"].partition("[")[0] for row in rows.values()}
    info = contents.info
    sources = [source for source in info.sources if _identifier(source.id) in cited]
    metadata = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:conformsTo": f"{_CLDF_TERMS}Generic",
        "dc:title": f"{info.title} {info.version}: glossed examples",
        "dc:source": "sources.bib",
        "dc:bibliographicCitation": " ".join(source.citation for source in sources),
        "dialect": {"commentPrefix": None},
        "tables": list(map(_cldf_table, _CLDF_TABLES)),
    }
    names = [{"ID": code, "Name": load_language(code).name} for code in codes]
    for file, records in (("examples.csv", [*rows.values()]), ("languages.csv", names)):
        columns = [*_CLDF_COLUMNS[file]]
        write_csv(directory / file, columns, ([record[name] for name in columns] for record in records))
    store.write_text(directory / "sources.bib", "".join(_bibtex(sources)))
    store.write_json(directory / "Generic-metadata.json", metadata)
    return None


def _cldf_table(file: str) -> dict[str, Any]:
    """The description of a table."""
    columns = []
    for name, term in _CLDF_COLUMNS[file].items():
        kind = _CLDF_ID if name == "ID" else "string"
        column: dict[str, Any] = {"name": name, "required": name in _CLDF_REQUIRED, "datatype": kind}
        column |= {"propertyUrl": f"{_CLDF_TERMS}{term}"} if term else {}
        columns.append(column | ({"separator": _CLDF_LISTS[name]} if name in _CLDF_LISTS else {}))
    schema: dict[str, Any] = {"columns": columns, "primaryKey": ["ID"]}
    if file == "examples.csv":
        language = {"resource": "languages.csv", "columnReference": ["ID"]}
        schema["foreignKeys"] = [{"columnReference": ["Language_ID"], "reference": language}]
    return {"url": file, "dc:conformsTo": f"{_CLDF_TERMS}{_CLDF_TABLES[file]}", "tableSchema": schema}


def _cldf_rows(block: Block, rule: Rule, language: str, uid: str) -> Iterator[dict[str, str]]:
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
            "Analyzed_Word": _TAB.join(word or _NOTHING for word in words),
            "Gloss": _TAB.join(word or _NOTHING for word in glosses),
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
        plain = {name: value.translate(str.maketrans("\\{}", "/()")) for name, value in fields.items() if value}
        escaped = {name: re.sub(r"([&%$#_])", r"\\\1", value) for name, value in plain.items()}
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in escaped.items())
        yield f"@misc{{{_identifier(source.id)},\n{lines}}}\n"


# Croissant's flat records hold no lists; votes are a table of their own.
_CROISSANT_TYPES = {TEXT: "sc:Text", TRUTH: "sc:Boolean", NUMBER: "sc:Float"}
_CROISSANT_ENCODINGS = {
    ".parquet": "application/x-parquet",
    ".csv": "text/csv",
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
}
_CROISSANT_FILES = {
    "pairs.parquet": "The pairs",
    "votes.csv": "Every vote on every pair, by pseudonym",
    "rules.jsonl": "The rules with the words of their sources",
    "excluded.jsonl": "The pairs that were left out, with the reason",
    "provenance.jsonl": "From each pair over its place in the source to its votes",
    "lots.jsonl": "The lots of derived pairs, with the ids of their samples",
    "glosses.jsonl": "The glossed examples of the rules",
    "release.json": "Name, version, counts and sources",
}
# The terms of the standard's context, beside those that are typed.
_CROISSANT_TERMS = """
citeAs column extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5
parentField path recordSet references regex repeated replace samplingRate separator source subField transform"""
_CROISSANT_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "equivalentProperty": "cr:equivalentProperty",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _CROISSANT_TERMS.split()},
}


def write_croissant(directory: Path, contents: ReleaseContents) -> None:
    """Describes the files that `directory` holds already."""
    info, sources = contents.info, contents.released_sources
    pairs = {name: _CROISSANT_TYPES[kind] for name, kind in COLUMNS.items() if isinstance(kind, str)}
    fields = [_croissant_field("pairs", "pairs.parquet", name, kind) for name, kind in pairs.items()]
    # The splits are records of their own.
    fields[[*pairs].index("split")]["references"] = {"field": {"@id": "splits/name"}}
    votes = [_croissant_field("votes", "votes.csv", name, "sc:Text") for name in ("pair_id", "reviewer", "decision")]
    names = {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"}
    description: dict[str, Any] = {
        "@context": _CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": info.name,
        "alternateName": info.title,
        "description": f"{info.n_pairs} minimal pairs of acceptable and unacceptable sentences. {info.canary}",
        "version": info.version,
        "license": [licence.url or licence.words for licence in contents.licences],
        "creator": [
            {"@type": "sc:Organization", "name": name} for name in info.authors or (f"The makers of {info.name}",)
        ],
        "citeAs": f"{info.title}, version {info.version}. {' '.join(source.citation for source in sources)}",
        "inLanguage": contents.languages,
        "isBasedOn": [source.url or source.citation for source in sources],
        "rai:dataAnnotationProtocol": "Native speakers decide alone on each pair: approve, fix, reject or unsure.",
        "rai:dataUseCases": "Testing language models on grammar; not for training.",
        "distribution": [_croissant_file(directory / name, words) for name, words in _CROISSANT_FILES.items()],
        "recordSet": [
            {
                **_croissant_records("splits", [names]),
                "dataType": "cr:Split",
                "key": {"@id": "splits/name"},
                "data": [{"splits/name": split} for split in SPLITS],
            },
            {**_croissant_records("pairs", fields), "description": "One record a pair", "key": {"@id": "pairs/id"}},
            {
                **_croissant_records("votes", votes),
                "description": "One record a vote; pairs that were left out have votes, too",
            },
        ],
    }
    papers = {"url": info.repository, "datePublished": info.date}
    description |= {name: value for name, value in papers.items() if value}
    store.write_json(directory / "croissant.json", description)


def _croissant_file(path: Path, words: str) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "description": words,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _CROISSANT_ENCODINGS[path.suffix],
        "sha256": file_sha256(path),
    }


def _croissant_records(name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _croissant_field(records: str, file: str, name: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{name}",
        "name": name,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
