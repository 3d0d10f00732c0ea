"""What people decided on stays, whatever a language model says now; and why a source has no decided pairs yet."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from pairwright.checks.check import pair_sentence_key
from pairwright.core.errors import Nothing, StoreError, counted
from pairwright.core.records import Block, Candidate, CheckedPair, Decision, Rejection, Rule, Source
from pairwright.core.records.documents import NO_MATCH, TREEBANK_PAIRS
from pairwright.core.store import read_if_there, read_jsonl, read_manifest
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import frequent_reasons
from pairwright.review.log import count_votes, pair_queues, source_decisions, source_votes
from pairwright.sources.asked.targets import Standing

_REASONS_SHOWN = 3

# Pairs and rules that stay


def decided_pairs(pairs: Iterable[Candidate], decisions: Iterable[Decision]) -> dict[str, Candidate]:
    """The pairs made by programs on which somebody decided, by id, marked as kept, of those that were handed out.

    A source's own pairs go where the source goes; corrections are made again from the pair that they correct.
    """
    ids = {decision.pair_id for decision in decisions}
    decided = (pair for pair in pairs if pair.id in ids and pair.method not in ("source", "manual"))
    return {pair.id: pair.model_copy(update={"kept": True}) for pair in decided}


def handed_out(workspace: Workspace, source_id: str) -> Iterator[Candidate]:
    """Every pair of a source that was ever put before reviewers, as it was then."""
    return (pair for folder in pair_queues(workspace.annotations, source_id) for pair in folder.pairs())


def keep_rules(workspace: Workspace, source_id: str) -> None:
    """Puts the rules of decided pairs beside the decisions, before another run of the model may lose them.

    Raises StoreError where the file with these rules is damaged.
    """
    needed, kept = _decided_rules(workspace, source_id)
    missing = needed - kept.keys()
    if not missing:
        return
    path = workspace.stage_file(source_id, "rules")
    try:
        rules = [rule for rule in read_if_there(path, Rule) if rule.id in missing]
    except StoreError:
        raise StoreError(
            f"{path}: damaged, and perhaps the only place of {counted(len(missing), 'rule')} of decided pairs; restore "
            "it from a backup, or delete it to lose these rules"
        ) from None
    if rules:
        folder = next(pair_queues(workspace.annotations, source_id))
        with folder.locked():
            folder.add_rules(rules)


def kept_rules(workspace: Workspace, source_id: str) -> list[Rule]:
    """The rules of decided pairs as they were when somebody decided, marked as kept."""
    needed, kept = _decided_rules(workspace, source_id)
    return [rule.model_copy(update={"kept": True}) for key, rule in kept.items() if key in needed]


def _decided_rules(workspace: Workspace, source_id: str) -> tuple[set[str], dict[str, Rule]]:
    """The ids of the rules of decided pairs, and the rules that lie beside the decisions."""
    decisions = source_decisions(workspace.annotations, source_id)
    decided = decided_pairs(handed_out(workspace, source_id), decisions).values()
    folders = pair_queues(workspace.annotations, source_id)
    return {pair.rule_id for pair in decided}, {key: rule for it in folders for key, rule in it.rules().items()}


def standing_of(workspace: Workspace, source_id: str) -> Standing:
    """What is settled about the pairs of a source: those that checks, judge or reviewers refused, and those that stay.

    A reviewer's rejection counts unless another one approved the pair: that is a conflict, which people settle.
    Checked pairs that are missing, or damaged and about to be made again, refuse nothing.
    """
    pairs = list(handed_out(workspace, source_id))
    decisions = source_decisions(workspace.annotations, source_id)
    votes = count_votes(decisions, {pair.id: pair for pair in pairs})
    refused = {key for key, cast in votes.items() if "reject" in cast.values() and "approve" not in cast.values()}
    reasons = {}
    with suppress(StoreError):
        for checked in read_jsonl(workspace.stage_file(source_id, "checked"), CheckedPair):
            if checked.candidate.method == "llm" and checked.verdict == "reject":
                reasons[checked.candidate.id] = next(it.message for it in checked.findings if it.level == "error")
    kept = (pair for key, pair in decided_pairs(pairs, decisions).items() if key not in refused | reasons.keys())
    return Standing(frozenset(refused | reasons.keys()), tuple(kept), reasons)


def pairs_before(workspace: Workspace, source_id: str) -> dict[str, CheckedPair]:
    """The passing pairs of other sources, by id, that share a sentence with a pair of this one and stand before it.

    A pair that somebody decided stands before one that people were asked about, this one before any other; else the
    order of the sources' ids decides. So no new source takes away a pair that is in review.
    """
    others = [path for path in workspace.stage_files("checked") if path.parent.name != source_id]
    own: dict[str, list[str]] = defaultdict(list)
    for pair in read_jsonl(workspace.stage_file(source_id, "candidates"), Candidate) if others else ():
        for sentence in (pair.good, pair.bad):
            own[pair_sentence_key(sentence)].append(pair.id)
    standing = cache(partial(_standing, workspace))

    def rank(source: str, pair_ids: Iterable[str]) -> tuple[int, str]:
        return -max(standing(source).get(pair_id, 0) for pair_id in pair_ids), source

    before: dict[str, CheckedPair] = {}
    for path in others:
        for checked in (one for one in read_jsonl(path, CheckedPair) if one.verdict == "pass"):
            pair, name = checked.candidate, path.parent.name
            ids = [*own.get(pair_sentence_key(pair.good), ()), *own.get(pair_sentence_key(pair.bad), ())]
            if ids and rank(name, [pair.id]) < rank(source_id, ids):
                before[pair.id] = checked
    return before


def _standing(workspace: Workspace, source_id: str) -> dict[str, int]:
    """How far the review of a source's pairs is: 2 decided, 1 handed out."""
    folders = list(pair_queues(workspace.annotations, source_id))
    last = {(item.item_id, item.reviewer): item for folder in folders for item in folder.assignments()}
    standing = {item.pair_id: 1 for item in last.values() if item.pair_id and not item.withdrawn}
    return standing | {it.pair_id: 2 for it in source_decisions(workspace.annotations, source_id)}


