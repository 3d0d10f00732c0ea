"""The models that the answers of language models must fit. The prompts' files name them.

Their docstrings are part of the JSON schemas that servers get, so to change one is to ask another question. A `reading`
comes before the sentences, so that a model looks for one before it commits itself.
"""

from pydantic import BaseModel


class GeneratedPair(BaseModel):
    """A pair; `reading` is the most natural reading in which the bad sentence would be right, null without any."""

    reading: str | None
    good: str
    bad: str
    translation: str


class GeneratedPairs(BaseModel):
    """The answer to `generate_pairs`."""

    pairs: list[GeneratedPair]


class GroundedPair(BaseModel):
    """A pair made from the attested sentence whose number is `base`; `reading` as the prompt explains it."""

    reading: str | None
    base: int
    good: str
    bad: str
    translation: str


class GroundedPairs(BaseModel):
    """The answer to `ground_pairs`."""

    pairs: list[GroundedPair]


class Instance(BaseModel):
    """A correct sentence in which a rule decides a form."""

    sentence: str
    translation: str


class Instances(BaseModel):
    """The answer to `instantiate_rule`."""

    sentences: list[Instance]


class Violation(BaseModel):
    """The numbered sentence with the rule broken, empty where it can't be; `reading` as the prompt explains it."""

    sentence: int
    reading: str | None
    bad: str


class Violations(BaseModel):
    """The answer to `violate_rule`."""

    violations: list[Violation]
