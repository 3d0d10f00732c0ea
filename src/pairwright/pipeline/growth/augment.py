"""Approved pairs -> more pairs: seeds, words for their slots, the new pairs, and these through the checks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from pairwright.core.errors import ConfigError, Nothing, counted
from pairwright.core.ids import file_sha256
from pairwright.core.records import Augmentation, Block, Candidate, CheckedPair, Record, Rejection, Rule, Source, Stage
from pairwright.core.stages import AUGMENTED, PROPOSED
from pairwright.core.store import StageRun, file_input, read_jsonl, run_stage, write_json
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.growth.augment.figures import rule_figures
from pairwright.growth.augment.growth import CountSubwords, candidate_of, grow
from pairwright.growth.augment.lexicon import LLM_STAGE, SlotLexicon, read_slot_lexicon
from pairwright.growth.augment.proposers import (
    Proposals,
    Propose,
    Slot,
    cloze_request,
    cloze_words,
    filled,
    lexicon_words,
    masked_words,
    seeds_of,
)
from pairwright.languages import Language, LexiconFile, load_tagset
from pairwright.languages.morphology.inflection import Inflector
from pairwright.models.load.models import EMBEDDED, load_model
from pairwright.models.load.settings import ModelSettings
from pairwright.models.prompts.files import load_prompt
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import decided_input
from pairwright.pipeline.gaps import gap, rejections_of, why_rejected
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import AugmentOptions, LLMOptions
from pairwright.pipeline.pairs import check, judge, propose_pairs
from pairwright.pipeline.ranking import SentenceRanker
from pairwright.pipeline.sources import find_source
from pairwright.review.log.votes import source_votes
from pairwright.stats.acceptance import is_approved

PER_RULE, PROPOSALS_PER_RULE = 1000, 100


@dataclass(frozen=True)
class _Growth:
    """What a run of the stage works with; `lexicon` is None where there is no file."""

    context: Context
    source: Source
    options: AugmentOptions
    pairs: tuple[Candidate, ...]
    language: Language
    lexicon: SlotLexicon | None
    model: ModelSettings
    stage: Stage
    work: Path


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
    workspace, language = context.workspace, with_own_forms(context.language(source), context.workspace)
    pairs, path = tuple(_chosen_pairs(workspace, source, options)), workspace.lexicons / f"{language.code}.tsv"
    make = workspace.command("grow", "lexicon", "--language", language.code, source.id)
    if not path.exists() and options.method == "lexicon":
        raise ConfigError(f"{path}: no such slot lexicon; {make} makes it; or take another --method")
    lexicon = read_slot_lexicon(path) if path.exists() else None
    if options.method == "masked-lm" and options.model is None:
        raise ConfigError("--method masked-lm needs --model: the hub id or the folder of a fill-mask model")
    # A chat model has no tokenizer here.
    model = ModelSettings(name=EMBEDDED if options.method == "cloze" else options.model or EMBEDDED)
    stage = PROPOSED if options.propose else AUGMENTED
    task = _Growth(context, source, options, pairs, language, lexicon, model, stage, workspace.work(source.id))
    grown = context.call("grow pairs", _grow, task, session)

    def nothing() -> Nothing:
        # Each seed lacks places for other words, or words for its places.
        reasons = why_rejected(rejections_of(grown.path)) or "no other word fits a place that both sentences share"
        return Nothing(f"{counted(len(pairs), 'seed')}, none of which grew: {reasons}", make)

    context.say_stage(grown, "proposal" if options.propose else "grown pair", nothing)
    if grown.ran or not _figures_file(task).exists():
        _say_figures(task)
    runs = [grown, context.call("propose pairs", propose_pairs, context, source)]
    if session:
        runs.append(context.call("judge pairs", judge, context, source, session))
    runs.append(context.call("check pairs", check, context, source))
    if grown.n_out:
        context.say_stage(runs[-1], "checked pair", lambda: gap(workspace, source))
    return runs


def _chosen_pairs(workspace: Workspace, source: Source, options: AugmentOptions) -> list[Candidate]:
    """The pairs that may grow, of the rules that are asked for. Raises ConfigError where there is none."""
    rules = {rule.id: rule.code for rule in read_jsonl(workspace.stage_file(source.id, "rules"), Rule)}
    show_rules = workspace.command("show", source.id)
    if unknown := set(options.rules) - set(rules.values()):
        raise ConfigError(f"--rule {min(unknown)}: {source.id} has no rule with this code; {show_rules} shows them")
    every = _pairs_to_grow(workspace, source.id, options)
    pairs = [pair for pair in every if not options.rules or rules[pair.rule_id] in options.rules]
    if pairs:
        return pairs
    why = gap(workspace, source)
    if every:
        why = Nothing(f"{counted(len(every), 'seed')}, none of rule {' or '.join(options.rules)}", show_rules)
    elif _pairs_to_grow(workspace, source.id, replace(options, seeds="checked")):
        unreviewed = workspace.command("grow", "words", source.id, "--seeds", "checked")
        why = why._replace(next=f"{why.next}; or take pairs that nobody approved: {unreviewed}")
    raise ConfigError(f"{source.id}: {why}")


def _pairs_to_grow(workspace: Workspace, source_id: str, options: AugmentOptions) -> list[Candidate]:
    """Pairs that passed the checks, in the order of their source. Raises StoreError where it was not built.

    approved  by somebody, and rejected or corrected by nobody
    checked   all that are not grown themselves
    """
    checked = list(read_jsonl(workspace.stage_file(source_id, "checked"), CheckedPair))
    pairs = [pair.candidate for pair in checked if pair.verdict == "pass"]
    if options.seeds == "checked":
        return [pair for pair in pairs if not isinstance(pair.derivation, Augmentation)]
    approved = approved_ids(workspace, source_id, [pair.candidate for pair in checked])
    return [pair for pair in pairs if pair.id in approved]


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


def _grow(task: _Growth, session: LLMSession | None) -> StageRun:
    workspace, options = task.context.workspace, task.options
    wanted = options.per_rule or (PROPOSALS_PER_RULE if options.propose else PER_RULE)
    inputs = [file_input(task.work / "rules.jsonl"), file_input(task.work / "blocks.jsonl")]
    inputs.append(decided_input("seeds", {pair.id: pair for pair in task.pairs}))
    if task.lexicon and task.lexicon.path:
        inputs.append(file_input(task.lexicon.path))
    deciding: dict[str, Any] = {
        "augment": workspace.config().augment.model_dump(),
        "language": task.language.model_dump(),
        "options": [options.method, wanted, options.propose],
        "model": task.model.model_dump(),
        "llm": session.described(LLM_STAGE) if session else None,
    }
    prompt = load_prompt("propose_words", workspace=workspace.root) if session else None
    prompts = {prompt.label: prompt.sha256} if prompt else None
    produce, assistant = partial(_produce, task, session, wanted), session.kind if session else None
    return run_stage(task.work, task.stage, inputs, deciding, produce, prompts=prompts, assistant=assistant)


def _produce(task: _Growth, session: LLMSession | None, wanted: int) -> Iterator[Record]:
    """The grown pairs, rule by rule, after the Rejections."""
    settings, rejected = task.context.workspace.config().augment, list[Rejection]()
    trees = {block.id: block.tree for block in read_jsonl(task.work / "blocks.jsonl", Block) if block.tree}
    inflector = Inflector.of(task.language, trees.values())
    propose, model = _proposer(task, inflector, session)

    def refuse(pair: Candidate, reason: str, text: str) -> None:
        rejected.append(pair.rejection(task.stage.name, reason, text))

    seeds = seeds_of(task.pairs, task.language, inflector, trees, settings.keep, refuse)
    classes = task.lexicon if settings.classes else None
    slots = filled(seeds, propose, classes, inflector, settings.proposals, refuse)
    yield from rejected
    single, count = task.options.propose, _subword_counter(task.model)
    for rule_id in dict.fromkeys(it.seed.pair.rule_id for it in slots):
        of_rule = [it for it in slots if it.seed.pair.rule_id == rule_id]
        for seed, pair in grow(of_rule, wanted, settings, inflector, count, single=single):
            yield candidate_of(seed, pair, task.options.method, model, proposed=single)


def _proposer(task: _Growth, inflector: Inflector, session: LLMSession | None) -> tuple[Propose, str]:
    """Who proposes the words, and the name of the model that ranks them."""
    context, language = task.context, task.language
    if session:
        prompt = load_prompt("propose_words", workspace=context.workspace.root)

        def ask(slots: Sequence[Slot]) -> Proposals:
            session.announce_cost("words", lambda: (cloze_request(slot, prompt, language) for slot in slots))
            yield from cloze_words(slots, session, prompt, language)
            session.verify_answered()

        return ask, str(session.described(LLM_STAGE)["model"])
    if task.options.method == "masked-lm":
        from pairwright.models.load.fill_mask import MaskFiller

        filler = MaskFiller(load_model(task.model.name))
        return partial(masked_words, fill=filler.fill, inflector=inflector), filler.name
    assert task.lexicon is not None
    rank, classes = SentenceRanker(context, task.model), context.workspace.config().augment.classes
    ranked = partial(lexicon_words, lexicon=task.lexicon, inflector=inflector, rank=rank, classes=classes)
    return ranked, task.model.name


@cache
def _subword_counter(model: ModelSettings) -> CountSubwords:
    """Counts the subwords of sentences by the tokenizer of a model; by the embedded one's where a server keeps it."""
    from pairwright.evaluate.scoring.scorers.registry import tokenizer_of

    tokenizer: Any = tokenizer_of(ModelSettings(name=EMBEDDED) if model.is_served else model)

    def count(sentences: Sequence[str]) -> list[int]:
        listed = list(sentences)
        return [len(ids) for ids in tokenizer(listed, add_special_tokens=False)["input_ids"]] if listed else []

    return count


def _figures_file(task: _Growth) -> Path:
    return task.work / f"{task.stage.name}.figures.json"


def _say_figures(task: _Growth) -> None:
    """Shows the numbers of each grown rule, and writes them beside the stage."""
    codes = {rule.id: rule.code for rule in read_jsonl(task.work / "rules.jsonl", Rule)}
    seeds, grown = {pair.id: pair for pair in task.pairs}, dict[str, list[Candidate]]()
    for pair in read_jsonl(task.work / f"{task.stage.name}.jsonl", Candidate):
        grown.setdefault(pair.rule_id, []).append(pair)
    count = _subword_counter(task.model)
    figures = [rule_figures(rule_id, codes[rule_id], seeds, pairs, count) for rule_id, pairs in grown.items()]
    write_json(_figures_file(task), [item.model_dump() for item in figures])
    for item in figures:
        task.context.say(item.code, item.in_words)
