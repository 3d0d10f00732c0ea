"""Templates, lexicons and treebanks -> problems of Blackbird Language Matrices, in a folder of items."""

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import ConfigError, MorphologyError, at, counted
from pairwright.items.make import ItemSet, ItemSettings, write_items
from pairwright.items.matrices.combinations import read_combinations
from pairwright.items.matrices.lexicon import Head, MatrixLexicon, Words, load_matrix_lexicon
from pairwright.items.matrices.make import MatrixMaker, MatrixSettings
from pairwright.items.matrices.template import Template, load_template
from pairwright.languages import find_resource, load_language
from pairwright.languages.features import Features
from pairwright.languages.words import DecisionWords
from pairwright.morphology.inflection import Inflector, NotInflected
from pairwright.pipeline.context import Context
from pairwright.pipeline.growth.augment import with_own_forms
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.records import Block
from pairwright.records.items import ItemsInfo
from pairwright.store import read_jsonl, whole_folder
from pairwright.toml_files import line_of
from pairwright.workspace import Workspace, template

Key = tuple[str, str, str]


class LoadedTemplate(NamedTuple):
    """A template with its file and the words for it."""

    template: Template
    path: Path
    words: Words


class MatrixMorphology:
    """The morphology of a language, which is read when it is first asked. Forms that come with pairwright come last."""

    def __init__(self, workspace: Workspace, language: str) -> None:
        self._workspace, self._language = workspace, language

    @cached_property
    def inflector(self) -> Inflector:
        """Raises ConfigError for a language without a file, MorphologyError for a damaged lexicon."""
        language = load_language(self._language, self._workspace.root)
        for own in (self._workspace, Workspace(template())):
            language = with_own_forms(language, own)
        return Inflector.of(language)

    def inflect(self, lemma: str, upos: str, features: Features) -> str:
        """The form of a lemma. Raises MorphologyError where there is not exactly one."""
        made = self.inflector.inflect(lemma, upos, features)
        if isinstance(made, NotInflected):
            raise MorphologyError(made.reason)
        return made.form

    def value(self, lemma: str, upos: str, feature: str) -> str:
        """The value of a feature that a lemma has. Raises MorphologyError where there is not exactly one."""
        own = [reading for reading in self.inflector.analyses(lemma) if (reading.lemma, reading.upos) == (lemma, upos)]
        values = {value for reading in own for name, value in reading.features if name == feature}
        if len(values) != 1:
            raise MorphologyError(f"no lexicon tells the {feature} of '{lemma}'")
        return values.pop()


def open_template(
    context: Context, name: str, lexicon: str | None = None, hold_out: tuple[str, ...] = ()
) -> LoadedTemplate:
    """A template with its words. `lexicon` and `hold_out` go before what the template says.

    Raises ConfigError for a file with a fault, and where words come from treebanks and no head has approved ones.
    """
    workspace = context.workspace
    loaded, path = load_template(name, workspace.root)
    if loaded.treebank is None:
        words = open_lexicon(workspace, lexicon or loaded.lexicon)
        language = words.lexicon.language
        if language.partition("-")[0] != loaded.language.partition("-")[0]:
            place = at(words.path, line_of(words.path.read_text(encoding="utf-8"), ["language"]))
            raise ConfigError(f"{place}: language '{language}', but '{loaded.language}' in {path}; make them equal")
        return _held_out(LoadedTemplate(loaded, path, words), hold_out)
    query, table = loaded.treebank, workspace.combinations(name)
    approved, refused = _decided(workspace, name, loaded.language)
    takes: dict[str, tuple[str, ...]] = dict.fromkeys(query.slots, ())
    given = {(head, slot) for head, slot, _ in approved}
    lemmas = sorted({head for head, _ in given})
    heads = tuple(Head(lemma=lemma, takes=takes) for lemma in lemmas if all((lemma, slot) in given for slot in takes))
    has = f"an approved {query.text} in each of {', '.join(takes)}"
    if not heads:
        propose = f"pairwright matrices propose {name} --treebank FILE"
        raise ConfigError(f"{table}: no {query.head} has {has}; propose some: {propose}; and approve")
    context.say("words", f"{len(heads)} of {len(lemmas)} {query.head}s have {has}")
    entries = MatrixLexicon(language=loaded.language, head=query.head, classed_by="reviewers", heads=heads)
    words = Words(entries, table, MatrixMorphology(workspace, loaded.language), approved, refused)
    return _held_out(LoadedTemplate(loaded, path, words), hold_out)


