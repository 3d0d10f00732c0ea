"""croissant.json: the release described in MLCommons' Croissant 1.0, from which its records can be loaded."""

from pathlib import Path
from typing import Any

from pairwright.core import store
from pairwright.core.ids import file_sha256
from pairwright.core.records.release import SPLITS
from pairwright.release.contents.contents import COLUMNS, NUMBER, TEXT, TRUTH, ReleaseContents

# Croissant's flat records hold no lists; votes are a table of their own.
TYPES = {TEXT: "sc:Text", TRUTH: "sc:Boolean", NUMBER: "sc:Float"}
_ENCODINGS = {
    ".parquet": "application/x-parquet",
    ".csv": "text/csv",
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
}
_FILES = {
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
_TERMS = """citeAs column extract field fileProperty fileObject fileSet format includes isLiveDataset jsonPath key md5
parentField path recordSet references regex repeated replace samplingRate separator source subField transform"""
_CONTEXT = {
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
    **{term: f"cr:{term}" for term in _TERMS.split()},
}


def write_croissant(directory: Path, contents: ReleaseContents) -> None:
    """Describes the files that `directory` holds already."""
    info, sources = contents.info, contents.released_sources
    pairs = {name: TYPES[kind] for name, kind in COLUMNS.items() if isinstance(kind, str)}
    fields = [_field("pairs", "pairs.parquet", name, kind) for name, kind in pairs.items()]
    # The splits are records of their own.
    fields[[*pairs].index("split")]["references"] = {"field": {"@id": "splits/name"}}
    votes = [_field("votes", "votes.csv", name, "sc:Text") for name in ("pair_id", "reviewer", "decision")]
    names = {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"}
    description: dict[str, Any] = {
        "@context": _CONTEXT,
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
        "distribution": [_file(directory / name, words) for name, words in _FILES.items()],
        "recordSet": [
            {
                **_records("splits", [names]),
                "dataType": "cr:Split",
                "key": {"@id": "splits/name"},
                "data": [{"splits/name": split} for split in SPLITS],
            },
            {**_records("pairs", fields), "description": "One record a pair", "key": {"@id": "pairs/id"}},
            {
                **_records("votes", votes),
                "description": "One record a vote; pairs that were left out have votes, too",
            },
        ],
    }
    papers = {"url": info.repository, "datePublished": info.date}
    description |= {name: value for name, value in papers.items() if value}
    store.write_json(directory / "croissant.json", description)


def _file(path: Path, words: str) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "description": words,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _ENCODINGS[path.suffix],
        "sha256": file_sha256(path),
    }


def _records(name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _field(records: str, file: str, name: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{name}",
        "name": name,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
