"""`pairwright grow words` and `pairwright grow lexicon`, from the command line to the checked pairs."""

import json
import shutil
from pathlib import Path

import pytest
from command_lines import Run

from llm_server import Body, Say, ScriptedServer
from pairwright.core.records import Augmentation, Candidate, CheckedPair, Rejection
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.growth import augment
from pairwright.pipeline.options import AugmentOptions, SourceOptions
from pairwright.pipeline.review import build

LEXICONS = Path(__file__).parents[2] / "lexicons"
LIST = """\
# Linksniai

## 1.1. Vardininkas nevartotinas:
- Miške atsirado grybai (= grybų). Svečiams trūksta saldus obuolys (= saldaus obuolio).
- Kepykloje pritrūko duona (= duonos).

## 1.2. Galininkas nevartotinas:
- Nepamiršk skėtį (= skėčio)!
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a built list and the slot lexicon that comes with pairwright."""
    root = tmp_path_factory.mktemp("workspace")
    (root / "pairwright.toml").write_text('[review]\nreviewers = ["ana", "jonas"]\n', encoding="utf-8")
    shutil.copytree(LEXICONS, root / "lexicons")
    (document := root / "sarasas.md").write_text(LIST, encoding="utf-8")
    build(Context(Workspace(root)), document, SourceOptions(language="lt"))
    return root


@pytest.fixture
def built(original: Path, tmp_path: Path) -> Path:
    """A copy of that workspace."""
    return shutil.copytree(original, tmp_path / "workspace")


def grown(workspace: Path, stage: str = "augmented") -> list[Candidate]:
    return list(read_jsonl(Workspace(workspace).stage_file("sarasas", stage), Candidate))


def test_pairs_grow_go_through_the_checks_and_are_the_same_again(built: Path, tiny_model: Path, run: Run) -> None:
    command = ("grow", "words", "sarasas", "--seeds", "checked", "--model", tiny_model, "--workspace", built)
    out = run.done(*command, "--per-rule", 8)
    assert "type-token ratio" in out
    pairs = grown(built)
    assert len(pairs) == 16
    checked = list(read_jsonl(Workspace(built).stage_file("sarasas", "checked"), CheckedPair))
    seeds = {pair.candidate.id for pair in checked if pair.candidate.derivation is None}
    assert {pair.parent_id for pair in pairs} <= seeds
    assert {pair.id for pair in pairs} <= {pair.candidate.id for pair in checked}
    assert all(pair.verdict == "pass" for pair in checked)
    assert [line.split()[0] for line in out.splitlines() if "to 8 pairs" in line] == ["1.1", "1.2"]
    (kept,) = (built / "output" / "cache" / "sentences").glob("*.jsonl")
    before = kept.read_bytes()
    # Other pairs of the same slots need no further score; equal ones are not made again.
    assert "up to date" in run(*command, "--per-rule", 8)[1]
    run.done(*command, "--per-rule", 4)
    assert kept.read_bytes() == before
    run.done(*command, "--per-rule", 8)
    assert grown(built) == pairs