def _held_out(loaded: LoadedTemplate, hold_out: tuple[str, ...]) -> LoadedTemplate:
    """With other slots held out, where some are given. Raises ConfigError for a slot that no words go into."""
    template, lexicon = loaded.template, loaded.words.lexicon
    slots = hold_out or template.held_out
    line = line_of(loaded.path.read_text(encoding="utf-8"), ["held_out"])
    place = "--hold-out" if hold_out else f"{at(loaded.path, line)}: held_out"
    has_words = dict.fromkeys((lexicon.head, *template.slots, *lexicon.slots))
    if unknown := next((slot for slot in slots if slot not in has_words), None):
        raise ConfigError(f"{place} names '{unknown}', which is no slot; known: {', '.join(has_words)}")
    if lexicon.head not in slots:
        raise ConfigError(f"{place} lacks '{lexicon.head}', the slot of the lexicon's heads; add it")
    return loaded._replace(template=template.model_copy(update={"held_out": slots}))


def open_lexicon(workspace: Workspace, name: str) -> Words:
    """The words of a lexicon, with those that reviewers approved and without those that they refused."""
    entries, path = load_matrix_lexicon(name, workspace.root)
    approved, refused = _decided(workspace, name, entries.language)
    return Words(entries, path, MatrixMorphology(workspace, entries.language), approved, refused)


def _decided(workspace: Workspace, name: str, language: str) -> tuple[list[Key], frozenset[Key]]:
    """The combinations of a lexicon, or of a template of treebanks, that reviewers approved, and those they refused."""
    decided = read_combinations(workspace.combinations(name), decision_words(workspace, language))
    approved = [key for key, (_, decision) in decided.items() if decision == "approve"]
    return approved, frozenset(key for key, (_, decision) in decided.items() if decision == "reject")


def decision_words(workspace: Workspace, language: str) -> DecisionWords:
    """The words of a language's reviewers for their decisions; English ones for a language without a file."""
    has_file = find_resource("languages", language, workspace.root)
    return load_language(language, workspace.root).decisions if has_file else DecisionWords()


def read_treebanks(context: Context, treebanks: Sequence[Path], language: str) -> list[Block]:
    """The sentences of treebanks, which are sources or files of CoNLL-U. Raises SourceError."""
    described = SourceOptions(kind="treebank", language=language)
    runs = [ingest(context, source, described if source.is_file() else None) for source in treebanks]
    return [block for run in runs for block in read_jsonl(run.path, Block)]


def default_test(context: Context, loaded: LoadedTemplate, size: int) -> int:
    """How many of `size` problems are for testing: a tenth, or none where the words can't be parted."""
    n_heads, needed = len(loaded.words.heads), max(1, len(loaded.template.set_numbers))
    if n_heads >= 2 * needed:
        return size // 10
    head = loaded.words.lexicon.head
    context.say("test", f"none: a problem takes {needed} {head}s, so both splits need {2 * needed}, not {n_heads}")
    return 0


def write_matrices(context: Context, loaded: LoadedTemplate, settings: MatrixSettings, out: Path) -> ItemsInfo:
    """Writes problems into a new folder of items, whole or not at all; says how often sentences come again.

    Raises ConfigError.
    """
    if os.path.lexists(out):
        raise ConfigError(f"{out}: exists already; give a new folder by --out")
    items = sorted(MatrixMaker(*loaded, settings).items(), key=lambda item: item.id)
    uses = Counter(text for item in items for text in {*item.context, *(option.text for option in item.options)})
    often = sorted(uses.values())
    half = f"half of them in at most {counted(often[len(often) // 2], 'problem')}"
    context.say("sentences", f"{len(often):,}, {half}, none in more than {often[-1]:,}")
    written = ItemSettings(items=settings.train + settings.test, seed=settings.seed)
    try:
        with whole_folder(out) as building:
            made = ItemSet({"matrix": tuple(items)}, (), {})
            return write_items(building, made, written, f"template {loaded.path.stem}", canary="")
    except OSError as fault:
        raise ConfigError(f"{out}: can't be written: {fault.strerror}") from None