# The first stage of a source's way that came to nothing, and the next step


def gap(workspace: Workspace, source: Source) -> Nothing:
    """Why a source has no approved pair: the first stage without a result, else the checks, else the reviewers.

    Raises StoreError where a stage file is damaged.
    """
    no_pairs = _no_treebank_pairs if source.kind == "treebank" else _none_written
    for name, why in {"blocks": _no_blocks, "rules": _no_rules, "candidates": no_pairs, "checked": no_pairs}.items():
        manifest = read_manifest(workspace.work(source.id), name)
        if manifest is None:
            return Nothing("it is not built yet", workspace.command("build", source.id))
        if not manifest.n_out:
            return why(workspace, source)
    pairs = list(read_jsonl(workspace.stage_file(source.id, "checked"), CheckedPair))
    passed = {pair.candidate.id: pair.candidate for pair in pairs if pair.verdict == "pass"}
    if not passed:
        errors = Counter(finding.check for pair in pairs for finding in pair.findings if finding.level == "error")
        refused = ", ".join(f"{name} {count:,}" for name, count in errors.most_common(_REASONS_SHOWN))
        reason = f"the checks reject all of {counted(len(pairs), 'pair')} ({refused})"
        return Nothing(reason, workspace.command("show", source.id, "--html"))
    votes = source_votes(workspace.annotations, source.id, passed).cast
    n_voted = sum(bool(votes.get(pair_id)) for pair_id in passed)
    reason = f"{counted(len(passed), 'pair')}, {n_voted:,} of them decided, none approved"
    sheets = [path for it in pair_queues(workspace.annotations, source.id) for path in it.path.glob("*.csv")]
    return Nothing(reason, _fill_in(workspace, source, sheets))


def nothing_to_review(workspace: Workspace, source: Source, n_rows: int, left: Mapping[Path, int]) -> Nothing:
    """Why a source's sheets bring nothing new; `left` has how many of their rows are still to be decided, by sheet."""
    if waiting := [sheet for sheet, n in left.items() if n]:
        reason = f"{sum(left.values()):,} of {counted(n_rows, 'row')} still to decide"
        return Nothing(reason, _fill_in(workspace, source, waiting))
    if not n_rows:
        return gap(workspace, source)
    create = workspace.command("release", "create", "--name", source.id, "--version", "1.0.0")
    return Nothing(f"{counted(n_rows, 'row')}, all of them decided", create)


def why_rejected(rejected: Iterable[Rejection]) -> str:
    """The most frequent reasons of rejections in a line; empty where there is none."""
    return "; ".join(f"{count:,} {reason}" for reason, count in frequent_reasons(rejected, _REASONS_SHOWN))


def rejections_of(path: Path) -> list[Rejection]:
    """What a stage rejected, by the path of its records."""
    return list(read_if_there(path.with_name(f"{path.stem}.rejected.jsonl"), Rejection))


