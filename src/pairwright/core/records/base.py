"""What all records share, and what a stage leaves behind: its version and what it could not use."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stage(Record):
    """A stage's name, which names its files, and its version, raised whenever its code gives other results."""

    name: str
    version: int


class Rejection(Record):
    """Something that a stage could not turn into a record: kept with its place and the reason, never guessed."""

    stage: str
    source_id: str
    reason: str
    text: str
    file: str
    page: int | None = None
    line: int | None = None
    column: int | None = None
