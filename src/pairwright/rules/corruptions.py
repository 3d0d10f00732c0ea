"""The rules of pairs whose bad sentence is a corrupted one of a treebank (ScaLA)."""

from collections.abc import Mapping
from typing import Literal

from pairwright.ids import content_id
from pairwright.records import Contrast, Rule, Source

Kind = Literal["delete", "flip_neighbours"]

DECLARED_IN = "docs/scala.md"
_TITLES: Mapping[Kind, str] = {
    "delete": "A word is missing",
    "flip_neighbours": "Two neighbouring words have changed places",
}
_LITERATURE = "Nielsen (2023), ScandEval: A Benchmark for Scandinavian Natural Language Processing, section 3.4"


def corruption_rules(source: Source) -> dict[Kind, Rule]:
    """The rule of each kind of corruption. That the bad sentence is bad is likely, not certain: reviewers decide."""
    return {kind: _rule(source, kind, title) for kind, title in _TITLES.items()}


def _rule(source: Source, kind: Kind, title: str) -> Rule:
    return Rule(
        id=content_id("rule", source.id, "corruption", kind),
        source_id=source.id,
        code=f"scala-{kind.replace('_', '-')}",
        title=title,
        description=f"{title}. Reject the pair where the sentence is still right.",
        category="corruption",
        phenomenon="missing word" if kind == "delete" else "word order",
        block_ids=(),
        quote="",
        page=1,
        notes=(_LITERATURE,),
        extracted_by="scala",
        contrast=Contrast(licence="obligatory", what=title),
        declared_in=DECLARED_IN,
    )
