"""All checks of the modules beside this one, and the stage that puts every candidate pair through them."""

from collections.abc import Iterable, Iterator, Mapping

from pairwright.checks import book, form, judging, morphology
from pairwright.checks import language as of_language
from pairwright.checks.check import Check, Checker, Context, PairIndex
from pairwright.checks.language import verify_limits
from pairwright.core.config import CheckSettings, JudgeSettings
from pairwright.core.records import Candidate, CheckedPair, LLMJudgment, Rule
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.morphology import analyser_of

_MODULES = (form, of_language, book, morphology, judging)
CHECKERS = tuple(item for module in _MODULES for item in vars(module).values() if isinstance(item, Checker))
CHECKS: tuple[Check, ...] = tuple(check for checker in CHECKERS for check in checker.checks)


def check_pairs(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: CheckSettings,
    others: Iterable[CheckedPair] = (),
    judgments: Mapping[str, LLMJudgment] | None = None,
    judging: JudgeSettings | None = None,
    attested: AttestedWords | None = None,
) -> Iterator[CheckedPair]:
    """Every candidate, in order, with the findings of all checks; one with an error gets the verdict `reject`.

    Only passing pairs have duplicates, so one of several equal pairs is kept even if the first has another error.
    Candidates may not repeat the pairs of `others`, those of other sources. The rest is as in `Context`.

    Raises ConfigError where a limit names an unknown rule, MorphologyError where a lexicon can't be read.
    """
    verify_limits(rules, settings)
    context = Context(
        language=language,
        settings=settings,
        rules=rules,
        index=PairIndex(),
        analyser=analyser_of(language) if settings.morphology else None,
        judgments=judgments or {},
        judge=judging or JudgeSettings(),
        attested=attested or AttestedWords(()),
    )
    for rule in rules.values():
        context.index.add_examples(rule)
    for other in others:
        if other.verdict == "pass":
            context.index.add(other.candidate)
    for candidate in candidates:
        findings = tuple(finding for checker in CHECKERS for finding in checker.find(candidate, context))
        rejected = any(finding.level == "error" for finding in findings)
        if not rejected:
            context.index.add(candidate)
        yield CheckedPair(candidate=candidate, findings=findings, verdict="reject" if rejected else "pass")
