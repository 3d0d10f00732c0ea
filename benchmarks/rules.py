"""Rules of grammar books: whether true quotations are found and false ones not, what reading takes, a linguist's list.

The grammars are the sample grammar and the two books, read as a user reads them. The list of a linguist is made before
anything is built, `DATA/gold/SOURCE.json` for a source of the workspace `DATA/gold`, whose rules and pairs a language
model has written: `pages` [first, last], `rules` with page, quote, licence, pairable and pairs (good, bad), and
`traps`, passages that license nothing. Both belong to documents that are no part of the project.
"""

import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import pandas as pd
from rapidfuzz import fuzz

from common import SOURCES, Json, NotHere, blocks_of, miss, share
from grammars import books
from made_records import make_candidate, make_source
from pairwright.checks.registry import check_pairs
from pairwright.core.config import Config, LLMSettings, RuleSettings
from pairwright.core.records import Block, CheckedPair, Rule
from pairwright.core.store import read_jsonl
from pairwright.core.text import words
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.languages import Language, load_language, load_tagset
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.linguistics.glosses import GlossedSentence, join_morphemes
from pairwright.models.chat import LLM
from pairwright.models.prompts import demanded_features
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.targets import PairTarget, PairTask, pair_targets
from pairwright.sources.grammar.rules.drafts import find_quotation
from pairwright.sources.grammar.rules.extract import GrammarReader
from pairwright.sources.grammar.rules.passages import Window

# Two quotations state one rule where the shorter one stands almost whole in the other.
_SAME, _LEAST_LETTERS = 85, 20
_LETTERS = "aeioubdgptk"


def grammars(data: Path) -> dict[str, Path]:
    return {"Sample grammar": SOURCES / "lt-sample-grammar" / "book.pdf", **books(data)}


@cache
def reader_of(path: Path, include: tuple[str, ...] | None = None) -> GrammarReader:
    """The reader of a grammar's rules, in the sections that are usually read or in those that are named."""
    source = make_source(path, kind="grammar-book", language="lt")
    settings = RuleSettings() if include is None else RuleSettings(include=include)
    return GrammarReader(blocks_of(path, use_outline=True), source, load_language("lt"), settings, None)


def shown_lines(window: Window) -> Iterator[tuple[str, str]]:
    """The lines of a window from the book, with their kinds, without the names that the program gives."""
    in_table = False
    for line in window.text.splitlines():
        in_table = (in_table and " | " in line) or line.startswith("[table]") or (in_table and line == "---")
        shown = re.sub(r"^\[(?:footnote|table)\] ?", "", line)
        if line.startswith(("[E", "## ")) or line == "---" or not shown:
            continue
        name, _, rest = shown.strip().partition(": ")
        if name in ("segmentation", "gloss", "translation"):
            yield "gloss", rest
        else:
            yield ("table" if in_table else "line"), shown


def altered(line: str, chance: random.Random) -> str | None:
    """The line with one letter changed; None where it has no such letter."""
    places = [at for at, char in enumerate(line) if char in _LETTERS]
    if not places:
        return None
    at = chance.choice(places)
    return line[:at] + chance.choice([char for char in _LETTERS if char != line[at]]) + line[at + 1 :]


def quotations(data: Path) -> pd.DataFrame:
    """Every line that a language model is shown of a grammar, quoted back as shown and with one letter changed."""
    rows = []
    for name, path in grammars(data).items():
        chance, counts = random.Random(0), Counter[tuple[str, str]]()
        for window in reader_of(path, ("*",)).windows():
            for kind, line in shown_lines(window):
                counts[kind, "quoted"] += 1
                counts[kind, "found"] += bool(find_quotation(line, window.blocks))
                if false := altered(line, chance):
                    counts[kind, "altered"] += 1
                    counts[kind, "wrongly found"] += bool(find_quotation(false, window.blocks))
        for kind in ("line", "gloss", "table"):
            figures = {key: f"{counts[kind, key]:,}" for key in ("quoted", "found", "altered", "wrongly found")}
            rows.append({"grammar": name, "of": kind, **figures})
    return pd.DataFrame(rows)


def requests(data: Path) -> pd.DataFrame:
    """What reading a grammar takes, by the client's own estimate.

    The pages of the sections that are read, the requests about their passages, the tokens sent, the text shown by the
    text that stands there, and the share of the requests' characters with which all begin alike.
    """
    rows = []
    for name, path in grammars(data).items():
        reader = reader_of(path)
        windows = list(reader.windows())
        asked = list(map(reader.request, windows))
        within = {block.id: block for window in windows for block in window.blocks}
        pages = len({block.page for block in within.values()})
        settings = LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", structured="schema")
        with tempfile.TemporaryDirectory() as folder, LLM(settings, Path(folder)) as llm:
            total = llm.estimate(asked)
        text, shown = sum(len(block.text) for block in within.values()), sum(len(window.text) for window in windows)
        sent = ["\n".join(message.content for message in request.prompt.messages) for request in asked]
        alike = next(at for at, signs in enumerate(zip(min(sent), max(sent), strict=False)) if len(set(signs)) > 1)
        per_page = {"requests a page": total.requests / pages, "shown of text": shown / text}
        per_page["begin alike"] = alike * len(sent) / sum(map(len, sent))
        figures = {"pages": pages, "requests": total.requests, "tokens in": total.input_tokens}
        figures["tokens a page"] = round(total.input_tokens / pages)
        shares = {key: f"{figure:.2f}" for key, figure in per_page.items()}
        rows.append({"grammar": name, **{key: f"{figure:,}" for key, figure in figures.items()}, **shares})
    return pd.DataFrame(rows)


