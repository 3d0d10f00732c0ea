"""Writes the files of a release: the pairs and what stands behind them, the exports, the papers, the manifest."""

from dataclasses import replace
from pathlib import Path

from pairwright import store
from pairwright.ids import file_sha256
from pairwright.records.release import ReleaseInfo
from pairwright.release.card import datasheet, release_card
from pairwright.release.changelog import changelog
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.difference import Difference
from pairwright.release.exports import EXPORTS
from pairwright.release.exports.croissant import write_croissant
from pairwright.release.exports.tables import write_pairs, write_votes
from pairwright.release.papers import citation, dispute_form, licence_text
from pairwright.release.verify import EXCLUDED, INFO, MANIFEST, ORIGINS, PAIRS, RULES


def write_release(
    directory: Path, contents: ReleaseContents, change: Difference | None, because: str | None, earlier_changes: str
) -> ReleaseInfo:
    """Fills an empty directory and returns the description of the release as it was written.

    `change` is the difference to the last release, `because` the reason given for the version, `earlier_changes` the
    CHANGELOG.md of the last release. An export that can't be made is left out, and release.json says why.
    """
    store.write_jsonl(directory / PAIRS, contents.pairs)
    n_marked_cells = write_pairs(directory, contents.pairs)
    store.write_jsonl(directory / RULES, contents.rules)
    store.write_jsonl(directory / EXCLUDED, contents.excluded)
    with store.atomic(directory / ORIGINS, "wb") as handle:
        handle.writelines(contents.origins[pair.id] + b"\n" for pair in contents.pairs)
    write_votes(directory / "votes.csv", contents)
    left_out = {name: why for name, export in EXPORTS.items() if (why := export.write(directory / name, contents))}
    contents = replace(contents, info=contents.info.model_copy(update={"left_out": left_out}))
    store.write_json(directory / INFO, contents.info.model_dump(mode="json"))
    papers = {
        "README.md": release_card(contents, n_marked_cells),
        "DATASHEET.md": datasheet(contents),
        "CHANGELOG.md": changelog(contents.info, change, because, earlier_changes),
        "CITATION.cff": citation(contents),
        "LICENSE": licence_text(contents),
        ".github/ISSUE_TEMPLATE/dispute.yml": dispute_form(contents),
    }
    for name, text in papers.items():
        store.write_text(directory / name, text)
    write_croissant(directory, contents)
    write_manifest(directory)
    return contents.info


def write_manifest(directory: Path) -> None:
    """MANIFEST.sha256 over every file below the directory, in the format of `sha256sum`."""
    names = sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())
    lines = "".join(f"{file_sha256(directory / name)}  {name}\n" for name in names)
    store.write_text(directory / MANIFEST, lines)
