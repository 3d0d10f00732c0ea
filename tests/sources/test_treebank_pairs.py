"""Contrasts make pairs of treebank sentences: only where the changed sentence is surely bad."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from made_records import make_evidence, make_rule, make_source
from pairwright.contrasts import load_contrasts
from pairwright.core.config import TreebankSettings
from pairwright.core.records import Block, Candidate, Contrast, Example, Rejection, Rule, Source
from pairwright.core.records.pairs import TreebankChange
from pairwright.core.text import words
from pairwright.documents.flowing.reader import read_treebank
from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflector
from pairwright.sources.treebank.candidates import RuleContrast, declared_rules, rule_contrasts, treebank_candidates

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-treebank" / "sample.conllu"
HEAD = """\
[[contrast]]
name = "test"
title = "T"
phenomenon = "P"
description = "D"
"""
OBJECT = f"""{HEAD}
change = "object"
from = "Case=Acc"
to = "Case=Gen"
follow = ["amod"]
[contrast.words]
verb = {{ upos = "VERB" }}
object = {{ upos = "NOUN", deprel = "obj", head = "verb" }}
"""
SUBJECT = f"""{HEAD}
change = "verb"
to = ["Person=3|Number=Sing", "Person=1|Number=Sing"]
agreement = {{ with = "subject", in = ["Person", "Number"] }}
[contrast.words]
verb = {{ upos = "VERB" }}
subject = {{ deprel = "nsubj", head = "verb" }}
"""

Records = list[Candidate | Rejection]
Make = Callable[..., Records]


def blocks_of(path: Path) -> tuple[Source, list[Block]]:
    source = make_source(path, id="sakiniai", kind="treebank")
    records = read_treebank(path, path.name, source, 1_000_000)
    return source, [record for record in records if isinstance(record, Block)]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes the pairs of a contrast file over the sample treebank and further sentences."""

    def made(contrast: str, *sentences: str, settings: TreebankSettings | None = None) -> Records:
        (tmp_path / "contrasts").mkdir(exist_ok=True)
        own = contrast if "replaces" in contrast else f"replaces = true\n{contrast}"
        (tmp_path / "contrasts" / "lt.toml").write_text(own, encoding="utf-8")
        path = tmp_path / "sakiniai.conllu"
        path.write_text(SAMPLE.read_text(encoding="utf-8") + "".join(f"{it}\n\n" for it in sentences), encoding="utf-8")
        source, blocks = blocks_of(path)
        contrasts = load_contrasts("lt", tmp_path)
        rules = [RuleContrast(*both) for both in zip(declared_rules(contrasts, source), contrasts, strict=True)]
        inflector = Inflector.of(load_language("lt", tmp_path), [block.tree for block in blocks if block.tree])
        return list(treebank_candidates(blocks, rules, inflector, settings or TreebankSettings()))

    return made


def pairs(records: Records) -> dict[str, str]:
    return {item.good: item.bad for item in records if isinstance(item, Candidate)}


def reasons(records: Records) -> set[str]:
    return {item.reason for item in records if isinstance(item, Rejection)}


def sentence(*rows: tuple[str, str, str, str, int, str]) -> str:
    """A sentence of (form, lemma, part of speech, features, head, relation), with a full stop."""
    root = next(number for number, row in enumerate(rows, start=1) if row[5] == "root")
    lines = [
        f"{n}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t{'SpaceAfter=No' if n == len(rows) else '_'}"
        for n, (form, lemma, upos, feats, head, relation) in enumerate(rows, start=1)
    ]
    return "\n".join([*lines, f"{len(rows) + 1}\t.\t.\tPUNCT\t_\t_\t{root}\tpunct\t_\t_"])


SINGULAR = "Mood=Ind|Number=Sing|Person=3|Polarity=Pos|Tense=Pres|VerbForm=Fin"
NOMINATIVE = "Case=Nom|Gender=Masc|Number=Sing"


