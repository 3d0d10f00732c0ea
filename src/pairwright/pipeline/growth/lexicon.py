"""Sources -> the slot lexicon of their language: which words there are, how frequent, and of which class."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.core.errors import ConfigError, Nothing, SourceError, counted
from pairwright.core.records import Block
from pairwright.core.store import read_jsonl
from pairwright.core.text import words
from pairwright.growth.augment.lexicon import (
    CLASSES,
    SlotWord,
    class_requests,
    classified,
    read_slot_lexicon,
    write_slot_lexicon,
)
from pairwright.languages import Language, load_language
from pairwright.languages.morphology.inflection import Inflector
from pairwright.pipeline.context import Context
from pairwright.pipeline.growth.augment import with_own_forms
from pairwright.pipeline.ingest import find_source
from pairwright.pipeline.llm import open_session
from pairwright.pipeline.options import Language as LanguageCode
from pairwright.pipeline.options import LLMOptions

MOST_WORDS = 3000
_RAREST_BAND = 6

Lexeme = tuple[str, str]
"""A lemma and its part of speech."""


def make_lexicon(
    context: Context, sources: tuple[Path, ...], llm: LLMOptions = LLMOptions(), *, language: LanguageCode
) -> Path:
    """Make a slot lexicon from the words of built sources.

    Writes lexicons/CODE.tsv, or adds words to it; filled cells stay. Words come from a treebank's annotation, or from
    other sources by the language's dictionaries. Fill in the classes by hand or with a chat model (--llm); words
    without a class are not used.
    """
    workspace = context.workspace
    spoken = with_own_forms(load_language(language, workspace.root), workspace)
    path = workspace.lexicons / f"{language}.tsv"
    loaded = [find_source(workspace, source) for source in sources]
    if other := next((source for source in loaded if source.language != language), None):
        raise ConfigError(f"--language {language}: {other.id} is in {other.language}; name sources of one language")
    counts = Counter[Lexeme]()
    for source in loaded:
        blocks = workspace.stage_file(source.id, "blocks")
        if not blocks.exists():
            raise SourceError(f"{source.id}: not read yet; run pairwright build {source.id} --until blocks")
        counts += _counted(list(read_jsonl(blocks, Block)), spoken)
    entries = read_slot_lexicon(path) if path.exists() else {}
    n_before = len(entries)
    entries |= _with_bands(counts, entries, language)
    if not entries:
        reason = f"no word of {', '.join(it.id for it in loaded)} is read by a treebank or a dictionary of {language}"
        raise ConfigError(str(Nothing(reason, f"{workspace.command('doctor')}, which says where to get one")))
    write_slot_lexicon(path, entries.values())
    context.say("lexicon", f"{path}: {counted(len(entries) - n_before, 'new word')}, {len(entries):,} in all")
    _classify(context, spoken, loaded[0].id, entries, path, llm)
    return path


def _counted(blocks: Sequence[Block], language: Language) -> Counter[Lexeme]:
    """How often each content word stands in the blocks of a source."""
    counts = Counter[Lexeme]()
    trees = [block.tree for block in blocks if block.tree]
    for tree in trees:
        counts.update((word.lemma, word.upos) for word in tree.words if word.upos in CLASSES and word.lemma.isalpha())
    if not trees:
        inflector = Inflector.of(language)
        for token in (word for block in blocks for word in words(block.text)):
            readings = {(reading.lemma, reading.upos or "") for reading in inflector.analyses(token)}
            if len(readings) == 1:
                counts.update(readings)
    return Counter({lexeme: count for lexeme, count in counts.items() if lexeme[1] in CLASSES})


def _with_bands(counts: Mapping[Lexeme, int], entries: Mapping[Lexeme, SlotWord], code: str) -> dict[Lexeme, SlotWord]:
    """New words, the most frequent first, and bands for those that have none."""
    total = sum(counts.values())
    new = sorted(counts.keys() - entries.keys(), key=lambda lexeme: (-counts[lexeme], lexeme))[:MOST_WORDS]
    words = {lexeme: SlotWord(lemma=lexeme[0], upos=lexeme[1]) for lexeme in new}
    words |= {key: word for key, word in entries.items() if word.band is None and key in counts}
    return {
        key: word.model_copy(update={"band": _band(key[0], counts[key], total, code)}) for key, word in words.items()
    }


def _band(lemma: str, count: int, total: int, code: str) -> int:
    """The frequency band of a lemma: 1 from 1 in 10,000 words on, and one more for each tenth of that.

    By wordfreq, where it is installed and has the language; else by the count in the sources.
    """
    zipf = math.log10(count / total * 1e9)
    try:
        import wordfreq

        zipf = wordfreq.zipf_frequency(lemma, code) or zipf
    except (ImportError, LookupError):
        pass
    return min(_RAREST_BAND, max(1, 6 - math.floor(zipf)))


def _classify(
    context: Context, language: Language, source_id: str, entries: dict[Lexeme, SlotWord], path: Path, llm: LLMOptions
) -> None:
    """Has a chat model classify the words without a class."""
    blank = [entry for entry in entries.values() if not entry.classes]
    if llm.kind in (None, "none") or not blank:
        if blank:
            context.say("classes", f"none for {counted(len(blank), 'word')}: fill in the column, or add --llm server")
        return
    root = context.workspace.root
    with open_session(context, source_id, llm) as session:
        assert session is not None
        session.announce_cost("classes", lambda: (r for _, r in class_requests(blank, language, source_id, root)))
        found = list(classified(blank, language, source_id, session, root))
        session.verify_answered()
    # A model takes minutes; a row that people changed meanwhile stays as they left it.
    asked, entries = entries, read_slot_lexicon(path)
    entries |= {word.key: word for word in found if entries.get(word.key) == asked[word.key]}
    write_slot_lexicon(path, entries.values())
    context.say("classes", f"{len(found):,} of {counted(len(blank), 'word')} classified; read and correct {path}")
