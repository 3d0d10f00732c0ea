"""ScaLA: which sentences are corrupted, how, and which data and pairs come of it. The rules are those of EuroEval."""

from random import Random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_records import make_source
from pairwright.core.config import TreebankSettings
from pairwright.core.records import Block, Candidate, Tree, Word
from pairwright.extras.scala.dataset import (
    Behaviour,
    Corrupter,
    corruption_candidates,
    corruption_rules,
    deletable,
    exchangeable,
    fit_sentences,
    joined,
    published_side,
    sentence_of,
    split_sizes,
    splits,
)

UPOS = st.sampled_from(["NOUN", "PROPN", "VERB", "PUNCT", "ADJ", "ADV", "PRON", "AUX", "ADP", "SYM", "CCONJ"])
HE_READS = "Jis/PRON rytoj/ADV skaitys/VERB storą/ADJ knygą/NOUN apie/ADP miškus/NOUN ./PUNCT"


def block(sentence: str, number: int = 1) -> Block:
    """A sentence from words with their parts of speech. A mark that closes stands at the word before it.

    The last word but the mark depends on the first verb as its object; adpositions on the next word.
    """
    text, words = "", list[Word]()
    parts = [part.rpartition("/")[::2] for part in sentence.split()]
    verb = next((place for place, (_, upos) in enumerate(parts, start=1) if upos == "VERB"), 0)
    for place, (form, upos) in enumerate(parts, start=1):
        space = "" if not text or form in ".,?!)”" or text.endswith("(") else " "
        start, text = len(text + space), text + space + form
        relation = {"ADP": "case", "PUNCT": "punct", "NOUN": "obj", "VERB": "root"}.get(upos, "dep")
        lemma = form if upos == "PROPN" else form.lower()
        words.append(
            Word(
                id=place, form=form, lemma=lemma, upos=upos, feats="_", head=0 if place == verb else verb,
                deprel=relation, start=start, end=len(text),
            )
        )  # fmt: skip
    tree = Tree(sent_id=str(number), words=tuple(words))
    known = {"source_id": "bank", "kind": "sentence", "file": "bank.conllu", "page": 1, "reader": "conllu"}
    return Block.model_validate({**known, "id": f"block-{number}", "text": text, "line": number, "tree": tree})


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        (HE_READS, ""),
        ("Jis/PRON skaito/VERB apie/ADP mišką/NOUN ./PUNCT", "five tokens or fewer"),
        ("Jis/PRON skaito/VERB knygą/NOUN ,/PUNCT laišką/NOUN ir/CCONJ raštą/NOUN ./PUNCT", "five different"),
        (HE_READS.replace("storą/ADJ", '"/PUNCT storą/ADJ'), "an odd number of quotation marks"),
        (HE_READS.replace("storą/ADJ", '"/PUNCT storą/ADJ "/PUNCT'), ""),
        (f"-/PUNCT {HE_READS}", "it begins with PUNCT or SYM"),
        (f"§/SYM {HE_READS}", "it begins with PUNCT or SYM"),
        (HE_READS.replace("storą/ADJ", "a=b/SYM storą/ADJ"), ""),
        (HE_READS.replace("storą/ADJ", "a=b=c/SYM storą/ADJ"), "more than one ="),
    ],
)
def test_which_sentences_may_be_corrupted(sentence: str, why: str) -> None:
    ((_, found),) = fit_sentences([block(sentence)])
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_a_multiword_token_is_one_token_with_the_part_of_speech_of_its_first_word() -> None:
    words = [("im", "ADP", 0, 2), ("Im", "DET", 0, 2), ("Wald", "NOUN", 3, 7)]
    tree = Tree(
        sent_id="1",
        words=tuple(
            Word(id=place, form=form, lemma=form, upos=upos, feats="_", head=0, deprel="dep", start=start, end=end)
            for place, (form, upos, start, end) in enumerate(words, start=1)
        ),
    )
    sentence = sentence_of(block(HE_READS).model_copy(update={"text": "Im Wald", "tree": tree}))
    assert [(token.form, token.upos, token.numbers) for token in sentence.tokens] == [
        ("Im", "ADP", (1, 2)),
        ("Wald", "NOUN", (3,)),
    ]


