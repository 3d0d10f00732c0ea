"""Paradigms: orders of subject, object and verb, and subordinate clauses, of treebank pairs and of marked-up seeds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paradigm_parts import made

from made_records import make_candidate
from pairwright.core.records import Block, Candidate, Evidence, ParadigmVariant, Tree, TreebankChange, Word
from pairwright.core.text import words
from pairwright.growth.paradigm.frames import Frames, load_frames
from pairwright.growth.paradigm.seeds import UnusableTreeError, names_in, tree_seed
from pairwright.growth.paradigm.variants import variants
from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflector

NOMINATIVE = "Case=Nom|Gender=Masc|Number=Sing"
FINITE = "Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin"


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
    "ilgai ilgai ADV _ 4 advmod",
    f"neša nešti VERB {FINITE} 0 root",
    "namą namas NOUN Case=Acc|Gender=Masc|Number=Sing 4 obj",
)


SUBJECT = "{0} {0} NOUN " + NOMINATIVE + " {1} nsubj"
OBJECT = SENTENCE[4].replace(" 4 ", " {} ")


def test_a_tree_gives_all_orders_with_capitals_and_full_stop(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, *frames.orders)
    assert results == {
        # The seed itself has the order SVO.
        "SOV": ("Mažas vaikas namą ilgai neša.", "Mažas vaikas namas ilgai neša."),
        "OVS": ("Namą ilgai neša mažas vaikas.", "Namas ilgai neša mažas vaikas."),
        "OSV": ("Namą mažas vaikas ilgai neša.", "Namas mažas vaikas ilgai neša."),
        "VSO": ("Ilgai neša mažas vaikas namą.", "Ilgai neša mažas vaikas namas."),
        "VOS": ("Ilgai neša namą mažas vaikas.", "Ilgai neša namas mažas vaikas."),
    }


@pytest.mark.parametrize(
    ("object_", "preposition"),
    [("namu namas NOUN Case=Ins|Gender=Masc|Number=Sing 4 obj", None), (SENTENCE[4], "į į ADP _ 5 case")],
)
def test_what_is_in_the_instrumental_or_has_an_adposition_is_no_object(
    frames: Frames, inflector: Inflector, object_: str, preposition: str | None
) -> None:
    block = sentence(*SENTENCE[:4], object_, *filter(None, [preposition]))
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, "OVS", "kad")
    assert results["OVS"] == "it has no object"
    assert isinstance(results["kad"], tuple)


@pytest.mark.parametrize(
    ("condition", "adverb", "reason"),
    [
        ("kad", "nežino nežino ADV _ 4 advmod", "'nežino' repeats or contradicts 'žino' of the matrix clause"),
        ("half-participle", "rytoj rytoj ADV _ 4 advmod", "'rytoj' contradicts the matrix clause"),
    ],
)
def test_a_clause_that_repeats_or_contradicts_its_matrix_clause_is_not_made(
    frames: Frames, inflector: Inflector, condition: str, adverb: str, reason: str
) -> None:
    block = sentence(*SENTENCE[:2], adverb, *SENTENCE[3:])
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, condition)
    assert results == {condition: reason}


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
            "Visi žino, kad mažas vaikas ilgai neša namą.",
            "Visi žino, kad mažas vaikas ilgai neša namas.",
        ),
        "participle": ("Mažas vaikas atrodo ilgai nešąs namą.", "Mažas vaikas atrodo ilgai nešąs namas."),
        "half-participle": (
            "Ilgai nešdamas namą, mažas vaikas pasikeitė.",
            "Ilgai nešdamas namas, mažas vaikas pasikeitė.",
        ),
        "gerund": (
            "Mažui vaikui ilgai nešant namą, praėjo daug laiko.",
            "Mažui vaikui ilgai nešant namas, praėjo daug laiko.",
        ),
    }


def test_a_sentence_without_object_has_clauses_and_no_orders(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE[:4])
    results = made(tree_seed(pair_of(block, 1, "Mažą"), block, frames), inflector, "OVS", "kad")
    assert results == {
        "OVS": "it has no object",
        "kad": ("Visi žino, kad mažas vaikas ilgai neša.", "Visi žino, kad mažą vaikas ilgai neša."),
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
        (("kad kad ADV _ 2 advmod", SENTENCE[3], OBJECT), "kad", "begins with 'kad' itself"),
        ((SUBJECT.format("jis", 2).replace("|Gender=Masc", ""), SENTENCE[3], OBJECT), "participle", "shows no Gender"),
    ],
)
def test_what_a_seed_can_not_have_is_rejected_with_the_reason(
    frames: Frames, inflector: Inflector, rows: tuple[str, ...], condition: str, reason: str
) -> None:
    head = next(number for number, row in enumerate(rows, start=1) if " 0 root" in row)
    block = sentence(*(row.format(head) for row in rows))
    result = made(tree_seed(pair_of(block, len(rows), "namas"), block, frames), inflector, condition)[condition]
    assert isinstance(result, str)
    assert reason in result


def test_a_verb_that_may_have_no_subject_gets_no_pronoun(inflector: Inflector) -> None:
    turkish = load_frames(load_language("tr"))
    for person, reason in (("3", "has no pronoun"), ("2", None)):
        verb = f"gördü gör VERB Mood=Ind|Number=Sing|Person={person} 0 root"
        block = sentence("evi ev NOUN Case=Acc 2 obj", verb)
        result = made(tree_seed(pair_of(block, 1, "Ev"), block, turkish), inflector, "SVO")["SVO"]
        assert reason in result if reason else result == ("Sen gördü evi.", "Sen gördü ev.")


def test_a_contrast_in_an_inflected_word_is_not_lost_silently(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE)
    results = made(tree_seed(pair_of(block, 4, "nešame"), block, frames), inflector, "kad", "gerund")
    assert results["kad"] == (
        "Visi žino, kad mažas vaikas ilgai neša namą.",
        "Visi žino, kad mažas vaikas ilgai nešame namą.",
    )
    assert results["gerund"] == "the contrast is in 'neša', which the clause inflects"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ((*SENTENCE[:4], SENTENCE[4], "dieną diena NOUN Case=Acc 4 obj"), None),
        ((f"Vaikas vaikas NOUN {NOMINATIVE} 0 root", "namą namas NOUN _ 1 obj"), "root is no verb"),
        ((*SENTENCE, "ir ir CCONJ _ 7 cc", f"eina eiti VERB {FINITE} 4 conj"), "a clause beside it"),
        ((*SENTENCE[:4], "( ( PUNCT _ 6 punct", SENTENCE[4]), "other signs inside"),
    ],
)
def test_trees_that_allow_no_seed_are_told(frames: Frames, rows: tuple[str, ...], reason: str | None) -> None:
    block = sentence(*rows)
    pair = pair_of(block, 5 if len(rows) > 4 and reason is None else len(rows), "xxx")
    if reason is None:
        # Of two objects the one that holds the change counts.
        assert tree_seed(pair, block, frames).of("O")[0].bad == "xxx"
    else:
        with pytest.raises(UnusableTreeError, match=reason):
            tree_seed(pair, block, frames)


def test_a_first_word_that_is_a_name_elsewhere_keeps_its_capital(frames: Frames, inflector: Inflector) -> None:
    other = sentence("Čia čia ADV _ 2 advmod", f"Vaikas vaikas NOUN {NOMINATIVE} 0 root")
    block = sentence(SUBJECT.format("vaikas", 2), SENTENCE[3], OBJECT.format(2))
    assert other.tree is not None
    seed = tree_seed(pair_of(block, 3, "namas"), block, frames, names_in([other.tree]))
    assert made(seed, inflector, "OVS")["OVS"] == ("Namą neša Vaikas.", "Namas neša Vaikas.")


def test_commas_between_conjuncts_move_with_them(frames: Frames, inflector: Inflector) -> None:
    block = sentence(*SENTENCE, ", , PUNCT _ 7 punct", "stalą stalas NOUN Case=Acc 5 conj")
    assert block.text == "Mažas vaikas ilgai neša namą, stalą."
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, "OSV", "gerund")
    assert results == {
        "OSV": ("Namą, stalą mažas vaikas ilgai neša.", "Namas, stalą mažas vaikas ilgai neša."),
        "gerund": (
            "Mažui vaikui ilgai nešant namą, stalą, praėjo daug laiko.",
            "Mažui vaikui ilgai nešant namas, stalą, praėjo daug laiko.",
        ),
    }


def test_a_sentence_with_other_commas_keeps_its_order(frames: Frames, inflector: Inflector) -> None:
    relative = (", , PUNCT _ 8 punct", "kurį kuris PRON Case=Acc 8 obj", f"mato matyti VERB {FINITE} 5 acl:relcl")
    block = sentence(*SENTENCE, *relative)
    results = made(tree_seed(pair_of(block, 5, "namas"), block, frames), inflector, "OVS", "kad", "gerund")
    assert results["kad"] == (
        "Visi žino, kad mažas vaikas ilgai neša namą, kurį mato.",
        "Visi žino, kad mažas vaikas ilgai neša namas, kurį mato.",
    )
    assert results["OVS"] == results["gerund"] == "it has a comma that parts no conjuncts, and its place would change"


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