def test_proposals_have_one_new_word_and_a_stage_of_their_own(built: Path, tiny_model: Path) -> None:
    options = AugmentOptions(model=str(tiny_model), seeds="checked", propose=True, rules=("1.1",))
    augment(Context(Workspace(built)), Path("sarasas"), options)
    proposals = grown(built, "proposed")
    assert proposals
    for pair in proposals:
        assert isinstance(pair.derivation, Augmentation)
        assert pair.derivation.proposed
        assert sum(not item.agrees for item in pair.derivation.replacements) == 1
    assert not Workspace(built).stage_file("sarasas", "augmented").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "sarasas: 4 pairs, 0 of them decided"),
        (("--rule", "9"), "--rule 9: sarasas has no rule with this code"),
        (("--seeds", "checked", "--method", "masked-lm"), "--method masked-lm needs --model"),
        (("--seeds", "checked", "--method", "cloze"), "--method cloze asks a chat model: add --llm server"),
        (("--seeds", "checked", "--model", "no/such/model"), "no/such/model: no such file or directory"),
    ],
)
def test_a_mistake_is_one_line(built: Path, run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run.refused("grow", "words", "sarasas", *arguments, "--workspace", built)


def test_a_causal_model_fills_no_gaps_and_a_missing_lexicon_is_named(built: Path, tiny_model: Path, run: Run) -> None:
    command = ("grow", "words", "sarasas", "--seeds", "checked", "--model", tiny_model, "--workspace", built)
    assert "which fills no gaps" in run.refused(*command, "--method", "masked-lm")
    (built / "lexicons" / "lt.tsv").unlink()
    assert "no such slot lexicon; pairwright grow lexicon --language lt" in run.refused(*command)
    shutil.copy(LEXICONS / "lt.tsv", built / "lexicons")
    text = built / "tekstas.txt"
    text.write_text("Miške atsirado grybų.\nMiške atsirado uogų.\nKieme atsirado uogų.\n", encoding="utf-8")
    run.done(*command, "--text", text)
    code, _, err = run(*command, "--text", built / "no.txt")
    assert (code, "no.txt" in err, len(err.strip().splitlines())) == (2, True, 1)


def test_a_lexicon_is_made_of_a_source_and_no_cell_is_overwritten(built: Path, run: Run) -> None:
    path = built / "lexicons" / "lt.tsv"
    path.write_text("lemma\tupos\tclass\nskėtis\tNOUN\tthing\n", encoding="utf-8")
    out = run.done("grow", "lexicon", "sarasas", "--language", "lt", "--workspace", built)
    lines = path.read_text(encoding="utf-8").splitlines()
    entries = {line.split("\t")[0]: line.split("\t") for line in lines}
    assert entries["skėtis"][2] == "thing"
    assert entries["obuolys"][1:3] == ["NOUN", ""]
    assert ": fill in the column, or add --llm server" in out
    again = path.read_bytes()
    run.done("grow", "lexicon", "sarasas", "--language", "lt", "--workspace", built)
    assert path.read_bytes() == again
    assert "sarasas is in lt" in run.refused("grow", "lexicon", "sarasas", "--language", "tr", "--workspace", built)


def _chat(body: Body, nth: int) -> Say:
    """A model that knows two words for every slot, one of them no noun, and calls every word a thing."""
    asked = "\n".join(message["content"] for message in body["messages"])
    if "nobody\n   joins" in asked:
        lines = [line.partition(". ") for line in asked.splitlines() if line.endswith("kazlėkų.")]
        return Say(json.dumps({"odd": [int(number) for number, _, _ in lines]}))
    if "Classes:" not in asked:
        return Say(json.dumps({"words": ["kriaušė", "kazlėkas", "greitai"]}))
    numbers = [int(line.partition(".")[0]) for line in asked.splitlines() if line.partition(".")[0].isdigit()]
    return Say(
        json.dumps({"words": [{"number": n, "classes": ["thing", "gizmo"], "countability": "count"} for n in numbers]})
    )


def _asks(workspace: Path, server: ScriptedServer) -> None:
    with (workspace / "pairwright.toml").open("a", encoding="utf-8") as handle:
        handle.write(
            f'[llm]\nbase_url = "{server.base_url}"\nmodel = "chat"\nstructured = "schema"\n[judge]\nmethods = []\n'
        )


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no secret")


@pytest.mark.usefixtures("key")
def test_a_chat_model_s_words_are_asked_for_once_and_inflected(built: Path, run: Run) -> None:
    command = (
        *["grow", "words", "sarasas", "--seeds", "checked", "--method", "cloze", "--llm", "server", "--workspace"],
        built,
    )
    with ScriptedServer(_chat) as server:
        _asks(built, server)
        # One place is enough for two pairs.
        assert "in all: 1 request to pay for" in run.done(*command, "--rule", "1.1", "--per-rule", 2, "--estimate")
        run.done(*command, "--rule", "1.1")
        n_asked = len(server.billed)
        asked_about = grown(built)
        # Fewer pairs need no further word; a question of ten sentences is another where there are fewer.
        run.done(*command, "--rule", "1.1", "--per-rule", 1)
        assert all("nobody" in str(body) for body in server.billed[n_asked:])
        run.done(*command, "--rule", "1.1")
    assert grown(built) == asked_about
    goods = {pair.good for pair in grown(built)}
    assert "Svečiams trūksta saldžios kriaušės." in goods
    # Its class in the slot lexicon is that of mushrooms; nor is an adverb a noun.
    assert not any("kazlėko" in good or "greitai" in good for good in goods if "saldaus" in good)
    assert {pair.method for pair in grown(built)} == {"cloze"}
    assert n_asked >= 3
    # The model called one sentence odd.
    rejected = read_jsonl(Workspace(built).work("sarasas") / "augmented.rejected.jsonl", Rejection)
    (odd,) = (item.text for item in rejected if item.reason == "the chat model finds its good sentence odd")
    assert odd == "Miške atsirado kazlėkų."
    assert odd not in goods
    run.done(*command, "--rule", "1.1", "--offline")


@pytest.mark.usefixtures("key")
def test_a_chat_model_classifies_only_what_has_no_class(built: Path, run: Run) -> None:
    path = built / "lexicons" / "lt.tsv"
    path.write_text("lemma\tupos\tclass\nskėtis\tNOUN\tclothing\n", encoding="utf-8")

    def chat(body: Body, nth: int) -> Say:
        # Somebody writes a class of their own while the model is asked.
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        lines = ["duona\tNOUN\tfood\tmass\t4\thand\n" if line.startswith("duona\t") else line for line in lines]
        path.write_text("".join(lines), encoding="utf-8")
        return _chat(body, nth)

    with ScriptedServer(chat) as server:
        _asks(built, server)
        command = ("grow", "lexicon", "sarasas", "--language", "lt", "--llm", "server", "--workspace", built)
        code, _, err = run(*command)
    assert code == 0, err
    entries = {line.split("\t")[0]: line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()}
    assert entries["skėtis"][2:6:3] == ["clothing", "hand"]
    assert entries["duona"] == ["duona", "NOUN", "food", "mass", "4", "hand"]
    assert entries["obuolys"][2:4] + entries["obuolys"][5:] == ["thing", "count", "chat"]
