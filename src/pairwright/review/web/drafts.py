"""What a reviewer has begun to write about items and not sent yet. It outlives the page and its server."""

import threading
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pairwright.core.errors import StoreError
from pairwright.core.files import read_file
from pairwright.core.records import Record
from pairwright.core.store import MAX_RECORD_BYTES, write_json


class Draft(Record):
    """The fields of an item's form, as they were left: a comment and, of a pair, both sentences."""

    model_config = ConfigDict(extra="ignore")

    comment: str = ""
    good: str = ""
    bad: str = ""


_ALL = TypeAdapter(dict[str, Draft])


class Drafts:
    """The drafts of a reviewer in a queue, by item, in `drafts/<reviewer>.json` of the queue's folder.

    Raises StoreError if the file is damaged.
    """

    def __init__(self, queue: Path, reviewer: str) -> None:
        self._path = queue / "drafts" / f"{reviewer}.json"
        self._lock = threading.Lock()

    def of(self, item_id: str) -> Draft | None:
        """The draft of an item; None if there is none."""
        return self._read().get(item_id)

    def put(self, item_id: str, draft: Draft | None) -> None:
        """Puts the draft of an item in the place of its last one; None takes that away."""
        with self._lock:
            drafts = self._read()
            if drafts.pop(item_id, None) == draft:
                return
            kept = drafts if draft is None else {**drafts, item_id: draft}
            write_json(self._path, {key: one.model_dump() for key, one in kept.items()})

    def _read(self) -> dict[str, Draft]:
        if not self._path.exists():
            return {}
        try:
            return _ALL.validate_json(read_file(self._path, MAX_RECORD_BYTES, StoreError))
        except ValidationError:
            raise StoreError(f"{self._path}: damaged; remove it, it holds only what was not answered yet") from None
