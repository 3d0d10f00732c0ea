"""How a pair grows: slots, forms, agreement, and what never grows; by the lexicon that comes with pairwright."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from made_records import make_candidate
from pairwright.core.config import AugmentSettings
from pairwright.core.records import Augmentation, Candidate, Tree, TreebankChange, Word
from pairwright.core.workspace import Workspace
from pairwright.growth.augment.growth import Slot, Slots, by_sentence, candidate_of, fitting, grow, known_words
from pairwright.growth.augment.lexicon import Neighbours, SlotLexicon, SlotWord, read_slot_lexicon
from pairwright.growth.augment.seeds import MisalignedError, Seed, Variant, seed_of
from pairwright.languages import Language, load_language
from pairwright.languages.features import parse_features
from pairwright.languages.morphology import AnalysedForm, Analysis
from pairwright.languages.morphology.inflection import Inflector, NotInflected
from pairwright.languages.morphology.lexicon import TableLexicon
from pairwright.pipeline.growth import with_own_forms

ROOT = Path(__file__).parents[2]
LITHUANIAN: Language = with_own_forms(load_language("lt"), Workspace(ROOT))
INFLECTOR = Inflector.of(LITHUANIAN)
LEXICON: SlotLexicon = read_slot_lexicon(ROOT / "lexicons" / "lt.tsv")
MUSHROOMS = make_candidate("Miške atsirado grybų.", "Miške atsirado grybai.")
APPLES = make_candidate("Svečiams trūksta saldaus obuolio.", "Svečiams trūksta saldus obuolys.")


def seed(pair: Candidate, tree: Tree | None = None, keep: tuple[str, ...] = ()) -> Seed:
    return seed_of(pair, LITHUANIAN, INFLECTOR, tree, keep)


def slot_number(made: Seed, word: str) -> int:
    return next(number for number in made.slots if made.places[number].good.text == word)


def slot_words(made: Seed) -> list[str]:
    return [made.places[number].good.text for number in made.slots]


def grown(made: Seed, **lemmas: str) -> tuple[str, str] | str:
    """The two sentences with other lemmas in place of words, or why there are none."""
    numbers = {place.good.text: number for number, place in enumerate(made.places)}
    variant = made.realise(tuple((numbers[word], lemma) for word, lemma in lemmas.items()), INFLECTOR)
    return variant.reason if isinstance(variant, NotInflected) else (variant.good, variant.bad)


@pytest.mark.parametrize(
    ("pair", "lemmas", "expected"),
    [
        # A shared word and the changed word, in both sentences.
        (MUSHROOMS, {"grybų": "obuolys"}, ("Miške atsirado obuolių.", "Miške atsirado obuoliai.")),
        (MUSHROOMS, {"Miške": "šilas", "grybų": "obuolys"}, ("Šile atsirado obuolių.", "Šile atsirado obuoliai.")),
        # An adjective follows its noun.
        (APPLES, {"saldaus": "kartus", "obuolio": "vyšnia"},
         ("Svečiams trūksta karčios vyšnios.", "Svečiams trūksta karti vyšnia.")),
        # A noun keeps its gender where a word that may agree can't be told.
        (make_candidate("Sriubą prašė šaltą.", "Sriubos prašė šaltą."), {"Sriubą": "medus"}, "gender"),
        (make_candidate("Sriubą prašė šaltą.", "Sriubos prašė šaltą."), {"Sriubą": "košė"},
         ("Košę prašė šaltą.", "Košės prašė šaltą.")),
        # The nominative and the instrumental of words in -a are the same in writing, of those in -ė they are not.
        (make_candidate("Teta nemačiau kalno.", "Teta nemačiau kalną."), {"Teta": "sesuo"},
         "'Teta' can be read in several ways, which differ in 'sesuo'"),
        (make_candidate("Teta nemačiau kalno.", "Teta nemačiau kalną."), {"Teta": "dukra"},
         ("Dukra nemačiau kalno.", "Dukra nemačiau kalną.")),
        # The nominative plural of words in -ė is the genitive singular, too; of words in -ys it is not.
        (MUSHROOMS, {"grybų": "bruknė"}, "the bad sentence has a form that is also the good one"),
        (make_candidate("Ten stovi beržas.", "Ten stovi beržai."), {"beržas": "miltai"},
         "no lexicon has a form of 'miltai'"),
        (make_candidate("Nusipirkome agurkų, pomidorų.", "Nusipirkome agurkus, pomidorus."), {"agurkų": "pomidoras"},
         "the sentence has 'pomidoras' already"),
    ],
)  # fmt: skip
def test_other_words_take_the_forms_of_a_seed(
    pair: Candidate, lemmas: dict[str, str], expected: tuple[str, str] | str
) -> None:
    made = grown(seed(pair), **lemmas)
    assert expected in made if isinstance(expected, str) else made == expected


def test_headwords_closed_classes_and_kept_phrases_are_no_slots() -> None:
    listed = make_candidate("Vasarą miške daugėja grybų.", "Vasarą miške daugėja grybai.", entry="vasara (miškas)")
    assert slot_words(seed(listed)) == ["grybų"]
    kept = seed(
        make_candidate("Po pietų miške atsirado grybų.", "Po pietų miške atsirado grybai."), keep=("miške atsirado",)
    )
    assert slot_words(kept) == ["grybų"]


def test_sentences_that_do_not_align_are_named() -> None:
    with pytest.raises(MisalignedError, match="no word in common"):
        seed(make_candidate("Lyja.", "Sninga labai."))
    with pytest.raises(MisalignedError, match="'grybų' stands elsewhere"):
        seed(make_candidate("Grybų miške atsirado.", "Miške atsirado grybų."))


def word(number: int, form: str, lemma: str, upos: str, feats: str, head: int, deprel: str, start: int) -> Word:
    place = {"start": start, "end": start + len(form)}
    return Word(id=number, form=form, lemma=lemma, upos=upos, feats=feats, head=head, deprel=deprel, **place)


def test_a_tree_tells_what_agrees_however_far() -> None:
    good, bad = "Sriuba man atrodo šalta.", "Sriuba man atrodo šaltą."
    nominative = "Case=Nom|Gender=Fem|Number=Sing"
    tree = Tree(
        sent_id="1",
        words=(
            word(1, "Sriuba", "sriuba", "NOUN", nominative, 4, "nsubj", 0),
            word(2, "man", "aš", "PRON", "Case=Dat|Number=Sing|Person=1", 4, "obl", 7),
            word(3, "atrodo", "atrodyti", "AUX", "Person=3", 4, "cop", 11),
            word(4, "šalta", "šaltas", "ADJ", f"{nominative}", 0, "root", 18),
        ),
    )
    change = TreebankChange(
        sent_id="1", contrast="predicate case", word=4, lemma="šaltas", lexicon="lt",
        good_features=f"{nominative}", bad_features="Case=Acc|Gender=Fem|Number=Sing",
    )  # fmt: skip
    made = seed(make_candidate(good, bad, method="treebank", derivation=change), tree)
    assert grown(made, Sriuba="pyragas") == ("Pyragas man atrodo šaltas.", "Pyragas man atrodo šaltą.")
    assert grown(made, Sriuba="košė") == ("Košė man atrodo šalta.", "Košė man atrodo šaltą.")


def test_a_noun_tells_which_of_two_words_agrees_with_it() -> None:
    masculine, feminine = (f"Case=Gen|Gender={gender}|Number=Sing" for gender in ("Masc", "Fem"))
    rows = (
        ("pono", "ponas", "NOUN", masculine), ("damos", "dama", "NOUN", feminine), ("gero", "geras", "ADJ", masculine),
        ("geros", "geras", "ADJ", feminine), ("gero", "gerti", "VERB", "Mood=Imp|Person=3"),
        ("to", "tas", "PRON", masculine), ("to", "to", "PRON", masculine),
    )  # fmt: skip
    cells = (
        AnalysedForm(form, Analysis(lemma, upos, parse_features(own), "made", "")) for form, lemma, upos, own in rows
    )
    inflector = Inflector((TableLexicon(cells),))
    for good, wanted in (("Nėra gero pono kelio.", "Nėra geros damos kelio."), ("Nėra to pono kelio.", None)):
        made = seed_of(make_candidate(good, good.replace("kelio", "kelią")), load_language("en"), inflector)
        number = next(place for place, word in enumerate(made.places) if word.lemma == "ponas")
        free = replace(made, held=frozenset())
        variant = free.realise(((number, "dama"),), inflector)
        assert (variant.good if isinstance(variant, Variant) else None) == wanted


def test_a_lemma_with_the_form_that_stands_there_is_no_word_for_its_place() -> None:
    def table(lemma: str, form: str) -> TableLexicon:
        features = parse_features("Case=Gen|Number=Plur")
        return TableLexicon([AnalysedForm(form, Analysis(lemma, "NOUN", features, lemma, ""))])

    inflector = Inflector((table("sodas", "sodų"), table("soda", "sodų"), table("daržas", "daržų")))
    made = seed_of(make_candidate("Nėra sodų kelio.", "Nėra sodų kelią."), load_language("en"), inflector)
    names = ("sodas", "soda", "daržas")
    words = [SlotWord(lemma=lemma, upos="NOUN", classes=("place",)) for lemma in names]
    lexicon = {word.key: word for word in words}
    ((lemmas, _),) = proposed([Slot(made, 1)], lexicon, inflector)
    assert list(lemmas) == ["daržas"]


def proposed(
    slots: Sequence[Slot], lexicon: SlotLexicon = LEXICON, inflector: Inflector = INFLECTOR
) -> list[tuple[list[str], str]]:
    words = partial(known_words, lexicon=lexicon, neighbours=Neighbours((), (), inflector), trees={})
    return [(list(lemmas), why) for lemmas, why in by_sentence(slots, words, inflector, by_length)]


def by_length(sentences: Any) -> list[float]:
    return [-float(len(sentence)) for sentence in sentences]


def filled(pair: Candidate, most: int = 8) -> Slots:
    made = seed(pair)
    slots = [Slot(made, number) for number in made.slots]
    settings = AugmentSettings(proposals=most)
    proposals = zip(slots, proposed(slots), strict=True)
    return Slots(made, {s.number: fitting(s, lemmas, LEXICON, INFLECTOR, settings)[0] for s, (lemmas, _) in proposals})


def test_a_slot_takes_words_of_the_class_of_its_word() -> None:
    taken = filled(MUSHROOMS, most=99).lemmas
    assert {"baravykas", "kazlėkas"} <= set(taken[2])
    assert "pušynas" in taken[0]
    assert not {"obuolys", "mokytojas"} & {lemma for lemmas in taken.values() for lemma in lemmas}


def test_a_word_of_the_class_takes_a_slot_if_it_was_seen_beside_its_neighbours() -> None:
    made = seed(make_candidate("Ona verda skanią sriubą vaikams.", "Ona verda skanią sriubos vaikams."))
    slot = Slot(made, slot_number(made, "sriubą"))
    seen = partial(known_words, lexicon=LEXICON, trees={})
    # A mushroom is of another class; salad was seen beside one of the neighbours alone; of stew nothing is said.
    texts = ["Verda skanią košę vaikams.", "Verda skanų grybą vaikams.", "Valgo skanią mišrainę."]
    words, _ = seen(slot, neighbours=Neighbours((), texts, INFLECTOR))
    assert words == ["košė"]
    # Where no text has the neighbours, the class tells.
    words, _ = seen(slot, neighbours=Neighbours((), ["Lyja."], INFLECTOR))
    assert len(words) > 1


def test_a_word_that_governs_the_contrast_stays() -> None:
    made = seed(make_candidate("Stiklinė pilna pieno.", "Stiklinė pilna pienu."))
    assert ("pilna", "it governs 'pieno'") in made.skipped
    assert slot_words(made)[-1:] == ["pieno"]


def test_growth_takes_from_all_seeds_in_turn_and_repeats_nothing() -> None:
    seeds = [filled(MUSHROOMS), filled(APPLES)]
    settings = AugmentSettings(lemma_share=0.1, pairs_per_seed=12)

    made, ended = grow(seeds, 30, settings, INFLECTOR, 2)
    again, _ = grow([filled(MUSHROOMS), filled(APPLES)], 30, settings, INFLECTOR, 2)
    assert [pair.variant for _, pair in made] == [pair.variant for _, pair in again]
    goods = [pair.variant.good for _, pair in made]
    assert len(set(goods)) == len(goods)
    assert not {MUSHROOMS.good, APPLES.good} & set(goods)
    # Why there are fewer than were asked for.
    assert set(Counter(slots.seed.pair.id for slots, _ in made).values()) == {12}
    assert ended == {"augment.pairs_per_seed reached": 2}
    lemmas = Counter(lemma for _, pair in made for _, lemma in pair.choice)
    assert max(lemmas.values()) <= 3
    single, _ = grow(seeds, 30, settings, INFLECTOR, 1)
    assert all(len(pair.choice) == 1 for _, pair in single)


def test_a_grown_pair_names_its_seed_and_its_words() -> None:
    made, _ = grow([filled(MUSHROOMS)], 1, AugmentSettings(), INFLECTOR, 2)
    ((slots, pair),) = made
    child = candidate_of(slots, pair, "lexicon", "length", proposed=False)
    assert child.parent_id == MUSHROOMS.id
    assert isinstance(child.derivation, Augmentation)
    assert (child.derivation.seed_id, child.derivation.model, child.derivation.rank) == (MUSHROOMS.id, "length", 1)
    for item in child.derivation.replacements:
        assert MUSHROOMS.good[item.good_at :].startswith(item.seed)
        assert item.new in child.good
