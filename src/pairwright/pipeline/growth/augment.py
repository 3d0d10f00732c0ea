"""Approved pairs -> more pairs: seeds, words for their slots, the new pairs, and these through the checks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pairwright.core import stages as generate
from pairwright.core.errors import ConfigError, Nothing, counted
from pairwright.core.ids import file_sha256
from pairwright.core.records import (
    Augmentation,
    Block,
    Candidate,
    CheckedPair,
    Record,
    Rejection,
    Rule,
    Source,
    Stage,
    Tree,
)
from pairwright.core.store import StageRun, file_input, read_jsonl, run_stage, write_json
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.growth.augment.figures import RuleFigures, rule_figures
from pairwright.growth.augment.frames import Frame
from pairwright.growth.augment.growth import CountSubwords, by_rule, candidate_of, grow
from pairwright.growth.augment.lexicon import LLM_STAGE, SlotLexicon, read_slot_lexicon
from pairwright.growth.augment.proposers import (
    ClozeProposer,
    LexiconProposer,
    MaskedProposer,
    Proposer,
    Slot,
    Slots,
    cloze_request,
    filled,
    frames_of,
    propose_prompt,
)
from pairwright.languages import Language, LexiconFile, load_tagset
from pairwright.languages.morphology.inflection import Inflector
from pairwright.models.load.models import EMBEDDED, load_model
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import decided_input
from pairwright.pipeline.gaps import gap, rejections_of, why_rejected
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import AugmentOptions, LLMOptions
from pairwright.pipeline.pairs import InBatches, check, judge, propose_pairs
from pairwright.pipeline.ranking import SentenceRanker
from pairwright.pipeline.sources import find_source
from pairwright.review.log.votes import source_votes
from pairwright.stats.acceptance import is_approved

PER_RULE, PROPOSALS_PER_RULE = 1000, 100


@dataclass(frozen=True)
class _Task:
    """What a run of the stage works with; `lexicon` is None where the classes of words don't matter."""

    context: Context
    source: Source
    options: AugmentOptions
    seeds: tuple[Candidate, ...]
    language: Language
    lexicon: SlotLexicon | None
    model: ModelSettings

    @property
    def stage(self) -> Stage:
        return generate.PROPOSED if self.options.propose else generate.AUGMENTED

    @property
    def work(self) -> Path:
        return self.context.workspace.work(self.source.id)

    @property
    def wanted(self) -> int:
        return self.options.per_rule or (PROPOSALS_PER_RULE if self.options.propose else PER_RULE)


def augment(
    context: Context, source: Path, options: AugmentOptions | None = None, llm: LLMOptions | None = None
) -> list[StageRun]:
    """Seeds of a source to checked pairs. Raises ConfigError where there are no seeds, no lexicon or no chat model,
    MorphologyError for a damaged lexicon, ModelError where the model can't be used."""
    options, loaded = options or AugmentOptions(), load_source(find_source(context.workspace, source))
    if options.method != "cloze":
        return _grown_and_checked(context, loaded, options, None)
    with open_session(context, loaded.id, llm or LLMOptions()) as session:
        if session is None:
            raise ConfigError("--method cloze asks a chat model: add --llm server, or --llm local")
        return _grown_and_checked(session.context, loaded, options, session)


def _grown_and_checked(
    context: Context, source: Source, options: AugmentOptions, session: LLMSession | None
) -> list[StageRun]:
    task = _task(context, source, options)
    grown = context.call("grow pairs", _grow, task, session)
    context.say_stage(grown, "proposal" if options.propose else "grown pair", lambda: _nothing_grown(task, grown))
    for figures in _figures(task) if grown.ran or not _figures_file(task).exists() else ():
        context.say(figures.code, _in_words(figures))
    runs = [grown, context.call("propose pairs", propose_pairs, context, source)]
    if session:
        runs.append(context.call("judge pairs", judge, context, source, session))
    runs.append(context.call("check pairs", check, context, source))
    if grown.n_out:
        context.say_stage(runs[-1], "checked pair", lambda: gap(context.workspace, source))
    return runs


def _nothing_grown(task: _Task, grown: StageRun) -> Nothing:
    """Why no seed grew: each lacks places for other words, or words for its places."""
    reasons = why_rejected(rejections_of(grown.path)) or "no other word fits a place that both sentences share"
    lexicon = task.context.workspace.command("lexicon", "make", "--language", task.language.code, task.source.id)
    return Nothing(f"{counted(len(task.seeds), 'seed')}, none of which grew: {reasons}", lexicon)


