"""croissant.json: the release described in MLCommons' Croissant 1.0, from which its records can be loaded."""

import json
from pathlib import Path
from typing import Any

from pairwright.core import store
from pairwright.core.ids import file_sha256
from pairwright.release.contents.columns import COLUMNS, NUMBER, TEXT, TRUTH
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import template

# Croissant's flat records hold no lists; votes are a table of their own.
TYPES = {TEXT: "sc:Text", TRUTH: "sc:Boolean", NUMBER: "sc:Float"}


def write_croissant(directory: Path, contents: ReleaseContents) -> None:
    """Describes the files that `directory` holds already, beginning with what all releases have in common."""
    info, sources = contents.info, contents.released_sources
    description: dict[str, Any] = json.loads(template("croissant.json"))
    description |= {
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
    }
    for file in description["distribution"]:
        path = directory / file["name"]
        file |= {"contentSize": f"{path.stat().st_size} B", "sha256": file_sha256(path)}
    pairs = next(records for records in description["recordSet"] if records["@id"] == "pairs")
    fields: dict[str, dict[str, Any]] = {
        name: {
            "@type": "cr:Field",
            "@id": f"pairs/{name}",
            "name": name,
            "dataType": TYPES[kind],
            "source": {"fileObject": {"@id": "pairs.parquet"}, "extract": {"column": name}},
        }
        for name, kind in COLUMNS.items()
        if isinstance(kind, str)
    }
    # The splits are records of their own.
    fields["split"]["references"] = {"field": {"@id": "splits/name"}}
    pairs["field"] = list(fields.values())
    papers = {"url": info.repository, "datePublished": info.date}
    description |= {name: value for name, value in papers.items() if value}
    store.write_json(directory / "croissant.json", description)
