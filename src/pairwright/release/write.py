"""Writes the files of a release: the pairs and what stands behind them, the exports, the papers, the manifest."""

from pathlib import Path

from pairwright import store
from pairwright.ids import file_sha256
from pairwright.records.release import ReleaseInfo
from pairwright.release.card import datasheet, release_card
from pairwright.release.changelog import changelog
from pairwright.release.contents.contents import Material
from pairwright.release.difference import Difference
from pairwright.release.exports import EXPORTS
from pairwright.release.exports.croissant import write_croissant
from pairwright.release.exports.tables import write_pairs, write_votes
from pairwright.release.papers import citation, dispute_form, licence_text
from pairwright.release.verify import EXCLUDED, INFO, MANIFEST, PAIRS


def write_release(
    directory: Path, material: Material, change: Difference | None, because: str | None, earlier: str
) -> ReleaseInfo:
    """Fills an empty directory and returns the description of the release as it was written.

    `change` is the difference to the last release, `because` the reason given for the version, `earlier` the
    CHANGELOG.md of the last release. An export that can't be made is left out, and release.json says why.
    """
    store.write_jsonl(directory / PAIRS, material.pairs)
    marked = write_pairs(directory, material)
    store.write_jsonl(directory / "rules.jsonl", material.rules)
    store.write_jsonl(directory / EXCLUDED, material.excluded)
    with store.atomic(directory / "provenance.jsonl", "wb") as handle:
        handle.writelines(material.provenance[pair.id] + b"\n" for pair in material.pairs)
    write_votes(directory / "votes.csv", material)
    left_out = {name: reason for name, write in EXPORTS.items() if (reason := write(directory / name, material))}
    info = material.info.model_copy(update={"left_out": left_out})
    material = material.of(info)
    store.write_json(directory / INFO, info.model_dump(mode="json"))
    store.write_text(directory / "README.md", release_card(material, marked))
    store.write_text(directory / "DATASHEET.md", datasheet(material))
    store.write_text(directory / "CHANGELOG.md", changelog(info, change, because, earlier))
    store.write_text(directory / "CITATION.cff", citation(material))
    store.write_text(directory / "LICENSE", licence_text(material))
    store.write_text(directory / ".github" / "ISSUE_TEMPLATE" / "dispute.yml", dispute_form(material))
    write_croissant(directory, material)
    write_manifest(directory)
    return info


def write_manifest(directory: Path) -> None:
    """MANIFEST.sha256 over every file below the directory, in the format of `sha256sum`."""
    names = sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())
    lines = "".join(f"{file_sha256(directory / name)}  {name}\n" for name in names)
    store.write_text(directory / MANIFEST, lines)
