"""What a person says of the rules of a grammar, in `rules.toml` beside its source: it goes before what a model says."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pairwright.core.config import Settings
from pairwright.core.errors import SourceError
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Contrast, Evidence, Rejection, Rule
from pairwright.core.records.rules import Licence
from pairwright.core.text import comparison_key
from pairwright.core.toml import read_toml
from pairwright.sources import PROPOSED
from pairwright.sources.grammar.rules.quotations import evidence, find_quotation

FILE = "rules.toml"
_Text = Annotated[str, Field(min_length=1)]


class _Word(Settings):
    """licence  none: the rule gives no pairs; what: what the good sentence has and the bad one lacks"""

    licence: Licence
    what: str = ""
    features: tuple[str, ...] = ()
    why: str = ""


class _Added(_Word):
    """words, labels  by which sentences of the rule are found: the source's words or affixes, and its gloss labels"""

    licence: Licence = "obligatory"
    what: _Text
    title: _Text
    description: _Text
    page: int
    quote: str = ""
    words: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


class OwnRules(Settings):
    """`overrule` by a rule's id, and the rules that a person adds."""

    overrule: dict[str, _Word] = Field(default_factory=dict)
    add: tuple[_Added, ...] = ()


def own_rules(folder: Path) -> OwnRules:
    """What the file in a source's folder says; nothing without the file. Raises SourceError for a faulty one."""
    path = folder / FILE
    return read_toml(path, OwnRules, SourceError) if path.exists() else OwnRules()


def overruled(
    own: OwnRules, rules: Iterable[Rule], blocks: Sequence[Block], source_id: str
) -> Iterator[Rule | Rejection]:
    """The rules as a person wants them, then those that are added; a Rejection for what can't be done."""

    def rejection(reason: str, text: str) -> Rejection:
        return Rejection(stage="rules", source_id=source_id, file=FILE, page=None, reason=reason, text=text)

    left = dict(own.overrule)
    for rule in rules:
        word = left.pop(rule.id, None)
        if word is None:
            yield rule
            continue
        proposed = next((it.removeprefix(PROPOSED) for it in rule.notes if it.startswith(PROPOSED)), "")
        was = rule.contrast.what if rule.contrast and (rule.contrast.licensed or word.licence == "none") else proposed
        what = word.what or (word.why if word.licence == "none" else "") or was
        if not what:
            yield rejection(f"{rule.id} has no contrast yet; write what the good sentence has, as what", rule.title)
            yield rule
            continue
        features = word.features or (rule.contrast.features if rule.contrast and word.licence != "none" else ())
        contrast = Contrast(licence=word.licence, what=what, features=features)
        note = f"a person decided: {word.licence}" + (f", {word.why}" if word.why else "")
        yield rule.model_copy(update={"contrast": contrast, "notes": (*rule.notes, note)})
    for rule_id in left:
        yield rejection(f"there is no rule {rule_id} now; pairwright show {source_id} --html shows the ids", rule_id)
    for added in own.add:
        of_page = [block for block in blocks if block.page == added.page]
        quoted = evidence(find_quotation(added.quote, of_page), of_page) if added.quote else ()
        if not of_page or (added.quote and not quoted):
            missing = "the quotation does not stand on it" if of_page else "the source does not have it"
            yield rejection(f"page {added.page}: {missing}", added.title)
            continue
        yield _rule(added, quoted or (Evidence.at(of_page[0], added.description),), of_page[0], source_id)


def _rule(added: _Added, quoted: tuple[Evidence, ...], first: Block, source_id: str) -> Rule:
    key = content_id("rule", source_id, "own", comparison_key(f"{added.title} {added.description}"))
    return Rule(
        id=key,
        source_id=source_id,
        code=f"own-{key[-4:]}",
        title=added.title,
        description=added.description,
        category="own",
        phenomenon=added.title,
        section=first.section,
        block_ids=tuple(dict.fromkeys(item.block_id for item in quoted)),
        quote=" ".join(item.quote for item in quoted),
        page=added.page,
        line=quoted[0].line,
        notes=(f"a person added it{f': {added.why}' if added.why else ''}",),
        extracted_by=FILE,
        evidence=quoted,
        words=added.words,
        labels=added.labels,
        contrast=Contrast(licence=added.licence, what=added.what, features=added.features),
    )
