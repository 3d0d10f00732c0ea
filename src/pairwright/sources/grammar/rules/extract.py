"""From grammar books to rules: a language model reads their syntax and morphology, and the book verifies its answers.

A rule is kept only where its quotation stands in the book and its examples are the book's own blocks. It licenses a
minimal pair only where words of the book rule something out or oblige, and none elsewhere in the book say otherwise.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from pairwright.core.config import RuleSettings
from pairwright.core.errors import counted
from pairwright.core.records import Block, Example, Rejection, Rule, Source
from pairwright.core.text import squeeze
from pairwright.languages import Language, load_language
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt
from pairwright.sources import STAGE, rejection
from pairwright.sources.grammar.rules.doubts import (
    LICENCES_AT_ONCE,
    CounterPassages,
    DoubtfulRule,
    LicenceChecks,
    checked,
    show_doubts,
)
from pairwright.sources.grammar.rules.drafts import ExtractedRules, Grammar, StatedRule, verify
from pairwright.sources.grammar.rules.merging import merge
from pairwright.sources.grammar.rules.passages import Window, grammar_windows
from pairwright.sources.grammar.rules.sections import Inclusion, inclusion_of, split_sections

PROMPTS = ("choose_sections", "extract_rules", "question_licences")
# How many sections one question asks about, and how many characters it shows of each.
SECTIONS_AT_ONCE, _EXCERPT = 15, 200


class SectionChoice(BaseModel):
    """What one section is about, by the number it was given."""

    number: int
    about: Literal["grammar", "other"]


class SectionChoices(BaseModel):
    """The choices for all sections that were asked about."""

    choices: list[SectionChoice] = Field(json_schema_extra={"maxItems": SECTIONS_AT_ONCE})


def grammar_rules(
    blocks: Iterable[Block],
    source: Source,
    language: Language,
    settings: RuleSettings,
    asks: Completer,
    pairs_by_block: Mapping[str, Sequence[Example]],
    workspace: Path | None = None,
) -> Iterator[Rule | Rejection]:
    """The rules of a grammar in its order, and a Rejection for what was left out or could not be verified.

    blocks          of the whole document, in reading order
    pairs_by_block  the pairs in the book's marked examples, by block: for the rules that refer to the example
    workspace       where the user's own prompts and languages may be

    The rules come when all passages are answered, as one may speak against a rule of another. Raises ConfigError and
    PromptError for an unusable language file or prompt, LLMError and BudgetError where the model can't be asked any
    more.
    """
    reader = GrammarReader(blocks, source, language, settings, workspace)
    yield from reader.choose_sections(asks)
    yield from reader.rules(asks, pairs_by_block)


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts with the SHA-256 of their files; the stage is stale when they change."""
    prompts = (load_prompt(name, workspace=workspace) for name in PROMPTS)
    return {f"{prompt.name}/v{prompt.version}": prompt.sha256 for prompt in prompts}


def rule_requests(
    blocks: Iterable[Block],
    source: Source,
    language: Language,
    settings: RuleSettings,
    workspace: Path | None = None,
    asks: Completer | None = None,
) -> Iterator[Request[Any]]:
    """The requests that `grammar_rules` would send, for estimates and batches.

    Without `asks`, the questions about sections with vague headings come first, then the passages of all of them. With
    `asks`, these questions are asked, and only the passages of the included sections come. The questions about licences
    that other pages may speak against come on top: they depend on the answers.
    """
    reader = GrammarReader(blocks, source, language, settings, workspace)
    if asks is None:
        yield from reader.section_requests()
    else:
        deque(reader.choose_sections(asks), maxlen=0)
    yield from map(reader.request, islice(reader.windows(), settings.max_windows))


