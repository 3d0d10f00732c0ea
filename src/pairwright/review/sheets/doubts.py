"""Doubts about what reviewers send: why a file, a row or a cell is not imported, and where it is."""

from enum import Enum

from pairwright.core.records import Record
from pairwright.review.sheets.decoding import REMEDY


class DoubtReason(Enum):
    """Why something is in doubt. The value is the message, with a blank for each of the doubt's details."""

    FILE_UNREADABLE = "{}"
    BYTES_DAMAGED = "some bytes are no text in any encoding; the file is kept as {}"
    SHEET_BEHIND = "{} (until then it lacks {}, which the log has)"
    ABOVE_TITLES = "stands above the column titles"
    OWN_COLUMN = "in a column that is not the queue's"
    UNTITLED_COLUMN = (
        "stands in a column without a title; give the column one, or put quotation marks around a cell that contains "
        "the separator"
    )
    OPEN_QUOTE = f"a quotation mark is not closed, or stands inside a cell without being doubled; mend it, or {REMEDY}"
    OTHER_REVIEWER = "the row is of '{}', the file of '{}'; keep them apart"
    NO_REVIEWER = "the row names no reviewer; write the name, or give --reviewer"
    UNKNOWN_REVIEWER = "unknown reviewer '{}'; known: {}"
    NO_PAIR = "the row has no pair; put the id back, or move your notes into a pair's row"
    NOT_GIVEN = "{} was not given to '{}'; leave it to whose it is"
    UNKNOWN_PAIR = "unknown pair '{}'; put the id back as it was exported, or move the row away"
    LETTERS_LOST = f"letters were lost when the file was saved; {REMEDY} and check your cells"
    SENTENCE_CHANGED = "the sentence was changed; put it back and write into '{}'"
    UNKNOWN_DECISION = "unknown decision '{}'; write one of: {}"
    MISSPELT_DECISION = "unknown decision '{}'; did you mean '{}'? write one of: {}"
    FIX_NOT_DECIDED = "a corrected sentence needs the decision '{}'; write it, or empty this cell"
    NO_CORRECTION = "'{}' needs a corrected sentence; write it into '{}' or '{}'"
    NO_ALTERNATIVE = "'{}' is not the number of a listed correction, of which there are {}; write one or a sentence"
    SENTENCES_EQUAL = "both sentences are the same after the correction; a pair must differ"
    FORMULA = "a corrected sentence is a formula of the spreadsheet; write the sentence"
    NOTHING_CORRECTED = "the corrected sentences are those of the pair; correct one, or write '{}'"
    NO_CHOICE = "'{}' is no answer; write A or B"
    NO_RATING = "'{}' is no answer; write a whole number from 1 to 7"
    ANSWERS_DIFFER = "{} has different answers in {}; keep one of them"
    OVERTAKEN = "an earlier answer of {}, changed since ({}); the later one stands"
    ONLY_COMMENT = (
        "a comment without an answer, where {} answered before; the answer stands, and the comment is in quarantine"
    )


class Doubt(Record):
    """Something that is not imported.

    place    file, row and column as `file:row:column`, with the title of the column; empty if the details name it
    details  what fills the blanks of the reason's message
    """

    reason: DoubtReason
    place: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        message = self.reason.value.format(*self.details)
        return f"{self.place}: {message}" if self.place else message
