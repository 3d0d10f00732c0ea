"""Changed words as forms of one lemma, and what is demanded of them."""

from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Evidence, Example, Finding, Rule
from pairwright.languages import Language, load_language

Find = Callable[..., list[Finding]]

GENITIVE = ("good: Case=Gen", "bad: Case=Nom")


@pytest.fixture
def found(pair: Callable[..., Candidate], lithuanian: Language) -> Find:
    """The morphological findings of a pair with the given demand, written by a language model."""

    def find(good: str, bad: str, *features: str, rule: Rule | None = None, **changed: object) -> list[Finding]:
        candidate = pair(good, bad).model_copy(update={"features": features, "method": "llm"} | changed)
        (checked,) = check_pairs([candidate], {rule.id: rule} if rule else {}, lithuanian, CheckSettings())
        return [finding for finding in checked.findings if finding.check.startswith("morphology-")]

    return find


def names(findings: list[Finding]) -> list[str]:
    return [finding.check.removeprefix("morphology-") for finding in findings]


def test_a_contrast_names_the_lemma_the_features_and_the_words(found: Find) -> None:
    good = "Sode nematyti ežio."
    (finding,) = found(good, "Sode nematyti ežį.")
    assert finding.message == "'ežio' and 'ežį' are forms of 'ežys': good Case=Gen, bad Case=Acc"
    assert finding.span is not None
    assert (finding.side, good[slice(*finding.span)]) == ("good", "ežio")


def test_a_homonymous_form_gives_every_contrast_that_it_may_make(found: Find) -> None:
    (finding,) = found("Vaikai bijo varlių.", "Vaikai bijo varlės.")
    assert finding.message.endswith("good Number=Plur, bad Number=Sing; or good Case=Gen, bad Case=Nom")
    (finding,) = found("Vaikai bijo varlių.", "Vaikai bijo varles.")
    assert finding.message.endswith("are forms of 'varlė': good Case=Gen, bad Case=Acc")


def test_every_changed_word_of_a_phrase_is_told(found: Find) -> None:
    assert names(found("Nematyti žalių varlių.", "Nematyti žalias varles.", *GENITIVE[:1])) == ["contrast", "contrast"]


def test_agreeing_words_that_can_not_be_the_good_cell_decide_for_the_ambiguous_one(found: Find) -> None:
    # "varlės" is a genitive too, "žalia" is not.
    assert names(found("Nematyti žalios varlių.", "Nematyti žalia varlės.", *GENITIVE)) == ["contrast", "contrast"]
    assert names(found("Nematyti žalių varlių.", "Nematyti žalios varlės.", *GENITIVE)) == ["ambiguous", "ambiguous"]


def test_words_that_moved_or_changed_their_capital_are_no_contrast(found: Find) -> None:
    assert found("Varlės bijo vaikai.", "Vaikai bijo varlės.") == []
    assert names(found("Ežys bijo varlės.", "Varlės bijo ežys.", *GENITIVE)) == ["void"]


def test_a_demand_on_one_side_is_enough(found: Find) -> None:
    assert names(found("Nematyti ežio.", "Nematyti ežys.", "good: Case=Gen")) == ["contrast"]
    assert names(found("Nematyti ežio.", "Nematyti ežys.", "bad: Case=Nom")) == ["contrast"]
    assert names(found("Nematyti ežio.", "Nematyti ežys.", "bad: Case=Gen")) == ["void"]
    assert names(found("Nematyti varlės.", "Nematyti varlė.", "bad: Case=Nom")) == ["ambiguous"]


def test_an_error_needs_certainty(found: Find) -> None:
    assert names(found("Nematyti ežių.", "Nematyti ežio.", *GENITIVE)) == ["void"]
    # One reading of the bad form is the one that is demanded.
    assert names(found("Nematyti varlių.", "Nematyti varlės.", *GENITIVE)) == ["ambiguous"]
    # The demand is of number, which differs.
    assert names(found("Nematyti ežių.", "Nematyti ežio.", "good: Case=Gen|Number=Plur")) == ["contrast"]
    # Another word was replaced as well, and may carry the contrast.
    assert names(found("Nematyti ežių medžiuose.", "Nematyti ežio miške.", *GENITIVE)) == ["features"]


def test_a_word_that_the_lexicon_lacks_is_no_fault(found: Find) -> None:
    assert found("Nematyti barsuko.", "Nematyti barsukas.", *GENITIVE) == []
    assert found("Nematyti ežio.", "Nematyti barsukas.", *GENITIVE) == []


def test_identical_sentences_are_left_to_their_own_check(found: Find) -> None:
    assert found("Nematyti ežio.", "nematyti ežio", *GENITIVE) == []


