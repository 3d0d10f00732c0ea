"""From grammar books to rules: a language model reads their syntax and morphology, and the book verifies its answers.

A rule is kept only where its quotation stands in the book and its examples are the book's own blocks. It licenses a
minimal pair only where words of the book rule something out or oblige, and none elsewhere in the book say otherwise.
What a person says of the rules, in `rules.toml` beside the source, goes before what a model says.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field, field_validator

from pairwright.core.config import RuleSettings, SectionPatterns, Settings
from pairwright.core.errors import SourceError, counted, one_line
from pairwright.core.ids import content_id, read_toml
from pairwright.core.records import Block, Contrast, Evidence, Example, Rejection, Rule, Source
from pairwright.core.records.rules import Licence
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language, load_language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.languages.linguistics.glosses import SURE_LABEL
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts import load_prompt
from pairwright.sources import PROPOSED, STAGE, rejection, said
from pairwright.sources.grammar.rules.drafts import (
    BRACKETS,
    ExtractedRules,
    Grammar,
    StatedRule,
    TextSpan,
    distinct,
    evidence,
    find_quotation,
    refers_only,
    says_enough,
    verify,
)
from pairwright.sources.grammar.rules.passages import (
    Item,
    Window,
    grammar_windows,
    paragraphs,
    section_number,
    sections_left_out,
    sentences,
    shortened,
)

FILE = "rules.toml"
PROMPTS = ("extract_rules", "question_licences")
_Text = Annotated[str, Field(min_length=1)]

# How much of the shorter quotation both have, and how similar two such rules must be; those that demand the same.
_OVERLAP, _SIMILAR, _SIMILAR_IN_DEMAND = 0.5, 0.35, 0.7
_STEM = 6
# How many licences one question is about, how many sentences from elsewhere and how many examples with its labels it
# shows for each, and how many characters of a passage.
LICENCES_AT_ONCE, _MOST, _EXAMPLES, _LONGEST = 16, 2, 3, 600
# Labels that more examples have tell little of a rule.
_COMMON = 40
# A sentence elsewhere must share so many content words with a rule; where nothing else ties it to the rule, more, and
# this much of their weight.
_LEAST_STEMS, _LEAST_BY_WORDS, _LEAST_SHARE = 2, 3, 0.3
_SECTION_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)+")
_PAGE, _WORD = re.compile(r"\b(?:page|p\.)\s*(\d+)\b"), re.compile(r"\w+")
# Why the words of the book license no pair, by how it puts the rule.
_UNLICENSED = {
    "forms": "the book says which forms there are and what they mean",
    "report": "the book reports what its data have",
    "tendency": "the book calls it a tendency",
    "option": "the book gives other forms for the same",
}


def merge(statements: Iterable[StatedRule], english: Language) -> Iterator[StatedRule]:
    """The rules that the answers about a book state, in the order of the book, each with all the evidence.

    Two answers state one rule where their quotations overlap by half and they say similar things (Dice's coefficient of
    the stems of their content words), or where they demand the same features of the same words in similar words, as the
    introduction of a chapter and its sections do.
    """
    function_words = frozenset({*english.function_words, *english.adpositions})
    clusters: list[tuple[list[StatedRule], frozenset[str]]] = []
    near: dict[Hashable, list[int]] = defaultdict(list)

    def place(stated: StatedRule) -> tuple[object, ...]:
        # At one place, the longest quotation comes first. Answers may come in any order.
        rule, is_unlicensed = stated.rule, not stated.contrast.licensed
        return (stated.place, -_length(stated.spans), is_unlicensed, rule.title, rule.description, rule.asked[0].reply)

    for stated in sorted(statements, key=place):
        rule = stated.rule
        text = f"{rule.title} {rule.description} {rule.phenomenon}".casefold()
        stems = frozenset(word[:_STEM] for word in words(text) if word not in function_words)
        # Only rules that share a block or a demand can be one.
        keys: set[Hashable] = {*rule.block_ids, *filter(None, [stated.contrast.features])}
        fits = {index: _fit(*clusters[index], stated, stems) for key in keys for index in near[key]}
        best = max(sorted(fits), key=lambda index: fits[index], default=None)
        if best is None or fits[best] <= 0:
            best = len(clusters)
            clusters.append(([], stems))
        clusters[best][0].append(stated)
        for key in keys:
            near[key].append(best)
    used: set[str] = set()
    yield from (_one(members, used) for members, _ in clusters)


def _length(spans: Sequence[TextSpan]) -> int:
    return sum(span.end - span.start for span in spans)


def _fit(members: Sequence[StatedRule], of_first: frozenset[str], stated: StatedRule, stems: frozenset[str]) -> float:
    """How well a rule fits others, with the stems of the first one; 0 where it is another rule."""
    shared = max(_overlap(other.spans, stated.spans) for other in members)
    similarity = _dice(of_first, stems)
    needed = _SIMILAR if shared >= _OVERLAP else _SIMILAR_IN_DEMAND
    alike = shared >= _OVERLAP
    for other in members:
        # Rules that demand the same of words that may be the same; one of them names its words.
        named, others, features = set(other.rule.words), set(stated.rule.words), stated.contrast.features
        may_be = bool(named | others) and (not (named and others) or not named.isdisjoint(others))
        alike |= may_be and bool(features) and other.contrast.features == features
    # One answer tells its own rules apart.
    told_apart = any(other.rule.asked == stated.rule.asked for other in members)
    return shared + similarity if alike and similarity >= needed and not told_apart else 0.0


def _dice(one: Set[str], other: Set[str]) -> float:
    return 2 * len(one & other) / max(len(one) + len(other), 1)


def _overlap(one: Sequence[TextSpan], other: Sequence[TextSpan]) -> float:
    """The share of the shorter of two quotations that both have, 0-1."""
    pairs = ((a, b) for a in one for b in other if a.block_id == b.block_id)
    common = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in pairs)
    return common / max(1, min(_length(one), _length(other)))


def _one(members: Sequence[StatedRule], used: set[str]) -> StatedRule:
    """The first of several statements of a rule, with the evidence, examples, answers and best founded licence of all.

    A passage may be cut before the words that license pairs. The id is made of the section and the words quoted; where
    two rules quote the same words, also of what they say.
    """
    joined, of_first = join_rules([member.rule for member in members]), members[0].contrast
    licensed = [member.contrast for member in members if member.contrast.licensed]
    best = min(licensed, key=lambda contrast: contrast.licence != "banned", default=of_first)
    features = next((contrast.features for contrast in licensed if contrast.features), best.features)
    parts, number = (
        [joined.source_id, list(joined.section), comparison_key(joined.quote)],
        section_number(joined.section),
    )
    said = (joined.title, joined.description, *of_first.features, of_first.what, joined.asked[0].reply)
    rule_id = content_id("rule", *parts)
    for text in filter(None, said):
        if rule_id in used:
            parts.append(comparison_key(text))
            rule_id = content_id("rule", *parts)
    used.add(rule_id)
    merged = {
        "id": rule_id,
        "code": f"{number}-{rule_id[-4:]}" if number else rule_id[-8:],
        "contrast": best.model_copy(update={"features": features}),
    }
    shown = frozenset[str]().union(*(member.shown for member in members))
    return members[0]._replace(rule=joined.model_copy(update=merged), shown=shown)


def join_rules(rules: Sequence[Rule]) -> Rule:
    """The first of some rules with the evidence, the examples and the words of all."""

    def unique(parts: Iterable[Iterable[object]]) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(parts)))

    gathered = ("evidence", "example_ids", "notes", "exceptions", "words", "labels", "asked")
    of_all: dict[str, Any] = {name: unique(getattr(rule, name) for rule in rules) for name in gathered}
    of_all["block_ids"] = unique([[item.block_id for item in of_all["evidence"]], of_all["example_ids"]])
    of_all["examples"] = distinct(example for rule in rules for example in rule.examples)
    return rules[0].model_copy(update=of_all)


class _Word(Settings):
    """licence  none: the rule gives no pairs; what: what the good sentence has and the bad one lacks"""

    licence: Licence
    what: str = ""
    features: tuple[str, ...] = ()
    why: str = ""

    @field_validator("features")
    @classmethod
    def _readable(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        return show_demand(parse_demand(lines))


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
        was = next((it.removeprefix(PROPOSED) for it in rule.notes if it.startswith(PROPOSED)), "")
        if rule.contrast and (rule.contrast.licensed or word.licence == "none"):
            was = rule.contrast.what
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
        quoted = quoted or (Evidence.at(of_page[0], added.description),)
        key = content_id("rule", source_id, "own", comparison_key(f"{added.title} {added.description}"))
        yield Rule(
            **added.model_dump(include={"title", "description", "page", "words", "labels"}),
            id=key,
            source_id=source_id,
            code=f"own-{key[-4:]}",
            category="own",
            phenomenon=added.title,
            section=of_page[0].section,
            block_ids=tuple(dict.fromkeys(item.block_id for item in quoted)),
            quote=" ".join(item.quote for item in quoted),
            line=quoted[0].line,
            notes=(f"a person added it{f': {added.why}' if added.why else ''}",),
            extracted_by=FILE,
            evidence=quoted,
            contrast=Contrast(licence=added.licence, what=added.what, features=added.features),
        )


class Doubt(NamedTuple):
    """A licensed rule with the sentences that state it and those beside them, sentences `elsewhere` that may speak
    against it, `examples` of the book that have all its gloss labels, and the `stems` of its content words.
    """

    rule: Rule
    own: list[Item]
    elsewhere: list[Item]
    examples: list[str]
    stems: set[str]


class LicenceCheck(BaseModel):
    """Whether the licence of one rule, by its number, stands; the fields in the order in which to think."""

    rule: int
    same_as: int
    basis: Literal["requirement", "forms", "report", "tendency", "option"]
    good_as: str
    against: str
    exception: str


class LicenceChecks(BaseModel):
    """One check for every rule that was asked about."""

    checks: list[LicenceCheck] = Field(json_schema_extra={"maxItems": LICENCES_AT_ONCE})


def doubts_of(rules: Iterable[StatedRule], blocks: Iterable[Block], prose: Sequence[Language]) -> Iterator[Doubt]:
    """The licensed rules, each with what the book says where it states it, and what bears most on it elsewhere.

    Sentences elsewhere, of other passages than those from which the rule was taken, are about its section or page, or
    name a gloss label of it; or they permit something or make exceptions, and stand in its section or have its words.
    """
    common = frozenset(word for it in prose for word in (*it.function_words, *it.adpositions, *it.common_words))
    abbreviations = frozenset(word.casefold() for it in prose for word in it.abbreviations)
    weakens = word_pattern(*(word for it in prose for word in (*it.permissions, *it.concessions)))

    def stems_of(text: str) -> set[str]:
        return {word[:_STEM] for word in words(text.casefold()) if word not in common and not word.isdigit()}

    kinds = {"paragraph", "list_item", "footnote", "caption"}
    listed = list(blocks)
    unread = sections_left_out(listed, SectionPatterns(), prose)
    bearing = (block for block in listed if block.kind in kinds and block.section not in unread)
    chains = [list(sentences(chain, abbreviations)) for chain in paragraphs(bearing)]
    chain_of = {block.id: chain for chain in chains for item in chain for block in item.blocks}
    items = [item for chain in chains for item in chain]
    known = [(item, stems_of(item.text), _references(item.text)) for item in items]
    # A large book has too many sentences for every rule to be held against each.
    weakening = {at for at, item in enumerate(items) if weakens.search(item.text)}
    referring: dict[str, set[int]] = defaultdict(set)
    saying: dict[str, set[int]] = defaultdict(set)
    for at, item in enumerate(items):
        # A reference in brackets only says where more is said.
        for reference in _references(BRACKETS.sub("", item.text)):
            referring[reference].add(at)
        for word in _WORD.findall(item.text.casefold()):
            saying[word].add(at)
    counts = Counter(stem for _, stems, _ in known for stem in stems)
    # The inverse document frequency.
    rarity = {stem: math.log(1 + len(known) / count) for stem, count in counts.items()}
    for rule, shown in ((stated.rule, stated.shown) for stated in rules if stated.contrast.licensed):
        text = " ".join([rule.title, rule.description, rule.phenomenon, *(item.quote for item in rule.evidence)])
        places = {section_number(rule.section), f"p. {rule.page}"}
        refer = set[int]().union(*(referring.get(place, ()) for place in places))
        labelled = set[int]().union(*(saying.get(label.casefold(), ()) for label in SURE_LABEL.findall(text)))
        own, names = stems_of(text), word_pattern(*rule.words)
        whole, ranked = sum(rarity.get(stem, 0) for stem in own), []
        for at in sorted(weakening | refer | labelled):
            (item, stems, references), n_shared = known[at], len(known[at][1] & own)
            sure = 2 * (at in refer) + (at in labelled)
            weight = math.fsum(rarity[stem] for stem in stems & own)
            tied = item.blocks[0].section == rule.section or names.search(item.text) or references & places
            by_words = n_shared >= _LEAST_BY_WORDS and weight >= _LEAST_SHARE * whole
            bears = sure or by_words or (tied and n_shared >= _LEAST_STEMS)
            if bears and not any(comparison_key(item.text) in passage for passage in shown):
                ranked.append((at in weakening, sure, weight, item))
        ranked.sort(key=lambda option: option[:-1], reverse=True)
        elsewhere = [option[-1] for option in ranked[:_MOST]]
        yield Doubt(rule, _stating(rule, chain_of), elsewhere, _labelled(rule, listed), own)


def grouped(doubts: Iterable[Doubt]) -> Iterator[list[Doubt]]:
    """The doubts that one question is about: rules that say similar things, as two of them may make the same point.

    Each group begins with the first rule that is left and takes those that are most like one in it.
    """
    left = dict(enumerate(doubts))
    while left:
        likest = dict.fromkeys(left, 0.0)
        group: dict[int, Doubt] = {}
        while left and len(group) < LICENCES_AT_ONCE:
            at = max(left, key=lambda number: (likest[number], -number))
            group[at] = left.pop(at)
            likest |= {number: max(likest[number], _dice(group[at].stems, left[number].stems)) for number in left}
        yield [group[at] for at in sorted(group)]


def _stating(rule: Rule, chain_of: Mapping[str, list[Item]]) -> list[Item]:
    """The sentences with the words that a rule rests on, and those next to them."""
    shown: dict[Item, None] = {}
    ground = rule.contrast.evidence if rule.contrast else None
    for place in (ground, *rule.evidence) if ground else rule.evidence:
        chain, quoted = chain_of.get(place.block_id, []), comparison_key(place.quote)
        keys = [comparison_key(item.text) for item in chain]
        at = [number for number, key in enumerate(keys) if key and (quoted in key or key in quoted)]
        shown |= dict.fromkeys(chain[max(0, at[0] - 1) : at[-1] + 2] if at else ())
    return list(shown)


def _labelled(rule: Rule, blocks: Iterable[Block]) -> list[str]:
    """Examples with all gloss labels that a rule names, beside its own; none where the labels are common."""
    wanted, found = set(SURE_LABEL.findall(" ".join(rule.labels))), list[str]()
    for block in (it for it in blocks if wanted and it.gloss and it.id not in rule.example_ids):
        for _, leaf in block.gloss.leaves() if block.gloss else ():
            gloss = " ".join(leaf.glosses[0]) if leaf.glosses else ""
            if wanted.issubset(SURE_LABEL.findall(gloss)) and not leaf.judgement:
                found.append(f"{leaf.object_line} = {gloss} ‘{leaf.translation or ''}’")
    return found[:_EXAMPLES] if len(found) <= _COMMON else []


def _references(text: str) -> set[str]:
    """The sections and pages that a text names: `3.1.2`, `p. 7`."""
    return {*_SECTION_NUMBER.findall(text), *(f"p. {page}" for page in _PAGE.findall(text))}


def show_doubts(doubts: Sequence[Doubt]) -> str:
    """Rules with a number, what they say, and the letters of the passages below them that may bear on them."""
    passages = list(dict.fromkeys(item for doubt in doubts for item in doubt.elsewhere))
    lines = []
    for number, doubt in enumerate(doubts, start=1):
        rule, what = doubt.rule, doubt.rule.contrast.what if doubt.rule.contrast else ""
        own = " ".join(item.text for item in doubt.own) or rule.quote
        lines += [f"{number}. {rule.title}: {shortened(rule.description)}", f"   pair: {what}"]
        lines.append(f"   page {rule.page}, {_headings(rule.section)}: {one_line(squeeze(own), 2 * _LONGEST)}")
        lines += [f"   example: {shortened(example)}" for example in doubt.examples]
        if compared := [f"P{passages.index(item) + 1}" for item in doubt.elsewhere]:
            lines.append(f"   compare {', '.join(compared)}")
    for number, item in enumerate(passages, start=1):
        block = item.blocks[0]
        text = one_line(squeeze(item.text), _LONGEST)
        lines.append(f"P{number}. page {block.page}, {_headings(block.section)}: {text}")
    return "\n".join(lines)


def _headings(section: Sequence[str]) -> str:
    """The last two headings over a passage: those of a chapter and a section tell more than a long path."""
    return " > ".join(map(squeeze, section[-2:])) or "without a heading"


def checked(doubt: Doubt, check: LicenceCheck | None, reason: str) -> Rule:
    """The rule as a check leaves it: without its licence, or with an exception.

    Without a usable check, or where its words do not stand in the book, the rule stays, with a note that says why.
    """
    rule = doubt.rule
    if rule.contrast is None or check is None:
        return _with(rule, f"its licence was not compared with what the book says: {reason}")
    blocks = list({block.id: block for item in (*doubt.own, *doubt.elsewhere) for block in item.blocks}.values())
    against, narrowing = (
        evidence(find_quotation(quote, blocks), blocks) if says_enough(quote) else ()
        for quote in (check.against, "" if refers_only(check.exception) else check.exception)
    )
    if check.basis != "requirement":
        what = _UNLICENSED[check.basis]
    elif good_as := said(check.good_as):
        what = f"the bad sentence is a good one as well: {shortened(good_as)}"
    elif against:
        what = f"the book says otherwise on page {against[0].page}: {shortened(against[0].quote)}"
    else:
        strange = f"words were named against it that do not stand in the book: {shortened(check.against)}"
        exceptions = tuple(dict.fromkeys((*rule.exceptions, *(squeeze(it.quote) for it in narrowing))))
        return _with(rule, *([strange] if said(check.against) else ()), exceptions=exceptions)
    fallen = Contrast(licence="none", what=what, evidence=rule.contrast.evidence, against=against)
    return _with(rule, f"{PROPOSED}{rule.contrast.what}", contrast=fallen)


def _with(rule: Rule, *notes: str, **fields: object) -> Rule:
    return rule.model_copy(update={"notes": (*rule.notes, *notes), **fields})


class GrammarReader:
    """A grammar whose rules a language model finds, by the blocks of the whole document in reading order.

    Raises ConfigError and PromptError for an unusable language file or prompt, in the `workspace` or our own.
    """

    def __init__(
        self,
        blocks: Iterable[Block],
        source: Source,
        language: Language,
        settings: RuleSettings,
        workspace: Path | None = None,
    ) -> None:
        self._source, self._language, self._settings = source, language, settings
        self._prompts = {name: load_prompt(name, workspace=workspace) for name in PROMPTS}
        self._prose = tuple(load_language(code, workspace) for code in source.written_in)
        self._english = load_language("en", workspace)
        self._blocks = list(blocks)
        self._left_out = sections_left_out(self._blocks, settings.patterns(source.id), self._prose)

    def rules(
        self, asks: Completer, pairs_by_block: Mapping[str, Sequence[Example]] | None = None
    ) -> Iterator[Rule | Rejection]:
        """The rules in the order of the grammar, and a Rejection for what was left out or could not be verified.

        pairs_by_block  the pairs in the book's marked examples, by block: for the rules that refer to the example

        They come when all passages are answered, as one may speak against a rule of another. Raises LLMError and
        BudgetError.
        """
        text = (block for block in self._blocks if block.kind != "heading")
        for path, group in groupby(text, key=lambda block: block.section):
            if reason := self._left_out.get(path):
                first, *others = group
                reason = f"section left out, {counted(1 + len(others), 'block')}: {reason}"
                yield rejection(first, reason, " > ".join(path))
        grammar = Grammar(self._source, self._language, self._prose, pairs_by_block or {}, self._blocks)
        windows = self.windows()
        asked = islice(windows, self._settings.max_windows)
        stated: list[StatedRule] = []
        for window, answer in ask_about(asks, ((window, self.request(window)) for window in asked)):
            if answer.value is None:
                reason = f"no usable answer about the passage ({answer.outcome}): {answer.reason}"
                yield window.rejection(reason, window.text)
                continue
            # A weak model repeats itself.
            for draft in {draft.model_dump_json(): draft for draft in answer.value.rules}.values():
                item = verify(draft, window, grammar, answer.call)
                if isinstance(item, Rejection):
                    yield item
                else:
                    stated.append(item)
        if left := list(windows):
            reason = f"{len(left):,} passages from here on were not asked about: rules.max_windows is reached"
            yield left[0].rejection(reason, left[0].text)
        yield from self._questioned(list(merge(stated, self._english)), asks)

    def requests(self) -> Iterator[Request[Any]]:
        """The requests that `rules` would send; questions about licences, which depend on the answers, come on top."""
        yield from map(self.request, islice(self.windows(), self._settings.max_windows))

    def windows(self) -> Iterator[Window]:
        """The windows of the sections that are read: those whose headings don't say otherwise."""
        included = (it for it in self._blocks if it.kind != "heading" and it.section not in self._left_out)
        abbreviations = frozenset(word.casefold() for item in self._prose for word in item.abbreviations)
        tables = {block.id: block for block in self._blocks if block.kind == "table"}
        return grammar_windows(included, self._settings, abbreviations, tables)

    def request(self, window: Window) -> Request[ExtractedRules]:
        """The question about a window."""
        values = {
            "language": self._language.name,
            "written_in": ", ".join(language.name for language in self._prose),
            "book": squeeze(self._source.title),
            "section": " > ".join(map(squeeze, window.section)) or "(none)",
            "passage": window.text,
        }
        prompt = self._prompts["extract_rules"].render(values)
        return Request(prompt, ExtractedRules, STAGE.name, self._source.id, window.subject)

    def _questioned(self, merged: Sequence[StatedRule], asks: Completer) -> Iterator[Rule]:
        """The rules, with the licences that are left when they are compared with what other pages say."""

        def request(group: Sequence[Doubt]) -> Request[LicenceChecks]:
            values = {"language": self._language.name, "rules": show_doubts(group)}
            prompt = self._prompts["question_licences"].render(values)
            return Request(
                prompt, LicenceChecks, STAGE.name, self._source.id, f"licences from page {group[0].rule.page}"
            )

        groups = list(grouped(doubts_of(merged, self._blocks, self._prose)))
        left = {item.rule.id: item.rule for item in merged}
        for group, answer in ask_about(asks, ((group, request(group)) for group in groups)):
            checks = {check.rule: check for check in answer.value.checks} if answer.value else {}
            reason = answer.reason or "the answer leaves it out"
            kept = {at: checked(doubt, checks.get(at), reason) for at, doubt in enumerate(group, start=1)}
            left |= {rule.id: rule for rule in kept.values()}
            # A rule that says the same as one before it adds its evidence to that one.
            for at, rule in reversed(kept.items()):
                first = kept.get(checks[at].same_as) if at in checks and checks[at].same_as < at else None
                if first and all(it.contrast and it.contrast.licensed for it in (first, rule)):
                    kept[checks[at].same_as] = left[first.id] = join_rules([first, rule])
                    del left[rule.id]
        yield from left.values()