def _fill_in(workspace: Workspace, source: Source, sheets: Sequence[Path]) -> str:
    first = f"fill in {sheets[0]}, then " if sheets else ""
    return f"{first}{workspace.command('review', 'sync', source.id)}"


def _no_blocks(workspace: Workspace, source: Source) -> Nothing:
    from pairwright.documents.pages.pdf import PAGED

    why = why_rejected(rejections_of(workspace.stage_file(source.id, "blocks"))) or "there is no text in it"
    file = source.files[0].path
    has_pages = file.lower().endswith(PAGED)
    again = workspace.command("build", source.id, *(("--reader", "ocr") if has_pages else ()))
    return Nothing(f"{file}: {why}", again if has_pages else f"write into it, then {again}")


def _no_rules(workspace: Workspace, source: Source) -> Nothing:
    rejected = rejections_of(workspace.stage_file(source.id, "rules"))
    blocks = list(read_jsonl(workspace.stage_file(source.id, "blocks"), Block))
    file = source.files[0].path
    if source.kind == "treebank":
        reason = f"contrasts/{source.language}.toml of this workspace declares no contrast"
        return Nothing(reason, f"write one, then {workspace.command('build', source.id)}")
    if source.kind == "error-list":
        reason = f"{file}: none of its corrections is whole: {why_rejected(rejected)}"
        return Nothing(reason, workspace.command("notation", "try", file, "--language", source.language))
    n_starred = sum(item.reason.startswith("starred: ") for item in rejected)
    n_examples = sum(block.kind in ("example", "gloss") for block in blocks)
    starred = f"{counted(n_starred, 'starred (*) sentence')} without a pair" if n_starred else "no starred (*) sentence"
    among = counted(n_examples, "example sentence") if n_examples else f"{counted(len(blocks), 'block')} of text"
    manifest = read_manifest(workspace.work(source.id), "rules")
    if manifest and manifest.assistant:
        show = workspace.command("show", source.id, "--html")
        return Nothing(f"{starred} in {among}; {why_rejected(rejected)}", show)
    if n_starred:
        starred += f" ({why_rejected(rejected)})"
    estimate = workspace.command("build", source.id, "--llm", "server", "--estimate")
    if workspace.config().llm.model is None:
        local = workspace.command("build", source.id, "--llm", "local")
        estimate = f"name a server's model as llm.model in pairwright.toml, then {estimate}; or {local}"
    return Nothing(f"{starred} in {among}; elsewhere only a language model finds rules", estimate)


def _none_written(workspace: Workspace, source: Source) -> Nothing:
    """Why no pair was written for the rules of a source."""
    manifest = read_manifest(workspace.work(source.id), "rules")
    refused = why_rejected(rejections_of(workspace.stage_file(source.id, "llm_pairs")))
    of = counted(manifest.n_out if manifest else 0, "rule")
    reason = f"{of}, and no pair for them: {refused}" if refused else f"{of}, none of which asks for further pairs"
    return Nothing(reason, workspace.command("show", source.id, "--html"))


def _no_treebank_pairs(workspace: Workspace, source: Source) -> Nothing:
    """Why the contrasts of a treebank's language give no pair of its sentences."""
    again = workspace.command("build", source.id)
    trees = [block.tree for block in read_jsonl(workspace.stage_file(source.id, "blocks"), Block) if block.tree]
    n_words = sum(len(tree.words) for tree in trees)
    if not any(word.feats != "_" for tree in trees for word in tree.words):
        reason = f"{source.files[0].path}: none of {counted(n_words, 'word')} has features (column 6)"
        build = workspace.command("build", "FILE.conllu", "--language", source.language)
        tag = f"take a treebank with features, or add them with a tagger such as UDPipe or Stanza: {build}"
        return Nothing(reason, tag)
    missed, others = unmatched(rejections_of(workspace.stage_file(source.id, TREEBANK_PAIRS.name)))
    reasons = [counted(len(trees), "sentence"), why_rejected(others)]
    if missed:
        such = f"{missed[0].text}, {missed[0].reason}"
        reasons.append(f"{counted(len(missed), 'contrast')} without a match, such as {such}")
    return Nothing("; ".join(filter(None, reasons)), f"correct contrasts/{source.language}.toml, then {again}")


def unmatched(rejected: Iterable[Rejection]) -> tuple[list[Rejection], list[Rejection]]:
    """What a treebank's stage rejected, parted into contrasts without a match and all else."""
    parts: tuple[list[Rejection], list[Rejection]] = [], []
    for item in rejected:
        parts[not item.reason.startswith(NO_MATCH)].append(item)
    return parts
