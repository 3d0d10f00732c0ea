"""The answers of language models about a grammar: drafts, to be verified against the book."""

from typing import Literal

from pydantic import BaseModel, Field

from pairwright.records import Licence

# How many sections one question asks about.
SECTIONS_AT_ONCE = 15
# How many licences one question is about.
LICENCES_AT_ONCE = 12

# A model is sent the schema with its docstrings and descriptions. The lengths of lists stand only there: they stop a
# model that repeats itself, and a longer list is still read.

Category = Literal[
    "agreement",
    "aspect, tense and mood",
    "case and government",
    "clause linkage",
    "determination and quantity",
    "negation",
    "pronouns and reference",
    "questions",
    "voice and valency",
    "word formation and inflection",
    "word order",
    "other",
]


class RuleDraft(BaseModel):
    """A rule as a language model proposes it, field by field in the order in which it should think."""

    quotation: str = Field(description="the words of the passage that state the rule, letter by letter")
    title: str = Field(description="a name for the rule of at most ten words, in English")
    description: str = Field(description="the rule in one to three sentences, in English")
    category: Category
    phenomenon: str = Field(description="the grammarians' name of the phenomenon, such as genitive of negation")
    examples: list[str] = Field(description="examples that show the rule, such as E1, E2b or (19)")
    exceptions: list[str] = Field(description="words of the passage that say where the rule does not hold")
    licence: Licence
    ground: str = Field(description="the words of the passage, letter by letter, that the licence rests on")
    contrast: str = Field(description="what the good sentence has and the bad one has not; for none, why no pair")
    features: list[str] = Field(description='such as "good: Case=Gen" and "bad: Case=Acc"; empty where unsure')


class ExtractedRules(BaseModel):
    """The rules of one passage; none is a good answer too."""

    rules: list[RuleDraft] = Field(json_schema_extra={"maxItems": 24})


class LicenceCheck(BaseModel):
    """Whether the licence of one rule, by its number, stands beside other passages of the book."""

    rule: int
    stands: bool
    against: str = Field(description="the words that speak against it or except something, letter by letter")


class LicenceChecks(BaseModel):
    """One check for every rule that was asked about."""

    checks: list[LicenceCheck] = Field(json_schema_extra={"maxItems": LICENCES_AT_ONCE})


class SectionChoice(BaseModel):
    """What one section is about, by the number it was given."""

    number: int
    about: Literal["grammar", "other"]


class SectionChoices(BaseModel):
    """The choices for all sections that were asked about."""

    choices: list[SectionChoice] = Field(json_schema_extra={"maxItems": SECTIONS_AT_ONCE})
