"""Writes the files of a release. Equal contents give equal bytes, so that a release is verified by writing it again."""

from dataclasses import replace
from pathlib import Path

from pairwright.core import store
from pairwright.core.ids import file_sha256
from pairwright.core.records.release import ReleaseInfo
from pairwright.release.card import datasheet, release_card
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports import EXPORTS
from pairwright.release.exports.croissant import write_croissant
from pairwright.release.exports.tables import write_pairs, write_votes
from pairwright.release.papers import citation, licence_text
from pairwright.release.verify import (
    CHANGES,
    EXCLUDED,
    GLOSSES,
    INFO,
    LOTS,
    MANIFEST,
    ORIGINS,
    PAIRS,
    RULES,
    manifest_text,
)

# The packages whose versions decide on the bytes.
PACKAGES = ("pairwright", "pyarrow")


def write_files(directory: Path, contents: ReleaseContents, changes: str) -> ReleaseInfo:
    """Fills an empty directory and returns the description of the release as it was written; `changes` is CHANGELOG.md.

    An export that can't be made is left out, and release.json says why. Raises OSError.
    """
    store.write_jsonl(directory / PAIRS, contents.pairs)
    n_marked_cells = write_pairs(directory, contents.pairs)
    store.write_jsonl(directory / RULES, contents.rules)
    store.write_jsonl(directory / EXCLUDED, contents.excluded)
    store.write_jsonl(directory / LOTS, contents.lots)
    # The glossed examples of the rules, each once.
    glossed = {block.id: block for rule in contents.rules for block in contents.glosses.get(rule.id, ())}
    store.write_jsonl(directory / GLOSSES, glossed.values())
    with store.atomic(directory / ORIGINS, "wb") as handle:
        handle.writelines(contents.origins[pair.id] + b"\n" for pair in contents.pairs)
    write_votes(directory / "votes.csv", contents)
    left_out = {name: why for name, export in EXPORTS.items() if (why := export(directory / name, contents))}
    contents = replace(contents, info=contents.info.model_copy(update={"left_out": left_out}))
    store.write_json(directory / INFO, contents.info.model_dump(mode="json"))
    papers = {
        "README.md": release_card(contents, n_marked_cells),
        "DATASHEET.md": datasheet(contents),
        CHANGES: changes,
        "CITATION.cff": citation(contents),
        "LICENSE": licence_text(contents),
    }
    for name, text in papers.items():
        store.write_text(directory / name, text)
    write_croissant(directory, contents)
    return contents.info


def write_manifest(directory: Path) -> None:
    """MANIFEST.sha256 over every other file below the directory."""
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
    files.pop(MANIFEST, None)
    store.write_text(directory / MANIFEST, manifest_text({name: file_sha256(path) for name, path in files.items()}))
