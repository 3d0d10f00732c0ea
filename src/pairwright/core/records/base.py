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


# The stages that make pairs: of language models, treebanks and seeds; and all candidates, also of a source's examples.
LLM_PAIRS = Stage(name="llm_pairs", version=15)
TREEBANK_PAIRS = Stage(name="treebank_pairs", version=5)
NO_MATCH = "no match: "
"""Begins the reason of a Rejection for a contrast that fits no words of a treebank; its text names the contrast."""
PROPOSED = Stage(name="proposed", version=3)
AUGMENTED = Stage(name="augmented", version=4)
PARADIGMS = Stage(name="paradigms", version=3)
DERIVED = (TREEBANK_PAIRS, PROPOSED, AUGMENTED, PARADIGMS)
"""The stages of pairs that carry a `derivation`."""
CANDIDATES = Stage(name="candidates", version=6)
