"""Approved pairs -> more pairs: other words in them, other orders and clauses, and the slot lexicon for that."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

from pairwright.core.config import AugmentSettings
from pairwright.core.errors import ConfigError, Nothing, SourceError, counted
from pairwright.core.files import read_lines
from pairwright.core.ids import file_sha256
from pairwright.core.records import Augmentation, Block, Candidate, CheckedPair, Record, Rejection, Rule, Source, Tree
from pairwright.core.records.documents import AUGMENTED, PARADIGMS, PROPOSED, TREEBANK_PAIRS
from pairwright.core.store import StageRun, read_if_there, read_jsonl
from pairwright.core.text import words as words_of
from pairwright.core.workspace import Workspace
from pairwright.growth.augment import growth
from pairwright.growth.augment.lexicon import (
    CLASSES,
    LLM_STAGE,
    Neighbours,
    SlotWord,
    class_requests,
    classified,
    read_slot_lexicon,
    write_slot_lexicon,
)
from pairwright.growth.paradigm.frames import Frames, chosen_conditions, load_frames
from pairwright.growth.paradigm.seeds import FILE, UnusableTreeError, marked_up_seeds, names_in, tree_seed, variants
from pairwright.languages import Language, LexiconFile, load_language, load_tagset
from pairwright.languages.morphology.inflection import Inflector
from pairwright.models.load.models import EMBEDDED, load_model
from pairwright.models.load.settings import ModelSettings
from pairwright.models.prompts import load_prompt
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import gap, rejections_of, why_rejected
from pairwright.pipeline.ingest import find_source
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import AugmentOptions, LLMOptions, Option
from pairwright.pipeline.options import Language as LanguageCode
from pairwright.pipeline.pairs import check_pairs, judge_pairs, propose_pairs
from pairwright.pipeline.ranking import SentenceRanker
from pairwright.pipeline.stages import Lines, stage
from pairwright.review.log import source_votes
from pairwright.stats.acceptance import is_approved

PER_RULE, PROPOSALS_PER_RULE = 1000, 100
_FEWER = "fewer than asked for: "
MOST_WORDS = 3000
_RAREST_BAND = 6

Lexeme = tuple[str, str]
"""A lemma and its part of speech."""


def augment(
    context: Context, source: Path, options: AugmentOptions = AugmentOptions(), llm: LLMOptions = LLMOptions()
) -> list[StageRun]:
    """Put other words into approved pairs.

    SOURCE is a built source: its id or folder. Words that both sentences share are replaced. The new words come
    from the slot lexicon of the workspace, ranked by a causal model (lexicon, which needs no network), from a fill-mask
    model (masked-lm) or from a chat model (cloze). They are inflected as the words that they replace, and what agrees
    with them follows. The pairs go through the checks; pairwright review sync asks reviewers about them.
    """
    workspace, loaded = context.workspace, find_source(context.workspace, source)
    with open_session(context, loaded.id, llm) as session:
        if session is None and options.method == "cloze":
            raise ConfigError("--method cloze asks a chat model: add --llm server, or --llm local")
        context = session.context if session else context
        language = with_own_forms(context.language(loaded), workspace)
        seeds, lexicon = tuple(_chosen_pairs(workspace, loaded, options)), workspace.lexicons / f"{language.code}.tsv"
        make = workspace.command("grow", "lexicon", "--language", language.code, loaded.id)
        if not lexicon.exists() and options.method == "lexicon":
            raise ConfigError(f"{lexicon}: no such slot lexicon; {make} makes it; or take another --method")
        if options.method == "masked-lm" and options.model is None:
            raise ConfigError("--method masked-lm needs --model: the hub id or the folder of a fill-mask model")
        growing = _STAGES[options.propose]
        grown = growing(
            context,
            loaded,
            session,
            language=language,
            seeds=seeds,
            lexicon=lexicon,
            texts=tuple(_text(workspace, path) for path in options.text),
            method=options.method,
            model=ModelSettings(name=options.model or EMBEDDED),
            wanted=options.per_rule or (PROPOSALS_PER_RULE if options.propose else PER_RULE),
            propose=options.propose,
        )
        context.say_stage(grown, growing.noun)
        if not grown.n_out:
            # Each seed lacks places for other words, or words for its places.
            reasons = why_rejected(rejections_of(grown.path)) or "no other word fits a place that both sentences share"
            context.say_nothing(Nothing(f"{counted(len(seeds), 'seed')}, but none grew: {reasons}", make))
        if grown.ran:
            _say_figures(context, grown)
        runs = [grown, propose_pairs(context, loaded)]
        runs += [judge_pairs(context, loaded, session)] if session else []
        runs.append(check_pairs(context, loaded))
        if grown.n_out:
            context.say_stage(runs[-1], check_pairs.noun)
            context.say("next", f"{workspace.command('review', 'sync', loaded.id)}, which asks reviewers about them")
        return runs


def _text(workspace: Workspace, path: Path) -> Path:
    """A file of plain text, or the blocks of a built source. Raises ConfigError, SourceError."""
    if path.is_file():
        return path
    blocks = workspace.stage_file(find_source(workspace, path).id, "blocks")
    if not blocks.exists():
        raise ConfigError(f"--text {path}: neither a file nor a built source; name one of them")
    return blocks


def _chosen_pairs(workspace: Workspace, source: Source, options: AugmentOptions) -> list[Candidate]:
    """Pairs that passed the checks, of the rules that are asked for, in the order of their source.

    approved  by somebody, and rejected or corrected by nobody
    checked   all that are not grown themselves

    Raises ConfigError where there is none, StoreError where the source was not built.
    """
    rules = {rule.id: rule.code for rule in read_jsonl(workspace.stage_file(source.id, "rules"), Rule)}
    show_rules = workspace.command("show", source.id)
    if unknown := set(options.rules) - set(rules.values()):
        raise ConfigError(f"--rule {min(unknown)}: {source.id} has no rule with this code; {show_rules} shows them")
    checked = list(read_jsonl(workspace.stage_file(source.id, "checked"), CheckedPair))
    passed = [pair.candidate for pair in checked if pair.verdict == "pass"]
    unreviewed = [pair for pair in passed if not isinstance(pair.derivation, Augmentation)]
    approved = approved_ids(workspace, source.id, [pair.candidate for pair in checked])
    every = unreviewed if options.seeds == "checked" else [pair for pair in passed if pair.id in approved]
    pairs = [pair for pair in every if not options.rules or rules[pair.rule_id] in options.rules]
    if pairs:
        return pairs
    why = gap(workspace, source)
    if every:
        why = Nothing(f"{counted(len(every), 'seed')}, none of rule {' or '.join(options.rules)}", show_rules)
    elif unreviewed:
        take_them = workspace.command("grow", "words", source.id, "--seeds", "checked")
        why = why._replace(next=f"{why.next}; or take pairs that nobody approved: {take_them}")
    raise ConfigError(f"{source.id}: {why}")


def approved_ids(
    workspace: Workspace, source_id: str, pairs: Iterable[Candidate], *, undecided: bool = False
) -> frozenset[str]:
    """The ids of the pairs that somebody approved and nobody rejected or corrected.

    undecided  also those on which nobody decided
    """
    by_id = {pair.id: pair for pair in pairs}
    votes = source_votes(workspace.annotations, source_id, by_id).cast
    return frozenset(key for key in by_id if (is_approved(votes[key].values()) if key in votes else undecided))


def with_own_forms(language: Language, workspace: Workspace) -> Language:
    """A language with the workspace's `lexicons/<code>-forms.tsv`, a UniMorph table, after its other lexicons."""
    path = (workspace.lexicons / f"{language.code}-forms.tsv").absolute()
    if not path.exists():
        return language
    tagset = load_tagset("unimorph", workspace.root)
    table = LexiconFile(kind="unimorph", path=str(path), tagset=tagset, sha256={path.name: file_sha256(path)})
    return language.model_copy(update={"lexicons": (*language.lexicons, table)})


