"""From grammar books to rules: a language model reads their syntax and morphology, and the book verifies its answers.

A rule is kept only where its quotation stands in the book and its examples are the book's own blocks. It licenses a
minimal pair only where words of the book rule something out.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pairwright.config import RuleSettings
from pairwright.languages import Language, load_language
from pairwright.llm import Answer, Completer, Request
from pairwright.prompts.files import load_prompt
from pairwright.records import Block, Example, Rejection, Rule, Source
from pairwright.rules import STAGE, rejection
from pairwright.rules.grammar.merging import merge
from pairwright.rules.grammar.schemas import SECTIONS_AT_ONCE, ExtractedRules, SectionChoices
from pairwright.rules.grammar.sections import GrammarSection, Inclusion, inclusion_of, split_sections
from pairwright.rules.grammar.table_rows import table_windows
from pairwright.rules.grammar.verification import Grammar, VerifiedRule, verify
from pairwright.rules.grammar.windows import Window, prose_windows

PROMPTS = ("choose_sections", "extract_rules", "extract_table_rules")
# How many characters of a section are shown where the question is what it is about.
_EXCERPT = 200


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

    Rules come section by section, as soon as they are answered. Raises ConfigError and PromptError for an unusable
    language file or prompt, LLMError and BudgetError where the model can't be asked any more.
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
    `asks`, these questions are asked, and only the passages of the included sections come.
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
        blocks = list(blocks)
        self._order = {block.id: index for index, block in enumerate(blocks)}
        self._tables = {block.id: block for block in blocks if block.kind == "table"}
        self._sections = split_sections(blocks)
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
                text = f"section left out, {len(section.blocks):,} blocks: {reason}"
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
        """The windows of the included sections: for each, those of its prose, then those of its tables."""
        for section, inclusion in zip(self._sections, self._inclusions, strict=True):
            if inclusion.included is not False:
                yield from prose_windows(section, self._settings, self._abbreviations)
                yield from table_windows(section, self._settings, self._abbreviations, self._tables)

    def request(self, window: Window) -> Request[ExtractedRules]:
        """The question about a window."""
        values = {
            "language": self._language.name,
            "written_in": ", ".join(language.name for language in self._prose),
            "section": f"{self._source.title} > {window.section.name}",
        }
        name, shown = "extract_rules", {"passage": window.text}
        if window.table:
            remarks = "\n".join(window.remarks) or "nothing"
            name, shown = "extract_table_rules", {"table": window.text, "around": window.around, "remarks": remarks}
        prompt = self._prompts[name].render(values | shown)
        return Request(prompt, ExtractedRules, STAGE.name, self._source.id, window.subject)

    def rules(self, asks: Completer, pairs_by_block: Mapping[str, Sequence[Example]]) -> Iterator[Rule | Rejection]:
        """The rules of the included sections, and a Rejection for what could not be verified."""
        grammar = Grammar(self._source, self._language, self._prose, pairs_by_block, self._order)
        windows = self.windows()
        asked: deque[Window] = deque()

        def requests() -> Iterator[Request[ExtractedRules]]:
            for window in islice(windows, self._settings.max_windows):
                asked.append(window)
                yield self.request(window)

        section: GrammarSection | None = None
        verified: list[VerifiedRule] = []
        used: set[str] = set()
        for answer in asks.run(requests()):
            window = asked.popleft()
            if window.section is not section:
                yield from merge(verified, self._source, self._english, used)
                section, verified = window.section, []
            for item in _read_answer(answer, window, grammar):
                if isinstance(item, VerifiedRule):
                    verified.append(item)
                else:
                    yield item
        yield from merge(verified, self._source, self._english, used)
        if left := list(windows):
            reason = f"{len(left):,} passages from here on were not asked about: rules.max_windows is reached"
            yield left[0].rejection(reason, left[0].text)


def _read_answer(
    answer: Answer[ExtractedRules], window: Window, grammar: Grammar
) -> Iterator[VerifiedRule | Rejection]:
    """The verified rules of an answer, and a Rejection for what could not be verified."""
    if answer.value is None:
        yield window.rejection(f"no usable answer about the passage ({answer.outcome}): {answer.reason}", window.text)
        return
    # A weak model repeats itself.
    for draft in {draft.model_dump_json(): draft for draft in answer.value.rules}.values():
        yield verify(draft, window, grammar, answer.call)