ACCUSATIVE = "Case=Acc|Gender=Fem|Number=Sing"


@pytest.mark.parametrize(
    ("contrast", "rows", "good", "reason"),
    [
        (OBJECT,
         [("Vaikas", "vaikas", "NOUN", NOMINATIVE, 2, "nsubj"), ("skaito", "skaityti", "VERB", SINGULAR, 0, "root"),
          ("kitą", "kitas", "PRON", ACCUSATIVE, 5, "nmod"), ("naują", "naujas", "ADJ", ACCUSATIVE, 5, "amod"),
          ("knygą", "knyga", "NOUN", ACCUSATIVE, 2, "obj")],
         "Vaikas skaito kitą naują knygą.", "the attribute 'kitą' agrees with 'knygą' and would stay as it is"),
        (SUBJECT,
         [("Vaikas", "vaikas", "NOUN", NOMINATIVE.replace("Sing", "Plur"), 2, "nsubj"),
          ("skaito", "skaityti", "VERB", SINGULAR, 0, "root"),
          ("garsiai", "garsiai", "ADV", "Degree=Pos", 2, "advmod")],
         "Vaikas skaito garsiai.", "the words do not agree in the treebank"),
        (OBJECT,
         [("Mokytojas", "mokytojas", "NOUN", NOMINATIVE, 2, "nsubj"),
          ("skaito", "skaityti", "VERB", SINGULAR, 0, "root"),
          ("naujos", "naujas", "ADJ", "Case=Gen|Definite=Ind|Degree=Pos|Gender=Fem|Number=Sing", 4, "amod"),
          ("knygos", "knyga", "NOUN", "Case=Gen|Gender=Fem|Number=Sing", 2, "obl")],
         "Mokytojas skaito naują knygą.", "the treebank has the bad sentence too"),
    ],
    ids=["an attribute would stay", "no agreement", "the bad sentence is attested"],
)  # fmt: skip
def test_what_makes_no_pair_is_told(
    make: Make, contrast: str, rows: list[tuple[str, str, str, str, int, str]], good: str, reason: str
) -> None:
    found = make(contrast, sentence(*rows))
    assert good not in pairs(found)
    assert f"test: {reason}" in reasons(found)


def test_a_sentence_gives_few_pairs_each_of_another_contrast(make: Make) -> None:
    settings = TreebankSettings(pairs_per_sentence=2)
    contrasts = [SUBJECT, OBJECT, OBJECT.replace('to = "Case=Gen"', 'to = ["Case=Dat", "Case=Ins"]')]
    named = (text.replace('name = "test"', f'name = "test-{number}"') for number, text in enumerate(contrasts))
    made = [item for item in make("\n".join(named), settings=settings) if isinstance(item, Candidate)]
    of_sentence = Counter(item.good for item in made)
    assert max(of_sentence.values()) == 2
    assert len({(item.good, item.rule_id) for item in made}) == len(made)


def test_what_a_pair_says_of_itself_and_that_attributes_change_with_their_noun(make: Make) -> None:
    made = make(OBJECT)
    assert pairs(made)["Mokytojas skaito naują knygą."] == "Mokytojas skaito naujos knygos."
    pair = next(item for item in made if isinstance(item, Candidate))
    assert isinstance(pair.derivation, TreebankChange)
    assert (pair.method, pair.derivation.contrast, pair.derivation.sent_id) == ("treebank", "test", "sample-1")
    assert (pair.derivation.word, pair.derivation.lemma) == (4, "knyga")
    assert pair.features == ("good: Case=Acc", "bad: Case=Gen")
    assert (pair.evidence.line, pair.evidence.quote) == (3, pair.good)


