"""What a frames file says: the orders of a language, the pronouns of dropped subjects, and subordinate clauses."""

from pathlib import Path
from string import Formatter
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError
from pairwright.core.ids import read_toml
from pairwright.core.records import BASELINE
from pairwright.languages import Language, resource, resource_names
from pairwright.languages.features import Features, parse_features

ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")
FOLDER = "frames"


def _valid_bundles(bundles: Any) -> Any:
    for bundle in [bundles] if isinstance(bundles, str) else bundles:
        parse_features(bundle)
    return bundles


class Clause(Settings):
    """A subordinate clause: a condition of paradigms.

    template    the sentence, with `{clause}` for the seed's words and, where the matrix clause has its subject, `{S}`
    verb        features that the verb gets, such as `VerbForm=Ger|Tense=Pres`; empty where it stays as it is
    agrees      names of features that the verb takes over from the subject
    subject     features that the subject gets, such as `Case=Dat`
    verb_is, subject_is  features that the seed's verb and subject must have
    without     features that neither the verb nor a word that goes with it may have
    clashes     lemmas that contradict the matrix clause, such as `now` where it is in the past
    """

    condition: Annotated[str, Field(pattern=r"^[^\s,=;\[\]]+$")]
    template: str
    verb: str = ""
    agrees: tuple[str, ...] = ()
    subject: str = ""
    verb_is: str = ""
    subject_is: str = ""
    without: tuple[str, ...] = ()
    clashes: tuple[str, ...] = ()

    _bundles = field_validator("verb", "subject", "verb_is", "subject_is", "without")(_valid_bundles)

    @field_validator("template")
    @classmethod
    def _has_clause(cls, text: str) -> str:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
        if names.count("clause") != 1 or not set(names) <= {"clause", "S"}:
            raise ValueError("a template has {clause} once, and may have {S}")
        return text


class Frames(Settings):
    """The frames of a language.

    orders     the orders of subject, object and verb that the language permits
    subject    the relations to the verb by which trees name its subject
    object     the same for its object; relations after the first count where the pair's change is in them
    leading    relations of words that stay first in any order, such as a conjunction
    agreeing   relations of words that stand in the case of the noun they belong to
    pronouns   the pronoun of a dropped subject by the verb's features, such as `Person=1|Number=Sing`
    impersonal features of verbs that also stand without any subject: none is put in where a tree has none
    letters    of the language, which tell the capital of i; `load_frames` fills them in
    """

    orders: tuple[str, ...] = ORDERS
    subject: tuple[str, ...] = ("nsubj",)
    object: tuple[str, ...] = ("obj",)
    leading: tuple[str, ...] = ("cc", "mark", "discourse")
    agreeing: tuple[str, ...] = ()
    pronouns: dict[str, str] = Field(default_factory=dict)
    impersonal: str = ""
    letters: str = ""
    clauses: tuple[Clause, ...] = ()

    @field_validator("orders")
    @classmethod
    def _known_orders(cls, orders: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := set(orders) - set(ORDERS):
            raise ValueError(f"'{min(unknown)}' is no order; the orders are {', '.join(ORDERS)}")
        return orders

    _bundles = field_validator("pronouns", "impersonal")(_valid_bundles)

    @model_validator(mode="after")
    def _distinct_conditions(self) -> "Frames":
        names = self.conditions
        double = next((name for name in names if names.count(name) > 1 or name == BASELINE), None)
        if double:
            raise ValueError(f"condition '{double}' is taken; give the clause another one")
        return self

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of all conditions: the orders, then the clauses."""
        return (*self.orders, *(clause.condition for clause in self.clauses))

    def pronoun(self, features: Features) -> str | None:
        """The pronoun that stands for a subject, by the features of the verb; None where the file has none."""
        fitting = (word for bundle, word in self.pronouns.items() if parse_features(bundle) <= features)
        return next(fitting, None)


def load_frames(language: Language, workspace: Path | None = None) -> Frames:
    """The frames of a language, from the workspace's `frames/<code>.toml` or the package's.

    Raises ConfigError where no file is there, or it has a fault such as an unknown key.
    """
    code = language.code
    known = code in resource_names(FOLDER, workspace)
    frames = read_toml(resource(FOLDER, code if known else code.split("-")[0], workspace), Frames)
    return frames.model_copy(update={"letters": language.letters})


def chosen_conditions(frames: Frames, names: tuple[str, ...], language: Language) -> tuple[str, ...]:
    """The conditions that a user names, all where none is named. Raises ConfigError for one that the file lacks."""
    for name in names:
        if name not in frames.conditions:
            known = ", ".join(frames.conditions)
            raise ConfigError(f"--conditions {name}: unknown condition; frames/{language.code}.toml has {known}")
    return names or frames.conditions
