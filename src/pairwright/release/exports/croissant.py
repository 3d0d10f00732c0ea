"""croissant.json: the release described in MLCommons' Croissant 1.0, from which its records can be loaded."""

from importlib.resources import files
from json import loads
from pathlib import Path
from typing import Any

from pairwright import store
from pairwright.ids import file_sha256
from pairwright.records.release import SPLITS, ReleasePair
from pairwright.release.contents.contents import Material
from pairwright.release.contents.licences import distinct

FILES = {
    "pairs.parquet": ("application/x-parquet", "The pairs"),
    "votes.csv": ("text/csv", "Every vote on every pair, by pseudonym"),
    "rules.jsonl": ("application/jsonlines", "The rules with the words of their sources"),
    "excluded.jsonl": ("application/jsonlines", "The pairs that were left out, with the reason"),
    "provenance.jsonl": ("application/jsonlines", "From each pair over its place in the source to its votes"),
}
# Lists of records stand in pairs.parquet, but Croissant's flat records can't hold them; votes are a table of their own.
NESTED = ("changes", "votes", "features")
TYPES = {"exception": "sc:Boolean", "published_source": "sc:Boolean", "agreement": "sc:Float"}


def write_croissant(directory: Path, material: Material) -> None:
    """Describes the files that `directory` holds already."""
    info = material.info
    found = distinct(pair.licence for pair in material.pairs)
    used = [source for source in info.sources if any(pair.source_id == source.id for pair in material.pairs)]
    description: dict[str, Any] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": info.name,
        "alternateName": info.title,
        "description": f"{info.n_pairs} minimal pairs of acceptable and unacceptable sentences. {info.canary}",
        "version": info.version,
        "license": [one.url or one.words for one in found],
        "creator": [
            {"@type": "sc:Organization", "name": name} for name in info.authors or (f"The makers of {info.name}",)
        ],
        "citeAs": f"{info.title}, version {info.version}. {' '.join(source.citation for source in used)}",
        "inLanguage": sorted({pair.language for pair in material.pairs}),
        "isBasedOn": [source.url or source.citation for source in used],
        "rai:dataAnnotationProtocol": "Native speakers decide alone on each pair: approve, fix, reject or unsure.",
        "rai:dataUseCases": "Testing language models on grammar; not for training.",
        "distribution": [_file(directory, name) for name in FILES],
        "recordSet": [_splits(), _pairs(), _votes()],
    }
    if info.repository:
        description["url"] = info.repository
    if info.date:
        description["datePublished"] = info.date
    store.write_json(directory / "croissant.json", description)


def _context() -> Any:
    return loads(files("pairwright.release.exports").joinpath("croissant_context.json").read_text(encoding="utf-8"))


def _file(directory: Path, name: str) -> dict[str, Any]:
    encoding, words = FILES[name]
    path = directory / name
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": words,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": encoding,
        "sha256": file_sha256(path),
    }


def _splits() -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "dataType": "cr:Split",
        "key": {"@id": "splits/name"},
        "field": [{"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"}],
        "data": [{"splits/name": split} for split in SPLITS],
    }


def _pairs() -> dict[str, Any]:
    fields = []
    for name in ReleasePair.model_fields:
        if name in NESTED:
            continue
        field = _field("pairs", name, "pairs.parquet", TYPES.get(name, "sc:Text"))
        if name == "split":
            field["references"] = {"field": {"@id": "splits/name"}}
        fields.append(field)
    return {
        "@type": "cr:RecordSet",
        "@id": "pairs",
        "name": "pairs",
        "description": "One record a pair",
        "key": {"@id": "pairs/id"},
        "field": fields,
    }


def _votes() -> dict[str, Any]:
    fields = [_field("votes", name, "votes.csv", "sc:Text") for name in ("pair_id", "reviewer", "decision")]
    return {
        "@type": "cr:RecordSet",
        "@id": "votes",
        "name": "votes",
        "description": "One record a vote; pairs that were left out have votes, too",
        "field": fields,
    }


def _field(record_set: str, name: str, file: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{name}",
        "name": name,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