def _grow(
    context: Context,
    session: LLMSession | None,
    source: Source,
    rules: Lines[Rule],
    blocks: Lines[Block],
    language: Language,
    settings: AugmentSettings,
    seeds: tuple[Candidate, ...],
    lexicon: Path,
    texts: tuple[Path, ...],
    method: growth.AugmentMethod,
    model: ModelSettings,
    wanted: int,
    propose: bool,
) -> Iterator[Record]:
    """The grown pairs, rule by rule, after the Rejections."""
    rejected, stage_name = list[Rejection](), (PROPOSED if propose else AUGMENTED).name
    trees = {block.id: block.tree for block in blocks if block.tree}
    inflector = Inflector.of(language, trees.values())
    lexemes = read_slot_lexicon(lexicon) if lexicon.exists() else None

    def refuse(pair: Candidate, reason: str, text: str) -> None:
        rejected.append(pair.rejection(stage_name, reason, text))

    found = growth.seeds_of(seeds, language, inflector, trees, settings.keep, refuse)
    if method == "cloze":
        assert session is not None
        found, name = growth.seeds_to_ask_about(found, wanted), str(session.described(LLM_STAGE)["model"])
        propose_words: Callable[[Sequence[growth.Slot]], growth.Proposals] = partial(
            _asked, session, language, context.workspace
        )
    else:
        if method == "masked-lm":
            from pairwright.models.load.encoders import MaskFiller

            words: growth.Words = partial(
                growth.masked_words, fill=MaskFiller(load_model(model.name)).fill, inflector=inflector
            )
        else:
            assert lexemes is not None
            plain, seen = _read_texts(texts, trees.values())
            words = partial(
                growth.known_words, lexicon=lexemes, neighbours=Neighbours(seen, plain, inflector), trees=trees
            )
        rank, name = SentenceRanker(context, model), model.name
        propose_words = partial(growth.by_sentence, words=words, inflector=inflector, rank=rank)
    slots = growth.filled(found, propose_words, lexemes, inflector, settings, refuse)
    codes = {rule.id: rule.code for rule in rules}
    pairs = list[Candidate]()
    for rule_id in dict.fromkeys(it.seed.pair.rule_id for it in slots):
        of_rule = [it for it in slots if it.seed.pair.rule_id == rule_id]
        # Two new words seldom suit the longer sentences of a treebank.
        several = 1 if propose or source.kind == "treebank" else settings.new_words
        grown, ended = growth.grow(of_rule, wanted, settings, inflector, several)
        pairs += (growth.candidate_of(seed, pair, method, name, proposed=propose) for seed, pair in grown)
        if len(grown) < wanted:
            why = ", ".join(f"{reason}: {counted(n, 'seed')}" for reason, n in ended.items())
            refuse(of_rule[0].seed.pair, f"{_FEWER}{len(grown):,} of {wanted:,} pairs, {why}", codes[rule_id])
    odd = growth.odd_pairs(pairs, session, language, context.workspace.root) if session else frozenset[str]()
    for pair in (pair for pair in pairs if pair.id in odd):
        refuse(pair, "the chat model finds its good sentence odd", pair.good)
    yield from rejected
    yield from (pair for pair in pairs if pair.id not in odd)


