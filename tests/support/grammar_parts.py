"""A small grammar in Markdown, read by the real reader, and a server that answers about its passages."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripted_llm import asked_for, client, told

from llm_server import Body, Say, Script
from made_records import make_source
from pairwright.core.config import RuleSettings
from pairwright.core.records import Block, Example, Rejection, Rule, Source
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import load_language
from pairwright.sources.grammar.rules.extract import GrammarReader

GRAMMAR = """# A small grammar

# 1 Phonology

A long vowel may never be shortened in careful speech.

# 2 Syntax

## 2.1 The genitive of negation

If a verb is negated, its object stands in the genitive. The accusative is ungrammatical, even where the object is
a definite thing (1b). Objects in the dative keep their case.

(1) a. Neturiu dviračio.
       NEG.have.PRS.1SG bicycle.GEN.SG
       ‘I do not have a bicycle.’
    b. *Neturiu dviratį.
       NEG.have.PRS.1SG bicycle.ACC.SG

The order of words is generally free. The subject may follow the verb (2).

(2) Atėjo svečias.
    come.PST.3 guest.NOM.SG
    ‘A guest came.’

## 2.2 Prepositions

A preposition governs one case.

Table 1: Prepositions

| Preposition | GEN | ACC |
|---|---|---|
| be | ‘without’ | not used |
| per | not used | ‘through’ |

# 3 Miscellanea

People like to sing songs.

# References

Anonymous. 1900. A book on the verb.
"""

NEGATION: dict[str, Any] = {
    "quotation": "If a verb is negated, its object stands in the genitive. The accusative is ungrammatical",
    "title": "Genitive of negation",
    "description": "The object of a negated verb stands in the genitive, not in the accusative.",
    "category": "negation",
    "phenomenon": "genitive of negation",
    "examples": ["E1"],
    "exceptions": ["Objects in the dative keep their case."],
    "licence": "banned",
    "ground": "The accusative is ungrammatical",
    "contrast": "the object of the negated verb in the genitive, against the accusative",
    "features": ["good: Case=Gen", "bad: Case=Acc"],
}
FREE: dict[str, Any] = NEGATION | {
    "quotation": "The order of words is generally free.",
    "title": "Free order of words",
    "description": "Words may follow each other in any order.",
    "category": "word order",
    "phenomenon": "word order",
    "examples": [],
    "exceptions": [],
    "licence": "none",
    "ground": "generally free",
    "contrast": "any order is good",
    "features": [],
}


def draft(**fields: Any) -> dict[str, Any]:
    """The rule on negation with other fields."""
    return NEGATION | fields


def source_of(path: Path, **fields: Any) -> Source:
    return make_source(path, **{"id": "grammar", "title": "A grammar", "kind": "grammar-book"} | fields)


def read_book(folder: Path, text: str = GRAMMAR, **fields: Any) -> tuple[Source, list[Block]]:
    """A grammar's source and blocks; `fields` are those of source.toml."""
    path = folder / "grammar.md"
    path.write_text(text, encoding="utf-8")
    source = source_of(path, **fields)
    return source, list(read_text_document(path, path.name, source, 1_000_000))


def reader_of(source: Source, blocks: Iterable[Block], settings: RuleSettings | None = None) -> GrammarReader:
    return GrammarReader(blocks, source, load_language(source.language), settings or RuleSettings())


def saying(
    by_words: Mapping[str, Sequence[Mapping[str, Any]]],
    against: str = "",
    **check: Any,
) -> Script:
    """A server that answers with the rules whose words the passage has.

    against  the words that it names against every licence; without them all licences stand
    check    other fields of what it says of every licence
    """

    def script(body: Body, nth: int) -> Say:
        text = told(body)
        if asked_for(body) == "LicenceChecks":
            numbers = [int(number) for number in re.findall(r"(?m)^(\d+)\. ", text)]
            said = {
                "same_as": 0,
                "basis": "requirement",
                "good_as": "",
                "against": against,
                "exception": "",
            } | check
            checks = [{"rule": number} | said for number in numbers]
            return Say(json.dumps({"checks": checks}))
        rules = [rule for words, rules in by_words.items() if words in text for rule in rules]
        return Say(json.dumps({"rules": rules}))

    return script


def find_rules(
    folder: Path,
    script: Script,
    text: str = GRAMMAR,
    *,
    pairs: Mapping[str, Sequence[Example]] | None = None,
    settings: RuleSettings | None = None,
    llm: Mapping[str, Any] | None = None,
    **fields: Any,
) -> tuple[list[Rule], list[Rejection]]:
    """The rules that a scripted server finds in a grammar, and what was rejected."""
    source, blocks = read_book(folder, text, **fields)
    with client(script, folder, **llm or {}) as (asks, _):
        found = list(reader_of(source, blocks, settings).rules(asks, pairs))
    return [item for item in found if isinstance(item, Rule)], [item for item in found if isinstance(item, Rejection)]
