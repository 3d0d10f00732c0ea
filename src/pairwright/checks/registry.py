"""All checks under their names, and the stage that puts every candidate pair through them."""

from collections.abc import Iterable, Iterator, Mapping

from pairwright.checks import contrast, duplicates, encoding, form, judge, language, morphology
from pairwright.checks.check import Check, Context
from pairwright.checks.index import PairIndex
from pairwright.config import CheckSettings, JudgeSettings
from pairwright.languages import Language
from pairwright.morphology import analyser_of
from pairwright.records import Candidate, CheckedPair, Opinion, Rule, Verdict

CHECKS: tuple[Check, ...] = (
    Check("form-empty", "error", "A sentence has no word.", form.empty),
    Check(
        "form-not-nfc",
        "error",
        "A sentence is not in Unicode normal form C: its letters are in pieces, and a model reads other letters.",
        form.not_nfc,
    ),
    Check(
        "form-encoding-damage",
        "error",
        "Characters that no text has (control, private use, replacement, invisible), UTF-8 that was read as "
        "Windows-1252 or -1257, or a question mark in place of a letter.",
        encoding.damage,
    ),
    Check(
        "form-notation-marks",
        "error",
        "Marks of a notation were left in: `(=`, arrows, ticks, a judgement mark before the sentence, HTML, `**`.",
        form.notation_marks,
    ),
    Check(
        "form-doubtful-marks",
        "warning",
        "Marks that are more often left over than meant: list bullets, square or curly brackets, a lone `*`, ` / `, "
        "a last `;` or `,`.",
        form.doubtful_marks,
    ),
    Check(
        "form-whitespace",
        "warning",
        "Outer or doubled white space, a no-break space, tab or line break, a space before a full stop or comma.",
        form.whitespace,
    ),
    Check(
        "form-end-differs",
        "warning",
        "The two sentences end with different marks, which a model would score together with the grammar.",
        form.end_differs,
    ),
    Check("form-end-punctuation", "warning", "Neither sentence has a mark at its end.", form.no_end_punctuation),
    Check("form-not-capitalised", "warning", "A sentence begins with a small letter.", form.not_capitalised),
    Check(
        "form-unbalanced-brackets",
        "warning",
        "A bracket or quotation mark has no partner.",
        form.unbalanced_brackets,
    ),
    Check(
        "form-dotted-i",
        "warning",
        "A small i carries a second dot (U+0307), as lower-casing of İ leaves it: invisible, and another letter to a "
        "model.",
        encoding.dotted_i,
    ),
    Check(
        "contrast-identical",
        "error",
        "The two sentences are the same but for white space, the case of the first letter and the end punctuation.",
        contrast.identical,
    ),
    Check(
        "contrast-not-minimal",
        "warning",
        "The pair has more differing spans, or a larger share of changed words, than its rule, its source or the "
        "general setting allows.",
        contrast.not_minimal,
    ),
    Check(
        "contrast-wider",
        "warning",
        "More words differ than in any pair that the source itself gives for the rule.",
        contrast.wider_than_examples,
    ),
    Check("duplicate-pair", "error", "An earlier pair has the same two sentences.", duplicates.same_pair),
    Check(
        "duplicate-swapped",
        "error",
        "An earlier pair has the same two sentences the other way round.",
        duplicates.swapped_pair,
    ),
    Check(
        "duplicate-bad-sentence",
        "info",
        "An earlier pair that this one was not derived from corrects the same bad sentence in another way.",
        duplicates.same_bad_sentence,
    ),
    Check(
        "duplicate-example",
        "error",
        "A sentence of a newly written pair stands among the source's own examples, or in a pair of another source.",
        duplicates.copied_example,
    ),
    Check(
        "contradiction",
        "warning",
        "A sentence is good in this pair and bad in an earlier one, or the other way round.",
        duplicates.contradiction,
    ),
    Check(
        "language-mixed-scripts",
        "error",
        "A word has Latin letters beside Cyrillic or Greek ones that look like them.",
        language.mixed_scripts,
    ),
    Check(
        "language-letters",
        "warning",
        "A letter or accent is not in the language's alphabet; names within a sentence may have other Latin letters.",
        language.letters,
    ),
    Check(
        "language-other",
        "error",
        "Most words of the good sentence are not in the spelling dictionary: it is of another language, or of none.",
        language.other_language,
    ),
    Check(
        "language-spelling",
        "warning",
        "The spelling dictionary lacks a word of the good sentence. Numbers, single letters, abbreviations in capitals "
        "and names within the sentence are not looked up.",
        language.spelling,
    ),
    Check(
        "language-spelling-bad",
        "info",
        "The spelling dictionary lacks a word that only the bad sentence has: a slip, or the error that is meant.",
        language.spelling_of_bad,
    ),
    Check(
        "morphology-contrast",
        "info",
        "The changed words are forms of one lemma: the features in which they differ.",
        morphology.contrast,
    ),
    Check(
        "morphology-lemma",
        "warning",
        "A contrast of features is demanded, and the changed words are forms of different words.",
        morphology.lemma,
    ),
    Check(
        "morphology-features",
        "warning",
        "A contrast of features is demanded, and no changed word shows it; or the demand can't be read.",
        morphology.features,
    ),
    Check(
        "morphology-ambiguous",
        "warning",
        "Every changed word of the bad sentence is also a form with the features that the good one must have, so the "
        "bad sentence may be a good one.",
        morphology.ambiguous,
    ),
    Check(
        "morphology-replaced",
        "warning",
        "The demanded contrast is there, and other words were replaced by other words as well.",
        morphology.replaced,
    ),
    Check(
        "morphology-void",
        "error",
        "A contrast of features is demanded, and no word differs, or every changed word of the bad sentence is nothing "
        "but what the good one must be.",
        morphology.void,
    ),
    Check(
        "judge-reject",
        "error",
        "The language model that judges pairs rejects this one, or takes the bad sentence for the good one.",
        judge.rejected,
    ),
    Check("judge-doubt", "warning", "The judge accepts the pair with a low score.", judge.doubted),
    Check(
        "judge-translation",
        "warning",
        "The judge finds that the translation renders the good sentence badly.",
        judge.badly_translated,
    ),
)


