"""Seeds that a person marked up: `[S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].`"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import SourceError, at
from pairwright.files import read_lines
from pairwright.generate.paradigm.frames import Frames
from pairwright.generate.paradigm.seeds import Constituent, Role, Seed, SeedWord, sentences
from pairwright.ids import content_id, pair_id
from pairwright.languages.features import Features, parse_features
from pairwright.languages.linguistics.edits import changes
from pairwright.records import Candidate, Evidence, Rule
from pairwright.text import nfc

FILE = "paradigms.txt"
_ROLES: dict[str, Role] = {"S": "S", "O": "O", "V": "V"}
_PIECE = re.compile(r"\s*(?:\[(?P<role>[SOV])\s+(?P<body>[^\[\]]*)\]|(?P<word>\{[^{}\[\]]*\}|[^\s{}\[\]]+))")
_WORD = re.compile(
    r"\{(?P<longer>[^{}]*)/\*(?P<longer_bad>[^{}]*)\}|(?P<good>[^\s{}]+)/\*(?P<bad>[^\s{}]+)|(?P<same>[^\s{}]+)"
)
_FEATURES = re.compile(r"[A-Z]\w*=\S+")
_EXAMPLE = "write it as [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı]."


class _Line(NamedTuple):
    """A line of the file: where it is, and what it says."""

    path: Path
    number: int
    text: str

    def fault(self, column: int, message: str) -> SourceError:
        return SourceError(f"{at(self.path, self.number, column + 1)}: {message}; {_EXAMPLE}")


def marked_up_seeds(path: Path, rules: Mapping[str, Rule], source_id: str, frames: Frames) -> Iterator[Seed]:
    """The seeds of a file, in its order.

    `rule CODE` names the rule of the lines after it; `#` begins a comment. A seed has one subject, one object and one
    verb; the words outside of brackets go with the verb. `good/*bad` are the words of the good and of the bad sentence,
    `{some words/*others}` where they are several. `[S Person=1|Number=Sing]` is a dropped subject. `; dik=FORM` behind
    the words of a constituent is its form in the condition `dik`. Words are written as inside of a sentence.

    rules  those of the source, by code

    Raises SourceError with file, line and column for a line that is none of these, and for an unknown rule.
    """
    rule: Rule | None = None
    for number, read in read_lines(path, SourceError):
        content = nfc(read)
        line = _Line(path, number, content.rstrip())
        if content.lstrip().startswith("#"):
            continue
        if match := re.fullmatch(r"\s*rule\s+(\S+)\s*", content):
            if match[1] not in rules:
                raise SourceError(
                    f"{at(path, number, match.start(1) + 1)}: no rule '{match[1]}' in source '{source_id}'; "
                    f"its rules are {', '.join(rules) or 'none yet: build the source'}"
                )
            rule = rules[match[1]]
        elif rule is None:
            raise SourceError(f"{at(path, number, 1)}: no rule yet; write a line `rule CODE` before the first seed")
        else:
            yield _seed(line, rule, frames)


def _seed(line: _Line, rule: Rule, frames: Frames) -> Seed:
    body = line.text.rstrip(".!")
    mark = line.text[len(body) :]
    if len(mark) != 1:
        raise line.fault(len(body), "a seed ends with one full stop or exclamation mark")
    constituents = tuple(_constituents(line, body, frames))
    roles = [constituent.role for constituent in constituents if constituent.role != "rest"]
    if sorted(roles) != ["O", "S", "V"]:
        raise line.fault(0, f"a seed has one [S], one [O] and one [V]; here are {', '.join(roles) or 'none'}")
    good, bad = sentences((word for part in constituents for word in part.words), mark, frames)
    if good == bad:
        raise line.fault(0, "both sentences are the same; mark the words that differ as good/*bad")
    pair = Candidate(
        id=pair_id(rule.id, good, bad),
        rule_id=rule.id,
        source_id=rule.source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="manual",
        features=rule.contrast.features if rule.contrast and rule.contrast.support is None else (),
        evidence=Evidence(
            block_id=content_id("block", line.path.name, line.number),
            file=line.path.name,
            page=1,
            line=line.number,
            quote=line.text.strip(),
        ),
    )
    return Seed(pair, constituents, mark, marked_up=True, frames=frames)


def _constituents(line: _Line, body: str, frames: Frames) -> Iterator[Constituent]:
    place = 0
    while place < len(body):
        match = _PIECE.match(body, place)
        if match is None:
            column = place + len(body[place:]) - len(body[place:].lstrip())
            raise line.fault(column, f"'{body[column : column + 12]}' can't be read")
        if match["role"]:
            yield _bracket(line, match, frames)
        else:
            yield Constituent("rest", tuple(_words(line, match["word"], match.start("word"))))
        place = match.end()


def _bracket(line: _Line, match: re.Match[str], frames: Frames) -> Constituent:
    words, *given = match["body"].split(";")
    forms: dict[str, str] = {}
    for text in given:
        condition, _, form = text.strip().partition("=")
        if condition not in frames.conditions or not form.strip():
            known = ", ".join(clause.condition for clause in frames.clauses) or "none"
            raise line.fault(match.start("body"), f"'{text.strip()}' is no CONDITION=FORM; the clauses are {known}")
        forms[condition] = form.strip()
    role = _ROLES[match["role"]]
    if role == "S" and _FEATURES.fullmatch(words.strip()):
        return Constituent(role, (), forms, _features(line, match.start("body"), words.strip()))
    listed = tuple(_words(line, words, match.start("body")))
    if not listed:
        raise line.fault(match.start(), "a constituent without words")
    # Nobody says which of several words is the head.
    return Constituent(role, (listed[0]._replace(inflected=True),) if len(listed) == 1 else listed, forms)


def _features(line: _Line, column: int, text: str) -> Features:
    try:
        return parse_features(text)
    except ValueError as fault:
        raise line.fault(column, str(fault)) from None


def _words(line: _Line, text: str, start: int) -> Iterator[SeedWord]:
    place = 0
    for match in _WORD.finditer(text):
        if text[place : match.start()].strip():
            break
        place = match.end()
        if match["same"]:
            yield SeedWord(match["same"], match["same"])
        else:
            good, bad = (match["good"], match["bad"]) if match["good"] else (match["longer"], match["longer_bad"])
            yield SeedWord(good.strip(), bad.strip())
    if text[place:].strip():
        raise line.fault(start + place, f"'{text[place:].strip()}' can't be read")
