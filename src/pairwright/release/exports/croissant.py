"""croissant.json: the release described in MLCommons' Croissant 1.0, from which its records can be loaded."""

from json import loads
from pathlib import Path
from typing import Any

from pairwright import store
from pairwright.ids import file_sha256
from pairwright.records.release import SPLITS
from pairwright.release.contents.columns import COLUMNS, NUMBER, TEXT, TRUTH
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import template

FILES = {
    "pairs.parquet": ("application/x-parquet", "The pairs"),
    "votes.csv": ("text/csv", "Every vote on every pair, by pseudonym"),
    "rules.jsonl": ("application/jsonlines", "The rules with the words of their sources"),
    "excluded.jsonl": ("application/jsonlines", "The pairs that were left out, with the reason"),
    "provenance.jsonl": ("application/jsonlines", "From each pair over its place in the source to its votes"),
}
# Croissant's flat records hold no lists; votes are a table of their own.
TYPES = {TEXT: "sc:Text", TRUTH: "sc:Boolean", NUMBER: "sc:Float"}


def write_croissant(directory: Path, contents: ReleaseContents) -> None:
    """Describes the files that `directory` holds already."""
    info, sources = contents.info, contents.released_sources
    description: dict[str, Any] = {
        "@context": loads(template("croissant_context.json")),
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
        "distribution": [_file(directory, name) for name in FILES],
        "recordSet": _record_sets(),
    }
    if info.repository:
        description["url"] = info.repository
    if info.date:
        description["datePublished"] = info.date
    store.write_json(directory / "croissant.json", description)


def _file(directory: Path, name: str) -> dict[str, Any]:
    encoding, description = FILES[name]
    path = directory / name
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": description,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": encoding,
        "sha256": file_sha256(path),
    }


def _record_sets() -> list[dict[str, Any]]:
    """The splits, the pairs and the votes. A pair's split refers to the first."""
    pair_fields = [
        _field("pairs", name, "pairs.parquet", TYPES[kind]) for name, kind in COLUMNS.items() if isinstance(kind, str)
    ]
    for field in pair_fields:
        if field["name"] == "split":
            field["references"] = {"field": {"@id": "splits/name"}}
    return [
        {
            **_record_set("splits"),
            "dataType": "cr:Split",
            "key": {"@id": "splits/name"},
            "field": [{"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"}],
            "data": [{"splits/name": split} for split in SPLITS],
        },
        {
            **_record_set("pairs"),
            "description": "One record a pair",
            "key": {"@id": "pairs/id"},
            "field": pair_fields,
        },
        {
            **_record_set("votes"),
            "description": "One record a vote; pairs that were left out have votes, too",
            "field": [_field("votes", name, "votes.csv", "sc:Text") for name in ("pair_id", "reviewer", "decision")],
        },
    ]


def _record_set(name: str) -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": name, "name": name}


def _field(record_set: str, name: str, file: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