def _task(context: Context, source: Source, options: AugmentOptions) -> _Task:
    workspace, language = context.workspace, with_own_forms(context.language(source), context.workspace)
    seeds = _chosen_seeds(workspace, source, options)
    path = workspace.lexicons / f"{language.code}.tsv"
    if not path.exists() and options.method == "lexicon":
        remedy = workspace.command("lexicon", "make", "--language", language.code, source.id)
        raise ConfigError(f"{path}: no such slot lexicon; {remedy} makes it; or take another --method")
    lexicon = read_slot_lexicon(path) if path.exists() else None
    if options.method == "masked-lm" and options.model is None:
        raise ConfigError("--method masked-lm needs --model: the hub id or the folder of a fill-mask model")
    # A chat model has no tokenizer here.
    named = EMBEDDED if options.method == "cloze" else options.model or EMBEDDED
    return _Task(context, source, options, tuple(seeds), language, lexicon, ModelSettings(name=named))


def _chosen_seeds(workspace: Workspace, source: Source, options: AugmentOptions) -> list[Candidate]:
    """The pairs that may grow, of the rules that are asked for. Raises ConfigError where there is none."""
    rules = {rule.id: rule.code for rule in read_jsonl(workspace.stage_file(source.id, "rules"), Rule)}
    show_rules = workspace.command("rules", source.id)
    if unknown := set(options.rules) - set(rules.values()):
        raise ConfigError(f"--rule {min(unknown)}: {source.id} has no rule with this code; {show_rules} shows them")
    every = seeds_of(workspace, source.id, options)
    seeds = [seed for seed in every if not options.rules or rules[seed.rule_id] in options.rules]
    if seeds:
        return seeds
    why = gap(workspace, source)
    if every:
        why = Nothing(f"{counted(len(every), 'seed')}, none of rule {' or '.join(options.rules)}", show_rules)
    elif seeds_of(workspace, source.id, replace(options, seeds="checked")):
        unreviewed = workspace.command("augment", source.id, "--seeds", "checked")
        why = why._replace(next=f"{why.next}; or take pairs that nobody approved: {unreviewed}")
    raise ConfigError(f"{source.id}: {why}")


def with_own_forms(language: Language, workspace: Workspace) -> Language:
    """A language with the workspace's `lexicons/<code>-forms.tsv`, a UniMorph table, after its other lexicons."""
    path = (workspace.lexicons / f"{language.code}-forms.tsv").absolute()
    if not path.exists():
        return language
    tagset = load_tagset("unimorph", workspace.root)
    table = LexiconFile(kind="unimorph", path=str(path), tagset=tagset, sha256={path.name: file_sha256(path)})
    return language.model_copy(update={"lexicons": (*language.lexicons, table)})


def seeds_of(workspace: Workspace, source_id: str, options: AugmentOptions) -> list[Candidate]:
    """The pairs that may grow, in the order of their source. Raises StoreError where it was not built.

    approved  by somebody, and rejected or corrected by nobody
    checked   all that passed the checks and are not grown themselves
    """
    checked = list(read_jsonl(workspace.stage_file(source_id, "checked"), CheckedPair))
    pairs = [pair.candidate for pair in checked if pair.verdict == "pass"]
    if options.seeds == "checked":
        return [pair for pair in pairs if not isinstance(pair.derivation, Augmentation)]
    votes = source_votes(workspace.annotations, source_id, {pair.candidate.id: pair.candidate for pair in checked}).cast
    return [pair for pair in pairs if is_approved(votes.get(pair.id, {}).values())]


def _grow(task: _Task, session: LLMSession | None) -> StageRun:
    workspace, options = task.context.workspace, task.options
    settings = workspace.config().augment
    inputs = [file_input(task.work / "rules.jsonl"), file_input(task.work / "blocks.jsonl")]
    inputs.append(decided_input("seeds", {seed.id: seed for seed in task.seeds}))
    if task.lexicon and task.lexicon.path:
        inputs.append(file_input(task.lexicon.path))
    deciding: dict[str, Any] = {
        "augment": settings.model_dump(),
        "language": task.language.model_dump(),
        "options": [options.method, task.wanted, options.propose],
        "model": task.model.model_dump(),
        "llm": session.described(LLM_STAGE) if session else None,
    }
    prompt = propose_prompt(workspace.root) if session else None
    prompts = {prompt.label: prompt.sha256} if prompt else None
    produce, assistant = partial(_produce, task, session), session.kind if session else None
    return run_stage(task.work, task.stage, inputs, deciding, produce, prompts=prompts, assistant=assistant)


