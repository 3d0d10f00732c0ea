"""The contents of a review queue, against which sheets are read and written."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from pairwright.languages import Language
from pairwright.records import QueueKind
from pairwright.review.log.entries import Key
from pairwright.review.log.folder import Assignment, Pair, QueueFolder, QueueInfo
from pairwright.review.sheets.columns import QueueSheet, read_queue_sheet
from pairwright.review.sheets.typography import plain
from pairwright.review.sheets.vocabulary import DecisionVocabulary

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

    def read_sheet(self, path: Path) -> QueueSheet:
        """Reads a sheet of this queue. Raises ReviewError if that is not possible."""
        return read_queue_sheet(path, self.language, self.kind, self.telling_sentences)


def read_contents(folder: QueueFolder, language: Language, info: QueueInfo | None = None) -> QueueContents:
    """Reads a queue's contents; `info` describes one that is being made. Raises ReviewError if there is neither."""
    kind = (info or folder.info()).kind
    assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
    return QueueContents(folder, kind, language, assignments, folder.pair_texts())
