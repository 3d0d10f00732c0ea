"""The models that the answers of language models must fit. The prompts' files name them.

Their docstrings are part of the JSON schemas that servers get, so to change one is to ask another question.
"""

from pydantic import BaseModel


class GeneratedPair(BaseModel):
    """A pair as a model proposes it; `contrast` is what it takes for the features of the changed words."""

    good: str
    bad: str
    translation: str
    contrast: str


class GeneratedPairs(BaseModel):
    """The answer to `generate_pairs`."""

    pairs: list[GeneratedPair]


class Instance(BaseModel):
    """A correct sentence in which a rule decides a form."""

    sentence: str
    translation: str


class Instances(BaseModel):
    """The answer to `instantiate_rule`."""

    sentences: list[Instance]


class Violation(BaseModel):
    """The answer to `violate_rule`: the sentence with the rule broken, empty where it can't be."""

    bad: str
    contrast: str
