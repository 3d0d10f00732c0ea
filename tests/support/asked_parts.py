"""Rules of an imagined grammar that a language model is asked about, and what it says."""

from typing import Any

from scripted_llm import Answers

from made_records import make_evidence, make_rule
from pairwright.core.records import Block, Contrast, Example, Licence, Rule

DEMAND = ("good: Number=Plur", "bad: Number=Sing")
EXAMPLES = (
    ("The dogs in the garden bark all night.", "The dogs in the garden barks all night."),
    ("Two children play behind our school.", "Two children plays behind our school."),
)


def agreement_rule(
    *,
    code: str = "7",
    description: str = "The verb agrees with a plural subject.",
    examples: tuple[tuple[str, str], ...] = EXAMPLES,
    licensed: bool | None = True,
    exceptions: tuple[str, ...] = (),
) -> Rule:
    """A rule of an imagined grammar; without `licensed` it has no contrast."""
    licence: Licence = "banned" if licensed else "none"
    evidence = make_evidence(description, file="grammar.pdf", page=12)
    shown = (evidence.model_copy(update={"quote": good}) for good, _ in examples)
    return make_rule(
        code,
        id=f"rule-{code}",
        source_id="grammar",
        title="Agreement",
        description=description,
        category="agreement",
        phenomenon="agreement",
        quote=description,
        page=12,
        examples=tuple(Example(good=g, bad=b, evidence=at) for (g, b), at in zip(examples, shown, strict=True)),
        evidence=(evidence,),
        exceptions=exceptions,
        contrast=None if licensed is None else Contrast(licence=licence, what="a plural verb", features=DEMAND),
    )


def book_block(number: int, **of: Any) -> Block:
    """A block of the grammar, an example unless another kind is named."""
    given = {"id": f"block-{number}", "source_id": "grammar", "kind": "example", "text": "", "file": "g.pdf", "page": 3}
    return Block(**given | {"reader": "hand"} | of)


def pairs(*items: dict[str, Any]) -> dict[str, Any]:
    """An answer of these pairs."""
    return {"pairs": [{"doubt": None, "translation": ""} | item for item in items]}


def always(*items: dict[str, Any]) -> Answers:
    """A model that gives these pairs to each question."""
    return lambda output, words: pairs(*items)