def add_nouns(folder: Path, *rows: tuple[str, str, str]) -> None:
    """A lexicon of nouns, with (form, lemma, features)."""
    lines = (f"1\t{form}\t{lemma}\tNOUN\t_\t{feats}\t0\troot\t_\t_\n\n" for form, lemma, feats in rows)
    (folder / "forms.conllu").write_text("".join(lines), encoding="utf-8")
    config = '[[morphology.lt]]\nkind = "conllu"\npath = "forms.conllu"\n'
    (folder / "pairwright.toml").write_text(config, encoding="utf-8")


def test_a_verb_that_agrees_gets_a_form_that_does_not_unless_a_lexicon_reads_it_otherwise(
    make: Make, tmp_path: Path
) -> None:
    made = pairs(make(SUBJECT))
    assert made["Mokytojas skaito naują knygą."] == "Mokytojas skaitau naują knygą."
    assert made["Aš skaitau seną knygą."] == "Aš skaito seną knygą."
    add_nouns(tmp_path, ("mokytojas", "mokytojas", "Case=Nom|Gender=Masc|Number=Plur|Person=2"))
    fewer = make(SUBJECT)
    assert "Mokytojas skaito naują knygą." not in pairs(fewer)
    assert "test: lexicons read 'Mokytojas' otherwise than the treebank" in reasons(fewer)
    assert "Aš skaitau seną knygą." in pairs(fewer)


def test_a_form_that_can_be_read_as_the_good_one_makes_no_pair(make: Make) -> None:
    # The accusative plural naujas is a nominative singular too.
    nominative = OBJECT.replace('"Case=Acc"', '"Case=Acc|Number=Plur"').replace('"Case=Gen"', '"Case=Nom"')
    assert "Tu skaitai naujas knygas." not in pairs(make(nominative))


def test_a_subject_that_may_be_a_dative_makes_no_pair_of_agreement(make: Make, tmp_path: Path) -> None:
    package = Path(__file__).parents[2] / "src" / "pairwright" / "contrasts" / "lt.toml"
    plural = NOMINATIVE.replace("Sing", "Plur")
    rows = [
        ("Mokytojai", "mokytojas", "NOUN", plural, 2, "nsubj"),
        ("skaito", "skaityti", "VERB", SINGULAR.replace("Number=Sing|", ""), 0, "root"),
        ("knygas", "knyga", "NOUN", "Case=Acc|Gender=Fem|Number=Plur", 2, "obj"),
    ]

    def barred() -> bool:
        made = make(package.read_text(encoding="utf-8"), sentence(*rows))
        return any("'Mokytojai' may be Case=Dat" in reason for reason in reasons(made))

    assert not barred()
    dative = "Case=Dat|Gender=Fem|Number=Sing"
    add_nouns(tmp_path, ("mokytojai", "mokytojas", plural), ("mokytojai", "mokytoja", dative))
    assert barred()


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ('lemma = "mokytojas", deprel = "nsubj"', {"Aš", "Tu", "Mes", "Mokytoja", "Tėvas"}),
        ('upos = "PRON", not = { lemma = "aš" }', {"Mokytojas", "Mokytojai", "Aš", "Mokytoja", "Tėvas"}),
    ],
)
def test_words_that_must_not_be_there(make: Make, condition: str, left: set[str]) -> None:
    made = pairs(make(OBJECT.replace("[contrast.words]", f"without = [{{ {condition} }}]\n[contrast.words]")))
    assert made
    assert {good.split()[0] for good in made} <= left


