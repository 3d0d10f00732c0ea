"""Conflicts put before an adjudicator: a queue of the pairs on which reviewers contradict each other, with both voices.

The voices have pseudonyms that change from pair to pair, so that nobody is recognised by their other answers.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.ids import pseudonyms
from pairwright.languages import Language
from pairwright.records import CheckedPair, Decision, DecisionWord, Rule, Source
from pairwright.review.log.folder import Assignment, PairText, QueueFolder, QueueInfo, plain_name
from pairwright.review.log.votes import latest_decisions, source_votes, votes
from pairwright.review.queue.export import QueueExport
from pairwright.review.queue.sheet_writer import HandingOut, write_instructions
from pairwright.review.results.status import Conflict, find_conflicts
from pairwright.review.sheets.rows import RowMaker
from pairwright.review.sheets.vocabulary import DecisionVocabulary


def conflict_queue_name(queue: str) -> str:
    """The name of the queue that settles the conflicts of another."""
    return f"{queue}-conflicts"


def open_conflicts(
    annotations: Path, queue: str, known: Mapping[str, PairText], rules: Mapping[str, Rule]
) -> list[Conflict]:
    """The conflicts of a queue that nobody has settled. `known` gives the source's current pairs by id.

    Raises ReviewError where there is no such queue, or its pairs are not decided on.
    """
    folder = QueueFolder(annotations, queue)
    info = folder.known()
    if info.kind != "pairs" or info.of is not None:
        raise ReviewError(f"{folder.path}: this queue has no conflicts to settle; name a queue of pairs")
    pairs = {**folder.pair_texts(), **known}
    voices = votes(latest_decisions(folder.log).values(), pairs)
    return list(find_conflicts(pairs, voices, source_votes(annotations, info.source, pairs).adjudicated, rules))


def export_conflicts(
    annotations: Path,
    queue: str,
    adjudicators: Sequence[str],
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    source: Source,
    language: Language,
    settings: ReviewSettings,
) -> QueueExport:
    """Puts the open conflicts of a queue before adjudicators, each of whom gets them all, in a queue of its own.

    Raises ReviewError where there is no conflict or nobody to settle it.
    """
    known = {pair.candidate.id: pair.candidate for pair in pairs}
    texts = {pair.id: PairText(pair.id, pair.rule_id, pair.good, pair.bad) for pair in known.values()}
    found = [conflict.pair_id for conflict in open_conflicts(annotations, queue, texts, rules)]
    found = [pair_id for pair_id in found if pair_id in known]
    names = tuple(plain_name("adjudicator", name) for name in dict.fromkeys(adjudicators))
    if not names:
        raise ReviewError("nobody is named to settle the conflicts; give --adjudicators")
    name = conflict_queue_name(queue)
    folder = QueueFolder(annotations, name)
    voices = voices_of_queue(annotations, queue, texts, language)
    with folder.locked():
        info = folder.info() or QueueInfo(queue=name, kind="pairs", source=source.id, language=language.code, of=queue)
        given = folder.assignments()
        have = {(item.item_id, item.reviewer) for item in given}
        added = [
            Assignment(item_id=pair_id, reviewer=adjudicator, pair_id=pair_id)
            for adjudicator in names
            for pair_id in found
            if (pair_id, adjudicator) not in have
        ]
        maker = RowMaker(source, rules, {pair.candidate.id: pair for pair in pairs}, language, True, voices)
        every = folder.pair_texts() | {pair_id: texts[pair_id] for pair_id in found}
        desk = HandingOut(folder, info, [*given, *added], every, maker, language, settings.separator)
        handed = [known[pair_id] for pair_id in found]
        sheets = desk.hand_out(added, handed, names, frozenset({"findings", "voices"}))
        instructions = write_instructions(folder, language, "pairs")
    return QueueExport(queue=name, kind="pairs", sheets=sheets, instructions=instructions, n_short=0)


def voices_of_queue(annotations: Path, queue: str, texts: Mapping[str, PairText], language: Language) -> dict[str, str]:
    """What reviewers said of each pair of a queue, by pair id."""
    decided = latest_decisions(QueueFolder(annotations, queue).log)
    vocabulary = DecisionVocabulary(language)
    by_pair: dict[str, dict[str, Decision]] = {}
    for (pair_id, reviewer), decision in decided.items():
        by_pair.setdefault(pair_id, {})[reviewer] = decision
    return {
        pair_id: voices_of(pair_id, words, by_pair.get(pair_id, {}), vocabulary)
        for pair_id, words in votes(decided.values(), texts).items()
    }


def voices_of(
    pair_id: str, words: Mapping[str, DecisionWord], decisions: Mapping[str, Decision], vocabulary: DecisionVocabulary
) -> str:
    """What each reviewer said of a pair, with pseudonyms of this pair's own.

    `decisions` gives corrections and comments; who made the pair by correcting another has none.
    """
    names = pseudonyms(pair_id, words)
    said = []
    for reviewer in sorted(words, key=lambda reviewer: names[reviewer]):
        parts = [vocabulary.best[words[reviewer]]]
        decision = decisions.get(reviewer)
        if decision is not None:
            parts += [text for text in (decision.good, decision.bad) if text] + [" ".join(decision.comment.split())]
        said.append(f"{names[reviewer]}: " + " – ".join(part for part in parts if part))
    return "; ".join(said)