def _produce(task: _Task, session: LLMSession | None) -> Iterator[Record]:
    """The grown pairs, rule by rule, after the Rejections."""
    settings, subwords = task.context.workspace.config().augment, _subword_counter(task.model)
    blocks = read_jsonl(task.work / "blocks.jsonl", Block)
    trees = {block.id: block.tree for block in blocks if block.tree}
    inflector = Inflector.of(task.language, trees.values())
    frames: list[Frame] = []
    for item in frames_of(task.seeds, task.language, inflector, _tree_finder(trees), settings.keep, task.stage.name):
        if isinstance(item, Rejection):
            yield item
        else:
            frames.append(item)
    proposer = _proposer(task, inflector, session, frames)
    slots: list[Slots] = []
    classes = task.lexicon if settings.classes else None
    for result in filled(frames, proposer, classes, inflector, settings.proposals, task.stage.name):
        if isinstance(result, Rejection):
            yield result
        else:
            slots.append(result)
    if session:
        session.model.verify_answered()
    propose = task.options.propose
    for of_rule in by_rule(slots).values():
        for seed, pair in grow(of_rule, task.wanted, settings, inflector, subwords, single=propose):
            yield candidate_of(seed, pair, proposer.method, proposer.model, proposed=propose)


def _tree_finder(trees: dict[str, Tree]) -> Callable[[Candidate], Tree | None]:
    """The tree of a pair's good sentence: pairs that are not of a treebank have none."""
    return lambda pair: trees.get(pair.evidence.block_id) if pair.method == "treebank" else None


def _proposer(task: _Task, inflector: Inflector, session: LLMSession | None, frames: Sequence[Frame]) -> Proposer:
    context, classes = task.context, task.context.workspace.config().augment.classes
    if session:
        root, slots = context.workspace.root, [Slot(frame, number) for frame in frames for number in frame.slots]
        prompt = propose_prompt(root)
        session.announce_cost("words", lambda: (cloze_request(slot, prompt, task.language) for slot in slots))
        return ClozeProposer(InBatches(session), task.language, str(session.described(LLM_STAGE)["model"]), root)
    if task.options.method == "masked-lm":
        from pairwright.models.load.fill_mask import MaskFiller

        filler = MaskFiller(load_model(task.model.name))
        return MaskedProposer(filler.fill, inflector, filler.name)
    assert task.lexicon is not None
    rank = SentenceRanker(context, task.model)
    return LexiconProposer(task.lexicon, inflector, rank, task.model.name, classes=classes)


@cache
def _subword_counter(model: ModelSettings) -> CountSubwords:
    """Counts the subwords of sentences by the tokenizer of a model; by the embedded one's where a server keeps it."""
    from pairwright.evaluate.scoring.scorers.registry import tokenizer_of

    tokenizer: Any = tokenizer_of(ModelSettings(name=EMBEDDED) if model.is_served else model)

    def count(sentences: Sequence[str]) -> list[int]:
        listed = list(sentences)
        return [len(ids) for ids in tokenizer(listed, add_special_tokens=False)["input_ids"]] if listed else []

    return count


def _figures_file(task: _Task) -> Path:
    return task.work / f"{task.stage.name}.figures.json"


def _figures(task: _Task) -> list[RuleFigures]:
    """The numbers of each grown rule, which are also written beside the stage."""
    codes = {rule.id: rule.code for rule in read_jsonl(task.work / "rules.jsonl", Rule)}
    seeds = {seed.id: seed for seed in task.seeds}
    pairs = list(read_jsonl(task.work / f"{task.stage.name}.jsonl", Candidate))
    subwords, figures = _subword_counter(task.model), []
    for rule_id in dict.fromkeys(pair.rule_id for pair in pairs):
        own = [pair for pair in pairs if pair.rule_id == rule_id]
        figures.append(rule_figures(rule_id, codes[rule_id], seeds, own, subwords))
    write_json(_figures_file(task), [item.model_dump() for item in figures])
    return figures


def _in_words(figures: RuleFigures) -> str:
    before, after = figures.before, figures.after
    grown = f"{counted(figures.seeds, 'seed')} to {counted(after.pairs, 'pair')}"
    return (
        f"{grown}; {counted(figures.lemmas, 'new lemma')}, type-token ratio "
        f"{figures.type_token:.3f}; "
        f"subwords {before.subwords:.1f} to {after.subwords:.1f}, bad minus good {before.difference:+.2f} to "
        f"{after.difference:+.2f}"
    )
