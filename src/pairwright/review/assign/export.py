"""Makes review queues: decides who is asked about which pair, and writes a sheet, or tasks for Label Studio, for each.

Each pair goes to as many reviewers as the settings ask, among those who do not have it yet, to whoever has least to do;
ties are broken by a hash of pair and reviewer, as in rendezvous hashing (Thaler and Ravishankar 1998), so that the same
people do not always share a pair. An assignment is final: later exports only add.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ReviewError, counted
from pairwright.core.ids import digest
from pairwright.core.records import Candidate, QueueKind
from pairwright.core.store import write_json, write_text
from pairwright.languages import Language
from pairwright.review.assign.design import (
    ItemDraw,
    TrialItems,
    active_order,
    approved_by_rule,
    pending_pairs,
    random_order,
    rules_order,
    sides_to_rate,
)
from pairwright.review.log import (
    Assignment,
    Key,
    Pair,
    QueueInfo,
    ReviewContext,
    Votes,
    corrections,
    count_votes,
    is_answer,
    latest_decisions,
    plain_name,
    source_decisions,
)
from pairwright.review.results import derived_pairs
from pairwright.review.sheets.contents import (
    ANSWERS,
    EXPORTED,
    IDS,
    SHOWN,
    QueueContents,
    interface_words,
    read_contents,
    titles,
)
from pairwright.review.sheets.exchange import QueueExport, SheetWriter
from pairwright.review.sheets.spreadsheet import DECISIONS, DecisionVocabulary
from pairwright.stats.acceptance import is_proposal, people_needed


def export_queue(
    context: ReviewContext,
    kind: QueueKind = "pairs",
    trial_items: TrialItems | None = None,
    own_reviewers: tuple[str, ...] = (),
) -> QueueExport:
    """Writes `annotations/<queue>/<reviewer>.csv` for each configured reviewer, or tops up the sheets that exist.

    Only pairs that passed their checks are assigned: of those that programs derived, the samples of their lots; of the
    others, unless the settings want alternatives, the default ones; and all that corrections make. Rows in a sheet keep
    all their cells; a missing sheet is rewritten from the logs. Rows of pairs that the source no longer has, and of
    derived ones that are no longer asked about, are withdrawn where nobody answered; so are the rows that somebody who
    is no longer named has not answered, and others get them. Nobody is asked about a pair that they made themselves by
    correcting another, in whichever queue of the source.
    A sheet that is damaged or whose encoding is in doubt is left as it is and named, and the others are topped up.
    `own_reviewers` become the queue's own, in place of those that are configured.
    Raises ReviewError, and writes nothing, if a name is not plain, the settings can't be met, or the queue is of
    another kind or source.
    """
    folder, settings = context.folder, context.settings
    reviewers = _reviewers(settings, kind)
    made = list(corrections(source_decisions(context.annotations, context.source.id), context.candidates))
    asked = _asked(context, {correction.pair_id for correction in made})
    titles(context.language, kind)
    with folder.locked():
        info = _info(context, kind, own_reviewers)
        contents = read_contents(folder, context.language, info)
        writer = SheetWriter(context, info, contents, reviewers, settings.show_findings)
        withdrawn = _withdrawn(context, writer, set(asked)) if kind == "pairs" else {}
        contents = replace(contents, assignments={**contents.assignments, **withdrawn})
        texts = {**contents.pairs, **{pair_id: context.candidates[pair_id] for pair_id in asked}}
        votes = count_votes(latest_decisions(folder.log()).values(), texts) if kind == "pairs" else {}
        # Who has voted on each pair in this queue, or made it by a correction in any queue of the source.
        holders = {pair_id: set(votes_by_reviewer) for pair_id, votes_by_reviewer in votes.items()}
        for correction in made if kind == "pairs" else ():
            holders.setdefault(correction.pair_id, set()).add(correction.reviewer)
        most = len(reviewers) if kind == "likert" else settings.per_pair
        needed = dict.fromkeys(_ordered(context, asked, votes), most)
        if kind == "pairs":
            needed = {key: people_needed(context.candidates[key], most, settings.sampling) for key in needed}
        new, n_short = _assign(needed, contents, holders, votes, reviewers, settings.quota)
        added = _items(info, new, contents, texts, trial_items or TrialItems(), settings)
        return writer.hand_out(added, chain(*new.values()), [*withdrawn.values()], n_short)


def _reviewers(settings: ReviewSettings, kind: QueueKind) -> tuple[str, ...]:
    names = tuple(plain_name("reviewer", name) for name in dict.fromkeys(settings.reviewers))
    if len(names) < len(settings.reviewers):
        raise ReviewError(f"a reviewer is named twice: {', '.join(settings.reviewers)}; name each once")
    if not names or (kind != "likert" and len(names) < settings.per_pair):
        raise ReviewError(
            f"{settings.per_pair} reviewers a pair are asked for, but {len(names)} named; name more or lower per_pair"
        )
    return names


def _asked(context: ReviewContext, corrected: Collection[str]) -> list[str]:
    """The ids of the pairs to ask about, in the order of their rules. `corrected` are those that corrections make."""
    order = {rule_id: number for number, rule_id in enumerate(context.rules)}
    derived, every = derived_pairs(context), context.settings.alternatives
    sampled = {pair_id for lot in derived.lots for pair_id in lot.sample}

    def is_asked(pair: Candidate) -> bool:
        if pair.id in corrected:
            return True
        if pair.derivation is None:
            return every or pair.parent_id is None or pair.method == "manual"
        return pair.id in sampled or (is_proposal(pair) and pair.id not in derived.withdrawn)

    passed = (checked.candidate for checked in context.pairs.values() if checked.verdict == "pass")
    asked = [pair for pair in passed if is_asked(pair)]
    for pair in asked:
        if pair.rule_id not in order:
            raise ReviewError(f"pair {pair.id} belongs to an unknown rule {pair.rule_id}; build the source anew")
    return [pair.id for pair in sorted(asked, key=lambda pair: order[pair.rule_id])]


def _withdrawn(context: ReviewContext, writer: SheetWriter, asked: Collection[str]) -> dict[Key, Assignment]:
    """What is withdrawn, marked so: rows of pairs that the source no longer has, of derived ones that are in no sample
    (their seeds were refused, or others were drawn), and of people who left.

    An answer or comment in the log, and anything that a reviewer wrote into a row of the pair, keeps all its rows; of
    somebody who left, it keeps that row. An answer in an older copy of a sheet is still taken over. So does a damaged
    sheet, which nobody can read.
    """
    pairs, reviewers = context.candidates, writer.reviewers
    standing = {key: item for key, item in writer.contents.assignments.items() if not item.withdrawn}
    gone = {
        item.pair_id
        for item in standing.values()
        if (pair := pairs.get(item.pair_id or "")) is None or (pair.derivation is not None and pair.id not in asked)
    }
    candidates = {key for key, item in standing.items() if item.pair_id in gone or item.reviewer not in reviewers}
    if not candidates:
        return {}
    sheets, faults = writer.read
    touched = {*writer.history, *(key for key in candidates if key[1] in faults)}
    for reviewer, sheet in sheets.items():
        rows = filter(writer.contents.is_touched, sheet.rows)
        touched |= {(writer.contents.item_id(row), reviewer) for row in rows}
    touched_items = {item_id for item_id, _ in touched}
    return {
        key: standing[key].model_copy(update={"withdrawn": True})
        for key in standing
        if key in candidates and key not in touched and (key[1] not in reviewers or key[0] not in touched_items)
    }


def _info(context: ReviewContext, kind: QueueKind, own_reviewers: tuple[str, ...]) -> QueueInfo:
    info = context.folder.find_info()
    if info is None:
        return QueueInfo(
            queue=context.queue,
            kind=kind,
            source=context.source.id,
            language=context.language.code,
            seed=context.settings.seed,
            versions=context.settings.versions if kind == "likert" else 1,
            reviewers=own_reviewers,
        )
    if (info.kind, info.source) != (kind, context.source.id) or info.of is not None:
        purpose = f"settles the conflicts of {info.of}" if info.of else f"is of {info.kind} from {info.source}"
        raise ReviewError(f"{context.folder.path}: this queue {purpose}; give the new one another name")
    return info.model_copy(update={"reviewers": own_reviewers or info.reviewers})


def _ordered(context: ReviewContext, pair_ids: list[str], votes: Votes) -> list[str]:
    settings = context.settings
    if settings.order == "source":
        return pair_ids
    pending = pending_pairs(pair_ids, context.candidates, context.pairs, {})
    if settings.order == "random":
        return random_order(pending, settings.seed)
    ordered = rules_order if settings.order == "rules" else active_order
    return ordered(pending, approved_by_rule(context.candidates, votes, context.deciding.votes), settings.target)


def _assign(
    needed: Mapping[str, int],
    contents: QueueContents,
    holders: dict[str, set[str]],
    votes: Votes,
    reviewers: Sequence[str],
    quota: int | None,
) -> tuple[dict[str, list[str]], int]:
    """The new pairs of each reviewer, and how many pairs got fewer reviewers than they need.

    `holders` are the people whose votes on a pair already count; of those who left, nothing else does. In place of
    somebody who is unsure another is asked.
    """
    load = dict.fromkeys(reviewers, 0)
    for item in contents.assignments.values():
        if item.reviewer in load and not item.withdrawn:
            load[item.reviewer] += 1
            if item.pair_id is not None and item.role == "item":
                holders.setdefault(item.pair_id, set()).add(item.reviewer)
    new: dict[str, list[str]] = {reviewer: [] for reviewer in reviewers}
    n_short = 0
    for pair_id, n_needed in needed.items():
        have = holders.get(pair_id, set())
        n_lacking = n_needed - sum(votes.get(pair_id, {}).get(name) != "unsure" for name in have)
        if n_lacking <= 0:
            continue
        free = [name for name in reviewers if name not in have and load[name] < (quota or math.inf)]
        if len(free) > n_lacking:
            free = sorted(free, key=lambda name: (load[name], digest([pair_id, name]), name))[:n_lacking]
        for reviewer in free:
            new[reviewer].append(pair_id)
            load[reviewer] += 1
        n_short += len(free) < n_lacking
    return new, n_short


def _items(
    info: QueueInfo,
    new: Mapping[str, Sequence[str]],
    contents: QueueContents,
    texts: Mapping[str, Pair],
    trial_items: TrialItems,
    settings: ReviewSettings,
) -> list[Assignment]:
    """The items of the new pairs of each reviewer."""
    if info.kind == "pairs":
        return [
            Assignment(item_id=pair_id, reviewer=reviewer, pair_id=pair_id)
            for reviewer, pair_ids in new.items()
            for pair_id in pair_ids
        ]
    given = contents.assignments.values()
    n_before = Counter(item.reviewer for item in given)
    # The design depends on the order of the pairs, so it takes them in the order in which they are stored.
    every = [texts[pair_id] for pair_id in dict.fromkeys(chain(contents.pairs, *new.values()))]
    # Versions go by turns in the order in which reviewers joined, so that they stay even.
    joined = [*dict.fromkeys(chain((item.reviewer for item in given), new))]
    items: list[Assignment] = []
    for reviewer, pair_ids in new.items():
        pairs = [texts[pair_id] for pair_id in pair_ids]
        draw = ItemDraw(info.queue, reviewer, info.seed, trial_items, settings.catch_share, n_before[reviewer])
        version = joined.index(reviewer) % info.versions
        if pairs:
            items += draw.items(pairs, sides_to_rate(every, version) if info.kind == "likert" else None)
    return items


def write_tasks(context: ReviewContext, folder: Path) -> dict[Path, str]:
    """Writes a file of tasks for each reviewer with something left, and the form. Returns what each file holds.

    Raises ReviewError if there is no such queue.
    """
    info = context.folder.info()
    contents = read_contents(context.folder, context.language)
    writer = SheetWriter(context, info, contents, show_findings=context.settings.show_findings)
    answered = {key for key, entries in contents.history().items() if is_answer(entries[-1])}
    words = interface_words(context.language)
    shown = _shown(info.kind, context.language)
    left: dict[str, list[dict[str, Mapping[str, str]]]] = {name: [] for name in sorted(contents.reviewers)}
    for key, item in contents.asked(answered).items():
        if key not in answered:
            cells = dict.fromkeys(shown, "") | writer.shown_cells(contents, item, words)
            left[item.reviewer].append({"data": cells})
    files: dict[Path, str] = {}
    for reviewer, tasks in left.items():
        if tasks:
            path = folder / f"{context.queue}-{reviewer}.label-studio.json"
            write_json(path, tasks)
            files[path] = counted(len(tasks), "task")
    form = folder / f"{context.queue}.label-studio-form.xml"
    write_text(form, ElementTree.tostring(_form(info.kind, context.language), encoding="unicode") + "\n")
    return files | {form: "the form, for the labeling interface of a Label Studio project"}


def _shown(kind: QueueKind, language: Language) -> dict[str, str]:
    """The titles of the fields that are shown, by name."""
    hidden = {IDS[kind], "reviewer", "votes", "reason", EXPORTED, *ANSWERS[kind]}
    return {name: title for name, title in titles(language, kind).items() if name not in hidden}


def _form(kind: QueueKind, language: Language) -> ElementTree.Element:
    view = ElementTree.Element("View")
    answer, *written = ANSWERS[kind]
    first = SHOWN[kind][0]
    for name, title in _shown(kind, language).items():
        ElementTree.SubElement(view, "Header", value=title, size="5")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    question = {"pairs": "pair_question", "choice": "choice_question", "likert": "likert_question"}[kind]
    ElementTree.SubElement(view, "Header", value=interface_words(language)[question])
    choices = ElementTree.SubElement(view, "Choices", name=answer, toName=first, choice="single", required="true")
    best = DecisionVocabulary(language).best
    for option in DECISIONS if kind == "pairs" else "AB" if kind == "choice" else "1234567":
        ElementTree.SubElement(choices, "Choice", value=best.get(option, option), alias=option)  # type: ignore[call-overload]
    for name in written:
        ElementTree.SubElement(view, "Header", value=titles(language, kind)[name], size="5")
        ElementTree.SubElement(view, "TextArea", name=name, toName=first, maxSubmissions="1", editable="true")
    ElementTree.indent(view)
    return view
