"""What the sessions of a queue share: its contents, its sheets, and its log, of which only what is new is read.

A queue may hold a hundred thousand pairs and have twenty reviewers at once, so nothing of it is held for each of them.
"""

import threading
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path

from pairwright.core.errors import PairwrightError, ReviewError, StoreError
from pairwright.core.files import open_file
from pairwright.core.records import Decision
from pairwright.core.store import log_lines, logged_record
from pairwright.review.assign.order import approved_by_rule
from pairwright.review.log.log import Entry, Key, damaged_logs, entry_type, is_answer, key_of
from pairwright.review.log.queue import Assignment, ReviewContext
from pairwright.review.log.votes import Votes, count_votes
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.importing import import_answers

# By so many bytes the log that was read is recognised.
_REMEMBERED = 1_000
# Votes are counted again when the log has grown by a fiftieth: a large queue's order hangs on no single one.
_VOTES_STAY = 50


class SharedQueue:
    """A queue that is served, for several threads. Raises ReviewError if there is none, StoreError if it is damaged.

    lock    held by whoever reads or adds answers
    latest  the last entry of each reviewer on each item, as far as `read` has come
    done    the items that each reviewer answered at the page, in order, with their entries before
    """

    def __init__(self, context: ReviewContext) -> None:
        self.context, self.folder = context, context.folder
        self.info = self.folder.info()
        self.contents = read_contents(self.folder, context.language)
        self.lock = threading.RLock()
        self.latest: dict[Key, Entry] = {}
        self.done: defaultdict[str, list[tuple[str, Entry | None]]] = defaultdict(list)
        self.first_notes: tuple[str, ...] = ()
        self._offset, self._last_read = 0, b""
        self._log_state: tuple[int, int] | None = None
        self._n_read = 0
        self._counted: tuple[int, Votes, Counter[str]] | None = None
        # Reviewers whose sheets are taken over, with the state in which these were read last.
        self._sheets: dict[str, tuple[int, int] | None] = {}
        self.read()
        self.contents.check_assigned(self.latest)
        self._asked = self.contents.asked(self.latest).values()

    def items(self, reviewer: str) -> dict[str, Assignment]:
        """What a reviewer is asked, by item, in order. Raises ReviewError if that is nothing."""
        items = {item.item_id: item for item in self._asked if item.reviewer == reviewer}
        if not items:
            known = ", ".join(sorted(self.contents.reviewers))
            raise ReviewError(f"{self.folder.path}: '{reviewer}' has nothing in this queue; known: {known}")
        return items

    def read_sheets(self, *reviewers: str) -> None:
        """Takes over the sheets of these reviewers, and again whenever they change. Notes are `first_notes`."""
        new = [reviewer for reviewer in reviewers if reviewer not in self._sheets]
        if new:
            self._sheets |= dict.fromkeys(new)
            self.first_notes += self.sync(*new)

    def sync(self, *reviewers: str) -> tuple[str, ...]:
        """Imports the sheets of these reviewers, or those that another program has written since. Returns the doubts.

        A log that has become shorter gets back what all of them have.
        """
        states = {name: _state_of_file(self.folder.sheet(name)) for name in self._sheets}
        with self.lock:
            log = _state_of_file(self.folder.log(self.info.kind))
            log_is_changed, is_shorter = log != self._log_state, (log[1] if log else 0) < self._offset
            changed = [name for name, state in states.items() if state != self._sheets[name] or is_shorter]
            changed = [*reviewers] or changed
            if not log_is_changed and not changed:
                return ()
        notes = tuple(damaged_logs(self.folder.path)) if log_is_changed else ()
        # Taken before a sheet is read, so that whatever is saved from now on counts as a change.
        self._sheets |= {name: states[name] for name in changed}
        files = [self.folder.sheet(name) for name in changed if states[name]]
        try:
            if files:
                now = datetime.now(UTC)
                imported = import_answers(self.folder, self.context.language, now, files=files, refresh=False)
                notes = (*notes, *imported.doubts)
            with self.lock:
                self.read()
        except (PairwrightError, OSError) as fault:
            self._sheets |= dict.fromkeys(changed)  # to be read again, though they may not change
            notes = notes or (str(fault),)
        return notes

    def votes(self) -> tuple[Votes, Counter[str]]:
        """The votes on the pairs, and how many pairs of each rule are approved; those of a while ago in a long log."""
        counted = self._counted
        if counted is None or self._n_read - counted[0] > self._n_read // _VOTES_STAY:
            entries = (entry for entry in self.latest.values() if isinstance(entry, Decision))
            votes = count_votes(entries, self.contents.pairs)
            approved = approved_by_rule(self.context.candidates, votes, self.context.deciding.votes)
            counted = self._counted = self._n_read, votes, approved
        return counted[1:]

    def read(self) -> None:
        """Reads what was logged since, by the page or by any other program."""
        self._log_state = _state_of_file(self.folder.log(self.info.kind))
        for entry in self._new_entries():
            item_id, reviewer = key = key_of(entry)
            done = self.done[reviewer]
            if entry.via == "page" and is_answer(entry):
                done.append((item_id, self.latest.get(key)))
            elif entry.via == "page":
                self.done[reviewer] = [one for one in done if one[0] != item_id]
            self.latest[key] = entry
            self._n_read += 1

    def _new_entries(self) -> list[Entry]:
        """What was added to the log since it was last read. A line that has no end yet waits.

        A log that was put in the place of the one that was read is read from its beginning.
        """
        path, record = self.folder.log(self.info.kind), entry_type(self.info.kind)
        content = b""
        if path.exists():
            with open_file(path, StoreError) as handle:
                handle.seek(self._offset - len(self._last_read))
                content = handle.read()
        if not content.startswith(self._last_read):
            self._offset, self._last_read, self._n_read, self._counted = 0, b"", 0, None
            self.latest.clear()
            self.done.clear()
            return self._new_entries()
        whole = content[len(self._last_read) : content.rfind(b"\n") + 1]
        try:
            entries: list[Entry] = [logged_record(record, line, path, 0) for line in log_lines(whole)]
        except StoreError:
            list(self.folder.entries(self.info.kind))  # names the line and the remedy
            raise
        if whole:
            self._offset += len(whole)
            self._last_read = whole[-_REMEMBERED:]
        return entries


def _state_of_file(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size
