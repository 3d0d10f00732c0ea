"""Templates and lexicons -> problems of Blackbird Language Matrices, in a folder of items."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import ConfigError, MorphologyError
from pairwright.items.files import write_items
from pairwright.items.make import ItemSet, ItemSettings
from pairwright.items.matrices.lexicon import MatrixLexicon, Words, load_matrix_lexicon
from pairwright.items.matrices.make import MatrixMaker, MatrixSettings
from pairwright.items.matrices.template import Template, load_template
from pairwright.languages import load_language
from pairwright.languages.features import Features
from pairwright.morphology.inflection import Inflector, NotInflected
from pairwright.pipeline.augment import with_own_forms
from pairwright.records.items import Item, ItemsInfo
from pairwright.store import whole_folder
from pairwright.workspace import Workspace, template


class LoadedTemplate(NamedTuple):
    """A template with its file and with the words for it."""

    template: Template
    path: Path
    words: Words


def open_template(
    workspace: Workspace, name: str, lexicon: str | None = None, hold_out: tuple[str, ...] = ()
) -> LoadedTemplate:
    """A template with its words. `lexicon` and `hold_out` go before what the template says.

    Raises ConfigError for a file with a fault, MorphologyError.
    """
    template, path = load_template(name, workspace.root)
    if hold_out:
        template = template.model_copy(update={"held_out": hold_out})
    entries, lexicon_path = load_matrix_lexicon(lexicon or template.lexicon, workspace.root)
    return LoadedTemplate(template, path, Words(entries, lexicon_path, _Morphology(workspace, entries)))


class _Morphology:
    """The morphology of a language, which is read when it is first asked. Forms that come with pairwright come last."""

    def __init__(self, workspace: Workspace, lexicon: MatrixLexicon) -> None:
        self._workspace, self._lexicon = workspace, lexicon

    @cached_property
    def _inflector(self) -> Inflector:
        language = load_language(self._lexicon.language, self._workspace.root)
        for own in (self._workspace, Workspace(template())):
            language = with_own_forms(language, own)
        return Inflector.of(language)

    def inflect(self, lemma: str, upos: str, features: Features) -> str:
        made = self._inflector.inflect(lemma, upos, features)
        if isinstance(made, NotInflected):
            raise MorphologyError(made.reason)
        return made.form

    def value(self, lemma: str, upos: str, feature: str) -> str:
        own = [reading for reading in self._inflector.analyses(lemma) if (reading.lemma, reading.upos) == (lemma, upos)]
        values = {value for reading in own for name, value in reading.features if name == feature}
        if len(values) != 1:
            raise MorphologyError(
                f"{lemma}: no lexicon tells its {feature}; write agree into the lexicon of the matrices"
            )
        return values.pop()


def matrix_items(loaded: LoadedTemplate, settings: MatrixSettings) -> Iterator[Item]:
    """The problems of a template."""
    return MatrixMaker(*loaded, settings).items()


def write_matrices(loaded: LoadedTemplate, settings: MatrixSettings, out: Path) -> ItemsInfo:
    """Writes problems into a new folder of items, whole or not at all. Raises ConfigError, MorphologyError."""
    if os.path.lexists(out):
        raise ConfigError(f"{out}: exists already; give a new folder by --out")
    items = sorted(matrix_items(loaded, settings), key=lambda item: item.id)
    made = ItemSet({"matrix": tuple(items)}, (), {})
    written = ItemSettings(items=settings.train + settings.test, seed=settings.seed)
    try:
        with whole_folder(out) as building:
            return write_items(building, made, written, f"template {loaded.path.stem}", canary="")
    except OSError as fault:
        raise ConfigError(f"{out}: can't be written: {fault.strerror}") from None
