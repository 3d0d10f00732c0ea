"""`pairwright extras matrices`: folders of problems, words from treebanks, proposals, native speakers' decisions."""

import json
import time
from pathlib import Path

import pytest
from command_lines import Run

from pairwright.tasks.make import read_items

TEMPLATE = r"""title = "Roots"
language = "lt"
type = "B"
held_out = ["root"]
labels = { GRAMMAR = "quality" }
context = ["Past/1", "Pres/1", "Past/2"]
end = ""
[treebank]
head = "root"
upos = "VERB"
relations = ["root"]
feature = "Tense"
without = ["VerbForm=Part"]
slots = { past = "Past", present = "Pres" }
roots = { Past = { '(.+)ti' = '\1ti' }, Pres = { '(.+)ti' = '\1ti' } }
[constituents]
Past = { kind = "S", text = "{past}" }
Pres = { kind = "S", text = "{present}" }
[answers]
"Pres/2" = "right"
"Pres/3" = "GRAMMAR"
"""
VERBS = {"bėgti": ("bėgo", "bėga"), "eiti": ("ėjo", "eina"), "kilti": ("kilo", "kyla"), "šokti": ("šoko", "šoka"),
         "lipti": ("lipo", "lipa"), "dirbti": ("dirbo", "dirba")}  # fmt: skip


def conllu(*rows: tuple[str, str, str]) -> str:
    """Sentences of a subject and a verb: form, lemma and features of the verb."""
    sentences = []
    for form, lemma, feats in rows:
        verb = f"2\t{form}\t{lemma}\tVERB\t_\t{feats}\t0\troot\t_\tSpaceAfter=No"
        sentences.append(
            f"1\tVaikas\tvaikas\tNOUN\t_\tCase=Nom\t2\tnsubj\t_\t_\n{verb}\n3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n"
        )
    return "\n".join(sentences) + "\n"


@pytest.fixture
def roots(workspace: Path, tmp_path: Path) -> Path:
    """A treebank with four verbs in two tenses, and a template that asks for them."""
    (workspace / "matrix_templates").mkdir()
    (workspace / "matrix_templates" / "roots.toml").write_text(TEMPLATE, encoding="utf-8")
    rows = [row for lemma, (past, present) in VERBS.items()
            for row in ((past, lemma, "Tense=Past"), (present, lemma, "Tense=Pres"))]  # fmt: skip
    path = tmp_path / "vaikai.conllu"
    path.write_text(conllu(*rows, ("miegojo", "miegoti", "Tense=Past")), encoding="utf-8")
    return path


def table(workspace: Path, lexicon: str) -> list[dict[str, str]]:
    lines = (workspace / "lexicons" / f"matrices-{lexicon}.tsv").read_text(encoding="utf-8").splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]


def test_a_folder_of_problems_is_made_and_an_example_drawn(workspace: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "made"
    started = time.process_time()
    command = ("extras", "matrices", "make", "lt-caus", "--out", out, "--workspace", workspace)
    said = run.done(*command, "--size", 400, "--test", 80)
    assert time.process_time() - started < 3  # of 8,000 in a minute
    assert "lt-caus MINLEX: 400 problems, 320 for training and 80 for testing" in said
    items = list(read_items(out, "matrix"))
    assert sum(item.split == "test" for item in items) == 80
    assert json.loads((out / "items.json").read_text())["counts"] == {"matrix": {"lt-caus MINLEX": 400}}
    assert "exists already" in run.refused(*command)
    said = run.done("extras", "matrices", "show", "lt-caus", "--workspace", workspace)
    assert "Pat Anti prieš-NP" in said
    assert said.count("**right**") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("make", "lt-caus", "--size", 200_000, "--out", "made"), "problems for train"),
        (("make", "lt-cause", "--out", "made"), "unknown matrix_template 'lt-cause'; known: "),
        (
            ("make", "he-caus", "--out", "made"),
            "he-caus.tsv: no root has an approved sentence in each of PAAL, HIFIL",
        ),
        (("make", "lt-caus", "--size", 10, "--test", 11, "--out", "made"), "--test 11: more than --size 10"),
        (("propose", "lt-caus", "--slot", "p"), "no frame with {p}, in which its words are proposed"),
        (("propose", "lt-caus"), "has no such slot; known: agent, patient, p, before"),
        (("propose", "lt-caus", "--slot", "patient"), "lt.tsv: no such slot lexicon; make it: pairwright grow lexicon"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    workspace: Path, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...], message: str
) -> None:
    monkeypatch.chdir(workspace)
    err = run.refused("extras", "matrices", *arguments)
    assert message in err
    assert not (workspace / "made").exists()


def approved(run: Run, workspace: Path, roots: Path, but: str = "-") -> Path:
    """The table of the sentences that a treebank proposes, after a native speaker approved those without `but`."""
    run.done("extras", "matrices", "propose", "roots", "--treebank", roots, "--workspace", workspace)
    path = workspace / "lexicons" / "matrices-roots.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    decided = [line.replace("\t\t\t", f"\t{'reject' if but in line else 'approve'}\trūta\t") for line in lines]
    path.write_text("\n".join(decided) + "\n", encoding="utf-8")
    return path