def _asked(
    session: LLMSession, language: Language, workspace: Workspace, slots: Sequence[growth.Slot]
) -> growth.Proposals:
    """The words of a chat model for slots, whose cost is announced before."""
    prompt = load_prompt("propose_words", workspace=workspace.root)
    requests = [growth.cloze_request(slot, prompt, language) for slot in slots]
    session.announce_cost("words", lambda: requests)
    yield from growth.cloze_words(requests, session)
    session.verify_answered()


def _read_texts(paths: Iterable[Path], trees: Iterable[Tree]) -> tuple[Iterator[str], Iterator[Tree]]:
    """The lines of plain texts and the sentences of built sources without trees; and all trees."""
    blocks = [block for path in paths if path.suffix == ".jsonl" for block in read_jsonl(path, Block)]
    plain = (line for path in paths if path.suffix != ".jsonl" for _, line in read_lines(path, ConfigError))
    untagged = (block.text for block in blocks if not block.tree)
    return chain(plain, untagged), chain(trees, (block.tree for block in blocks if block.tree))


_STAGES = {
    propose: stage(declared, noun, step=LLM_STAGE, prompts="pairwright.growth.augment.growth")(_grow)
    for propose, declared, noun in ((True, PROPOSED, "proposal"), (False, AUGMENTED, "grown pair"))
}


def _say_figures(context: Context, grown: StageRun) -> None:
    """Shows how varied the pairs of each grown rule are, and why there are fewer than asked for."""
    codes = {rule.id: rule.code for rule in read_jsonl(grown.path.with_name("rules.jsonl"), Rule)}
    of_rule = dict[str, list[Candidate]]()
    for pair in read_jsonl(grown.path, Candidate):
        of_rule.setdefault(pair.rule_id, []).append(pair)
    for rule_id, pairs in of_rule.items():
        made_of = [pair.derivation for pair in pairs if isinstance(pair.derivation, Augmentation)]
        lemmas = {item.lemma for of_pair in made_of for item in of_pair.replacements if not item.agrees}
        said = [word.casefold() for pair in pairs for word in words_of(pair.good)]
        seeds = f"{counted(len({it.seed_id for it in made_of}), 'seed')} to {counted(len(pairs), 'pair')}"
        varied = f"{counted(len(lemmas), 'new lemma')}, type-token ratio {len(set(said)) / len(said):.3f}"
        context.say(codes[rule_id], f"{seeds}; {varied}")
    for fewer in (one for one in rejections_of(grown.path) if one.reason.startswith(_FEWER)):
        context.say(fewer.text, fewer.reason.removeprefix(_FEWER))


