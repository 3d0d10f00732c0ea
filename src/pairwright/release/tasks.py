"""Makes the items of a release that is frozen already, in other numbers or sizes, or with another seed."""

import os
from pathlib import Path

from pairwright import store
from pairwright.errors import ReleaseError
from pairwright.items.instances import Material
from pairwright.items.make import ItemSettings, make_items
from pairwright.records import Rule
from pairwright.records.items import ItemsInfo
from pairwright.records.release import ExcludedPair
from pairwright.release.exports.tasks import write_item_folder
from pairwright.release.verify import EXCLUDED, RULES, read_records, read_release


def make_tasks(directory: Path, out: Path, settings: ItemSettings) -> ItemsInfo:
    """Writes the items of a release of any format into a new folder, whole or not at all.

    Raises ReleaseError where the release has changed since it was frozen, and where `out` is there or can't be written.
    """
    if os.path.lexists(out):
        raise ReleaseError(f"{out}: exists already; give a new folder by --out")
    release = read_release(directory)
    rules = tuple(read_records(directory / RULES, Rule))
    excluded = tuple(read_records(directory / EXCLUDED, ExcludedPair))
    made = make_items(Material(release.pairs, rules, excluded), settings, release.info.canary)
    try:
        with store.whole_folder(out) as building:
            return write_item_folder(building, made, settings, release.info)
    except OSError as fault:
        raise ReleaseError(f"{out}: can't be written: {fault.strerror}") from None
