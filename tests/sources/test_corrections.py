"""What a sentence with corrections in brackets stands for: the notation, construct by construct.

Each case is a sentence of a list and all pairs that a reader of the list would make of it, the first reading first.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from list_parts import ReadList, pairs

from pairwright.languages import load_language
from pairwright.languages.linguistics.sentences import UnbalancedError
from pairwright.sources.error_list.corrections import CorrectionReader, UnresolvedError
from pairwright.sources.error_list.notation import BracketReader, load_notation
from pairwright.sources.error_list.spans import Mentions

# A correction as different people write it, and with what stands beside it in a bracket.
MANNERS = [
    "Nematau kalnus(= kalnų).", "Nematau kalnus ( = kalnų).", "Nematau kalnus (=kalnų).", "Nematau kalnus (= kalnų)",
    "Nematau kalnus (taisoma: kalnų).", "Nematau kalnų (–kalnus).", "Nematau kalnų (ne kalnus).",
    "Nematau kalnus (= kalnų; plg. matau kalnus).", "Nematau kalnus (= kalnų, žr. 3.2).",
]  # fmt: skip
ONE_READING = [
    *((written, "Nematau kalnus.", "Nematau kalnų.") for written in MANNERS),
    # The wrong words are as many as the right ones, and other forms of them.
    ("Sode daugėja senos obelys (= senų obelų).", "Sode daugėja senos obelys.", "Sode daugėja senų obelų."),
    # An adposition is added; an adposition of the wrong words goes with them.
    ("Vaikas panašus mamai (= į mamą).", "Vaikas panašus mamai.", "Vaikas panašus į mamą."),
    ("Grįšime ant Velykų (= per Velykas).", "Grįšime ant Velykų.", "Grįšime per Velykas."),
    # The mark at the end stands behind the bracket.
    ("Ar matai kalnus (= kalnų)?", "Ar matai kalnus?", "Ar matai kalnų?"),
    # A capital begins the sentence again; that of a name inside the sentence does not.
    ("Šią valanda (= Dabar) miega visi.", "Šią valanda miega visi.", "Dabar miega visi."),
    ("Jis gyvena Kaunui (= Kaune).", "Jis gyvena Kaunui.", "Jis gyvena Kaune."),
    # Words in plain brackets are no correction.
    ("Obelys (= Obelų) sode padaugėjo (pagausėjo).", "Obelys sode padaugėjo.", "Obelų sode padaugėjo."),
    ("Važiavo traukiniu (ne su traukiniu) ir grįžo (ne visi).", "Važiavo su traukiniu ir grįžo.",
     "Važiavo traukiniu ir grįžo."),
    # A list comma of the wrong words comes again in the right ones.
    ("Jis stiprus ir bėgime, ir plaukime (= ir bėgti, ir plaukti).", "Jis stiprus ir bėgime, ir plaukime.",
     "Jis stiprus ir bėgti, ir plaukti."),
]  # fmt: skip

SEVERAL_READINGS = [
    # Alternatives behind ; and ,
    ("Išvyko poilsiui (= poilsio, poilsiauti).", ["Išvyko poilsio.", "Išvyko poilsiauti."]),
    # A whole clause behind ; begins with a capital.
    ("Krepšys pilnas obuoliais (= obuolių; Obuolių pilnas krepšys).",
     ["Krepšys pilnas obuolių.", "Obuolių pilnas krepšys."]),
    # Alternatives share their end, their beginning, or both.
    ("Šiandien jis ne nuotaikoje (= prastos, blogos nuotaikos).",
     ["Šiandien jis prastos nuotaikos.", "Šiandien jis blogos nuotaikos."]),
    ("Sodas gausus obuoliais (= Sode gausu, apstu obuolių).", ["Sode gausu obuolių.", "Sode apstu obuolių."]),
    # Optional, substituted and inserted parts.
    ("Gavo baudą šimto eurų dydžiui (= šimto eurų (dydžio) baudą).",
     ["Gavo šimto eurų baudą.", "Gavo šimto eurų dydžio baudą."]),
    ("Telpa daugiau tūkstančio (= daugiau negu (nei) tūkstantis) žmonių.",
     ["Telpa daugiau negu tūkstantis žmonių.", "Telpa daugiau nei tūkstantis žmonių."]),
    ("Įpilk žalią arbatą (= [puodelį, stiklinę] žalios arbatos).",
     ["Įpilk žalios arbatos.", "Įpilk puodelį žalios arbatos.", "Įpilk stiklinę žalios arbatos."]),
    # An optional word may end the last alternative.
    ("Neturiu laiką (= laiko, pinigų [daug]).", ["Neturiu laiko.", "Neturiu pinigų.", "Neturiu pinigų daug."]),
    # A comma inside a quotation parts no alternatives.
    ("„Prie lietaus lik namie“ (= „Lyjant lik namie“; „Kai lyja, lik namie“).",
     ["„Lyjant lik namie“.", "„Kai lyja, lik namie“."]),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "bad", "good"), ONE_READING)
def test_a_sentence_with_one_correction(read_list: ReadList, sentence: str, bad: str, good: str) -> None:
    rules, rejected = read_list(sentence)
    assert (pairs(rules), rejected) == ([(bad, good)], [])


@pytest.mark.parametrize(("sentence", "goods"), SEVERAL_READINGS)
def test_every_alternative_is_a_pair_and_the_first_is_the_default(
    read_list: ReadList, sentence: str, goods: list[str]
) -> None:
    found = pairs(read_list(sentence)[0])
    assert [good for _, good in found] == goods
    assert len({bad for bad, _ in found}) == 1


def test_several_brackets_are_wrong_each_alone_and_then_together(read_list: ReadList) -> None:
    sentence = "Sode auga obelys (= obelų) ir vyšnios (= vyšnių)."
    good = "Sode auga obelų ir vyšnių."
    assert pairs(read_list(sentence)[0]) == [
        ("Sode auga obelys ir vyšnių.", good),
        ("Sode auga obelų ir vyšnios.", good),
        ("Sode auga obelys ir vyšnios.", good),
    ]


WORDS = st.text(alphabet="aąbcčeęėghiįyjklmnoprsštuųūvzž", min_size=1, max_size=9)
SENTENCE = st.lists(WORDS, min_size=2, max_size=8).map(lambda words: " ".join(words).capitalize())


@given(SENTENCE, st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_both_sentences_keep_what_stands_behind_the_bracket(left: str, right: str) -> None:
    reader = BracketReader(load_notation("vlkk"))
    corrections = CorrectionReader(load_language("lt"), (";", ","))
    (sentence,) = reader.sentences(f"{left} (= {right}) šiandien.")
    try:
        found, _ = corrections.pairs(sentence, Mentions())
    except UnresolvedError:
        return
    for pair in found:
        assert pair.good.endswith(" šiandien.")
        assert pair.bad == " ".join(f"{left} šiandien.".split())


@given(st.text(alphabet="abc ABC()[]=;,./–→*", max_size=60))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    reader = BracketReader(load_notation("vlkk"))
    corrections = CorrectionReader(load_language("lt"), (";", ","))
    try:
        for sentence in reader.sentences(text):
            assert sentence.text == text[sentence.start : sentence.start + len(sentence.text)]
            corrections.pairs(sentence, Mentions())
    except (UnbalancedError, UnresolvedError):
        pass
