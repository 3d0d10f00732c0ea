"""What the mechanical checks stop, with no language model: flaws to be stopped, honest pairs to pass.

The flawed pairs and the sentences of Zulu are ours (in `data`). The published pairs are those of error_lists.py; each
is checked with the cases that its rule's name gives, and with the other pairs of its rule as the source's own. All
pairs count as written by a machine, for which the checks are strictest.

    PYTHONPATH=tests/support python benchmarks/checks.py PAIRS.jsonl RULES.json NAME=BLOCKS.jsonl [--judge URL MODEL]

says how many flawed pairs that somebody else planted are stopped, and by which check, and which sound ones are: pairs
{book, rule, good, bad, change, translation, flaw}, sound where `flaw` is empty, for rules {id, statement, quote, page}
of books whose blocks were built. `--judge` has the model of an OpenAI-compatible server judge those that no check
stops. `--show` also prints every pair that is not as it should be.
"""

import argparse
import json
import logging
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from common import blocks_of, lithuanian, miss, read_tsv
from error_lists import SAMPLE, read_list, read_published
from grammars import books
from made_records import make_candidate, make_evidence, make_rule
from pairwright.checks.judging import Judge
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings, JudgeSettings, LLMSettings
from pairwright.core.ids import pair_id
from pairwright.core.records import Block, Candidate, CheckedPair, Example, LLMJudgment, Rule
from pairwright.core.store import read_jsonl
from pairwright.core.text import words
from pairwright.languages import Language
from pairwright.languages.features import NO_FEATURES, Demand, parse_features, show_demand
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.glosses import plain_sentence
from pairwright.models.chat import LLM

CASES = {"nominative": "Nom", "genitive": "Gen", "dative": "Dat", "accusative": "Acc", "instrumental": "Ins"} | {
    "locative": "Loc",
    "vocative": "Voc",
}
_NAMES = "|".join(CASES)
_BANNED = re.compile(rf"^[\d. ]*(?:The )?({_NAMES})", re.IGNORECASE)
_REQUIRED = re.compile(rf"instead of the (?:\w+ )?({_NAMES})\b", re.IGNORECASE)
_ANY = Language(code="qaa", name="Any", autonym="Any")


@dataclass(frozen=True)
class Row:
    """A published pair with the cases that its rule demands; `line` is its row number in the file."""

    line: int
    code: str
    demand: Demand
    candidate: Candidate


@cache
def published_rows(data: Path) -> tuple[Row, ...]:
    """The name of a rule begins with the case that it bans; in an exception, the banned case is the good one."""
    rows = []
    for row in read_published(data):
        found = [pattern.search(row.rule) for pattern in (_REQUIRED, _BANNED)]
        required, banned = (parse_features(f"Case={CASES[it[1].lower()]}" if it else "_") for it in found)
        demand = Demand(banned, NO_FEATURES) if row.exception else Demand(required, banned)
        place = {"rule_id": row.code, "evidence": make_evidence(row.good, line=row.line)}
        pair = make_candidate(row.good, row.bad, method="manual", features=show_demand(demand), **place)
        rows.append(Row(row.line, row.code, demand, pair))
    return tuple(rows)


def checked_alone(pair: Candidate, rule: Rule, language: Language) -> CheckedPair:
    """A pair without the others, which have the same sentences."""
    (checked,) = check_pairs([pair], {rule.id: rule}, language, CheckSettings())
    return checked


def outcomes(results: Iterable[tuple[str, CheckedPair]]) -> pd.DataFrame:
    """Pairs by kind: those with an error, those with a warning, and the checks that gave the gravest finding."""
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for kind, pair in results:
        found = {
            level: sorted({it.check for it in pair.findings if it.level == level}) for level in ("error", "warning")
        }
        level = next((level for level, checks in found.items() if checks), "passes")
        kinds[kind][level] += 1
        if level != "passes":
            names[kind][", ".join(found[level])] += 1
        if (kind in ("honest", "published")) != (level == "passes"):
            miss(f"{kind}: {pair.candidate.good} / {pair.candidate.bad}: {level}: {found.get(level)}")
    return pd.DataFrame(
        {
            "pairs": kind,
            "n": levels.total(),
            "rejected": levels["error"],
            "warned": levels["warning"],
            "pass unremarked": levels["passes"],
            "by": ", ".join(f"{name} {count}" for name, count in names[kind].most_common(7)),
        }
        for kind, levels in kinds.items()
    )


def planted(data: Path) -> pd.DataFrame:
    """Pairs with flaws of eleven kinds for rules of the sample list, and honest ones."""
    language, _ = lithuanian(data)
    rules = {item.code: item for item in read_list(SAMPLE) if isinstance(item, Rule)}
    results = []
    for row in read_tsv("planted_flaws.tsv"):
        rule, good, bad = rules[row["rule"]], row["good"], row["bad"]
        place = {"rule_id": rule.id, "source_id": rule.source_id, "features": row["features"].split("; ")}
        identity = pair_id(rule.id, row["flaw"], good + bad)
        pair = make_candidate(good, bad, id=identity, method="masked-lm", **place)
        results.append((row["flaw"], checked_alone(pair, rule, language)))
    return outcomes(results)


