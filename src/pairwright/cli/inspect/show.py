"""`pairwright show SOURCE`, its rules as a list or a page, or its pages; and `pairwright trace PAIR_ID`.

A trace says where a pair comes from, back to the hashed document, and what became of it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Annotated

from pairwright.core.errors import ConfigError, StoreError, at, counted, one_line
from pairwright.core.records import (
    Augmentation,
    Block,
    Candidate,
    CheckedPair,
    Corruption,
    Derivation,
    Evidence,
    Example,
    LLMCall,
    LLMJudgment,
    ParadigmVariant,
    Rejection,
    Rule,
    Source,
    TreebankChange,
)
from pairwright.core.records.release import ExcludedPair, PairOrigin, Release, ReleasePair
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, source_folder
from pairwright.evaluate.scoring.runs.evaluation import read_table
from pairwright.pipeline.decided import gap, rejections_of
from pairwright.pipeline.options import Option, Password
from pairwright.pipeline.review import read_context
from pairwright.release.verify import EXCLUDED, ORIGINS, read_records, read_release
from pairwright.review.log import corrections, count_votes, queues, source_decisions
from pairwright.review.results import derived_pairs
from pairwright.sources import AS_A_PAIR, STAGE

_TITLE_WIDTH, _ABOUT_WIDTH = 56, 60
_CORRUPTIONS = {"delete": "word {} is left out", "flip_neighbours": "words {} have changed places"}
Lines = Iterator[tuple[str, str]]
"""What is printed: a label, or nothing where that of the line above holds, and a text."""


def show(
    workspace: Workspace,
    source: str,
    *,
    pages: Annotated[str | None, Option("Show these pages, such as 10-14,20, and what was read there.")] = None,
    html: Annotated[bool, Option("Write the rules as a page, with quotations, places and pairs.")] = False,
    file: Annotated[str | None, Option("File of the source, if it has several.")] = None,
    out: Annotated[Path | None, Option("File or folder to write (default: under output).")] = None,
    password: Password = None,
) -> Iterator[str]:
    """Show a source's rules or its pages.

    SOURCE is its id or folder. You see the rules and which of them give pairs; with --pages, pictures of its pages and
    how each part was read.
    """
    if pages is not None and html:
        raise ConfigError("--html is a page of rules, --pages one of what was read; give one of them")
    if pages is not None:
        # Draws with PyMuPDF and OpenCV, which lists do without.
        from pairwright.cli.inspect.pages import preview_lines

        return preview_lines(workspace, source, pages, file, out)
    return rules_lines(workspace, source, html, out)


def rules_lines(workspace: Workspace, source_name: str, html: bool, out: Path | None) -> Iterator[str]:
    """The lines of the list; with `html`, the page is written and the line says where.

    Raises SourceError where there is no such source, StoreError where it has no rules yet.
    """
    folder = source_folder(workspace, source_name)
    source = load_source(folder)
    rules, rejected = read_rules(workspace, source)
    if html:
        # The page draws with PyMuPDF and OpenCV, which the list does without.
        from pairwright.cli.inspect.pages import page_path, write_rules_page

        path = page_path(workspace, out, f"{source.id}-rules.html")
        write_rules_page(path, workspace, folder, source, rules, rejected, list(reasons(rejected)))
        yield f"{path}: {_counts(rules)}"
        return
    for section, group in groupby(rules, key=lambda rule: rule.section):
        yield " > ".join(section) or source.title
        yield from map(_rule_line, group)
    yield ""
    yield f"{source.id}: {_counts(rules)}"
    if rejected:
        yield f"{counted(len(rejected), 'passage')} left out:"
    yield from reasons(rejected)
    yield from _doubtful(rejected)
    if not rules:
        yield f"{source.id}: {gap(workspace, source)}"


def read_rules(workspace: Workspace, source: Source) -> tuple[list[Rule], list[Rejection]]:
    """The rules of a source and what was rejected. Raises StoreError where the stage has not run."""
    path = workspace.work(source.id) / f"{STAGE.name}.jsonl"
    if not path.exists():
        raise StoreError(f"{source.id}: no rules yet; run pairwright build {source.id}")
    return list(read_jsonl(path, Rule)), rejections_of(path)


def reasons(rejected: Sequence[Rejection]) -> Iterator[str]:
    """How often each reason stands among rejections, the most frequent first; what differs in a reason is left out."""
    counts = Counter(re.split(r"[:;,]| \(", item.reason.removeprefix("starred: "))[0] for item in rejected)
    for reason, count in counts.most_common():
        yield f"{count:>6,}  {reason}"


def judgment_lines(judgment: LLMJudgment) -> Iterator[str]:
    """What a judge said of a pair, in words."""
    if judgment.decided_by != "nothing":
        audited = ", and people are asked all the same" if judgment.audited else ""
        yield f"{judgment.verdict}, score {judgment.score} of 10{audited}: {judgment.reason}"
    else:
        yield f"it can't tell: {judgment.reason}"


def _doubtful(rejected: Sequence[Rejection]) -> Iterator[str]:
    """The forms whose marks leave them in doubt, each as the pair that it would make."""
    guesses = [(item, item.reason.partition(AS_A_PAIR)[2]) for item in rejected if AS_A_PAIR in item.reason]
    if guesses:
        yield "In doubt, for a person to decide; [marks] in source.toml says what a mark means in this book:"
    for item, guess in guesses:
        yield f"  {f'line {item.line}' if item.line else f'page {item.page}'}  {guess}"


def _counts(rules: Sequence[Rule]) -> str:
    licences = Counter(rule.contrast.licence for rule in rules if rule.contrast)
    counts = ((licences["banned"], "ruled out by the source"), (licences["obligatory"], "inferred"))
    classes = ", ".join(f"{n:,} {said}" for n, said in counts if n)
    n_licensed = sum(n for n, _ in counts)
    which = f" ({classes})" if classes else ""
    new = f", {n_licensed:,} of them with a contrast for new pairs{which}" if licences else ""
    pairs = counted(sum(len(own_pairs(rule)) for rule in rules), "pair")
    return f"{counted(len(rules), 'rule')}{new}; {pairs} of the source"


def own_pairs(rule: Rule) -> list[Example]:
    """The pairs that the source itself gives for a rule."""
    return [example for example in rule.examples if example.bad is not None]


def _rule_line(rule: Rule) -> str:
    about = [rule.declaration or (f"line {rule.line}" if rule.line else f"page {rule.page}")]
    if pairs := own_pairs(rule):
        about.append(counted(len(pairs), "pair"))
    if contrast := rule.contrast:
        sides = "; ".join(contrast.features) or one_line(contrast.what, _ABOUT_WIDTH)
        about.append(sides if contrast.licensed else "no contrast")
    title = one_line(rule.title, _TITLE_WIDTH)
    return f"  {rule.code:<14} {title:<{_TITLE_WIDTH}}  {', '.join(about)}"


# Traces


def trace(workspace: Workspace, pair_id: str) -> Iterator[str]:
    """Trace a pair back to its source.

    Shows its scores, votes, findings, rule, and the line or page of the document with its hash.
    """
    for label, text in _traced(workspace, pair_id):
        yield f"{label:<10} {text}"


def _traced(workspace: Workspace, pair_id: str) -> Lines:
    frozen = map(read_release, workspace.release_folders())
    releases = [(release, pair) for release in frozen for pair in release.pairs if pair.id == pair_id]
    try:
        pair = _find(workspace, pair_id)
    except StoreError:
        if not releases:
            raise
        yield from _withdrawn(*releases[-1])
        yield from _released(workspace, pair_id, releases)
        return
    candidate = pair.candidate
    yield from (("pair", pair_id), ("good", candidate.good), ("bad", candidate.bad))
    meaning = candidate.translation and f"‘{candidate.translation}’"
    for label, shown in (("morphemes", candidate.segmentation), ("gloss", candidate.gloss), ("meaning", meaning)):
        if shown:
            yield label, shown
    for change in candidate.changes:
        yield "differs", f"{change.bad or '(nothing)'} -> {change.good or '(nothing)'}"
    yield from _origin(workspace, pair)
    for judgment in read_if_there(workspace.work(candidate.source_id) / "llm_judgments.jsonl", LLMJudgment):
        if judgment.pair_id == candidate.id:
            yield from _below("judge", judgment_lines(judgment))
            yield from _llm_calls(filter(None, (judgment.asked, judgment.asked_again)))
    for finding in pair.findings:
        yield "finding", f"{finding.level} {finding.check}: {finding.message}"
    yield "verdict", pair.verdict if pair.findings else f"{pair.verdict}, no findings"
    yield from _votes(workspace, pair)
    yield from _sample(workspace, pair)
    yield from _released(workspace, pair_id, releases)
    yield from _seeds(workspace, pair)


def _below(label: str, lines: Iterable[str]) -> Lines:
    """Lines of which the first one has the label."""
    yield from (("" if n else label, line) for n, line in enumerate(lines))


def _withdrawn(release: Release, pair: ReleasePair) -> Lines:
    """A pair that no source gives any more, from the provenance of a release."""
    yield from (("pair", pair.id), ("good", pair.sentence_good), ("bad", pair.sentence_bad))
    yield "method", _method(pair)
    yield "rule", f"{pair.rule_code} {pair.rule} ({pair.rule_id})".strip()
    for origin in read_records(release.path / ORIGINS, PairOrigin):
        if origin.pair_id == pair.id:
            made = f"as {release.path.name} was made; no source gives it now"
            yield "quote", origin.quote
            yield "source", f"{origin.source_id}: {_place(origin)}, {made}"
            yield "", f"sha256 {origin.file_sha256 or 'unknown'}, licence {pair.licence}"


def _released(workspace: Workspace, pair_id: str, releases: Iterable[tuple[Release, ReleasePair]]) -> Lines:
    """The releases that have the pair with its votes and scores, then those that left it out."""
    for release, released in releases:
        votes = ", ".join(f"{vote.reviewer} {vote.decision}" for vote in released.votes) or "sampled, no votes"
        yield "release", f"{release.path.name} ({votes}; {released.split}), manifest sha256 {release.sha256}"
        yield from _scores(workspace, release, pair_id)
    for folder in workspace.release_folders():
        for excluded in read_records(folder / EXCLUDED, ExcludedPair):
            if excluded.id == pair_id:
                yield "left out", f"of {folder.name}: {excluded.reason}"


def _scores(workspace: Workspace, release: Release, pair_id: str) -> Lines:
    import pyarrow.compute as pc

    for folder in workspace.finished_evaluations(release.path.name):
        table, run = read_table(folder)
        if run.release_sha256 != release.sha256:
            continue
        sums, means = dict[str, float](), dict[str, float]()
        for score in table.filter(pc.equal(table["pair_id"], pair_id)).to_pylist():
            side, n = score["side"], score["n_tokens"]
            sums[side], means[side] = score["sum_logprob"], -score["sum_logprob"] / n
            measures = f"sum_logprob {sums[side]:.3f} nats, mean_nll {means[side]:.3f} nats per token"
            yield "score", f"{run.model.name} ({run.model.dtype}), {side}: {measures}, {counted(n, 'token')}"
        if len(sums) == 2:
            by_sum = "right" if sums["good"] > sums["bad"] else "wrong"
            by_mean = "right" if means["good"] < means["bad"] else "wrong"
            yield "", f"{by_sum} by sum_logprob, {by_mean} by mean_nll"


def _find(workspace: Workspace, pair_id: str) -> CheckedPair:
    paths = workspace.stage_files("checked")
    for pair in chain.from_iterable(read_jsonl(path, CheckedPair) for path in paths):
        if pair.candidate.id == pair_id:
            return pair
    searched = ", ".join(path.parent.name for path in paths) or "no source, none was built yet"
    raise StoreError(
        f"{pair_id}: no such pair in {workspace.root} (searched: {searched}); see output/work/*/checked.jsonl"
    )


def _method(pair: Candidate | ReleasePair) -> str:
    return pair.method + (f", from {pair.parent_id}" if pair.parent_id else "")


def _origin(workspace: Workspace, pair: CheckedPair) -> Lines:
    candidate, evidence = pair.candidate, pair.candidate.evidence
    work = workspace.work(candidate.source_id)
    rules = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
    blocks = {block.id: block for block in read_jsonl(work / "blocks.jsonl", Block)}
    if candidate.rule_id not in rules or evidence.block_id not in blocks:
        raise StoreError(f"{work}: rules and pairs of different builds; run pairwright build {candidate.source_id}")
    rule, block = rules[candidate.rule_id], blocks[evidence.block_id]
    yield "method", _method(candidate)
    yield from _below("derived", derivation_lines(candidate.derivation))
    yield from _llm_calls(candidate.asked)
    yield "rule", f"{rule.code} {rule.title} ({rule.id})".strip()
    yield "", f"{rule.phenomenon}; headword: {candidate.entry}" if candidate.entry else rule.phenomenon
    yield from _llm_calls(rule.asked)
    if rule.declaration:
        yield from _below("declared", (f"in {rule.declaration}", *rule.notes))
    if rule.taken_from:
        yield "stated", f"by source {rule.taken_from}: {rule.quote}"
    yield "quote", evidence.quote
    if rule.contrast is not None:
        yield "licence", f"{rule.contrast.licence}: {rule.contrast.what}"
        if rule.contrast.evidence:
            yield "rests on", f"{rule.contrast.evidence.quote} ({_place(rule.contrast.evidence)})"
        for against in rule.contrast.against:
            yield "against", f"{against.quote} ({_place(against)})"
    for block_id in candidate.attested_ids:
        if attested := blocks.get(block_id):
            yield "attested", f"{_place(attested)} ({block_id}): {' '.join(attested.text.split())}"
    if candidate.new_words:
        yield "new words", f"{', '.join(candidate.new_words)}: the source does not have them"
    yield "block", f"{block.id}, {block.kind} read by {block.reader}"
    source = load_source(workspace.sources / candidate.source_id)
    sha256 = next((file.sha256 for file in source.files if file.path == evidence.file), "unknown")
    about = (f"{source.id}: {_place(evidence)}", f"sha256 {sha256}, licence {source.licence}", source.citation)
    yield from _below("source", about)


def _place(where: Evidence | Block | PairOrigin) -> str:
    return at(where.file, where.line) if where.line else f"{where.file}, page {where.page}"


def _llm_calls(calls: Iterable[LLMCall]) -> Lines:
    """The calls of language models that a record comes from; their replies are in output/llm/replies.sqlite."""
    for call in calls:
        yield "asked", f"{call.model_label} at {call.server} by {call.prompt}, reply {call.reply[:16]}"


def _votes(workspace: Workspace, pair: CheckedPair) -> Lines:
    source = pair.candidate.source_id
    decisions = source_decisions(workspace.annotations, source)
    logged = {(decision.pair_id, decision.reviewer): decision for decision in decisions}
    known = {key: text for folder in queues(workspace.annotations, source) for key, text in folder.pair_texts().items()}
    cast = count_votes(decisions, known).get(pair.candidate.id, {})
    parents = {one.reviewer: one.parent_id for one in corrections(decisions, known) if one.pair_id == pair.candidate.id}
    for reviewer, word in sorted(cast.items()):
        if decision := logged.get((pair.candidate.id, reviewer)):
            comment = f" ({decision.comment})" if decision.comment else ""
            yield "vote", f"{reviewer}: {word}{comment}, {decision.at}"
        else:
            yield "vote", f"{reviewer}: {word}, by correcting {parents[reviewer]} into this pair"
    if not cast:
        yield "vote", "none yet"


def _sample(workspace: Workspace, pair: CheckedPair) -> Lines:
    """Whether people are asked about a derived pair, and what the sample of its lot says."""
    candidate = pair.candidate
    if candidate.derivation is None:
        return
    source = load_source(workspace.sources / candidate.source_id)
    derived = derived_pairs(read_context(workspace, source, source.id))
    if seed := derived.withdrawn.get(candidate.id):
        yield "sample", f"none: its seed {seed} was rejected or corrected"
    for lot in derived.lots:
        if (candidate.rule_id, candidate.method) in lot.keys:
            place = "in" if candidate.id in lot.sample else "not in"
            yield "sample", f"{place} the {len(lot.sample)} of {lot.size} {lot.method} pairs; {lot.state}"


def _seeds(workspace: Workspace, pair: CheckedPair) -> Lines:
    """The seed of a derived pair in short, then the seed of that one."""
    passed = {pair.candidate.id}
    while pair.candidate.derivation is not None and pair.candidate.parent_id not in {None, *passed}:
        try:
            pair = _find(workspace, pair.candidate.parent_id or "")
        except StoreError:
            yield "seed", f"{pair.candidate.parent_id}, which no source has any more"
            return
        seed = pair.candidate
        passed.add(seed.id)
        yield from (("seed", seed.id), ("good", seed.good), ("bad", seed.bad), ("method", seed.method))
        yield from _below("derived", derivation_lines(seed.derivation))
        yield from (("source", f"{seed.source_id}: {_place(seed.evidence)}"), ("verdict", pair.verdict))
        yield from _votes(workspace, pair)


def derivation_lines(derivation: Derivation | None) -> Iterator[str]:
    """What was changed in the treebank's sentence or in the seed, and by what."""
    if isinstance(derivation, TreebankChange):
        yield f"sentence {derivation.sent_id} of the treebank"
        change = f"{derivation.good_features} -> {derivation.bad_features}" if derivation.lexicon else "moved"
        yield f"word {derivation.word}, {derivation.lemma}: {change}"
        yield f"contrast {derivation.contrast}" + (f", form from {derivation.lexicon}" if derivation.lexicon else "")
    elif isinstance(derivation, Corruption):
        yield f"sentence {derivation.sent_id} of the treebank"
        yield _CORRUPTIONS[derivation.kind].format(" and ".join(map(str, derivation.words)))
    elif isinstance(derivation, Augmentation):
        for it in derivation.replacements:
            yield f"{it.seed} -> {it.new} ({it.lemma}{', which agrees' if it.agrees else ''})"
        yield f"proposed by {derivation.model}, rank {derivation.rank}"
    elif isinstance(derivation, ParadigmVariant):
        yield f"condition {derivation.condition} of paradigm {derivation.paradigm_id}"
