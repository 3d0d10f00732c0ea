"""Changed words as forms of one lemma, and what is demanded of them."""

from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Evidence, Example, Finding, Rule
from pairwright.languages import Language

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


def test_a_contrast_that_no_changed_word_can_have(found: Find) -> None:
    (finding,) = found("Nematyti ežio.", "Nematyti ežys.", "good: Tense=Past", "bad: Tense=Pres")
    assert (finding.check, finding.level) == ("morphology-other", "error")
    assert "'ežio' is Case=Gen|Number=Sing, 'ežys' is Case=Nom|Number=Sing" in finding.message


def test_morphology_can_be_turned_off(pair: Callable[..., Candidate], lithuanian: Language) -> None:
    candidate = pair("Nematyti ežių.", "Nematyti ežio.").model_copy(update={"features": GENITIVE})
    (checked,) = check_pairs([candidate], {}, lithuanian, CheckSettings(morphology=False))
    assert (checked.verdict, checked.findings) == ("pass", ())


def test_more_than_the_target_was_exchanged(found: Find) -> None:
    good = "Nematyti ežio prie varlės."
    (finding,) = found(good, "Nematyti ežys prie žalios.", *GENITIVE)
    assert (finding.check, finding.level) == ("morphology-replaced", "warning")
    assert "'varlės' and 'žalios' were exchanged as well" in finding.message
    # What the lexicon lacks may be a form of the same word.
    assert names(found(good, "Nematyti ežys prie barsuko.", *GENITIVE)) == ["contrast"]


@pytest.mark.parametrize(
    ("good", "bad", "features", "checks"),
    [
        ("Nematyti ežys.", "Nematyti ežio.", GENITIVE, "exchanged"),
        ("Nematyti ežio.", "Nematyti ežiui.", GENITIVE, "other"),
        ("Nematyti ežio.", "Nematyti ežiai.", GENITIVE, "beside"),
        # Another noun has nothing to do with it.
        ("Prie ežio nematyti varlių.", "Prie ežiui nematyti varlė.", GENITIVE, "beside beside"),
        # Genitive singular and nominative plural look the same, but both words can be read in the singular.
        ("Nematyti varlės.", "Nematyti varlė.", GENITIVE, "contrast"),
        # Every changed word of a phrase is told; "varlės" is a genitive too, "žalia" is not.
        ("Nematyti žalių varlių.", "Nematyti žalias varles.", GENITIVE[:1], "contrast contrast"),
        ("Nematyti žalios varlių.", "Nematyti žalia varlės.", GENITIVE, "contrast contrast"),
        ("Nematyti žalių varlių.", "Nematyti žalios varlės.", GENITIVE, "ambiguous ambiguous"),
        # Words that moved or changed their capital, or all of which stayed, are no contrast.
        ("Varlės bijo vaikai.", "Vaikai bijo varlės.", (), ""),
        ("Ežys bijo varlės.", "Varlės bijo ežys.", GENITIVE, "void"),
        ("Nematyti ežio.", "nematyti ežio", GENITIVE, ""),
        # A demand on one side is enough.
        ("Nematyti ežio.", "Nematyti ežys.", ("good: Case=Gen",), "contrast"),
        ("Nematyti ežio.", "Nematyti ežys.", ("bad: Case=Nom",), "contrast"),
        ("Nematyti ežio.", "Nematyti ežys.", ("bad: Case=Gen",), "void"),
        ("Nematyti varlės.", "Nematyti varlė.", ("bad: Case=Nom",), "ambiguous"),
        # An error needs certainty: one reading of the bad form may be the one that is demanded.
        ("Nematyti ežių.", "Nematyti ežio.", GENITIVE, "void"),
        ("Nematyti varlių.", "Nematyti varlės.", GENITIVE, "ambiguous"),
        # The demand is of number, which differs.
        ("Nematyti ežių.", "Nematyti ežio.", ("good: Case=Gen|Number=Plur",), "contrast"),
        # Another word was replaced as well, and may carry the contrast.
        ("Nematyti ežių medžiuose.", "Nematyti ežio miške.", GENITIVE, "features"),
        # What the lexicon lacks is no fault.
        ("Nematyti barsuko.", "Nematyti barsukas.", GENITIVE, ""),
        ("Nematyti ežio.", "Nematyti barsukas.", GENITIVE, ""),
    ],
)
def test_what_changed_words_show_of_a_demand(
    found: Find, good: str, bad: str, features: tuple[str, ...], checks: str
) -> None:
    assert names(found(good, bad, *features)) == checks.split()


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
