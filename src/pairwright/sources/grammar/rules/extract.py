"""From grammar books to rules: a language model reads their syntax and morphology, and the book verifies its answers.

A rule is kept only where its quotation stands in the book and its examples are the book's own blocks. It licenses a
minimal pair only where words of the book rule something out or oblige, and none elsewhere in the book say otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pairwright.core.config import RuleSettings
from pairwright.core.errors import counted
from pairwright.core.records import Block, Example, Rejection, Rule, Source
from pairwright.core.text import squeeze
from pairwright.languages import Language, load_language
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt
from pairwright.sources import STAGE, rejection
from pairwright.sources.grammar.rules.doubts import Doubt, LicenceChecks, checked, doubts_of, grouped, show_doubts
from pairwright.sources.grammar.rules.drafts import ExtractedRules, Grammar, StatedRule, verify
from pairwright.sources.grammar.rules.merging import join_rules, merge
from pairwright.sources.grammar.rules.passages import Window, grammar_windows
from pairwright.sources.grammar.rules.sections import split_sections, why_left_out

PROMPTS = ("extract_rules", "question_licences")


class GrammarReader:
    """A grammar whose rules a language model finds.

    blocks     of the whole document, in reading order
    workspace  where the user's own prompts and languages may be

    Raises ConfigError and PromptError for an unusable language file or prompt.
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
        self._sections = split_sections(self._blocks)
        patterns = settings.patterns(source.id)
        self._left_out = [why_left_out(section.path, patterns, self._prose) for section in self._sections]

    def rules(
        self, asks: Completer, pairs_by_block: Mapping[str, Sequence[Example]] | None = None
    ) -> Iterator[Rule | Rejection]:
        """The rules in the order of the grammar, and a Rejection for what was left out or could not be verified.

        pairs_by_block  the pairs in the book's marked examples, by block: for the rules that refer to the example

        The rules come when all passages are answered, as one may speak against a rule of another. Raises LLMError and
        BudgetError where the model can't be asked any more.
        """
        for section, reason in zip(self._sections, self._left_out, strict=True):
            if reason:
                text = f"section left out, {counted(len(section.blocks), 'block')}: {reason}"
                yield rejection(section.blocks[0], text, section.name)
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
        """The requests that `rules` would send, for estimates.

        The questions about licences that other pages may speak against come on top: they depend on the answers.
        """
        yield from map(self.request, islice(self.windows(), self._settings.max_windows))

    def windows(self) -> Iterator[Window]:
        """The windows of the sections that are read: those whose headings don't say otherwise."""
        included = [section for section, reason in zip(self._sections, self._left_out, strict=True) if not reason]
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
