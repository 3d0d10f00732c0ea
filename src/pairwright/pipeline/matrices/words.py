"""A lexicon of matrices -> words that may go into its slots, in a table in which native speakers decide."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from pairwright.errors import ConfigError, at
from pairwright.generate.augment.lexicon import read_slot_lexicon
from pairwright.generate.augment.matrix_words import (
    Gap,
    Proposed,
    asked_words,
    attested_words,
    filled_words,
    ranked_words,
    word_requests,
)
from pairwright.items.matrices.combinations import Combination, read_combinations, write_combinations
from pairwright.items.matrices.lexicon import EVERY_HEAD, SlotWords, Words
from pairwright.items.matrices.template import FOLDER as TEMPLATES
from pairwright.items.matrices.template import Constituent, Template, load_template
from pairwright.items.matrices.treebank import treebank_combinations
from pairwright.language_codes import language_name
from pairwright.languages import find_resource
from pairwright.languages.words import DecisionWords
from pairwright.lm.models import EMBEDDED, load_model
from pairwright.lm.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.llm.session import open_session
from pairwright.pipeline.matrices.make import MatrixMorphology, decision_words, open_lexicon, read_treebanks
from pairwright.pipeline.options import LLMOptions
from pairwright.pipeline.pairs import InBatches
from pairwright.pipeline.ranking import SentenceRanker
from pairwright.store import write_jsonl

WordMethod = Literal["lexicon", "masked-lm", "cloze", "treebank"]
_MARK = "\0"


@dataclass(frozen=True)
class WordOptions:
    """How words are proposed: for which slot, by whom, and how many of each head reviewers see."""

    slot: str = ""
    method: WordMethod = "lexicon"
    model: str | None = None
    words: int = 25
    treebanks: tuple[Path, ...] = ()


def propose_words(context: Context, name: str, options: WordOptions, llm: LLMOptions | None = None) -> Path:
    """Adds proposed words to the table of a lexicon, or of a template of treebanks; no row that is there changes.

    Raises ConfigError where the lexicon has no such slot or frame, LLMError, ModelError, SourceError.
    """
    workspace = context.workspace
    template = load_template(name, workspace.root)[0] if find_resource(TEMPLATES, name, workspace.root) else None
    is_of_treebanks = template is not None and template.treebank is not None
    if template and is_of_treebanks:
        language, proposed = template.language, _treebank_texts(context, name, template, options)
    else:
        words = open_lexicon(workspace, name)
        language, proposed = words.lexicon.language, _words(context, name, words, options, llm or LLMOptions())
    path, decisions = workspace.combinations(name), decision_words(workspace, language)
    n_new = _add_rows(path, decisions, proposed, one_row_a_text=is_of_treebanks)
    context.say("words", f"{n_new:,} proposed; decide in {path}")
    return path


def _add_rows(path: Path, decisions: DecisionWords, proposed: Iterable[Combination], *, one_row_a_text: bool) -> int:
    """Adds proposals that the table lacks and says how many; a text of treebanks stands once, whatever its root is."""
    read_combinations(path, decisions)  # a fault in it is named before anybody is asked
    new: list[Combination] = []
    n_new = 0
    try:
        for one in proposed:
            new.append(one)
    finally:
        # Asking takes minutes: people may have decided in the table meanwhile, and what was paid for is kept.
        if new:
            rows = {key: one for key, (one, _) in read_combinations(path, decisions).items()}
            texts = {one.word for one in rows.values() if one_row_a_text}
            n_before = len(rows)
            for one in new:
                if one.word not in texts:
                    rows.setdefault(one.key, one)
            write_combinations(path, rows.values())
            n_new = len(rows) - n_before
    return n_new


def _treebank_texts(context: Context, name: str, template: Template, options: WordOptions) -> Iterator[Combination]:
    """The texts for all slots of a template; what treebanks have beside them is kept with the reasons."""
    if options.slot or not options.treebanks or not template.treebank:
        raise ConfigError(f"{name}: its words come from treebanks, for all slots; leave --slot out, name --treebank")
    blocks = read_treebanks(context, options.treebanks, template.language)
    combinations, rejected = treebank_combinations(template.treebank, blocks, options.words)
    path = context.workspace.output / "matrices" / f"{name}.rejected.jsonl"
    write_jsonl(path, rejected)
    context.say_reasons(rejected)
    context.say("left out", f"{len(rejected):,} texts in all, with the reasons in {path}")
    yield from combinations


def _words(context: Context, name: str, words: Words, options: WordOptions, llm: LLMOptions) -> Iterator[Combination]:
    with ExitStack() as stack:
        for gap, lemmas in _proposed(context, name, words, options, llm, stack):
            for lemma in islice(lemmas, options.words):
                yield Combination(
                    head=gap.head,
                    slot=gap.slot,
                    word=lemma,
                    sentence=gap.sentence(gap.form(lemma) or lemma),
                    proposed_by=options.model or options.method,
                )


def _proposed(
    context: Context, name: str, words: Words, options: WordOptions, llm: LLMOptions, stack: ExitStack
) -> Proposed:
    workspace, language = context.workspace, words.lexicon.language
    slot, gaps = _slot(words, options.slot), _gaps(words, options.slot)
    if options.method == "treebank":
        if not options.treebanks:
            raise ConfigError("--method treebank needs --treebank: a built source or a CoNLL-U file")
        blocks = read_treebanks(context, options.treebanks, language)
        return attested_words(gaps, [block.tree for block in blocks if block.tree], slot.relations)
    if options.method == "masked-lm":
        from pairwright.lm.fill_mask import MaskFiller

        if options.model is None:
            raise ConfigError("--method masked-lm needs --model: the hub id or the folder of a fill-mask model")
        fill = MaskFiller(load_model(options.model)).fill
        return filled_words(gaps, fill, MatrixMorphology(workspace, language).inflector, options.words)
    if options.method == "cloze":
        session = stack.enter_context(open_session(context, name, llm))
        if session is None:
            raise ConfigError("--method cloze asks a chat model: add --llm server, or --llm local")
        requests = list(word_requests(gaps, language_name(language), options.words, name, workspace.root))
        session.announce_cost("words", lambda: requests)
        return asked_words(gaps, InBatches(session), requests)
    path = workspace.lexicons / f"{language}.tsv"
    if not path.exists():
        raise ConfigError(
            f"{path}: no such slot lexicon; make it: pairwright lexicon make --language {language} SOURCE"
        )
    if not slot.classes:
        place = at(words.path, words.line(options.slot))
        raise ConfigError(
            f"{place}: the slot names no classes of the slot lexicon; add classes, or take another --method"
        )
    model = ModelSettings(name=options.model or EMBEDDED)
    return ranked_words(gaps, read_slot_lexicon(path), slot.classes, SentenceRanker(context, model))


def _slot(words: Words, name: str) -> SlotWords:
    if name not in words.lexicon.slots:
        known = ", ".join(words.lexicon.slots)
        raise ConfigError(f"--slot '{name}': {words.path} has no such slot; known: {known}")
    if name not in {place.slot for place in Constituent(kind="S", text=words.lexicon.frame).places}:
        raise ConfigError(
            f"{words.path}: no frame with {{{name}}}, in which its words are proposed; write it at the top"
        )
    return words.lexicon.slots[name]


def _gaps(words: Words, slot: str) -> Sequence[Gap]:
    """A gap for each head that names words of its own for the slot, and one for all others."""
    lexicon, frame = words.lexicon, Constituent(kind="S", text=words.lexicon.frame)
    per_head = {head.lemma: head.lemma for head in lexicon.heads if slot in head.takes}
    others = [head.lemma for head in lexicon.heads if slot not in head.takes]
    gaps = []
    for head, row_head in (per_head | dict.fromkeys(others[:1], EVERY_HEAD)).items():
        chosen = {place.slot: next(iter(words.options(head, place.slot)), "...") for place in frame.places}
        name = next(place.form for place in frame.places if place.slot == slot)

        def form(lemma: str, name: str = name) -> str | None:
            try:
                return words.form(slot, lemma, name)
            except ConfigError:
                return None

        filled = [
            _MARK if place.slot == slot else words.form(place.slot, chosen[place.slot], place.form)
            for place in frame.places
        ]
        before, _, after = frame.filled(tuple(filled)).partition(_MARK)
        own = words.options(head, slot)
        upos = lexicon.slots[slot].upos
        gaps.append(Gap(row_head, slot, upos, before, f"{after}.", form, own))
    return gaps