def check_pairs(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: CheckSettings,
    others: Iterable[CheckedPair] = (),
    opinions: Mapping[str, Opinion] | None = None,
    judging: JudgeSettings | None = None,
) -> Iterator[CheckedPair]:
    """Every candidate, in order, with what the checks found; a pair with an error gets the verdict `reject`.

    `rules` are those of the candidates' sources by id. `others` are the checked pairs of other sources: a candidate
    that repeats one of them is a duplicate. Only passing pairs have duplicates, so of several equal pairs one is kept,
    also where the first has another error. `opinions` are a language model's, by the pair's id, and `judging` says from
    which score on they are trusted.

    Raises ConfigError where a limit names a rule that its source doesn't have, MorphologyError where a lexicon of the
    language can't be read.
    """
    contrast.verify_limits(rules, settings)
    analyser = analyser_of(language) if settings.morphology else None
    context = Context(
        language=language,
        settings=settings,
        rules=rules,
        index=PairIndex(),
        analyser=analyser,
        opinions=opinions or {},
        judge=judging or JudgeSettings(),
    )
    for rule in rules.values():
        context.index.add_examples(rule)
    for other in others:
        if other.verdict == "pass":
            context.index.add(other.candidate)
    for candidate in candidates:
        findings = tuple(finding for check in CHECKS for finding in check.findings(candidate, context))
        verdict: Verdict = "reject" if any(finding.level == "error" for finding in findings) else "pass"
        if verdict == "pass":
            context.index.add(candidate)
        yield CheckedPair(candidate=candidate, findings=findings, verdict=verdict)
