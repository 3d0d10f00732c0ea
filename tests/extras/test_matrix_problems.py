"""Problems of matrices: one right answer, labels that say the truth, splits that share no words, files with faults."""

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.core.errors import ConfigError
from pairwright.core.records.items import Item
from pairwright.core.workspace import Workspace
from pairwright.extras.matrices.lexicon import FOLDER as LEXICONS
from pairwright.extras.matrices.lexicon import Combination, write_combinations
from pairwright.extras.matrices.make import LoadedTemplate, MatrixMaker, MatrixSettings, open_template
from pairwright.extras.matrices.template import FOLDER as TEMPLATES
from pairwright.extras.matrices.template import PACKAGE, RIGHT, Template
from pairwright.languages import resource_names
from pairwright.pipeline.context import Context

ROOT = Path(__file__).parents[2]
SHIPPED = [name for name in resource_names(TEMPLATES, package=PACKAGE) if not name.startswith("he-")]
LOADED = {name: open_template(Context(Workspace(ROOT)), name) for name in SHIPPED}

LEXICON = """\
language = "en"

[slots.agent]
phrase = "the {lemma}"
words = ["teacher", "baker"]

[slots.patient]
phrase = "the {lemma}"

[[heads]]
lemma = "open"
forms = { past = "opened" }
takes = { patient = ["door", "box"] }

[[heads]]
lemma = "close"
forms = { past = "closed" }
takes = { patient = ["gate", "shop"] }
"""
TEMPLATE = """\
title = "Try"
language = "en"
type = "A"
lexicon = "try"
held_out = ["verb", "agent", "patient"]
labels = { SEQUENCE = "sequence", GRAMMAR = "quality" }
context = ["Ag Verb Pat", "Ag Verb Pat"]

[constituents]
Ag = { kind = "NP", text = "{agent}" }
Pat = { kind = "NP", text = "{patient}" }
Verb = { kind = "V", text = "{verb.past}" }

[answers]
"Pat Verb" = "right"
"Ag Verb" = "GRAMMAR"
"Pat Verb Ag" = "SEQUENCE"
"""


def problems(loaded: LoadedTemplate, train: int, test: int, **options: Any) -> Iterator[Item]:
    return MatrixMaker(loaded, MatrixSettings(train, test, **options)).items()


def row_label(template: Template, option_label: str) -> tuple[str, str]:
    label, _, row = option_label.partition(" ")
    return (row, label) if label else (template.right, RIGHT)


def written(folder: Path, template: str = TEMPLATE, lexicon: str = LEXICON) -> LoadedTemplate:
    for kind, text in ((TEMPLATES, template), (LEXICONS, lexicon)):
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / "try.toml").write_text(text, encoding="utf-8")
    return open_template(Context(Workspace(folder)), "try")


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(SHIPPED),
    variation=st.sampled_from(["MINLEX", "ONEWORD", "MAXLEX"]),
    seed=st.integers(0, 10_000),
)
def test_a_problem_has_one_right_answer_and_labels_that_are_true(name: str, variation: str, seed: int) -> None:
    template = LOADED[name].template
    for item in islice(problems(LOADED[name], 15, 5, variation=variation, seed=seed), 20):
        assert len(item.answers) == 1
        assert len({option.text for option in item.options}) == len(item.options) == len(template.answers)
        assert len(item.context) == len(template.context)
        rows = [row_label(template, option.label) for option in item.options]
        assert dict(rows) == template.answers
        assert rows[item.answers[0]][0] == template.right
        for row, label in rows:
            if label != RIGHT:
                same_kinds = template.kinds(row) == template.kinds(template.right)
                assert same_kinds == (template.labels[label] == "quality")


@pytest.mark.parametrize("name", SHIPPED)
def test_every_word_has_its_forms_and_no_answer_repeats_a_row_of_the_context(name: str) -> None:
    template, words = LOADED[name].template, LOADED[name].words
    assert not set(template.answers) & set(template.context)
    places = {place for part in template.constituents.values() for place in part.places}
    for head, place in product(words.heads, places):
        others = words.options(head, place.agrees) if place.agrees else ()
        agreements = {words.form(place.agrees, other, "agree") for other in others} or {""}
        for word, agreement in product(words.options(head, place.slot), agreements):
            assert words.form(place.slot, word, place.form, agreement)


@pytest.mark.parametrize("variation", ["MINLEX", "ONEWORD", "MAXLEX"])
def test_train_and_test_share_no_lexical_set_nor_with_hold_out_a_verb(variation: str) -> None:
    loaded = LOADED["en-t2i"]
    made = list(problems(loaded, 200, 50, variation=variation))
    assert [sum(item.split == split for item in made) for split in ("train", "test")] == [200, 50]

    def transitive(split: str) -> set[str]:
        return {item.context[0] for item in made if item.split == split}

    assert not transitive("train") & transitive("test")
    by_verb = open_template(Context(Workspace(ROOT)), "en-t2i", hold_out=("verb",))
    made = list(problems(by_verb, 60, 20, variation=variation))
    pasts = {head.forms["past"] for head in by_verb.words.lexicon.heads}
    used = {
        split: {word for item in made if item.split == split for word in pasts if f" {word} " in f" {item.context[0]} "}
        for split in ("train", "test")
    }
    assert used["train"]
    assert used["test"]
    assert not used["train"] & used["test"]