def paradigms(
    context: Context,
    source: Path,
    *,
    conditions: Annotated[
        tuple[str, ...], Option("Orders, such as SVO, and clauses (default: all).", metavar="NAME,...", kind="names")
    ] = (),
    undecided: Annotated[bool, Option("Also use treebank pairs without decisions.")] = False,
) -> StageRun:
    """Put pairs into other orders and subordinate clauses.

    The variants of a pair form a paradigm. Seeds are the approved pairs of a treebank, and sentences that you mark up
    in paradigms.txt next to source.toml: [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].
    """
    loaded = find_source(context.workspace, source)
    markup = context.workspace.sources / loaded.id / FILE
    language = context.language(loaded)
    frames = load_frames(language, context.workspace.root)
    chosen = chosen_conditions(frames, conditions, language)
    pairs = read_if_there(context.workspace.stage_file(loaded.id, TREEBANK_PAIRS.name), Candidate)
    approved = approved_ids(context.workspace, loaded.id, pairs, undecided=undecided)
    if not approved and not markup.exists():
        raise SourceError(
            f"{loaded.id}: no seeds; approve pairs of its treebank in review, or give --undecided, or write {markup}"
        )
    run = paradigm_pairs(
        context, loaded, markup=markup, frames=frames, conditions=chosen, seeds=tuple(sorted(approved))
    )
    build = context.workspace.command("build", loaded.id)
    context.say_stage(run, paradigm_pairs.noun)
    if run.n_out:
        context.say("next", f"{build}, which takes them through the checks into review")
    else:
        reasons = why_rejected(rejections_of(run.path)) or f"{markup} is empty"
        why = f"no seed can be put into {counted(len(chosen), 'condition')}: {reasons}"
        context.say_nothing(Nothing(why, f"mark up seeds in {markup}, then {build}"))
    return run


@stage(PARADIGMS, "paradigm pair")
def paradigm_pairs(
    source: Source,
    language: Language,
    rules: Lines[Rule],
    frames: Frames,
    conditions: tuple[str, ...],
    markup: Path,
    seeds: tuple[str, ...],
    blocks: Lines[Block] | None = None,
    treebank_pairs: Lines[Candidate] | None = None,
) -> Iterator[Record]:
    """The variants of marked-up seeds and of treebank pairs; `seeds` are the ids of these."""
    by_id = {block.id: block for block in blocks or ()}
    trees = [block.tree for block in by_id.values() if block.tree]
    inflector, names = Inflector.of(language, trees), names_in(trees)
    if markup.exists():
        for seed in marked_up_seeds(markup, {rule.code: rule for rule in rules}, source.id, frames):
            yield from variants(seed, conditions, inflector)
    chosen = set(seeds)
    for pair in (pair for pair in treebank_pairs or () if pair.id in chosen):
        try:
            seed = tree_seed(pair, by_id[pair.evidence.block_id], frames, names)
        except UnusableTreeError as fault:
            yield pair.rejection(PARADIGMS.name, f"no seed: {fault}", pair.good)
        else:
            yield from variants(seed, conditions, inflector)


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
    entries |= _with_bands(counts, entries)
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
        for token in (word for block in blocks for word in words_of(block.text)):
            readings = {(reading.lemma, reading.upos or "") for reading in inflector.analyses(token)}
            if len(readings) == 1:
                counts.update(readings)
    return Counter({lexeme: count for lexeme, count in counts.items() if lexeme[1] in CLASSES})


def _with_bands(counts: Mapping[Lexeme, int], entries: Mapping[Lexeme, SlotWord]) -> dict[Lexeme, SlotWord]:
    """New words, the most frequent first, and bands for those that have none."""
    total = sum(counts.values())
    new = sorted(counts.keys() - entries.keys(), key=lambda lexeme: (-counts[lexeme], lexeme))[:MOST_WORDS]
    words = {lexeme: SlotWord(lemma=lexeme[0], upos=lexeme[1]) for lexeme in new}
    words |= {key: word for key, word in entries.items() if word.band is None and key in counts}
    # 1 from 1 in 10,000 words on, and one more for each tenth of that.
    bands = {key: 6 - math.floor(math.log10(counts[key] / total * 1e9)) for key in words}
    return {key: word.model_copy(update={"band": min(_RAREST_BAND, max(1, bands[key]))}) for key, word in words.items()}


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
