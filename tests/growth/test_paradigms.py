"""Paradigms: orders of subject, object and verb, and subordinate clauses, of treebank pairs and of marked-up seeds."""

import pytest
from paradigm_parts import made

from made_records import make_candidate
from pairwright.core.records import Block, Candidate, Evidence, ParadigmVariant, Tree, TreebankChange, Word
from pairwright.growth.paradigm.frames import Frames, load_frames
from pairwright.growth.paradigm.seeds import UnusableTreeError, names_in, tree_seed, variants
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


ADVERB = "{0} {0} ADV _ 4 advmod"
FIRST = FINITE.replace("Person=3", "Number=Sing|Person=1")
HOME = ("namą", "namas")
CONJUNCTS = (*SENTENCE, ", , PUNCT _ 7 punct", "stalą stalas NOUN Case=Acc 5 conj")
RELATIVE = (
    *SENTENCE,
    ", , PUNCT _ 8 punct",
    "kurį kuris PRON Case=Acc 8 obj",
    f"mato matyti VERB {FINITE} 5 acl:relcl",
)
# The rows of a sentence, the number and the other form of the changed word, and what comes of conditions: the sentence
# with `~` for the changed word and its two forms there, or why there is none.
CASES: list[tuple[tuple[str, ...], int, str, dict[str, tuple[str, str, str] | str]]] = [
    # All orders with capitals and a full stop; the seed itself has the order SVO.
    (SENTENCE, 5, "namas", {
        "SOV": ("Mažas vaikas ~ ilgai neša.", *HOME),
        "OVS": ("~ ilgai neša mažas vaikas.", "Namą", "Namas"),
        "OSV": ("~ mažas vaikas ilgai neša.", "Namą", "Namas"),
        "VSO": ("Ilgai neša mažas vaikas ~.", *HOME),
        "VOS": ("Ilgai neša ~ mažas vaikas.", *HOME),
    }),
    # Clauses inflect the verb and the subject with what agrees.
    (SENTENCE, 5, "namas", {
        "kad": ("Visi žino, kad mažas vaikas ilgai neša ~.", *HOME),
        "participle": ("Mažas vaikas atrodo ilgai nešąs ~.", *HOME),
        "half-participle": ("Ilgai nešdamas ~, mažas vaikas pasikeitė.", *HOME),
        "gerund": ("Mažui vaikui ilgai nešant ~, praėjo daug laiko.", *HOME),
    }),
    # What is in the instrumental or has an adposition is no object.
    ((*SENTENCE[:4], "namu namas NOUN Case=Ins|Gender=Masc|Number=Sing 4 obj"), 5, "namas",
     {"OVS": "it has no object", "kad": ("Visi žino, kad mažas vaikas ilgai neša ~.", "namu", "namas")}),
    ((*SENTENCE, "į į ADP _ 5 case"), 5, "namas", {"OVS": "it has no object"}),
    # A sentence without object has clauses and no orders.
    (SENTENCE[:4], 1, "Mažą",
     {"OVS": "it has no object", "kad": ("Visi žino, kad ~ vaikas ilgai neša.", "mažas", "mažą")}),
    # A clause that repeats or contradicts its matrix clause is not made.
    ((*SENTENCE[:2], ADVERB.format("nežino"), *SENTENCE[3:]), 5, "namas",
     {"kad": "'nežino' repeats or contradicts 'žino' of the matrix clause"}),
    ((*SENTENCE[:2], ADVERB.format("rytoj"), *SENTENCE[3:]), 5, "namas",
     {"half-participle": "'rytoj' contradicts the matrix clause"}),
    # A dropped subject becomes the pronoun of its person.
    ((f"Nešu nešti VERB {FIRST} 0 root", OBJECT.format(1)), 2, "namas", {
        "SVO": ("Aš nešu ~.", *HOME), "OVS": ("~ nešu aš.", "Namą", "Namas"), "kad": ("Visi žino, kad nešu ~.", *HOME),
    }),
    # Which of the pronouns of the third person it is depends on the gender.
    ((SENTENCE[3].replace(" 4 ", " 1 "), OBJECT.format(1)), 2, "namas", {"SVO": "has no pronoun"}),
    (("Tačiau tačiau CCONJ _ 3 cc", SUBJECT.format("vaikas", 3), SENTENCE[3], OBJECT.format(3)), 4, "namas",
     {"kad": "begins with 'tačiau'"}),
    ((SUBJECT.format("jonas", 2), SENTENCE[3], OBJECT.format(2)), 3, "namas", {"gerund": "no lexicon"}),
    (("kad kad ADV _ 2 advmod", SENTENCE[3], OBJECT.format(2)), 3, "namas", {"kad": "begins with 'kad' itself"}),
    ((SUBJECT.format("jis", 2).replace("|Gender=Masc", ""), SENTENCE[3], OBJECT.format(2)), 3, "namas",
     {"participle": "shows no Gender"}),
    # A contrast in an inflected word is not lost silently.
    (SENTENCE, 4, "nešame", {
        "kad": ("Visi žino, kad mažas vaikas ilgai ~ namą.", "neša", "nešame"),
        "gerund": "the contrast is in 'neša', which the clause inflects",
    }),
    # Commas between conjuncts move with them; with other commas a sentence keeps its order.
    (CONJUNCTS, 5, "namas", {
        "OSV": ("~, stalą mažas vaikas ilgai neša.", "Namą", "Namas"),
        "gerund": ("Mažui vaikui ilgai nešant ~, stalą, praėjo daug laiko.", *HOME),
    }),
    (RELATIVE, 5, "namas", {
        "kad": ("Visi žino, kad mažas vaikas ilgai neša ~, kurį mato.", *HOME),
        "OVS": "it has a comma that parts no conjuncts, and its place would change",
        "gerund": "it has a comma that parts no conjuncts, and its place would change",
    }),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "number", "form", "expected"), CASES)
def test_what_comes_of_a_seed_in_each_condition(
    frames: Frames,
    inflector: Inflector,
    rows: tuple[str, ...],
    number: int,
    form: str,
    expected: dict[str, tuple[str, str, str] | str],
) -> None:
    block = sentence(*rows)
    results = made(tree_seed(pair_of(block, number, form), block, frames), inflector, *expected)
    assert set(results) == set(expected)
    for condition, wanted in expected.items():
        if isinstance(wanted, str):
            assert wanted in results[condition]
        else:
            assert results[condition] == (wanted[0].replace("~", wanted[1]), wanted[0].replace("~", wanted[2]))


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


def test_a_verb_that_may_have_no_subject_gets_no_pronoun(inflector: Inflector) -> None:
    turkish = load_frames(load_language("tr"))
    for person, reason in (("3", "has no pronoun"), ("2", None)):
        verb = f"gördü gör VERB Mood=Ind|Number=Sing|Person={person} 0 root"
        block = sentence("evi ev NOUN Case=Acc 2 obj", verb)
        result = made(tree_seed(pair_of(block, 1, "Ev"), block, turkish), inflector, "SVO")["SVO"]
        assert reason in result if reason else result == ("Sen gördü evi.", "Sen gördü ev.")


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
