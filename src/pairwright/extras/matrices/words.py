"""Words that may go into the slots of a lexicon, proposed in a table in which native speakers decide.

They come from the slot lexicon, ranked by a causal model, or from treebanks, which give whole sentences.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.core.errors import ConfigError, SourceError, at
from pairwright.core.records import Block, Rejection, Word
from pairwright.core.store import read_jsonl, write_jsonl
from pairwright.core.text import sentence_key
from pairwright.extras.matrices import WordOptions
from pairwright.extras.matrices.lexicon import (
    EVERY_HEAD,
    Combination,
    SlotWords,
    Words,
    combinations_file,
    open_lexicon,
    read_combinations,
    write_combinations,
)
from pairwright.extras.matrices.template import FOLDER, PACKAGE, Constituent, Template, TreebankQuery, load_template
from pairwright.growth.augment.growth import OWN_SHARE
from pairwright.growth.augment.lexicon import read_slot_lexicon
from pairwright.languages import find_resource
from pairwright.languages.features import parse_features
from pairwright.languages.letters import script
from pairwright.languages.linguistics.sentences import why_no_sentence
from pairwright.languages.locale import decision_words, load_words
from pairwright.models.load.models import EMBEDDED
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import find_source, ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.ranking import SentenceRanker
from pairwright.tasks.instances import STAGE

# The most frequent ones, where a slot could take more words.
_MOST_OPTIONS = 100
_LONGEST = 30
"""Words in a sentence that problems show."""


def propose_words(context: Context, name: str, options: WordOptions) -> None:
    """Adds proposed words to the table of a lexicon, or of a template of treebanks; no row that is there changes.

    Raises ConfigError where the lexicon has no such slot or frame, ModelError, SourceError.
    """
    workspace, is_template = context.workspace, find_resource(FOLDER, name, context.workspace.root, PACKAGE)
    template = load_template(name, workspace.root)[0] if is_template else None
    of_treebanks = template is not None and template.treebank is not None
    if template is not None and of_treebanks:
        language, proposed = template.language, _treebank_texts(context, name, template, options)
    else:
        words = open_lexicon(workspace, name)
        language, proposed = words.lexicon.language, _word_rows(context, words, options)
    path = combinations_file(workspace, name)
    decisions = decision_words(load_words("review", language, workspace.root))
    n_new = _add_rows(path, decisions, proposed, one_row_a_text=of_treebanks)
    context.say("words", f"{n_new:,} proposed; decide in {path}")


def _add_rows(
    path: Path, decisions: Mapping[str, tuple[str, ...]], proposed: Iterable[Combination], *, one_row_a_text: bool
) -> int:
    """Adds proposals that the table lacks and says how many; a text of treebanks stands once, whatever its root is."""
    read_combinations(path, decisions)  # a fault in it is named before the work
    new = list(proposed)
    # People may have decided in the table meanwhile.
    rows = {key: one for key, (one, _) in read_combinations(path, decisions).items()}
    texts = {one.word for one in rows.values() if one_row_a_text}
    n_before = len(rows)
    for one in new:
        if one.word not in texts:
            rows.setdefault(one.key, one)
    if new:
        write_combinations(path, rows.values())
    return len(rows) - n_before


def _read_treebanks(context: Context, treebanks: Sequence[Path], language: str) -> list[Block]:
    """The sentences of treebanks, which are sources or files of CoNLL-U. Raises SourceError."""
    described = SourceOptions(kind="treebank", language=language)
    runs = [
        ingest(context, find_source(context.workspace, source, described if source.is_file() else SourceOptions()))
        for source in treebanks
    ]
    return [block for run in runs for block in read_jsonl(run.path, Block) if block.tree]


def _word_rows(context: Context, words: Words, options: WordOptions) -> Iterator[Combination]:
    """Words of the slot lexicon in the frame, for each head that names words of its own for the slot, and one for all
    others: ranked as `growth.augment` ranks them, by how much worse a word makes the sentence than it is by itself."""
    lexicon, frame = words.lexicon, Constituent(kind="S", text=words.lexicon.frame)
    path, slot = context.workspace.lexicons / f"{lexicon.language}.tsv", _slot(words, frame, options.slot)
    if not path.exists():
        remedy = f"pairwright grow lexicon --language {lexicon.language} SOURCE"
        raise ConfigError(f"{path}: no such slot lexicon; make it: {remedy}")
    if not slot.classes:
        place = at(words.path, words.line(options.slot))
        raise ConfigError(f"{place}: the slot names no classes of the slot lexicon; add classes")
    rank = SentenceRanker(context, ModelSettings(name=options.model or EMBEDDED))
    fitting = [
        entry
        for entry in read_slot_lexicon(path).values()
        if entry.upos == slot.upos
        and {part for name in entry.classes for part in (name, name.partition(":")[0])} & {*slot.classes}
    ]
    fitting.sort(key=lambda entry: (entry.band or 99, entry.lemma))
    heads = {head.lemma: head.lemma for head in lexicon.heads if options.slot in head.takes}
    others = [head.lemma for head in lexicon.heads if options.slot not in head.takes]
    for head, row_head in (heads | dict.fromkeys(others[:1], EVERY_HEAD)).items():
        taken = words.options(head, options.slot)
        lemmas = [entry.lemma for entry in fitting[:_MOST_OPTIONS] if entry.lemma not in taken]
        sentences = dict(_sentences(words, frame, head, options.slot, lemmas))
        texts = list(dict.fromkeys(text for both in sentences.values() for text in both))
        scores = dict(zip(texts, rank(texts), strict=True))
        worse = {it: OWN_SHARE * scores[form] - scores[text] for it, (text, form) in sentences.items()}
        for lemma in sorted(sentences, key=lambda lemma: (worse[lemma], lemma))[: options.words]:
            text, _ = sentences[lemma]
            yield Combination(head=row_head, slot=options.slot, word=lemma, sentence=text, proposed_by="lexicon")


def _slot(words: Words, frame: Constituent, name: str) -> SlotWords:
    if name not in words.lexicon.slots:
        known = ", ".join(words.lexicon.slots)
        raise ConfigError(f"--slot '{name}': {words.path} has no such slot; known: {known}")
    if name not in {place.slot for place in frame.places}:
        raise ConfigError(
            f"{words.path}: no frame with {{{name}}}, in which its words are proposed; write it at the top"
        )
    return words.lexicon.slots[name]


def _sentences(
    words: Words, frame: Constituent, head: str, slot: str, lemmas: Iterable[str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """The sentence and the form of each word that has one for the slot, beside the first words of the head."""
    chosen = {place.slot: next(iter(words.options(head, place.slot)), "...") for place in frame.places}
    others = [
        "" if place.slot == slot else words.form(place.slot, chosen[place.slot], place.form) for place in frame.places
    ]
    name = next(place.form for place in frame.places if place.slot == slot)
    for lemma in lemmas:
        try:
            form = words.form(slot, lemma, name)
        except ConfigError:
            continue
        text = frame.filled(tuple(other or form for other in others))
        yield lemma, (f"{text[:1].upper()}{text[1:]}.", form)


def _treebank_texts(context: Context, name: str, template: Template, options: WordOptions) -> Iterator[Combination]:
    """The texts for all slots of a template; what treebanks have beside them is kept with the reasons."""
    if options.slot or not options.treebanks or not template.treebank:
        raise ConfigError(f"{name}: its words come from treebanks, for all slots; leave --slot out, name --treebank")
    blocks = _read_treebanks(context, options.treebanks, template.language)
    combinations, rejected = treebank_combinations(template.treebank, blocks, options.words)
    path = context.workspace.output / "matrices" / f"{name}.rejected.jsonl"
    write_jsonl(path, rejected)
    context.say_reasons(rejected)
    context.say("left out", f"{len(rejected):,} texts in all, with the reasons in {path}")
    yield from combinations


class _Use(NamedTuple):
    """A verb of a root in a sentence.

    is_asked  the text may stand for it, and not only for another verb
    rank      lower ones come first
    """

    root: str
    slot: str
    text: str
    word: Word
    block: Block
    is_asked: bool
    rank: tuple[int, int]


def treebank_combinations(
    query: TreebankQuery, blocks: Sequence[Block], most: int
) -> tuple[list[Combination], list[Rejection]]:
    """The texts of the roots that have some for each slot, at most `most` for each, and what can't be used.

    Each text stands once; one with verbs of two such roots is rejected. The relations that the query names first come
    first, then short sentences. Raises SourceError, with file and line, for a treebank in which no such word has the
    feature.
    """
    by_text: dict[str, list[_Use]] = defaultdict(list)
    has_feature, rejected = set[str](), list[Rejection]()
    for block in blocks:
        for use in _uses(query, block, has_feature, rejected):
            by_text[sentence_key(use.text)].append(use)
    if lacking := next((block for block in blocks if block.file not in has_feature), None):
        raise SourceError(
            f"{at(lacking.file, lacking.line)}: from here on no {query.upos} has the feature {query.feature}; name a "
            f"treebank that has it"
        )
    by_place: dict[tuple[str, int], list[_Use]] = defaultdict(list)
    slots = list(query.slots)
    for uses in _usable(query, by_text.values(), rejected):
        first = min(uses, key=lambda use: use.rank)
        by_place[first.root, slots.index(first.slot)].append(first)
    combinations: list[Combination] = []
    for (root, number), uses in sorted(by_place.items()):
        without = ", ".join(slot for other, slot in enumerate(slots) if (root, other) not in by_place)
        fault = f"no {query.text} in {without}" if without else f"{most} in {slots[number]} before it"
        uses.sort(key=lambda use: use.rank)
        n_kept = 0 if without else most
        combinations += map(_combination, uses[:n_kept])
        rejected += [use.block.rejection(STAGE, f"root '{root}' has {fault}") for use in uses[n_kept:]]
    return combinations, rejected


def _usable(
    query: TreebankQuery, by_text: Collection[Sequence[_Use]], rejected: list[Rejection]
) -> Iterator[Sequence[_Use]]:
    """The uses of a text that may fill a slot, for each text without a fault."""
    n_slots = Counter(root for root, _ in {(use.root, use.slot) for uses in by_text for use in uses})
    for uses in by_text:
        paired = [use for use in uses if n_slots[use.root] == len(query.slots)]
        # A text of two roots could be right where it is to be wrong.
        roots = sorted({f"root '{use.root}' in {use.slot}" for use in paired})
        fault = " and ".join(roots) if len(roots) > 1 else ""
        fault = fault or (_fault(uses[0].text) if query.text == "sentence" else "")
        asked = [use for use in paired or uses if use.is_asked]
        if asked and fault:
            rejected.append(asked[0].block.rejection(STAGE, fault))
        elif asked:
            yield asked


def _uses(query: TreebankQuery, block: Block, has_feature: set[str], rejected: list[Rejection]) -> Iterator[_Use]:
    """The verbs of a sentence that have a root; those that are asked for, but have none, are rejected."""
    slot_of = {value: slot for slot, value in query.slots.items()}
    for word in block.tree.words if block.tree else ():
        features = dict(parse_features(word.feats)) if word.upos == query.upos else {}
        value = features.get(query.feature, "")
        has_feature |= {block.file} if value else set()
        if value not in slot_of:
            continue
        place = query.relations.index(word.deprel) if word.deprel in query.relations else -1
        is_asked = place >= 0 and {*query.without}.isdisjoint(word.feats.split("|"))
        if root := query.root(value, word.lemma):
            text = block.text if query.text == "sentence" else word.form
            yield _Use(root, slot_of[value], text, word, block, is_asked, (place, len(block.text.split())))
        elif is_asked:
            rejected.append(block.rejection(STAGE, f"no root of {value} in the lemma '{word.lemma}'"))


def _combination(use: _Use) -> Combination:
    """A row for a native speaker, in which the verb stands in brackets inside its sentence."""
    text, word = use.block.text, use.word
    shown = f"{text[: word.start]}[{text[word.start : word.end]}]{text[word.end :]}"
    place = f"{use.block.source_id}:{use.block.line}"
    return Combination(head=use.root, slot=use.slot, word=use.text, sentence=shown, proposed_by=place)


def _fault(sentence: str) -> str:
    """Why a text can't be shown as a sentence, or nothing."""
    if reason := why_no_sentence(sentence):
        return reason
    if sentence[:1].isdigit():
        return "begins with a digit"
    if len(sentence.split()) > _LONGEST:
        return f"more than {_LONGEST} words"
    if re.search(r"\d\s+\d", sentence):
        return "a number beside a number, as where a mark between them is lost"
    for token in re.findall(r"\w+", sentence):
        scripts = {"DIGIT" if char.isdigit() else script(char) for char in token} - {""}
        if len(scripts) > 1 and scripts & {"LATIN", "DIGIT"}:
            return f"'{token}' joins letters of two scripts, or letters and digits"
    return ""
