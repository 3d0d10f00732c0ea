"""The judge's requests: several pairs of one rule, or several sentences with their translations.

The judge sees the sentences of a pair as A and B, in an order that the pair's id decides, because models prefer a place
(Zheng et al., 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pairwright.checks.judging.answers import PairJudgements, TranslationJudgements
from pairwright.checks.judging.glosses import glossed_words, has_own_gloss, show_glossed
from pairwright.checks.judging.numbered import batched
from pairwright.config import JudgeSettings
from pairwright.ids import digest
from pairwright.languages import Language
from pairwright.llm import Request
from pairwright.prompts.files import load_prompt
from pairwright.prompts.rule_description import describe_rule, examples_shown
from pairwright.records import Candidate, Rule
from pairwright.records.pairs import Letter
from pairwright.text import comparison_key, squeeze

LLM_STAGE = "judge"
"""The stage's name in `[llm.models]`, in the ledger and of its rejections."""

_PROMPTS = ("judge_pair", "judge_translation")


def judge_prompts(workspace: Path | None = None) -> dict[str, str]:
    """The prompts in use by their labels, with the SHA-256 of their files, on which freshness depends.

    Raises PromptError.
    """
    prompts = [load_prompt(name, workspace=workspace) for name in _PROMPTS]
    return {prompt.label: prompt.sha256 for prompt in prompts}


def shown_as(identity: str) -> Letter:
    """The letter under which the judge first sees the good sentence of a pair; of many pairs, half get A."""
    return "A" if int(digest(["order of the judge", identity])[:8], 16) % 2 == 0 else "B"


class JudgeRequests:
    """Makes the requests of the stage; `asker` is what decides answers of the model. Raises PromptError."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        language: Language,
        settings: JudgeSettings,
        workspace: Path | None,
        asker: str,
    ) -> None:
        self._asker = [asker, judge_prompts(workspace)]
        self._rules, self._language, self._settings = rules, language, settings
        self._about_pairs, self._about_translations = (load_prompt(name, workspace=workspace) for name in _PROMPTS)

    def basis(self, pair: Candidate) -> str:
        """A digest of what decides the judgment on a pair, beside its sentences and the examples shown with it."""
        rule = self._rules[pair.rule_id]
        described = describe_rule(rule, _exception(pair, rule))
        return digest([self._asker, self._language.name, self._cautions(), described, pair.translation])

    def batches(self, pairs: Iterable[Candidate]) -> list[Sequence[Candidate]]:
        """Pairs that are judged in one request: of one rule, or of one of its exceptions."""
        groups: dict[tuple[str, str | None], list[Candidate]] = {}
        for pair in pairs:
            key = pair.rule_id, _exception(pair, self._rules[pair.rule_id])
            groups.setdefault(key, []).append(pair)
        size = self._settings.pairs_per_request
        return [batch for group in groups.values() for batch in batched(group, size)]

    def of_pairs(
        self, pairs: Sequence[Candidate], attempt: int = 0, *, exchanged: bool = False
    ) -> Request[PairJudgements]:
        """A request about pairs of one rule; with `exchanged`, in the order that they did not have at first.

        None of them stands among the examples of the rule.
        """
        rule = self._rules[pairs[0].rule_id]
        attested = {identity for pair in pairs for identity in pair.attested_ids}
        own = {comparison_key(sentence) for pair in pairs for sentence in (pair.good, pair.bad)}
        # Those that the pairs were made from come first.
        listed = sorted(rule.examples, key=lambda example: example.evidence.block_id not in attested)
        first = rule.model_copy(update={"examples": tuple(listed)})
        examples = examples_shown(first, self._settings.examples, without=own)
        rendered = self._about_pairs.render(
            {
                "language": [self._language.name, *self._cautions()],
                "rule": describe_rule(rule, _exception(pairs[0], rule)),
                "examples": "\n\n".join(map(show_glossed, examples)) or "(no example)",
                "pairs": "\n\n".join(
                    f"pair {number}\n{_shown(pair, rule, exchanged=exchanged)}"
                    for number, pair in enumerate(pairs, start=1)
                ),
            }
        )
        subject = f"{len(pairs)} pairs of rule {rule.code}" if len(pairs) > 1 else pairs[0].id
        return Request(rendered, PairJudgements, LLM_STAGE, rule.source_id, subject, sample=attempt)

    def _cautions(self) -> list[str]:
        cautions = [f"- {caution}" for caution in self._language.cautions]
        return ["", "What to mind in this language:", *cautions] if cautions else []

    def translation_batches(self, pairs: Iterable[Candidate]) -> list[Sequence[Candidate]]:
        """Pairs whose translations are judged in one request: not those of the source's own sentences."""
        doubtful = [it for it in pairs if it.translation and not (it.attested_ids and has_own_gloss(it))]
        return list(batched(doubtful, self._settings.pairs_per_request))

    def of_translations(self, pairs: Sequence[Candidate], attempt: int = 0) -> Request[TranslationJudgements]:
        """A request about the translations of the pairs' good sentences."""
        rendered = self._about_translations.render(
            {
                "language": self._language.name,
                "sentences": "\n\n".join(
                    f"sentence {number}: {squeeze(pair.good)}\n"
                    + "".join(f"{line}\n" for line in _own_gloss(pair))
                    + f"translation: {squeeze(pair.translation or '')}"
                    for number, pair in enumerate(pairs, start=1)
                ),
            }
        )
        subject = f"{len(pairs)} translations"
        return Request(rendered, TranslationJudgements, LLM_STAGE, pairs[0].source_id, subject, sample=attempt)


def _shown(pair: Candidate, rule: Rule, *, exchanged: bool) -> str:
    # On lines of their own, so that no sentence can pass for a pair.
    first, second = squeeze(pair.good), squeeze(pair.bad)
    if (shown_as(pair.id) == "B") != exchanged:
        first, second = second, first
    words = glossed_words(pair, rule)
    return "\n".join([f"A: {first}", f"B: {second}", *([f"words: {'; '.join(words)}"] if words else [])])


def _own_gloss(pair: Candidate) -> Iterator[str]:
    if has_own_gloss(pair):
        yield f"parts: {squeeze(pair.segmentation or '')}"
        yield f"gloss: {squeeze(pair.gloss or '')}"


def _exception(candidate: Candidate, rule: Rule) -> str | None:
    """The exception that a pair is about: its note if this is one of the rule's exceptions, else all of them."""
    if not candidate.exception:
        return None
    return candidate.note if candidate.note in rule.exceptions else "; ".join((*rule.exceptions, *rule.notes))