def test_what_a_sentence_can_do_without_is_not_deleted_and_which_neighbours_change_places() -> None:
    for upos in ("ADJ", "ADV", "PUNCT", "SYM", "DET", "NUM", "PART"):
        assert deletable(["VERB", upos, "PRON"]) == [0, 2]
    assert deletable(["NOUN", "PROPN", "VERB", "NOUN", "ADP", "NOUN"]) == [2, 3, 4, 5]
    assert exchangeable(["NOUN", "VERB", "PUNCT", "VERB", "VERB", "SYM"]) == [0]
    assert exchangeable(["PRON", "AUX", "PRON", "VERB"]) == [2]


def sides(upos: list[str], place: int) -> set[int]:
    return {published_side(upos, place, Random(seed)) for seed in range(20)}


def test_as_published_the_test_for_the_token_before_looks_at_the_one_after() -> None:
    # PRON and AUX are not to change places. With the token after it that holds; with the one before it, it does not.
    assert sides(["NOUN", "PRON", "AUX"], 1) == {-1}
    assert sides(["PRON", "AUX", "NOUN", "ADJ"], 1) == {-1, 1}
    # What stands before is not looked at where the token after it is out of the question.
    assert sides(["PUNCT", "PRON", "AUX", "ADJ"], 1) == {-1}


def every(sentence: str, behaviour: Behaviour = "corrected", letters: str = "", seeds: int = 300) -> set[str]:
    """The corrupted sentences that many seeds give."""
    read = sentence_of(block(sentence))
    made = (Corrupter(behaviour=behaviour, seed=seed, letters=letters).corrupt(read) for seed in range(seeds))
    return {corrupted.text for corrupted in made if corrupted}


def test_what_becomes_of_a_sentence() -> None:
    assert every("Jis/PRON šiandien/ADV rašo/VERB ir/CCONJ skaito/VERB ./PUNCT") == {
        "Šiandien rašo ir skaito.",
        "Jis šiandien ir skaito.",
        "Jis šiandien rašo skaito.",
        "Jis šiandien rašo ir.",
        "Šiandien jis rašo ir skaito.",
        "Jis rašo šiandien ir skaito.",
        "Jis šiandien ir rašo skaito.",
        "Jis šiandien rašo skaito ir.",
    }


def test_what_becomes_of_a_sentence_as_published() -> None:
    sentence = "Vilnius/PROPN yra/AUX jis/PRON ,/PUNCT man/PRON sako/VERB ir/CCONJ rašo/VERB Ana/PROPN ./PUNCT"
    published = every(sentence, "published", seeds=800)
    assert "Yra vilnius jis, man sako ir rašo Ana." in published
    assert "yra jis, man sako ir rašo Ana." in published
    assert "Vilnius jis yra, man sako ir rašo Ana." in published
    corrected = every(sentence, seeds=800)
    assert "Yra Vilnius jis, man sako ir rašo Ana." in corrected
    assert "Yra jis, man sako ir rašo Ana." in corrected
    assert "Vilnius jis yra, man sako ir rašo Ana." not in corrected


def test_capitals_at_the_beginning() -> None:
    assert "NATO jis gina." in every("Jis/PRON NATO/PROPN gina/VERB ./PUNCT")
    assert "Jis o gina." in every("O/CCONJ jis/PRON gina/VERB ./PUNCT")
    assert "Jis O gina." not in every("O/CCONJ jis/PRON gina/VERB ./PUNCT")
    assert "İyi çok o." in every("Çok/ADV iyi/ADJ o/PRON ./PUNCT", letters="ıi")
    assert "Mag iphone hij." in every("iPhone/NOUN mag/VERB hij/PRON ./PUNCT", "published")
    assert "mag iPhone hij." in every("iPhone/NOUN mag/VERB hij/PRON ./PUNCT")


def test_brackets_stay_at_their_words() -> None:
    made = every("Jis/PRON (/PUNCT labai/ADV gerai/ADV rašo/VERB )/PUNCT čia/ADV ./PUNCT")
    assert "Jis (labai gerai) čia." in made
    alone = every("Jis/PRON rašo/VERB (/PUNCT raštą/NOUN )/PUNCT čia/ADV ./PUNCT")
    assert not any("()" in text for text in alone)