def test_lexical_variation_is_what_its_name_says() -> None:
    loaded = LOADED["en-cos"]

    def verbs(item: Item) -> set[str]:
        forms = {form: head.lemma for head in loaded.words.lexicon.heads for form in head.forms.values()}
        return {forms[word] for text in item.context for word in text.strip(".").split() if word in forms}

    assert all(len(verbs(item)) == 1 for item in problems(loaded, 30, 5, variation="ONEWORD"))
    assert all(len(verbs(item)) >= 6 for item in problems(loaded, 30, 5, variation="MAXLEX"))
    varied = next(problems(loaded, 1, 0, variation="ONEWORD"))
    first, second = (set(text.strip(".").split()) for text in varied.context[:2])
    assert first != second


def test_equal_seeds_give_equal_problems_words_are_drawn_evenly_and_a_new_word_changes_few(tmp_path: Path) -> None:
    loaded = LOADED["en-od"]
    phrases = loaded.words.options("eat", "by")
    texts = [item.context[1] for item in problems(loaded, 900, 100)]
    counts = [sum(phrase in text for text in texts) for phrase in phrases]
    assert sum(counts) == 1000
    assert min(counts) > 0.6 * 1000 / len(phrases)
    made = {item.id for item in problems(loaded, 100, 20)}
    assert made == {item.id for item in problems(loaded, 100, 20)}
    assert len(made) == 120
    assert not made & {item.id for item in problems(loaded, 100, 20, seed=1)}
    table = tmp_path / "lexicons" / "matrices-en-od.tsv"
    write_combinations(table, [Combination(head="*", slot="agent", word="pilot", sentence="", decision="approve")])
    with_pilot = open_template(Context(Workspace(tmp_path)), "en-od")
    assert len(made & {item.id for item in problems(with_pilot, 100, 20)}) >= 96
    assert "pilot" in with_pilot.words.options("eat", "agent")
    assert "pilot" not in with_pilot.words.options("translate", "agent")  # which names agents of its own


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"Ag Verb" = "GRAMMAR"', '"Ag Verb" = "SEQUENCE"', ":16: label 'SEQUENCE', but its kinds of constituents"),
        ('"Ag Verb" = "GRAMMAR"', '"Ag Verb" = "OTHER"', ":16: label 'OTHER' does not stand under labels"),
        ('"Ag Verb" = "GRAMMAR"', '"Ag Verb" = "right"', ":16: 2 answers are 'right'; mark exactly one so"),
        ('"Ag Verb" =', '"Agent Verb" =', ":16: 'Agent' is no constituent"),
        ('"Ag Verb" = "GRAMMAR"', '"Ag Verb Pat" = "SEQUENCE"', ":16: 'Ag Verb Pat' is in the context too"),
        ('lexicon = "try"', "", "words come from a lexicon or from a treebank"),
        ('"{verb.past}"', '"{verb.future}"', "try.toml:11: 'open' has no form 'future'"),
        ('"{agent}"', '"{owner}"', "no slot 'owner', which the template uses"),
        ('"{verb.past}"', '"{verb past}"', "try.toml:12: 'constituents.Verb.text': '{verb past}' is no whole slot"),
        ('language = "en"', 'language = "it"', "matrix_lexicons/try.toml:1: language 'en', but 'it' in "),
    ],
)
def test_a_faulty_template_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as fault:
        list(problems(written(tmp_path, template=TEMPLATE.replace(old, new)), 2, 1))
    assert message in str(fault.value)


def test_a_slot_that_is_held_out_by_an_option_is_one_of_the_template(tmp_path: Path) -> None:
    for slots, message in (
        (("verb", "verbs"), "--hold-out names 'verbs', which is no slot; known: verb, agent, patient"),
        (("agent",), "--hold-out lacks 'verb', the slot of the lexicon's heads; add it"),
    ):
        written(tmp_path)
        with pytest.raises(ConfigError, match=message):
            open_template(Context(Workspace(tmp_path)), "try", hold_out=slots)


def test_a_faulty_lexicon_is_one_line_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"try\.toml:2: 'frame': '\{agent sleeps' is no whole slot"):
        written(tmp_path, lexicon=LEXICON.replace("\n\n", '\nframe = "{agent sleeps"\n\n', 1))


def test_answers_that_coincide_after_inflection_are_refused_at_their_line(tmp_path: Path) -> None:
    lexicon = LEXICON.replace('"teacher", "baker"', '"door", "box", "gate", "shop"')
    with pytest.raises(ConfigError, match=r"try\.toml:1[678]: '.*' and '.*' are both 'The .*'; tell them apart"):
        list(problems(written(tmp_path, lexicon=lexicon), 12, 2))


def test_a_lexicon_that_is_too_small_is_said_with_numbers(tmp_path: Path) -> None:
    loaded = written(tmp_path)
    assert len(list(problems(loaded, 6, 2))) == 8
    with pytest.raises(ConfigError, match=r"try\.toml:11: the words are enough for 7 of the 9 problems for train"):
        list(problems(loaded, 9, 1))


def test_a_dictionary_with_two_forms_of_a_word_stops_no_shipped_template(tmp_path: Path) -> None:
    (tmp_path / "lexicons").mkdir()
    forms = {"dubuo": ("dubens", "dubenio"), "obelis": ("obelies", "obels"), "vanduo": ("vandens", "vandenio")}
    rows = [f"{lemma}\t{form}\tN;GEN;SG;MASC\n" for lemma, both in forms.items() for form in both]
    (tmp_path / "lexicons" / "lt-forms.tsv").write_text("".join(rows), encoding="utf-8")
    for name in ("lt-gov", "lt-caus"):
        assert len(list(problems(open_template(Context(Workspace(tmp_path)), name), 300, 30))) == 330