class Compared(NamedTuple):
    """The rules of the list with the rules that quote their words, the rules that quote none, and those in traps."""

    matched: list[tuple[Json, list[Rule]]]
    extra: list[Rule]
    trapped: list[tuple[Json, Rule]]


def letters(text: str) -> str:
    """Letters and digits alone, so that hyphens, ligatures and spaces don't count."""
    return re.sub(r"[\W_]", "", normalize("NFKC", text).casefold())


def same_words(rule: Rule, page: int, quote: str) -> bool:
    """Whether one of a rule's quotations has the words of a quotation, or lies within them."""
    wanted = letters(quote)
    return any(
        abs(part.page - page) <= 1
        and min(len(letters(part.quote)), len(wanted)) >= min(_LEAST_LETTERS, len(wanted))
        and fuzz.partial_ratio(letters(part.quote), wanted) >= _SAME
        for part in rule.evidence
    )


def compare(rules: Sequence[Rule], gold: Json) -> Compared:
    first, last = gold["pages"]
    inside = [rule for rule in rules if rule.asked and first <= rule.page <= last]
    matched = [(item, [r for r in inside if same_words(r, item["page"], item["quote"])]) for item in gold["rules"]]
    used = {rule.id for _, found in matched for rule in found}
    traps = [(trap, r) for trap in gold["traps"] for r in inside if same_words(r, trap["page"], trap["quote"])]
    return Compared(
        matched,
        [rule for rule in inside if rule.id not in used],
        [(trap, rule) for trap, rule in traps if rule.contrast and rule.contrast.licensed and rule.id not in used],
    )


def licence_of(rules: Sequence[Rule]) -> str:
    """The strongest licence of the rules that state one rule of the list."""
    licences = {rule.contrast.licence for rule in rules if rule.contrast}
    return next((name for name in ("banned", "obligatory") if name in licences), "none")


def gold(data: Path) -> pd.DataFrame:
    """Rules, licences and pairs of parts of grammars against a linguist's list."""
    lists = sorted((data / "gold").glob("*.json"))
    if not lists:
        raise NotHere(
            "no linguist's list, `gold/SOURCE.json`, is in DATA; it needs a source built with a language model"
        )
    return pd.DataFrame({path.stem: against(path) for path in lists}).rename_axis("").reset_index()


def against(path: Path) -> dict[str, str]:
    """The figures of a source."""
    listed, workspace = json.loads(path.read_text(encoding="utf-8")), Workspace(path.parent)
    work = workspace.work(path.stem)
    outcome = compare(list(read_jsonl(work / "rules.jsonl", Rule)), listed)
    task = pair_task(workspace, path.stem)
    targets = list(pair_targets(task))
    faults = why_not(task, targets, workspace.config(), outcome)
    tell(outcome, faults)
    return {
        **rule_figures(outcome),
        **request_figures(task, targets),
        **pair_figures(work / "checked.jsonl", outcome),
        "pairs of the list that can come out": share(sum(not found for found in faults.values()), len(faults)),
    }


def rule_figures(outcome: Compared) -> dict[str, str]:
    """A rule of the list is found where a rule quotes the same words on its page."""
    found = [(item, rules) for item, rules in outcome.matched if rules]
    pairable = [(item, rules) for item, rules in outcome.matched if item["pairable"]]
    licensed = [(item, rules) for item, rules in found if licence_of(rules) != "none"]
    stated = len({rule.id for _, rules in found for rule in rules}) + len(outcome.extra)
    return {
        "rules of the list found": share(len(found), len(outcome.matched)),
        "rules that quote no rule of the list": share(len(outcome.extra), stated),
        "pairable rules licensed": share(sum(licence_of(rules) != "none" for _, rules in pairable), len(pairable)),
        "licences right": share(
            sum(item["licence"] != "none" for item, _ in licensed), len(licensed) + len(outcome.trapped)
        ),
        "classes of licences alike": share(sum(it["licence"] == licence_of(rules) for it, rules in found), len(found)),
    }


def request_figures(task: PairTask, targets: Sequence[PairTarget]) -> dict[str, str]:
    """What the first requests for pairs show: for rules that demand features, forms that have those of the bad side."""
    asked = [target for target in targets if target.ground_fault is None]
    shown = {target: target.attested()[1] for target in asked}
    changeable = [
        sum(bool(task.corpus.contrasting(one, target.demand)) for one in shown[target])
        for target in asked
        if target.demand.bad
    ]
    sentences = sum(len(shown[target]) for target in asked if target.demand.bad)
    recurrence = Counter(one.sentence for own in shown.values() for one in own)
    return {
        "rules that are not asked about": share(len(targets) - len(asked), len(targets)),
        "requests with a form for the bad sentence": share(sum(map(bool, changeable)), len(changeable)),
        "sentences in them with one": share(sum(changeable), sentences),
        "requests that show one sentence, at most": share(max(recurrence.values(), default=0), len(asked)),
    }


