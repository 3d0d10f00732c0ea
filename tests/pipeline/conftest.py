"""The command line in this process, a workspace with a small list, and a tiny language model."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from pairwright.cli import main

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar"

Run = Callable[..., tuple[int, str, str]]

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).
- Pastaba. Be neigimo galininkas – ne klaida: Matau kalnus.
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command of `pairwright` in this process; gives exit code, stdout and stderr."""

    def command(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["pairwright", *map(str, arguments)])
        capsys.readouterr()
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        else:
            code = 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one source, two reviewers and nothing built."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "pairwright.toml").write_text(
        '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 1\n', encoding="utf-8"
    )
    return root


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "sarasas.md"
    path.write_text(LIST, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny causal language model with random weights that reads bytes."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={token: place for place, token in enumerate(["<s>", *alphabet])}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    folder = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    tokenizer_class: Any = transformers.PreTrainedTokenizerFast
    tokenizer_class(tokenizer_object=core, bos_token="<s>", eos_token="<s>").save_pretrained(folder)
    torch.manual_seed(11)
    config_class: Any = transformers.GPT2Config
    config = config_class(
        vocab_size=len(alphabet) + 1, n_embd=16, n_layer=1, n_head=2, n_positions=128, bos_token_id=0, eos_token_id=0
    )
    model_class: Any = transformers.GPT2LMHeadModel
    model_class(config).save_pretrained(folder)
    return folder


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A bare copy of the first five pages of the sample grammar."""
    path = tmp_path / "kalba.pdf"
    with pymupdf.open(SAMPLE / "book.pdf") as document:
        document.select(range(5))
        document.save(path)
    return path