class GrammarReader:
    """A grammar and its included sections. For the arguments, see `grammar_rules`."""

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
        self._abbreviations = frozenset(word.casefold() for item in self._prose for word in item.abbreviations)
        self._blocks = list(blocks)
        self._order = {block.id: index for index, block in enumerate(self._blocks)}
        self._tables = {block.id: block for block in self._blocks if block.kind == "table"}
        self._sections = split_sections(self._blocks)
        patterns = settings.patterns(source.id)
        self._inclusions = [inclusion_of(section, patterns, self._prose) for section in self._sections]

    def choose_sections(self, asks: Completer) -> Iterator[Rejection]:
        """Asks about the sections with vague headings and yields those left out. What stays unclear is included."""
        groups = self._undecided()
        for group, answer in zip(groups, asks.run(self.section_requests()), strict=True) if groups else ():
            for choice in answer.value.choices if answer.value else ():
                if choice.about == "other" and 1 <= choice.number <= len(group):
                    reason = f"{answer.call.model_label} calls it no grammar"
                    self._inclusions[group[choice.number - 1]] = Inclusion(False, reason)
        for section, (included, reason) in zip(self._sections, self._inclusions, strict=True):
            if included is False:
                text = f"section left out, {counted(len(section.blocks), 'block')}: {reason}"
                yield rejection(section.blocks[0], text, section.name)

    def _undecided(self) -> list[list[int]]:
        """The indices of the sections to ask about, a group for each question; none where the settings include them."""
        indices = [index for index, inclusion in enumerate(self._inclusions) if inclusion.included is None]
        starts = range(0, len(indices), SECTIONS_AT_ONCE) if self._settings.ask_sections else ()
        return [indices[start : start + SECTIONS_AT_ONCE] for start in starts]

    def section_requests(self) -> Iterator[Request[SectionChoices]]:
        """The questions about the sections with vague headings; none where the settings include these."""
        for group in self._undecided():
            sections = [self._sections[index] for index in group]
            shown = [f"{' '.join(section.name.split())} :: {section.excerpt(_EXCERPT)}" for section in sections]
            numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(shown, start=1))
            prompt = self._prompts["choose_sections"].render({"language": self._language.name, "sections": numbered})
            subject = f"sections from page {sections[0].blocks[0].page}"
            yield Request(prompt, SectionChoices, STAGE.name, self._source.id, subject)

    def windows(self) -> Iterator[Window]:
        """The windows of the included sections."""
        decided = zip(self._sections, self._inclusions, strict=True)
        included = [section for section, inclusion in decided if inclusion.included is not False]
        yield from grammar_windows(included, self._settings, self._abbreviations, self._tables)

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

    def rules(self, asks: Completer, pairs_by_block: Mapping[str, Sequence[Example]]) -> Iterator[Rule | Rejection]:
        """The rules of the included sections, and a Rejection for what could not be verified."""
        grammar = Grammar(self._source, self._language, self._prose, pairs_by_block, self._order)
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
                if isinstance(item, StatedRule):
                    stated.append(item)
                else:
                    yield item
        if left := list(windows):
            reason = f"{len(left):,} passages from here on were not asked about: rules.max_windows is reached"
            yield left[0].rejection(reason, left[0].text)
        yield from self._questioned(list(merge(stated, self._english)), asks)

    def _questioned(self, merged: Sequence[StatedRule], asks: Completer) -> Iterator[Rule]:
        """The rules, with the licences that are left when they are compared with what other pages say."""
        elsewhere = CounterPassages(self._blocks, self._prose, self._language.boundaries)
        doubtful = [doubt for item in merged if (doubt := elsewhere.doubts(item))]
        groups = [doubtful[start : start + LICENCES_AT_ONCE] for start in range(0, len(doubtful), LICENCES_AT_ONCE)]
        left: dict[str, Rule] = {}
        for group, answer in ask_about(asks, ((group, self._licence_request(group)) for group in groups)):
            checks = {check.rule: check for check in answer.value.checks} if answer.value else {}
            reason = answer.reason or "the answer leaves it out"
            for number, doubt in enumerate(group, start=1):
                left[doubt.rule.id] = checked(doubt, checks.get(number), reason)
        yield from (left.get(item.rule.id, item.rule) for item in merged)

    def _licence_request(self, group: Sequence[DoubtfulRule]) -> Request[LicenceChecks]:
        values = {"language": self._language.name, "rules": show_doubts(group)}
        prompt = self._prompts["question_licences"].render(values)
        subject = f"licences from page {group[0].rule.page}"
        return Request(prompt, LicenceChecks, STAGE.name, self._source.id, subject)
