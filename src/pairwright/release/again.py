"""Makes the items of a release that is frozen already, in other numbers or sizes, or with another seed."""

import os
from pathlib import Path

from pairwright.core import store
from pairwright.core.errors import ReleaseError
from pairwright.core.records import Rejection, Rule
from pairwright.core.records.items import Item, ItemsInfo
from pairwright.core.records.release import ExcludedPair
from pairwright.release.exports.tasks import with_matrices, write_item_folder
from pairwright.release.verify import EXCLUDED, RULES, read_matrices, read_records, read_release
from pairwright.tasks.instances import Material
from pairwright.tasks.make import ItemSettings, make_items
from pairwright.tasks.sentence_tasks import TextFile, text_items


def make_tasks(directory: Path, out: Path, settings: ItemSettings, texts: TextFile | None = None) -> ItemsInfo:
    """Writes the items of a release of any format into a new folder, whole or not at all.

    texts  to translate, beside the release's own sentences

    Raises SourceError where these can't be read, and ReleaseError where the release is of several languages and there
    are any, where the release has changed since it was frozen, and where `out` is there or can't be written.
    """
    if os.path.lexists(out):
        raise ReleaseError(f"{out}: exists already; give a new folder by --out")
    release = read_release(directory)
    rules = tuple(read_records(directory / RULES, Rule))
    excluded = tuple(read_records(directory / EXCLUDED, ExcludedPair))
    made = make_items(Material(release.pairs, rules, excluded), settings, release.info.canary)
    made = with_matrices(made, tuple(read_matrices(directory)), release.info)
    if texts is not None:
        languages = sorted({pair.language for pair in release.pairs})
        if len(languages) != 1:
            raise ReleaseError(
                f"{texts.path}: the release is of {', '.join(languages)}; texts need one of a single language"
            )
        of_texts = list(text_items(texts, languages[0], settings.seed))
        items = [*made.items["translation"], *(item for item in of_texts if isinstance(item, Item))]
        rejected = (item for item in of_texts if isinstance(item, Rejection))
        translations = tuple(item for _, item in sorted({item.id: item for item in items}.items()))
        made = made._replace(items={**made.items, "translation": translations}, rejected=(*made.rejected, *rejected))
    try:
        with store.whole_folder(out) as building:
            return write_item_folder(building, made, settings, release.info)
    except OSError as fault:
        raise ReleaseError(f"{out}: can't be written: {fault.strerror}") from None
