"""The contents of a review queue, against which sheets are read and written."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from pairwright.core.errors import StoreError
from pairwright.core.records import QueueKind
from pairwright.languages import Language
from pairwright.review.log.log import FROM_VERSION_CONTROL, Entry, Key, key_of
from pairwright.review.log.queue import Assignment, Pair, QueueFolder, QueueInfo
from pairwright.review.sheets.columns import QueueSheet, read_queue_sheet
from pairwright.review.sheets.words import DecisionVocabulary, plain

N_EXPECTED = 40


@dataclass(frozen=True)
class QueueContents:
    """What a queue asks of whom: assignments by item and reviewer, and pairs by id."""

    folder: QueueFolder
    kind: QueueKind
    language: Language
    assignments: Mapping[Key, Assignment]
    pairs: Mapping[str, Pair]

    @cached_property
    def vocabulary(self) -> DecisionVocabulary:
        return DecisionVocabulary(self.language)

    @cached_property
    def reviewers(self) -> frozenset[str]:
        return frozenset(reviewer for _, reviewer in self.assignments)

    def shown(self, assignment: Assignment) -> tuple[str, ...]:
        """The sentences that the reviewer was shown, in the order of the columns."""
        if self.kind != "pairs":
            return assignment.texts
        pair = self.pairs[assignment.item_id]
        return pair.good, pair.bad

    def asked(self, answered: Collection[Key]) -> dict[Key, Assignment]:
        """What the queue asks now: without what was withdrawn and that nobody answered all the same."""
        return {key: item for key, item in self.assignments.items() if not item.withdrawn or key in answered}

    @cached_property
    def by_text(self) -> dict[tuple[str, ...], list[Assignment]]:
        """Assignments by reviewer and the sentences that they show."""
        by_text: dict[tuple[str, ...], list[Assignment]] = defaultdict(list)
        for assignment in self.assignments.values():
            by_text[assignment.reviewer, *map(plain, self.shown(assignment))].append(assignment)
        return by_text

    @cached_property
    def telling_sentences(self) -> list[str]:
        """Sentences with letters beyond ASCII, which tell the encoding of a sheet."""
        texts = (text for assignment in self.assignments.values() for text in self.shown(assignment))
        return list(islice((text for text in texts if not text.isascii()), N_EXPECTED))

    def history(self) -> dict[Key, list[Entry]]:
        """All entries of the log by item and reviewer, in order. Raises StoreError as `check_assigned` does."""
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in self.folder.entries(self.kind):
            history[key_of(entry)].append(entry)
        self.check_assigned(history)
        return dict(history)

    def check_assigned(self, answered: Collection[Key]) -> None:
        """Raises StoreError unless every item that a log answers was given to the reviewer."""
        self._check("assignments.jsonl", [f"{key[0]} of {key[1]}" for key in answered if key not in self.assignments])

    def check_pairs(self) -> None:
        """Raises StoreError unless the sentences of every pair that was handed out are there."""
        pair_ids = dict.fromkeys(item.pair_id for item in self.assignments.values())
        self._check("pairs.jsonl", [pair_id for pair_id in pair_ids if pair_id and pair_id not in self.pairs])

    def _check(self, file: str, missing: Collection[str]) -> None:
        for one in missing:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise StoreError(f"{self.folder.path / file}: lacks {one}{others}; {FROM_VERSION_CONTROL}")

    def read_sheet(self, path: Path) -> QueueSheet:
        """Reads a sheet of this queue. Raises ReviewError if that is not possible."""
        return read_queue_sheet(path, self.language, self.kind, self.telling_sentences)


def read_contents(folder: QueueFolder, language: Language, info: QueueInfo | None = None) -> QueueContents:
    """Reads a queue's contents; `info` describes one that is being made.

    Raises ReviewError if there is no queue, StoreError if its files lack pairs, assignments or whole lines.
    """
    kind = (info or folder.info()).kind
    assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
    if not assignments and folder.find_info() is not None and (sheets := folder.received(())):
        path = folder.path / "assignments.jsonl"
        raise StoreError(f"{path}: nothing is assigned, though there is {sheets[0].name}; {FROM_VERSION_CONTROL}")
    contents = QueueContents(folder, kind, language, assignments, folder.pair_texts())
    contents.check_pairs()
    return contents
