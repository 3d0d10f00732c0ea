"""What an extra adds to the steps and to the command line. Steps find the extras in their Context and import none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pairwright.core.records import Rule, Source
    from pairwright.core.store import StageRun
    from pairwright.languages.locale import Words
    from pairwright.pipeline.context import Context
    from pairwright.reporting.analysis.summary import Summary
    from pairwright.reporting.render.sections import PageSection


@dataclass(frozen=True)
class Reported:
    """What sections of a report are made of.

    folder  of the evaluations: the scores of a model lie under `folder / model.run.model.slug`
    files   that the user gave with `evaluate --extra NAME=FILE`, by NAME
    """

    context: "Context"
    folder: Path
    summary: "Summary"
    files: Mapping[str, Path]
    words: "Words"


def _nothing(*_: Any) -> list[Any]:
    return []


@dataclass(frozen=True)
class Extra:
    """A part of pairwright that nothing imports but `pairwright.cli`. What it leaves out, it does not add.

    commands       functions of a Context and what the user types: parameters are arguments, keywords are options. A
                   single one is the command `name`; several are a group `name`, whose help are `about` and `example`
    stages         the names of those that `candidates` runs
    rules          of a treebank, after those that contrast files declare
    candidates     runs the stages that make pairs of a treebank
    file           what `evaluate --extra NAME=FILE` gives, where the extra takes a file
    beside_scores  keeps something in the folder of a model's scores, given that file and a function that loads the
                   model's tokenizer: None where a server keeps it
    sections       of the report, before the one of single pairs
    """

    name: str
    about: str = ""
    example: str = ""
    commands: tuple[Callable[..., Iterable[str] | None], ...] = ()
    stages: tuple[str, ...] = ()
    rules: "Callable[[Context, Source], Iterable[Rule]]" = _nothing
    candidates: "Callable[[Context, Source], list[StageRun]]" = _nothing
    file: str = ""
    beside_scores: Callable[[Path, Path, Callable[[], Any]], object] = _nothing
    sections: "Callable[[Reported], Iterable[PageSection | None]]" = _nothing