def test_a_contrast_that_no_changed_word_can_have(found: Find) -> None:
    (finding,) = found("Nematyti ežio.", "Nematyti ežys.", "good: Tense=Past", "bad: Tense=Pres")
    assert (finding.check, finding.level) == ("morphology-other", "error")
    assert "'ežio' is Case=Gen|Number=Sing, 'ežys' is Case=Nom|Number=Sing" in finding.message


def test_morphology_can_be_turned_off(pair: Callable[..., Candidate], lithuanian: Language) -> None:
    candidate = pair("Nematyti ežių.", "Nematyti ežio.").model_copy(update={"features": GENITIVE})
    (checked,) = check_pairs([candidate], {}, lithuanian, CheckSettings(morphology=False))
    assert (checked.verdict, checked.findings) == ("pass", ())


def test_a_language_without_a_lexicon_has_no_morphological_findings(pair: Callable[..., Candidate]) -> None:
    candidate = pair("Nematyti ežio.", "Nematyti ežio!").model_copy(update={"features": GENITIVE})
    (checked,) = check_pairs([candidate], {}, load_language("lt"), CheckSettings())
    assert not any(finding.check.startswith("morphology-") for finding in checked.findings)


def test_more_than_the_target_was_exchanged(found: Find) -> None:
    good = "Nematyti ežio prie varlės."
    (finding,) = found(good, "Nematyti ežys prie žalios.", *GENITIVE)
    assert (finding.check, finding.level) == ("morphology-replaced", "warning")
    assert "'varlės' and 'žalios' were exchanged as well" in finding.message
    # What the lexicon lacks may be a form of the same word.
    assert names(found(good, "Nematyti ežys prie barsuko.", *GENITIVE)) == ["contrast"]


@pytest.mark.parametrize(
    ("good", "bad", "check"),
    [
        ("Nematyti ežys.", "Nematyti ežio.", "exchanged"),
        ("Nematyti ežio.", "Nematyti ežiui.", "other"),
        ("Nematyti ežio.", "Nematyti ežiai.", "beside"),
        # Another noun has nothing to do with it.
        ("Prie ežio nematyti varlių.", "Prie ežiui nematyti varlė.", "beside"),
        # Genitive singular and nominative plural look the same, but both words can be read in the singular.
        ("Nematyti varlės.", "Nematyti varlė.", "contrast"),
    ],
)
def test_a_demand_stops_what_no_reading_saves(found: Find, good: str, bad: str, check: str) -> None:
    assert set(names(found(good, bad, *GENITIVE))) == {check}


def test_the_source_and_its_reviewers_know_better_than_a_demand(found: Find) -> None:
    for people in ({"method": "source"}, {"method": "manual", "parent_id": "pair-1"}):
        (finding,) = found("Nematyti ežys.", "Nematyti ežio.", *GENITIVE, **people)
        assert (finding.check, finding.level) == ("morphology-features", "warning")


def test_half_an_agreement_is_told_unless_the_source_breaks_it_itself(found: Find, rule: Callable[..., Rule]) -> None:
    half = ("Nematyti žalios varlės.", "Nematyti žalios varlę.", "good: Case=Gen", "bad: Case=Acc")
    (finding,) = found(*half)
    assert (finding.check, finding.level) == ("morphology-agreement", "warning")
    assert finding.message == "'žalios' agrees with 'varlės' and not with 'varlę'"
    assert names(found("Nematyti žalios varlės.", "Nematyti žalią varlę.", *half[2:])) == ["contrast", "contrast"]
    evidence = Evidence(block_id="block-1", file="list.md", page=1, quote="Agreement.")
    own = Example(good="Bijo žalių varlių.", bad="Bijo žalios varlių.", evidence=evidence)
    about_agreement = rule("list", "1").model_copy(update={"examples": (own,)})
    assert names(found(*half, rule=about_agreement)) == ["contrast"]


def test_a_dropped_word_is_an_error_unless_the_source_drops_words_too(found: Find, rule: Callable[..., Rule]) -> None:
    dropped = ("Kieme jau nematyti ežio.", "Kieme nematyti ežys.", *GENITIVE)
    (finding,) = found(*dropped)
    assert (finding.check, finding.level) == ("morphology-word-count", "error")
    assert finding.message == "the good sentence has 4 words, the bad one 3"
    evidence = Evidence(block_id="block-1", file="list.md", page=1, quote="Be ežio.")
    own = Example(good="Sode be ežio.", bad="Sode ežys.", evidence=evidence)
    listed = rule("list", "1").model_copy(update={"examples": (own,)})
    assert names(found(*dropped, rule=listed)) == ["contrast"]
    # A word that was added may carry what is demanded.
    assert names(found("Nematyti prie ežio.", "Nematyti ežiui.", "good: Case=Acc")) == ["features"]