@cache
def _published(data: Path) -> tuple[tuple[Candidate, Rule, CheckedPair], ...]:
    """Each published pair with a rule whose examples are the other pairs of its error, and what the checks say."""
    rows, found = published_rows(data), []
    for row in rows:
        pair = row.candidate.model_copy(update={"method": "masked-lm", "rule_id": f"{row.code}-{row.line}"})
        others = [it.candidate for it in rows if it.code == row.code and it is not row]
        examples = tuple(Example(good=it.good, bad=it.bad, evidence=it.evidence) for it in others)
        known = dict.fromkeys(("title", "description", "quote"), row.code) | {"category": "case", "phenomenon": "case"}
        known |= {"id": pair.rule_id, "source_id": pair.source_id, "code": row.code, "extracted_by": ""}
        rule = Rule.model_validate(known | {"block_ids": (), "page": 1, "examples": examples})
        found.append((pair, rule, checked_alone(pair, rule, lithuanian(data)[0])))
    return tuple(found)


def published(data: Path) -> pd.DataFrame:
    """The published pairs."""
    return outcomes(("published", checked) for _, _, checked in _published(data))


def refused(sentences: Iterable[str], attested: AttestedWords) -> str:
    """How many pairs with these good sentences are stopped, as sentences of another language than the source's."""
    pairs = [make_candidate(sentence, "", changes=(), method="llm", id=str(n)) for n, sentence in enumerate(sentences)]
    found = [next(iter(check_pairs([pair], {}, _ANY, CheckSettings(), attested=attested))) for pair in pairs]
    n_refused = sum("language-unlike-source" in {it.check for it in pair.findings} for pair in found)
    return f"{n_refused} of {len(pairs)}"


def foreign_to_books(data: Path) -> pd.DataFrame:
    """Every fifth example of a book is held out, and the rest of the book is asked about it.

    Many of these have words that the book has nowhere else, as no pair should have that is made of a book's words; so
    those of two or more words with at most one such word are counted by themselves.
    """
    foreign = [row["sentence"] for row in read_tsv("attested_words.tsv") if row["role"] == "foreign"]
    return pd.DataFrame({"book": name, **_of_book(blocks_of(path), foreign)} for name, path in books(data).items())


def _of_book(blocks: tuple[Block, ...], foreign: list[str]) -> dict[str, str]:
    held = [block for block in blocks if block.gloss][::5]
    attested = attested_words(block for block in blocks if block.id not in {block.id for block in held})
    leaves = [leaf for block in held if block.gloss for _, leaf in block.gloss.leaves() if not leaf.judgement]
    sentences = [sentence for leaf in leaves if words(sentence := plain_sentence(leaf))]
    few = [
        sentence
        for sentence in sentences
        if len(words(sentence)) > 1 and sum(not attested.attests(word) for word in words(sentence)) <= 1
    ]
    return {
        "words": str(len(attested)),
        "held-out examples refused": refused(sentences, attested),
        "with at most one new word": refused(few, attested),
        "foreign sentences refused": refused(foreign, attested),
    }


def planted_in_books(
    pairs: Path, rules: Path, books: dict[str, Path], judge: LLMSettings | None = None
) -> pd.DataFrame:
    """Pairs for rules of grammars, each as if it were made from the sentence that shares most words with its good one.

    A pair counts as stopped by the first check with an error; the sound ones have no flaw.

    judge  the model that judges what the checks let pass, each pair by itself
    """
    stated = {
        item["id"]: make_rule(
            item["id"], title="", description=item["statement"], quote=item["quote"], page=item["page"], examples=()
        )
        for item in json.loads(rules.read_text(encoding="utf-8"))
    }
    known = {name: attested_words(read_jsonl(path, Block)) for name, path in books.items()}
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in pairs.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        attested = known[item["book"]]
        own = Counter(words(item["good"].casefold()))
        near = max(attested.book.good.values(), key=lambda one: (own & Counter(words(one.sentence.casefold()))).total())
        pair = make_candidate(
            item["good"],
            item["bad"],
            method="llm",
            rule_id=item["rule"],
            attested_ids=(near.block_id,),
            translation=item.get("translation"),
        )
        (checked,) = check_pairs([pair], stated, _ANY, CheckSettings(), attested=attested)
        if judge and checked.verdict == "pass":
            asks = Judge(stated, _ANY, JudgeSettings(audit_share=0), attested=attested)
            with tempfile.TemporaryDirectory() as folder, LLM(judge, Path(folder)) as client:
                said = {it.pair_id: it for it in asks.judge([pair], client) if isinstance(it, LLMJudgment)}
            (checked,) = check_pairs([pair], stated, _ANY, CheckSettings(), (), said, attested=attested)
        errors = [finding for finding in checked.findings if finding.level == "error"]
        kind = item.get("flaw") or "(sound)"
        rows[kind][errors[0].check if errors else ""] += 1
        if bool(errors) != bool(item.get("flaw")):
            why = f": {errors[0].check}: {errors[0].message}" if errors else ""
            miss(f"{kind}: {item['good']} / {item['bad']}{why}")
    return pd.DataFrame(
        {
            "flaw": kind,
            "pairs": found.total(),
            "stopped": found.total() - found[""],
            "by": ", ".join(f"{name} {count}" for name, count in found.most_common() if name),
        }
        for kind, found in rows.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("rules", type=Path)
    parser.add_argument("books", nargs="+", metavar="NAME=BLOCKS.jsonl")
    parser.add_argument("--judge", nargs=2, metavar=("URL", "MODEL"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("miss").setLevel(logging.INFO if options.show else logging.WARNING)
    paths = {name: Path(path) for name, _, path in (book.partition("=") for book in options.books)}
    judge = LLMSettings(base_url=options.judge[0], model=options.judge[1], timeout=3600) if options.judge else None
    table = planted_in_books(options.pairs, options.rules, paths, judge)
    print(table.to_string(index=False))
    flawed = table[table["flaw"] != "(sound)"]
    print(f"stopped: {flawed['stopped'].sum()} of {flawed['pairs'].sum()} flawed pairs")


if __name__ == "__main__":
    main()
