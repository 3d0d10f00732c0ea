"""Grammar books to rules: passages of their syntax and morphology, what a language model finds in them, verified.

The book is the authority. A rule is kept only where its quotation stands in the book, its examples are the book's own
blocks, and it licenses a minimal pair only where words of the book rule something out.
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
from pairwright.rules import STAGE
from pairwright.rules.grammar.merging import merge
from pairwright.rules.grammar.schemas import SECTIONS_AT_ONCE, ExtractedRules, SectionChoices
from pairwright.rules.grammar.sections import Choice, Section, choose, excerpt, split_sections
from pairwright.rules.grammar.table_rows import table_windows
from pairwright.rules.grammar.verifying import Finding, Grammar, rejection, verify
from pairwright.rules.grammar.windows import Window, prose_windows

PROMPTS = ("choose_sections", "extract_rules", "extract_table_rules")
# The characters of a section that are shown where it is asked what it is about.
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
    """The rules of a grammar in its order, and what was left out or could not be verified, with the reasons.

    blocks          of the whole document, in reading order
    pairs_by_block  the pairs that the book's marked examples give, by the ids of the example blocks: a rule that refers
                    to such a block takes them over
    workspace       where prompts and languages of the user's own may stand

    Rules come section by section, as their answers come. Raises ConfigError and PromptError for a language file or a
    prompt that can't be used, LLMError and BudgetError where no more can be asked.
    """
    reader = GrammarReader(blocks, source, language, settings, workspace)
    yield from reader.choose_sections(asks)
    yield from reader.rules(asks, pairs_by_block)


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts that are used, with the SHA-256 of their files: part of what decides whether a stage is fresh."""
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
    """What `grammar_rules` would ask, without asking it: for estimates and batches.

    With `asks`, sections whose headings say nothing are asked about, as `grammar_rules` does, and only the passages of
    those that are read come out. Without, the questions about them come first, and then the passages of all of them.
    """
    reader = GrammarReader(blocks, source, language, settings, workspace)
    if asks is None:
        yield from reader.section_requests()
    else:
        for _ in reader.choose_sections(asks):
            pass
    for window in islice(reader.windows(), settings.max_windows):
        yield reader.request(window)


class GrammarReader:
    """A grammar with the sections that are read. Arguments are those of `grammar_rules`."""

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
        known = list(blocks)
        self._order = {block.id: index for index, block in enumerate(known)}
        self._tables = {block.id: block for block in known if block.kind == "table"}
        self._sections = split_sections(known)
        patterns = settings.patterns(source.id)
        self._choices = [choose(section, patterns, self._prose) for section in self._sections]

    def choose_sections(self, asks: Completer) -> Iterator[Rejection]:
        """Asks about the sections whose headings say nothing, and yields what is left out. What is unclear is read."""
        if self._settings.ask_sections:
            undecided = deque(self._undecided())
            for answer in asks.run(self.section_requests()):
                group = undecided.popleft()
                for said in answer.value.choices if answer.value else ():
                    if said.about == "other" and 1 <= said.number <= len(group):
                        told = f"{answer.call.model_label} calls it no grammar"
                        self._choices[group[said.number - 1]] = Choice(False, told)
        for section, choice in zip(self._sections, self._choices, strict=True):
            if choice.reads is False:
                yield self._left_out(section, choice)

    def _undecided(self) -> Iterator[list[int]]:
        """The indices of the sections that are asked about, a group a question."""
        indices = [index for index, choice in enumerate(self._choices) if choice.reads is None]
        for start in range(0, len(indices), SECTIONS_AT_ONCE):
            yield indices[start : start + SECTIONS_AT_ONCE]

    def section_requests(self) -> Iterator[Request[SectionChoices]]:
        """The questions about the sections whose headings say nothing; none where the settings have them read."""
        for group in self._undecided() if self._settings.ask_sections else ():
            sections = [self._sections[index] for index in group]
            lines = [
                f"{number}. {' '.join(section.name.split())} :: {excerpt(section, _EXCERPT)}"
                for number, section in enumerate(sections, start=1)
            ]
            prompt = self._prompts["choose_sections"].render(
                {"language": self._language.name, "sections": "\n".join(lines)}
            )
            subject = f"sections from page {sections[0].blocks[0].page}"
            yield Request(prompt, SectionChoices, STAGE.name, self._source.id, subject)

    def windows(self) -> Iterator[Window]:
        """The passages of the sections that are read: of each, its prose and then its tables."""
        for section, choice in zip(self._sections, self._choices, strict=True):
            if choice.reads is not False:
                yield from prose_windows(section, self._settings, self._abbreviations)
                yield from table_windows(section, self._settings, self._abbreviations, self._tables)

    def request(self, window: Window) -> Request[ExtractedRules]:
        """The question about a passage."""
        values = {
            "language": self._language.name,
            "written_in": ", ".join(language.name for language in self._prose),
            "section": f"{self._source.title} > {window.section.name}",
        }
        if window.table is None:
            prompt = self._prompts["extract_rules"].render(values | {"passage": window.text})
        else:
            remarks = "\n".join(window.remarks) or "nothing"
            prompt = self._prompts["extract_table_rules"].render(
                values | {"table": window.text, "around": window.around, "remarks": remarks}
            )
        return Request(prompt, ExtractedRules, STAGE.name, self._source.id, window.subject)

    def rules(self, asks: Completer, pairs_by_block: Mapping[str, Sequence[Example]]) -> Iterator[Rule | Rejection]:
        """The rules of the sections that are read, and what could not be verified."""
        grammar = Grammar(self._source, self._language, self._prose, pairs_by_block, self._order)
        windows = self.windows()
        asked: deque[Window] = deque()

        def requests() -> Iterator[Request[ExtractedRules]]:
            for window in islice(windows, self._settings.max_windows):
                asked.append(window)
                yield self.request(window)

        section: Section | None = None
        findings: list[Finding] = []
        used: set[str] = set()
        for answer in asks.run(requests()):
            window = asked.popleft()
            if window.section is not section:
                yield from merge(findings, self._source, self._english, used)
                section, findings = window.section, []
            for found in read_answer(answer, window, grammar):
                if isinstance(found, Finding):
                    findings.append(found)
                else:
                    yield found
        yield from merge(findings, self._source, self._english, used)
        rest = list(islice(windows, 1))
        if rest:
            count = 1 + sum(1 for _ in windows)
            reason = f"{count:,} passages from here on were not asked about: rules.max_windows is reached"
            yield rejection(rest[0], self._source, reason, rest[0].text)

    def _left_out(self, section: Section, choice: Choice) -> Rejection:
        first = section.blocks[0]
        return Rejection(
            stage=STAGE.name,
            source_id=self._source.id,
            reason=f"section left out, {len(section.blocks):,} blocks: {choice.reason}",
            text=section.name,
            file=first.file,
            page=first.page,
            line=first.line,
        )


def read_answer(answer: Answer[ExtractedRules], window: Window, grammar: Grammar) -> Iterator[Finding | Rejection]:
    """What an answer about a passage is worth: its findings, and what of it could not be verified."""
    if answer.value is None:
        reason = f"no usable answer about the passage ({answer.outcome}): {answer.reason}"
        yield rejection(window, grammar.source, reason, window.text)
        return
    # A weak model says one thing again and again.
    for draft in {draft.model_dump_json(): draft for draft in answer.value.rules}.values():
        yield verify(draft, window, grammar, answer.call)