def test_misspelt_short_unended_and_unpaired_sentences_are_left_out_with_the_reason(make: Make) -> None:
    def rows(form: str, feats: str = NOMINATIVE) -> tuple[tuple[str, str, str, str, int, str], ...]:
        subject = (form, "vaikas", "NOUN", feats, 2, "nsubj")
        return subject, ("skaito", "skaityti", "VERB", SINGULAR, 0, "root"), ("čia", "čia", "ADV", "_", 2, "advmod")

    misspelt = sentence(*rows("Vaiks", f"{NOMINATIVE}|Typo=Yes"))
    unended = sentence(*rows("Vaikas")).rpartition("\n")[0]
    clause = sentence(
        ("Kad", "kad", "SCONJ", "_", 3, "mark"),
        ("vaikas", "vaikas", "NOUN", NOMINATIVE, 3, "nsubj"),
        ("skaito", "skaityti", "VERB", SINGULAR, 0, "root"),
        ("čia", "čia", "ADV", "_", 3, "advmod"),
    )
    made = make(SUBJECT, misspelt, sentence(*rows("„Vaikas")), sentence(*rows("vaikas")), unended, clause)
    assert reasons(made) >= {
        "the treebank marks a misspelling",
        "a bracket or quotation mark without its partner, or with a space on the wrong side",
        "it begins with a small letter",
        "no mark ends it, as in a heading",
        "a subordinate clause alone",
    }
    assert not any("aik" in good and "čia" in good for good in pairs(made))


def test_a_limit_draws_the_same_pairs_each_time_and_names_the_others(make: Make) -> None:
    every = {item.id for item in make(SUBJECT) if isinstance(item, Candidate)}
    limited = make(SUBJECT, settings=TreebankSettings(pairs_per_contrast=5))
    drawn = {item.id for item in limited if isinstance(item, Candidate)}
    assert len(drawn) == 5
    assert drawn < every
    assert sum("were not tried" in reason for reason in reasons(limited)) == 1
    assert limited == make(SUBJECT, settings=TreebankSettings(pairs_per_contrast=5))


def test_every_pair_of_the_lithuanian_file_changes_words_of_its_sentence_alone(make: Make) -> None:
    package = Path(__file__).parents[2] / "src" / "pairwright" / "contrasts" / "lt.toml"
    made = [item for item in make(package.read_text(encoding="utf-8")) if isinstance(item, Candidate)]
    assert len({item.derivation.contrast for item in made if isinstance(item.derivation, TreebankChange)}) >= 10
    assert len({(item.good, item.bad) for item in made}) == len(made)
    for item in made:
        assert len(words(item.good)) == len(words(item.bad))
        assert 1 <= len(item.changes) <= 2


def rule(entry: str | None, *features: str) -> Rule:
    example = Example(good="Bijau šuns.", bad="Bijau šuo.", evidence=make_evidence("Q"), entry=entry)
    contrast = Contrast(licence="banned", what="W", features=features)
    return make_rule(id="rule-1", source_id="sakiniai", examples=(example,), contrast=contrast, taken_from="sarasas")


def test_a_rule_of_a_list_runs_over_the_treebank_by_its_headwords() -> None:
    matched, rejected = rule_contrasts([rule("bijo(ti)", "good: Case=Gen", "bad: Case=Acc")], ())
    assert not rejected
    _, blocks = blocks_of(SAMPLE)
    inflector = Inflector.of(load_language("lt", SAMPLE.parent), [block.tree for block in blocks if block.tree])
    made = [item for item in treebank_candidates(blocks, matched, inflector, TreebankSettings())]
    assert pairs(made)["Vaikas bijo didelio šuns."] == "Vaikas bijo didelį šunį."
    assert {item.rule_id for item in made if isinstance(item, Candidate)} == {"rule-1"}


@pytest.mark.parametrize(
    ("entry", "features", "reason"),
    [
        (None, ("good: Case=Gen", "bad: Case=Nom"), "it has no headwords"),
        ("bijoti", ("good: Case=Gen",), "it does not demand one case against another"),
        ("bijoti", ("good: Number=Sing", "bad: Number=Plur"), "it does not demand one case against another"),
    ],
)
def test_a_rule_that_trees_can_not_show_is_left_out(entry: str | None, features: tuple[str, ...], reason: str) -> None:
    matched, rejected = rule_contrasts([rule(entry, *features)], ())
    assert not matched
    assert reason in rejected[0].reason
    assert "of sarasas" in rejected[0].reason
