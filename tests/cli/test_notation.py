"""`pairwright notation try FILE`."""

from pathlib import Path

import pytest

from pairwright.cli.sources import try_notation
from pairwright.core.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "suffix", "language", "encoding", "said"),
    [
        (
            "nicht: Ich helfe den Hund, sondern: Ich helfe dem Hund.\n\nGar nichts.\n\nnicht: , sondern: Wir gehen.\n",
            "txt", "de", "utf-8",
            ["notation not-but: A line that says: not the wrong wording but the right one", "1: rule list",
             "1: pair: Ich helfe den Hund. -> Ich helfe dem Hund.",
             "5: nothing: one side is empty: nicht: , sondern: Wir gehen.",
             "1 rule, 1 pair, 0 of them guesses, 1 rejected"],
        ),
        (
            "Wrong: Vakare jis žiūrėjo televizorių (= klausėsi radijo).\n", "txt", "lt", "cp1257",
            ["1: guess: Wrong: Vakare jis žiūrėjo televizorių. -> ", "Vakare jis klausėsi radijo.", "(else: ",
             "1 rule, 1 pair, 1 of them guesses, 0 rejected"],
        ),
    ],
)  # fmt: skip
def test_each_line_says_what_it_is_read_as_and_a_guess_what_else_may_be_meant(
    tmp_path: Path, text: str, suffix: str, language: str, encoding: str, said: list[str]
) -> None:
    file = tmp_path / f"list.{suffix}"
    file.write_bytes(text.encode(encoding))
    lines = list(try_notation(Workspace(tmp_path), file, language=language, encoding=encoding))
    shown = "\n".join(line.replace(f"{file}:", "") for line in lines)
    assert not [words for words in said if words not in shown], shown