def test_tokens_are_joined_as_published() -> None:
    assert Corrupter().corrupt(sentence_of(block("Taip/PART ,/PUNCT taip/PART ./PUNCT"))) is None
    tokens = ["Jis", "(", "Jonas", ")", "sakė", ":", '"', "Eik", "!", '"', "[", "1", "]", "."]
    assert joined(tokens) == 'Jis (Jonas) sakė: "Eik!" [1].'
    assert joined(["O", '"', "Eik", "."]) == 'O " Eik.'


def test_a_sentence_of_the_treebank_is_no_corrupted_one() -> None:
    first, second = block("Jis/PRON rašo/VERB čia/ADV ./PUNCT", 1), block("Jis/PRON čia/ADV rašo/VERB ./PUNCT", 2)
    corrupters = [Corrupter([first.text, second.text], seed=seed) for seed in range(100)]
    made = {corrupted.text for each in corrupters if (corrupted := each.corrupt(sentence_of(first)))}
    assert made == {"Rašo jis čia.", "Rašo čia.", "Jis čia."}


@given(st.lists(UPOS, min_size=1, max_size=9), st.sampled_from(["corrected", "published"]), st.integers(0, 99))
def test_a_corrupted_sentence_has_the_words_of_the_right_one(upos: list[str], behaviour: Behaviour, seed: int) -> None:
    read = sentence_of(block(" ".join(f"žodis{place}/{it}" for place, it in enumerate(upos))))
    corrupted = Corrupter([read.block.text], behaviour, seed).corrupt(read)
    again = Corrupter([read.block.text], behaviour, seed).corrupt(read)
    assert corrupted == again
    if corrupted is None:
        assert not deletable(upos) or behaviour == "corrected"
        return
    words, left = [token.form for token in read.tokens], corrupted.text.lower().split()
    assert corrupted.text != read.block.text
    if corrupted.kind == "delete":
        (gone,) = corrupted.words
        assert left == words[: gone - 1] + words[gone:]
        assert gone - 1 in deletable(upos)
    else:
        first, second = corrupted.words
        assert second == first + 1
        assert left == [*words[: first - 1], words[second - 1], words[first - 1], *words[second:]]
        assert behaviour == "published" or first - 1 in exchangeable(upos)


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (5000, (512, 128, 1024)),
        (1663, (512, 128, 512)),
        (768, (512, 128, 128)),
        (767, (64, 32, 671)),
        (97, (64, 32, 1)),
    ],
)
def test_small_treebanks_have_small_splits(count: int, sizes: tuple[int, int, int]) -> None:
    assert split_sizes(count) == sizes


def test_splits_are_those_of_the_published_data() -> None:
    frame = pd.DataFrame({"n": range(800)})
    val = frame.sample(n=128, random_state=4242)
    rest = frame.drop(val.index)
    test = rest.sample(n=128, random_state=4242)
    full_train = rest.drop(test.index)
    train = full_train.sample(n=512, random_state=4242)
    expected = {"train": train, "val": val, "test": test, "full_train": full_train}
    assert splits(range(800), 4242) == {name: list(part.n) for name, part in expected.items()}
    assert splits(range(800), 1) != splits(range(800), 4242)


def test_pairs_are_of_corruptions_that_are_surely_wrong() -> None:
    rules = corruption_rules(make_source(id="bank", kind="treebank"))
    pairs = {
        pair.derivation.kind: pair
        for pair in corruption_candidates([block(HE_READS)], rules, TreebankSettings())
        if isinstance(pair, Candidate) and pair.derivation and pair.derivation.method == "corruption"
    }
    assert pairs["delete"].good == "Jis rytoj skaitys storą knygą apie miškus."
    assert pairs["delete"].bad in {"Jis rytoj storą knygą apie miškus.", "Jis rytoj skaitys storą knygą miškus."}
    assert pairs["flip_neighbours"].bad in {
        "Jis rytoj skaitys storą apie knygą miškus.",
        "Jis rytoj skaitys storą knygą miškus apie.",
    }
    assert {pair.rule_id for pair in pairs.values()} == {rule.id for rule in rules.values()}