def test_problems_are_made_of_approved_sentences_of_a_treebank(
    workspace: Path, roots: Path, tmp_path: Path, run: Run
) -> None:
    make = ("extras", "matrices", "make", "roots", "--workspace", workspace)
    approved(run, workspace, roots, but="lip")
    rows = table(workspace, "roots")
    shown = [rows[0][name] for name in ("head", "slot", "word", "sentence")]
    assert (shown, len(rows)) == (["bėgti", "past", "Vaikas bėgo.", "Vaikas [bėgo]."], 12)
    rejected = (workspace / "output" / "matrices" / "roots.rejected.jsonl").read_text(encoding="utf-8")
    assert "root 'miegoti' has no sentence in present" in rejected
    out = tmp_path / "made"
    said = run.done(*make, "--size", 20, "--out", out)
    assert "none: a problem takes 3 roots, so both splits need 6, not 5" in said
    sentences = {tense: [f"Vaikas {forms[tense]}." for forms in VERBS.values()] for tense in (0, 1)}
    uses = set[str]()
    for item in read_items(out, "matrix"):
        first, second, third = item.context
        right = item.options[item.answers[0]].text
        assert sentences[0].index(first) == sentences[1].index(second)
        assert sentences[0].index(third) == sentences[1].index(right)
        assert first != third
        uses.update({*item.context, *(option.text for option in item.options)})
    assert not any("lip" in sentence for sentence in uses)
    err = run.refused(*make, "--size", 400, "--test", 2, "--out", tmp_path / "more")
    assert "2 words of the slot 'root' for train, and 3 are needed; 6 are enough for both splits" in err


def test_sentences_that_can_t_be_shown_are_left_out_with_the_reason(workspace: Path, roots: Path, run: Run) -> None:
    def second(form: str, lemma: str, feats: str) -> tuple[str, str]:
        verb = f"4\t{form}\t{lemma}\tVERB\t_\t{feats}\t2\tconj\t_\tSpaceAfter=No"
        return "SpaceAfter=No\n3\t.", f"_\n3\tir\tir\tCCONJ\t_\t_\t4\tcc\t_\t_\n{verb}\n5\t."

    rows = [('bėgo"', "bėgti", "Tense=Past"), ("bėgo7", "bėgti", "Tense=Past"), ("eina:", "eiti", "Tense=Pres")]
    both = conllu(("šoko", "šokti", "Tense=Past")).replace(*second("šoka", "šokti", "Tense=Pres"))
    others = conllu(("šoko", "šokti", "Tense=Past")).replace(*second("ginasi", "gintis", "Tense=Pres"))
    bare = conllu(("einama", "eiti", "Tense=Pres|VerbForm=Part"))
    endless = conllu(*rows[2:]).replace("3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n", "")
    text = "\n".join((conllu(*rows[:2]), endless, both, others, bare))
    roots.write_text(roots.read_text(encoding="utf-8") + "\n" + text, encoding="utf-8")
    approved(run, workspace, roots)
    shown = {row["word"]: row["head"] for row in table(workspace, "roots")}
    assert shown["Vaikas šoko ir ginasi."] == "šokti"
    assert not any("einama" in sentence or ("šoka." in sentence and "ir" in sentence) for sentence in shown)
    rejected = (workspace / "output" / "matrices" / "roots.rejected.jsonl").read_text(encoding="utf-8")
    for reason in (
        "without its partner",
        "letters and digits",
        "no mark ends it",
        "'šokti' in past and root 'šokti' in",
    ):
        assert reason in rejected
    before = table(workspace, "roots")
    approved(run, workspace, roots)
    assert table(workspace, "roots") == before


def test_a_treebank_without_the_feature_is_one_line_with_its_place(
    workspace: Path, roots: Path, tmp_path: Path, run: Run
) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text(conllu(("bėgo", "bėgti", "Mood=Ind")), encoding="utf-8")
    propose = ("extras", "matrices", "propose", "roots", "--workspace", workspace)
    err = run.refused(*propose, "--treebank", bare)
    assert "bare.conllu:1: from here on no VERB has the feature Tense; name a treebank that has it" in err
    assert not (workspace / "lexicons").exists()
    assert "for all slots; leave --slot out, name --treebank" in run.refused(*propose, "--slot", "past")


def test_reviewers_decide_on_proposed_words(workspace: Path, tiny_model: Path, tmp_path: Path, run: Run) -> None:
    (workspace / "lexicons").mkdir()
    slot_lexicon = workspace / "lexicons" / "lt.tsv"
    slot_lexicon.write_text("lemma\tupos\tclass\nvairuotojas\tNOUN\tperson\nakmuo\tNOUN\tthing\n", encoding="utf-8")
    matrices = ("extras", "matrices")
    command = (*matrices, "propose", "lt-caus", "--slot", "agent", "--model", tiny_model, "--workspace", workspace)
    run.done(*command)
    (row,) = table(workspace, "lt-caus")
    assert (row["head"], row["word"], row["sentence"]) == ("*", "vairuotojas", "Vairuotojas ištirpino ledą.")

    def with_driver() -> bool:
        out = tmp_path / f"made-{len(list(tmp_path.iterdir()))}"
        run.done(*matrices, "make", "lt-caus", "--size", 500, "--out", out, "--workspace", workspace)
        return any("airuotoj" in text for item in read_items(out, "matrix") for text in item.context)

    path = workspace / "lexicons" / "matrices-lt-caus.tsv"
    undecided = path.read_text(encoding="utf-8")
    assert not with_driver()
    path.write_text(undecided.replace("\t\t\t", "\ttinka\trūta\t"), encoding="utf-8")
    assert with_driver()
    run.done(*command)
    assert table(workspace, "lt-caus")[0]["decision"] == "tinka"
    path.write_text(undecided.replace("\t\t\t", "\tgal\trūta\t"), encoding="utf-8")
    assert "matrices-lt-caus.tsv:2: 'gal' is no decision; write " in run.refused(
        "extras", "matrices", "show", "lt-caus", "--workspace", workspace
    )