def pair_figures(checked: Path, outcome: Compared) -> dict[str, str]:
    own = {rule.id for _, rules in outcome.matched for rule in rules} | {rule.id for rule in outcome.extra}
    pairs = read_jsonl(checked, CheckedPair) if checked.exists() else ()
    made = [pair for pair in pairs if pair.candidate.rule_id in own and pair.candidate.method == "llm"]
    passed = [pair for pair in made if pair.verdict == "pass"]
    sides = {(letters(pair.candidate.good), letters(pair.candidate.bad)) for pair in passed}
    wanted = [pair for item, _ in outcome.matched for pair in item["pairs"]]
    came = sum((letters(pair["good"]), letters(pair["bad"])) in sides for pair in wanted)
    return {
        "pairs of the model that pass the checks": share(len(passed), len(made)),
        "pairs of the list among them": share(came, len(wanted)),
    }


def pair_task(workspace: Workspace, name: str) -> PairTask:
    """The pairs to be written for a source, all of them from attested sentences."""
    root, work = workspace.root, workspace.work(name)
    source = load_source(workspace.sources / name)
    language = load_language(source.language, root)
    rules = tuple(read_jsonl(work / "rules.jsonl", Rule))
    blocks = read_jsonl(work / "blocks.jsonl", Block)
    described = f"{source.title} {language.name}"
    corpus = Corpus(rules, blocks, language.boundaries, load_tagset("leipzig", root), described)
    grounded = workspace.config().generate.model_copy(update={"grounded": True})
    return PairTask(rules, language, grounded, corpus, workspace=root, title=source.title)


def why_not(task: PairTask, targets: Iterable[PairTarget], config: Config, outcome: Compared) -> dict[str, list[str]]:
    """Why each pair of the list could not come out, by its two sentences; an empty list for one that can.

    It can where a rule that states its own is licensed, and the screen and the checks let the pair through if a model
    gives it.
    """
    by_rule = {target.rule.id: target for target in targets}
    of_source = (it for rule in task.rules for it in rule.examples if it.bad)
    given = {(letters(it.good), letters(it.bad or "")) for it in of_source}
    reasons: dict[str, list[str]] = {}
    for item, stating in outcome.matched:
        for pair in item["pairs"]:
            faults = reasons[f"{item['id']}: {pair['good']} / {pair['bad']}"] = []
            if (letters(pair["good"]), letters(pair["bad"])) in given:
                continue
            faults += ["no rule that states it licenses pairs"]
            for target in (by_rule[rule.id] for rule in stating if rule.id in by_rule):
                faults[:] = faults_of(pair, target, task.corpus.words, task.language, config)
                if not faults:
                    break
    return reasons


def faults_of(
    pair: Json, target: PairTarget, attested: AttestedWords, language: Language, config: Config
) -> Iterator[str]:
    """What the screen of the stage and the errors of the checks say of a pair that a model would give."""
    rule = target.rule
    good, bad = (join_morphemes(pair[side], language.boundaries) for side in ("good", "bad"))
    if target.ground_fault:
        yield target.ground_fault
        return
    own = set(words(good.casefold()))

    def nearness(one: GlossedSentence) -> tuple[int, float]:
        return len(own.intersection(words(one.sentence.casefold()))), fuzz.token_sort_ratio(one.sentence, good)

    near = max(target.bearing, key=nearness, default=None)
    if fault := target.fault_of(good, bad, near):
        yield fault
        return
    place = {"rule_id": rule.id, "source_id": rule.source_id, "evidence": rule.evidence[0]}
    place |= {"features": demanded_features(rule), "attested_ids": (near.block_id,) if near else ()}
    candidate = make_candidate(good, bad, method="llm", **place)
    for checked in check_pairs([candidate], {rule.id: rule}, language, config.checks, attested=attested):
        yield from (f"{item.check}: {item.message}" for item in checked.findings if item.level == "error")


def tell(outcome: Compared, faults: dict[str, list[str]]) -> None:
    """What is missing, extra or licensed otherwise, for a person to judge: a list is never complete."""
    for pair, found in faults.items():
        if found:
            miss(f"  {pair}: {'; '.join(found)}")
    for item, rules in outcome.matched:
        if not rules or licence_of(rules) != item["licence"]:
            state = f"{licence_of(rules)} for {item['licence']}" if rules else "missing"
            miss(f"  {item['id']} p. {item['page']} {state}: {item['description']}")
    for rule in outcome.extra:
        miss(f"  extra p. {rule.page}: {rule.title}: {rule.quote[:160]!r}")
    for trap, rule in outcome.trapped:
        miss(f"  trap p. {trap['page']}: {rule.title}: {trap['why']}")
