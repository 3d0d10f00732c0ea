"""Paradigms: orders of subject, object and verb, and subordinate clauses, of treebank pairs and of marked-up seeds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_records import make_candidate
from pairwright.errors import ConfigError, SourceError
from pairwright.generate.paradigm.frames import ORDERS, Frames, chosen_conditions, load_frames
from pairwright.generate.paradigm.markup import marked_up_seeds
from pairwright.generate.paradigm.seeds import Seed
from pairwright.generate.paradigm.trees import UnusableTree, tree_seed
from pairwright.generate.paradigm.variants import variants
from pairwright.languages import load_language
from pairwright.morphology.inflection import Inflector
from pairwright.records import Block, Candidate, Evidence, ParadigmVariant, Rejection, Rule, Tree, TreebankChange, Word
from pairwright.text import words

AFF = """\
SET UTF-8
SFX N Y 3
SFX N as as as is:Masc_Sg_Nom
SFX N as ui as is:Masc_Sg_Dat
SFX N as ą as is:Masc_Sg_Acc
SFX V Y 5
SFX V ti a ti is:Indic_Pres_III
SFX V ti damas ti is:HalfPart_Masc_Sg
SFX V ti dama ti is:HalfPart_Fem_Sg
SFX V ti ant ti is:Gerund_Pres
SFX V ti ąs ti is:Part_Act_Pres_Masc_Sg_Nom_short
"""
DIC = """\
4
vaikas/N	po:noun
mažas/N	po:adjective
namas/N	po:noun
nešti/V	po:verb
"""
NOMINATIVE = "Case=Nom|Gender=Masc|Number=Sing"
FINITE = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "lt.aff").write_text(AFF, encoding="utf-8")
    (tmp_path / "lt.dic").write_text(DIC, encoding="utf-8")
    settings = '[[morphology.lt]]\nkind = "hunspell"\npath = "lt.dic"\ntagset = "lt-hunspell"\n'
    (tmp_path / "pairwright.toml").write_text(settings, encoding="utf-8")
    return tmp_path


@pytest.fixture
def inflector(root: Path) -> Inflector:
    return Inflector.of(load_language("lt", root))


@pytest.fixture(scope="module")
def frames() -> Frames:
    return load_frames(load_language("lt"))


def sentence(*rows: str) -> Block:
    """A sentence of rows `form lemma upos feats head deprel`, the last one its full stop."""
    text, listed = "", []
    for number, row in enumerate([*rows, ". . PUNCT _ 1 punct"], start=1):
        form, lemma, upos, feats, head, deprel = row.split()
        form = form if text else form[0].upper() + form[1:]
        text += " " * bool(text and upos != "PUNCT")
        listed.append(
            Word(
                id=number, form=form, lemma=lemma, upos=upos, feats=feats, head=int(head), deprel=deprel,
                start=len(text), end=len(text) + len(form),
            )
        )  # fmt: skip
        text += form
    tree = Tree(sent_id="s1", words=tuple(listed))
    return Block(id="b1", source_id="bank", kind="sentence", text=text, file="a", page=1, line=3, reader="x", tree=tree)


def pair_of(block: Block, number: int, form: str) -> Candidate:
    """The pair of a sentence in which one word has another form."""
    assert block.tree is not None
    word = block.tree.words[number - 1]
    bad = block.text[: word.start] + form + block.text[word.end :]
    return make_candidate(
        block.text,
        bad,
        rule_id="r",
        source_id="bank",
        method="treebank",
        features=("good: Case=Acc", "bad: Case=Nom"),
        evidence=Evidence.at(block, block.text),
        derivation=TreebankChange(
            sent_id="s1", contrast="c", word=number, lemma=word.lemma, good_features="_", bad_features="_", lexicon="x"
        ),
    )


SENTENCE = (
    f"Mažas mažas ADJ {NOMINATIVE} 2 amod",
    f"vaikas vaikas NOUN {NOMINATIVE} 4 nsubj",
    "dabar dabar ADV _ 4 advmod",
    f"neša nešti VERB {FINITE} 0 root",
    "namą namas NOUN Case=Acc|Gender=Masc|Number=Sing 4 obj",
)


SUBJECT = "{0} {0} NOUN " + NOMINATIVE + " {1} nsubj"
OBJECT = SENTENCE[4].replace(" 4 ", " {} ")


def made(seed: Seed, inflector: Inflector, *conditions: str) -> dict[str, tuple[str, str] | str]:
    """By condition the two sentences, or the reason why there are none."""
    results: dict[str, tuple[str, str] | str] = {}
    for item in variants(seed, conditions or seed.frames.conditions, inflector):
        if isinstance(item, Rejection):
            condition, _, reason = item.reason.partition(": ")
            results[condition] = reason
        else:
            assert isinstance(item.derivation, ParadigmVariant)
            results[item.derivation.condition] = item.good, item.bad
    return results


def test_a_tree_gives_all_orders_with_capitals_and_full_stop(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, *frames.orders)
    assert results == {
        # The seed itself has the order SVO.
        "SOV": ("Mažas vaikas namą dabar neša.", "Mažas vaikas namas dabar neša."),
        "OVS": ("Namą dabar neša mažas vaikas.", "Namas dabar neša mažas vaikas."),
        "OSV": ("Namą mažas vaikas dabar neša.", "Namas mažas vaikas dabar neša."),
        "VSO": ("Dabar neša mažas vaikas namą.", "Dabar neša mažas vaikas namas."),
        "VOS": ("Dabar neša namą mažas vaikas.", "Dabar neša namas mažas vaikas."),
    }


def test_variants_share_the_paradigm_and_the_demand_of_their_seed(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    pair = pair_of(block, 5, "namas")
    (variant,) = variants(tree_seed(pair, block, frames), ("OVS",), inflector)
    assert isinstance(variant, Candidate)
    assert variant.derivation == ParadigmVariant(
        seed_id=pair.id, paradigm_id=pair.id, condition="OVS", seed_condition="SVO"
    )
    assert (variant.parent_id, variant.method, variant.features) == (pair.id, "paradigm", pair.features)
    assert [(change.good, change.bad) for change in variant.changes] == [("Namą", "Namas")]


def test_clauses_inflect_the_verb_and_the_subject_with_what_agrees(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    clauses = tuple(clause.condition for clause in frames.clauses)
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, *clauses)
    assert results == {
        "kad": (
            "Visi žino, kad mažas vaikas dabar neša namą.",
            "Visi žino, kad mažas vaikas dabar neša namas.",
        ),
        "participle": ("Mažas vaikas atrodo dabar nešąs namą.", "Mažas vaikas atrodo dabar nešąs namas."),
        "half-participle": (
            "Dabar nešdamas namą, mažas vaikas laimėjo.",
            "Dabar nešdamas namas, mažas vaikas laimėjo.",
        ),
        "gerund": (
            "Mažui vaikui dabar nešant namą, prasidėjo pavasaris.",
            "Mažui vaikui dabar nešant namas, prasidėjo pavasaris.",
        ),
    }


def test_a_dropped_subject_becomes_the_pronoun_of_its_person(frames: Frames, inflector: Inflector) -> None:
    first = FINITE.replace("Person=3", "Number=Sing|Person=1")
    block = sentence(f"Nešu nešti VERB {first} 0 root", SENTENCE[4].replace(" 4 ", " 1 "))
    results = made(tree_seed(pair_of(block, 2, "namas"), block, frames), inflector, "SVO", "OVS", "kad")
    assert results["SVO"] == ("Aš nešu namą.", "Aš nešu namas.")
    assert results["OVS"] == ("Namą nešu aš.", "Namas nešu aš.")
    assert results["kad"] == ("Visi žino, kad nešu namą.", "Visi žino, kad nešu namas.")


@pytest.mark.parametrize(
    ("rows", "condition", "reason"),
    [
        # Which of the pronouns of the third person it is depends on the gender.
        ((SENTENCE[3], OBJECT), "SVO", "has no pronoun"),
        (
            ("Tačiau tačiau CCONJ _ 3 cc", SUBJECT.format("vaikas", 3), SENTENCE[3], OBJECT),
            "kad",
            "begins with 'tačiau'",
        ),
        ((SUBJECT.format("jonas", 2), SENTENCE[3], OBJECT), "gerund", "no lexicon"),
        ((SUBJECT.format("jis", 2).replace("|Gender=Masc", ""), SENTENCE[3], OBJECT), "participle", "shows no Gender"),
    ],
)
def test_what_a_seed_can_not_have_is_rejected_with_the_reason(
    frames: Frames, inflector: Inflector, rows: tuple[str, ...], condition: str, reason: str
) -> None:
    block = sentence(*(row.format(len(rows) - 1) for row in rows))
    result = made(tree_seed(pair_of(block, len(rows), "namas"), block, frames), inflector, condition)[condition]
    assert isinstance(result, str)
    assert reason in result


def test_a_contrast_in_an_inflected_word_is_not_lost_silently(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    results = made(tree_seed(pair_of(block, 4, "nešame"), block, frames), inflector, "kad", "gerund")
    assert results["kad"] == (
        "Visi žino, kad mažas vaikas dabar neša namą.",
        "Visi žino, kad mažas vaikas dabar nešame namą.",
    )
    assert results["gerund"] == "the contrast is in 'neša', which the clause inflects"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (SENTENCE[:4], "no object"),
        ((*SENTENCE[:4], SENTENCE[4], "dieną diena NOUN Case=Acc 4 obj"), None),
        ((f"Vaikas vaikas NOUN {NOMINATIVE} 0 root", "namą namas NOUN _ 1 obj"), "root is no verb"),
        ((*SENTENCE, "ir ir CCONJ _ 7 cc", f"eina eiti VERB {FINITE} 4 conj"), "a clause beside it"),
        (("Čia čia ADV _ 4 advmod", ", , PUNCT _ 1 punct", *(SENTENCE[1], *SENTENCE[3:])), "punctuation inside"),
    ],
)
def test_trees_that_allow_no_seed_are_told(frames: Frames, rows: tuple[str, ...], reason: str | None) -> None:
    block = sentence(*rows)
    pair = pair_of(block, 5 if len(rows) > 4 and reason is None else len(rows), "xxx")
    if reason is None:
        # Of two objects the one that holds the change counts.
        assert tree_seed(pair, block, frames).of_role("O")[0].words[0].bad == "xxx"
    else:
        with pytest.raises(UnusableTree, match=reason):
            tree_seed(pair, block, frames)


@given(st.permutations(("S", "O", "V")))
def test_an_order_moves_words_and_changes_none(order: list[str]) -> None:
    frames = load_frames(load_language("lt"))
    block = sentence(*SENTENCE)
    seed = tree_seed(pair_of(block, 5, "namas"), block, frames)
    for item in variants(seed, ("".join(order),), Inflector.of(load_language("lt"))):
        assert isinstance(item, Candidate)
        for before, after in ((seed.pair.good, item.good), (seed.pair.bad, item.bad)):
            assert sorted(map(str.casefold, words(before))) == sorted(map(str.casefold, words(after)))
            assert after[0].isupper()
            assert after.count(".") == 1


# Mark-up


@pytest.fixture(scope="module")
def turkish() -> Frames:
    return load_frames(load_language("tr"))


def rule(code: str = "dative") -> Rule:
    return Rule(
        id="rule-1", source_id="seeds", code=code, title="t", description="d", category="c", phenomenon="p",
        block_ids=(), quote="", page=1, extracted_by="hand",
    )  # fmt: skip


def seeds_of(path: Path, text: str, frames: Frames) -> Iterator[Seed]:
    path.write_text(text, encoding="utf-8")
    return marked_up_seeds(path, {"dative": rule()}, "seeds", frames)


def test_marked_up_seeds_give_orders_and_the_clauses_whose_forms_they_have(tmp_path: Path, turkish: Frames) -> None:
    text = "# a comment\nrule dative\n[S Ali; dik=Ali'nin] [O ineğe/*ineği] dün [V vurdu; dik=vurduğunu].\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, turkish)
    results = made(seed, Inflector.of(load_language("tr")))
    # The seed itself has the order SOV, and is a pair of the paradigm.
    assert results["SOV"] == ("Ali ineğe dün vurdu.", "Ali ineği dün vurdu.")
    assert results["OSV"] == ("İneğe Ali dün vurdu.", "İneği Ali dün vurdu.")
    assert results["VOS"] == ("Dün vurdu ineğe Ali.", "Dün vurdu ineği Ali.")
    assert results["finite"] == ("Herkes Ali ineğe dün vurdu sanıyor.", "Herkes Ali ineği dün vurdu sanıyor.")
    assert results["dik"] == (
        "Herkes Ali'nin ineğe dün vurduğunu sanıyor.",
        "Herkes Ali'nin ineği dün vurduğunu sanıyor.",
    )
    assert isinstance(results["ken"], str)
    assert set(results) == set(turkish.conditions)


def test_a_dropped_subject_is_marked_by_its_features(tmp_path: Path, turkish: Frames) -> None:
    text = "rule dative\n[S Person=1|Number=Sing] [O ineğe/*ineği] [V vurdum; dik=vurduğumu]!\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, turkish)
    results = made(seed, Inflector.of(load_language("tr")), "SOV", "dik")
    assert results == {
        "baseline": ("İneğe vurdum!", "İneği vurdum!"),
        "SOV": ("Ben ineğe vurdum!", "Ben ineği vurdum!"),
        "dik": ("Herkes ineğe vurduğumu sanıyor.", "Herkes ineği vurduğumu sanıyor."),
    }


def test_words_without_a_form_are_inflected_where_they_have_one_reading(
    tmp_path: Path, frames: Frames, inflector: Inflector
) -> None:
    text = "rule dative\n[S vaikas] [V neša] [O {didelį namą/*didelis namas}].\n"
    (seed,) = seeds_of(tmp_path / "paradigms.txt", text, frames)
    results = made(seed, inflector, "gerund", "half-participle")
    assert results["gerund"] == (
        "Vaikui nešant didelį namą, prasidėjo pavasaris.",
        "Vaikui nešant didelis namas, prasidėjo pavasaris.",
    )
    assert results["half-participle"] == (
        "Nešdamas didelį namą, vaikas laimėjo.",
        "Nešdamas didelis namas, vaikas laimėjo.",
    )


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("[S Ali] [O ineğe/*ineği] [V vurdu.", "2:26", "can't be read"),
        ("[S Ali] [O ineğe/*ineği] vurdu.", "2:1", "one [S], one [O] and one [V]"),
        ("[S Ali] [O ineğe] [V vurdu].", "2:1", "both sentences are the same"),
        ("[S Ali] [O ineğe/*ineği] [V vurdu; dikk=x].", "2:29", "is no CONDITION=FORM"),
        ("[S Ali] [O {ineğe] [V vurdu].", "2:12", "can't be read"),
        ("[S Ali] [O ineğe/*ineği] [V vurdu]", "2:35", "ends with one full stop"),
        ("[S Ali] [X ineğe/*ineği] [V vurdu].", "2:9", "can't be read"),
        ("[S Person=1st|] [O ineğe/*ineği] [V vurdu].", "2:4", "is no feature"),
        ("rule genitive", "2:6", "no rule 'genitive'"),
    ],
)
def test_faults_of_the_markup_are_told_with_line_and_column(
    tmp_path: Path, turkish: Frames, line: str, place: str, reason: str
) -> None:
    with pytest.raises(SourceError) as caught:
        list(seeds_of(tmp_path / "paradigms.txt", f"rule dative\n{line}\n", turkish))
    assert f"paradigms.txt:{place}: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_seed_before_any_rule_is_told(tmp_path: Path, turkish: Frames) -> None:
    with pytest.raises(SourceError, match="no rule yet"):
        list(seeds_of(tmp_path / "paradigms.txt", "[S Ali] [O ineğe/*ineği] [V vurdu].\n", turkish))


# Frames


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("orderz = []", "orderz"),
        ('orders = ["SVX"]', "SVX"),
        ('[[clauses]]\ncondition = "x"\ntemplate = "no place"', "clause"),
        ('[[clauses]]\ncondition = "x"\ntemplate = "{clause}."\nverb = "case gen"', "is no feature"),
        ('[[clauses]]\ncondition = "SVO"\ntemplate = "{clause}."', "taken"),
    ],
)
def test_faults_of_a_frames_file_are_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "lt.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=reason) as caught:
        load_frames(load_language("lt"), tmp_path)
    assert "lt.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_language_without_frames_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"write frames/sje\.toml"):
        load_frames(load_language("sje"), tmp_path)


def test_conditions_are_those_of_the_file(frames: Frames) -> None:
    language = load_language("lt")
    assert chosen_conditions(frames, (), language) == frames.conditions
    assert chosen_conditions(frames, ("OVS", "kad"), language) == ("OVS", "kad")
    with pytest.raises(ConfigError, match="--conditions dik: unknown condition"):
        chosen_conditions(frames, ("dik",), language)


@pytest.mark.parametrize("code", ["lt", "tr"])
def test_the_frames_that_come_with_pairwright_are_whole(code: str) -> None:
    frames = load_frames(load_language(code))
    assert set(frames.orders) == set(ORDERS)
    assert len(frames.clauses) == 4
