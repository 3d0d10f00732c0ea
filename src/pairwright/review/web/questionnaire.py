"""What people agree to and say of themselves before a blind experiment.

It is personal data. So it stands apart from the answers, in a file that git ignores and others of the machine can't
read; it leaves only by its own export, and can be deleted by the reviewer's name. No release reads it.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ReviewError
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.store import append_log, write_log
from pairwright.core.tables import table_text
from pairwright.core.toml import read_toml
from pairwright.review.log.log import read_queue_log
from pairwright.review.log.queue import QueueFolder

QUESTIONNAIRE = "questionnaire.toml"
MAX_TEXT = 500
_FILE = ".questionnaire.jsonl"
_Line = Annotated[str, Field(min_length=1)]


class Question(Settings):
    """A question. Without `options` it takes words of the reader's own."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    text: _Line
    options: tuple[_Line, ...] = ()
    required: bool = False


class Questionnaire(Settings):
    """What stands in `questionnaire.toml` of the workspace: the text to agree to, and the questions."""

    consent: _Line
    questions: tuple[Question, ...] = ()

    @model_validator(mode="after")
    def _plain(self) -> Self:
        names = [question.name for question in self.questions]
        if len({*names, "consent"}) <= len(names):
            raise ValueError("the names of questions must differ, also from 'consent'")
        return self

    @property
    def consent_sha256(self) -> str:
        """By which a text that people agreed to is told from another one."""
        return digest(self.consent)

    def read(self, form: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]] | None:
        """The answers in a form, by question; None without consent, without a required answer or with one not offered.

        An answer in words is cut after MAX_TEXT characters.
        """
        answers: dict[str, tuple[str, ...]] = {}
        for question in self.questions:
            given = tuple(text for value in form.get(question.name, ()) if (text := value.strip()[:MAX_TEXT]))
            unknown = question.options and not set(given) <= set(question.options)
            if unknown or (question.required and not given) or len(given) > 1:
                return None
            answers[question.name] = given
        return answers if form.get("consent") == ["yes"] else None


class Participant(Record):
    """What one reviewer said. `consent_sha256` names the text that they agreed to."""

    reviewer: str
    at: str
    consent_sha256: str
    answers: dict[str, tuple[str, ...]]


def find_questionnaire(root: Path) -> Questionnaire | None:
    """The questionnaire of a workspace; None if it has none. Raises ConfigError."""
    path = root / QUESTIONNAIRE
    return read_toml(path, Questionnaire) if path.exists() else None


def participants(folder: QueueFolder) -> dict[str, Participant]:
    """What the reviewers of a queue said last, by reviewer."""
    return {one.reviewer: one for one in read_queue_log(folder.path / _FILE, Participant)}


def add_participant(
    folder: QueueFolder, questionnaire: Questionnaire, reviewer: str, answers: dict[str, tuple[str, ...]]
) -> None:
    """Stores what a reviewer said."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    path = folder.path / _FILE
    with folder.locked():
        path.touch(mode=0o600)
        consent = questionnaire.consent_sha256
        append_log(path, [Participant(reviewer=reviewer, at=at, consent_sha256=consent, answers=answers)])


def delete_participant(folder: QueueFolder, reviewer: str) -> None:
    """Deletes all that a reviewer said of themselves; the answers to items stay.

    Raises ReviewError if there is nothing of theirs.
    """
    path = folder.path / _FILE
    with folder.locked():
        stored = list(read_queue_log(path, Participant))
        rest = [one for one in stored if one.reviewer != reviewer]
        if len(rest) == len(stored):
            names = ", ".join(sorted({one.reviewer for one in stored})) or "nobody"
            raise ReviewError(
                f"{folder.path}: nothing of '{reviewer}' in the questionnaire; those who answered: {names}"
            )
        write_log(path, rest, permissions=0o600)


def table(folder: QueueFolder) -> str:
    """What the reviewers of a queue said last, as CSV."""
    said = participants(folder)
    names = list(dict.fromkeys(name for one in said.values() for name in one.answers))
    rows = (
        [reviewer, one.at, one.consent_sha256, *("; ".join(one.answers.get(name, ())) for name in names)]
        for reviewer, one in sorted(said.items())
    )
    return table_text([["reviewer", "at", "consent_sha256", *names], *rows])
