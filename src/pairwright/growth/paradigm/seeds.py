"""A seed of paradigms, a pair parsed into subject, object, verb and what goes with the verb, in all conditions.

Conditions are the orders of subject, object and verb, and subordinate clauses.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

from pairwright.core.errors import SourceError, at
from pairwright.core.files import read_lines
from pairwright.core.ids import content_id, pair_id
from pairwright.core.records import (
    BASELINE,
    Block,
    Candidate,
    Evidence,
    ParadigmVariant,
    Rejection,
    Rule,
    Tree,
    TreebankChange,
    Word,
)
from pairwright.core.records.documents import PARADIGMS
from pairwright.core.text import TOKEN, nfc
from pairwright.growth.paradigm.frames import Clause, Frames
from pairwright.languages.features import NO_FEATURES, Features, parse_features
from pairwright.languages.letters import capitalised, uncapitalised
from pairwright.languages.linguistics.likeness import is_prefixed
from pairwright.languages.linguistics.sentences import changes
from pairwright.languages.morphology import Analysis
from pairwright.languages.morphology.inflection import Inflector, NotInflected

Role = Literal["S", "O", "V", "rest", "leading"]
Sides = tuple[str, str]
"""The good and the bad sentence."""

FILE = "paradigms.txt"
_PIECE = re.compile(r"\s*(?:\[(?P<role>[SOV])\s+(?P<body>[^\[\]]*)\]|(?P<word>\{[^{}\[\]]*\}|[^\s{}\[\]]+))")
_WORD = re.compile(
    r"\{(?P<longer>[^{}]*)/\*(?P<longer_bad>[^{}]*)\}|(?P<good>[^\s{}]+)/\*(?P<bad>[^\s{}]+)|(?P<same>[^\s{}]+)"
)
_ROLES: dict[str, Role] = {"S": "S", "O": "O", "V": "V"}
_FEATURES = re.compile(r"[A-Z]\w*=\S+")
_MARKS, _SIGNS = (".", "!"), ("PUNCT", "SYM")


class ParsedWord(NamedTuple):
    """A word as the good and the bad sentence have it, written as inside of a sentence; empty where one lacks it.

    reading    None where nothing is known of it
    inflected  whether it changes where its constituent is inflected: the head, and the words that agree with it
    glued      whether no space comes before it, as before a comma
    """

    role: Role
    good: str
    bad: str
    reading: Analysis | None = None
    inflected: bool = False
    glued: bool = False


@dataclass(frozen=True)
class ParsedSeed:
    """A pair with its words in order, and the mark at its end. A dropped subject is a word without letters.

    forms        what a person wrote for a whole constituent, by its role and the condition
    dropped      the features of a dropped subject's pronoun; None where there is a subject
    coordinated  whether the subject has several heads, whose features are not its own
    immovable    why its constituents can't change their places; empty where they can
    """

    pair: Candidate
    words: tuple[ParsedWord, ...]
    mark: str
    frames: Frames = field(repr=False)
    forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    dropped: Features | None = None
    coordinated: bool = False
    immovable: str = ""

    def of(self, *roles: Role) -> tuple[ParsedWord, ...]:
        """The words with these roles, in order."""
        return tuple(word for word in self.words if word.role in roles)


def written(words: Iterable[ParsedWord]) -> Sides:
    """Words as they follow each other inside of a sentence."""
    good = bad = ""
    for word in words:
        space = "" if word.glued else " "
        good += space + word.good if word.good else ""
        bad += space + word.bad if word.bad else ""
    return good.strip(), bad.strip()


def sentences(words: Iterable[ParsedWord], mark: str, frames: Frames) -> Sides:
    """Words as sentences, with a capital at the beginning and a mark at the end."""
    good, bad = (capitalised(text, frames.letters) + mark for text in written(words))
    return good, bad


def marked_up_seeds(path: Path, rules: Mapping[str, Rule], source_id: str, frames: Frames) -> Iterator[ParsedSeed]:
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
        line = nfc(read).rstrip()
        if line.lstrip().startswith("#"):
            continue
        if match := re.fullmatch(r"\s*rule\s+(\S+)\s*", line):
            rule = rules.get(match[1])
            if rule is None:
                raise SourceError(
                    f"{at(path, number, match.start(1) + 1)}: no rule '{match[1]}' in source '{source_id}'; "
                    f"its rules are {', '.join(rules) or 'none yet: build the source'}"
                )
        elif rule is None:
            raise SourceError(f"{at(path, number, 1)}: no rule yet; write a line `rule CODE` before the first seed")
        else:
            yield _Line(path, number, line, frames).seed(rule)


class _Line(NamedTuple):
    """A line of the file: where it is, and what it says."""

    path: Path
    number: int
    text: str
    frames: Frames

    def fault(self, column: int, message: str) -> NoReturn:
        example = "write it as [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı]."
        raise SourceError(f"{at(self.path, self.number, column + 1)}: {message}; {example}")

    def seed(self, rule: Rule) -> ParsedSeed:
        body = self.text.rstrip(".!")
        mark = self.text[len(body) :]
        if len(mark) != 1:
            self.fault(len(body), "a seed ends with one full stop or exclamation mark")
        words, forms, dropped, place = list[ParsedWord](), dict[str, dict[str, str]](), None, 0
        roles = []
        while place < len(body):
            match = _PIECE.match(body, place)
            if match is None:
                column = place + len(body[place:]) - len(body[place:].lstrip())
                self.fault(column, f"'{body[column : column + 12]}' can't be read")
            place = match.end()
            if match["role"] is None:
                words += self._words("rest", match["word"], match.start("word"))
                continue
            roles.append(role := _ROLES[match["role"]])
            inside, *given = match["body"].split(";")
            forms[role] = dict(self._form(text.strip(), match.start("body")) for text in given)
            if role == "S" and _FEATURES.fullmatch(inside.strip()):
                try:
                    dropped = parse_features(inside.strip())
                except ValueError as fault:
                    self.fault(match.start("body"), str(fault))
                words.append(ParsedWord(role, "", ""))
                continue
            own = self._words(role, inside, match.start("body"))
            if not own:
                self.fault(match.start(), "a constituent without words")
            # Nobody says which of several words is the head.
            words += [own[0]._replace(inflected=True)] if len(own) == 1 else own
        if sorted(roles) != ["O", "S", "V"]:
            self.fault(0, f"a seed has one [S], one [O] and one [V]; here are {', '.join(roles) or 'none'}")
        good, bad = sentences(words, mark, self.frames)
        if good == bad:
            self.fault(0, "both sentences are the same; mark the words that differ as good/*bad")
        place_id, text = content_id("block", self.path.name, self.number), self.text.strip()
        pair = Candidate(
            id=pair_id(rule.id, good, bad),
            rule_id=rule.id,
            source_id=rule.source_id,
            good=good,
            bad=bad,
            changes=changes(good, bad),
            method="manual",
            features=rule.contrast.features if rule.contrast and rule.contrast.support is None else (),
            evidence=Evidence(block_id=place_id, file=self.path.name, page=1, line=self.number, quote=text),
        )
        return ParsedSeed(pair, tuple(words), mark, self.frames, forms, dropped)

    def _form(self, text: str, column: int) -> tuple[str, str]:
        condition, _, form = text.partition("=")
        if condition not in self.frames.conditions or not form.strip():
            known = ", ".join(clause.condition for clause in self.frames.clauses) or "none"
            self.fault(column, f"'{text}' is no CONDITION=FORM; the clauses are {known}")
        return condition, form.strip()

    def _words(self, role: Role, text: str, start: int) -> list[ParsedWord]:
        words, place = [], 0
        for match in _WORD.finditer(text):
            if text[place : match.start()].strip():
                break
            place = match.end()
            good = match["same"] or match["good"] or match["longer"]
            words.append(ParsedWord(role, good.strip(), (match["same"] or match["bad"] or match["longer_bad"]).strip()))
        if text[place:].strip():
            self.fault(start + place, f"'{text[place:].strip()}' can't be read")
        return words


class UnusableTreeError(Exception):
    """Why no seed can be made of a sentence."""


def names_in(trees: Iterable[Tree]) -> frozenset[str]:
    """The lemmas that more often than not have a capital inside of sentences, such as those of institutions."""
    capitals: Counter[str] = Counter()
    for word in (word for tree in trees for word in tree.words[1:]):
        capitals[word.lemma] += 1 if word.form[:1].isupper() else -1
    return frozenset(lemma for lemma, count in capitals.items() if count > 0)


def tree_seed(pair: Candidate, block: Block, frames: Frames, names: frozenset[str] = frozenset()) -> ParsedSeed:
    """The seed of a treebank's pair. Raises UnusableTreeError, with the reason, where the tree allows none.

    It takes main clauses with one subject and one object at most, no other punctuation than commas and the final mark,
    and a verb as root. Its words, put together again, must give the pair. A first word loses its capital, unless it is
    a proper name or its lemma is among `names`.
    """
    if block.tree is None or not isinstance(pair.derivation, TreebankChange):
        raise UnusableTreeError("no tree")
    words, changed = list(block.tree.words), pair.derivation.word
    if not words or words[-1].form not in _MARKS:
        raise UnusableTreeError("it does not end with a full stop or an exclamation mark")
    mark = words.pop().form
    if (words and words[0].upos in _SIGNS) or any(word.upos in _SIGNS and word.form != "," for word in words):
        raise UnusableTreeError("it has other signs inside than commas")
    roles = _roles(words, block.tree, changed, frames)
    parsed = list(_parsed(block, words, roles, pair, changed, frames, names))
    dropped, root = None, next(word for word in words if word.head == 0)
    if "S" not in roles.values():
        shown, impersonal = parse_features(root.feats), parse_features(frames.impersonal)
        # Perhaps there is no subject: no pronoun stands for it.
        dropped = NO_FEATURES if impersonal and impersonal <= shown else shown
        parsed.append(ParsedWord("S", "", ""))
    deprels = {word.id: word.deprel for word in words}
    coordinated = any(roles[word.id] == "S" and word.deprel == "conj" for word in words)
    commas = (word for word in words if word.upos in _SIGNS)
    movable = all(roles[comma.id] in ("S", "O") and deprels.get(comma.head) == "conj" for comma in commas)
    immovable = "" if movable else "it has a comma that parts no conjuncts, and its place would change"
    if sentences(parsed, mark, frames) != (pair.good, pair.bad):
        raise UnusableTreeError("its words, put together again, do not give the pair")
    return ParsedSeed(pair, tuple(parsed), mark, frames, {}, dropped, coordinated, immovable)


def _roles(words: Sequence[Word], tree: Tree, changed: int, frames: Frames) -> dict[int, Role]:
    """The role of each word by its number."""
    root = next((word for word in words if word.head == 0), None)
    if root is None or root.upos != "VERB":
        raise UnusableTreeError("the root is no verb")
    children = [word for word in words if word.head == root.id]
    for child in children:
        if child.deprel in ("conj", "parataxis") or child.deprel.startswith("csubj"):
            raise UnusableTreeError(f"the verb has a clause beside it ({child.deprel})")
        if child.deprel.startswith("nsubj") and child.deprel not in frames.subject:
            raise UnusableTreeError(f"a subject of another kind ({child.deprel})")
    # The object: the dependent that holds the changed word, else the only one of the first relation. One in the
    # instrumental or with an adposition is none.
    barred = {word.head for word in words if word.deprel == "case"}
    barred |= {word.id for word in children if parse_features(word.feats) >= parse_features("Case=Ins")}
    possible = [word for word in children if word.deprel in frames.object and word.id not in barred]
    holding = [word for word in possible if changed in tree.below(word)]
    objects = holding or [word for word in possible if word.deprel == frames.object[0]]
    roles: dict[int, Role] = {word.id: "rest" for word in words}
    roles[root.id] = "V"
    heads: dict[Role, list[Word]] = {"S": [word for word in children if word.deprel in frames.subject], "O": objects}
    for role, several in heads.items():
        if len(several) > 1:
            raise UnusableTreeError(f"the verb has {len(several)} words of the relation {several[0].deprel}")
        roles |= dict.fromkeys((number for head in several for number in tree.below(head)), role)
        ids = [word.id for word in words if roles[word.id] == role]
        if ids and ids[-1] - ids[0] + 1 != len(ids):
            raise UnusableTreeError("the subject or the object is not in one piece")
    for word in words:
        if word.head != root.id or word.deprel not in frames.leading:
            break
        roles[word.id] = "leading"
    return roles


def _parsed(
    block: Block,
    words: Sequence[Word],
    roles: Mapping[int, Role],
    pair: Candidate,
    changed: int,
    frames: Frames,
    names: frozenset[str],
) -> Iterator[ParsedWord]:
    """The words as they are written, each with its role; the words of one multiword token are one."""
    end: int | None = None
    for start, group in groupby(words, key=lambda word: word.start):
        first, *others = token = list(group)
        role = roles[first.id]
        if any(roles[word.id] != role for word in others):
            raise UnusableTreeError(f"'{first.form}' belongs to two constituents")
        good = block.text[start : first.end]
        bad = pair.changes[0].bad if any(word.id == changed for word in token) and pair.changes else good
        # A first word may have its capital only because it is first.
        of_place = first.upos != "PROPN" and not (len(good) > 1 and good.isupper()) and not first.lemma[:1].isupper()
        if end is None and of_place and first.lemma not in names:
            good, bad = uncapitalised(good, frames.letters), uncapitalised(bad, frames.letters)
        glued, end = end == start, first.end
        if glued and first.upos not in _SIGNS:
            raise UnusableTreeError(f"'{first.form}' is written together with the word before it")
        features = parse_features(first.feats)
        reading = None if others else Analysis(first.lemma, first.upos, features, "treebank", first.feats)
        inflected = role in ("S", "V") and _is_inflected(first, words, roles, frames)
        yield ParsedWord(role, good, bad, reading, inflected, glued)


def _is_inflected(word: Word, words: Sequence[Word], roles: Mapping[int, Role], frames: Frames) -> bool:
    """Whether a word is the head of its constituent, or stands in the head's case by a chain of agreeing words."""
    by_id, case = {each.id: each for each in words}, dict(parse_features(word.feats)).get("Case")
    while (head := by_id.get(word.head)) and roles[head.id] == roles[word.id]:
        if word.deprel not in frames.agreeing or case != dict(parse_features(head.feats)).get("Case"):
            return False
        word = head
    return True


class NoVariantError(Exception):
    """Why a seed has no variant in a condition."""


def variants(seed: ParsedSeed, conditions: tuple[str, ...], inflector: Inflector) -> Iterator[Candidate | Rejection]:
    """The pairs of a seed's paradigm, and for each condition that it can't have a rejection with the reason.

    The words that differ are the same in all conditions. A marked-up seed is a pair of the paradigm itself; one of a
    treebank is among the treebank's pairs already.
    """
    clauses = {clause.condition: clause for clause in seed.frames.clauses}
    made: dict[str, Sides | NoVariantError] = {}
    for condition in (*seed.frames.orders, *conditions):
        clause = clauses.get(condition)
        try:
            made[condition] = _Subordinate(seed, clause, inflector).sides() if clause else ordered(seed, condition)
        except NoVariantError as fault:
            made[condition] = fault
    baseline = (seed.pair.good, seed.pair.bad)
    own = next((order for order in seed.frames.orders if made[order] == baseline), BASELINE)
    if seed.pair.method == "manual":
        yield _variant(seed, baseline, own, own)
    for condition in conditions:
        sides = made[condition]
        if isinstance(sides, NoVariantError):
            yield seed.pair.rejection(PARADIGMS.name, f"{condition}: {sides}", seed.pair.good)
        elif condition != own:
            yield _variant(seed, sides, condition, own)


def ordered(seed: ParsedSeed, order: str) -> Sides:
    """The seed with its constituents in an order, such as `OVS`. All other words go with the verb.

    A dropped subject becomes the pronoun of the frames file. Raises NoVariantError where the file has none.
    """
    if seed.immovable:
        raise NoVariantError(seed.immovable)
    if not seed.of("O"):
        raise NoVariantError("it has no object")
    words = {"S": _explicit_subject(seed), "O": seed.of("O"), "V": seed.of("V", "rest")}
    moved = (word for role in order for word in words[role])
    return sentences((*seed.of("leading"), *moved), seed.mark, seed.frames)


def _explicit_subject(seed: ParsedSeed) -> tuple[ParsedWord, ...]:
    """The words of the subject, or its pronoun where it is dropped."""
    if seed.dropped is None:
        return seed.of("S")
    pronoun = seed.frames.pronoun(seed.dropped)
    if pronoun is None:
        raise NoVariantError("the subject is dropped, and the frames file has no pronoun for the verb's features")
    return (ParsedWord("S", pronoun, pronoun),)


class _Subordinate(NamedTuple):
    """A seed as a subordinate clause. Raises NoVariantError where a form is lacking or the contrast would be lost."""

    seed: ParsedSeed
    clause: Clause
    inflector: Inflector

    def sides(self) -> Sides:
        seed, clause = self.seed, self.clause
        self._require_fitting()
        agreement = frozenset((name, value) for name, value in self._head("S") if name in clause.agrees)
        hidden = sorted(set(clause.agrees) - {name for name, _ in agreement})
        if hidden and clause.condition not in seed.forms.get("V", {}):
            raise NoVariantError(f"the subject shows no {' and no '.join(hidden)}")
        self._head("V")
        verb = parse_features(clause.verb) | agreement if clause.verb else NO_FEATURES
        inflected = {"S": self._inflected("S", parse_features(clause.subject)), "V": self._inflected("V", verb)}
        names = "{S}" in clause.template
        if names and seed.dropped is not None:
            inflected["S"] = _explicit_subject(seed)
        runs = ((role, tuple(run)) for role, run in groupby(seed.words, key=lambda word: word.role))
        inside = written(word for role, run in runs if not (names and role == "S") for word in inflected.get(role, run))
        before = clause.template.partition("{clause}")[0].split()
        if before and inside[0].split()[:1] == before[-1:]:
            raise NoVariantError(f"it begins with '{before[-1]}' itself")
        filled = (clause.template.format(clause=a, S=b) for a, b in zip(inside, written(inflected["S"]), strict=True))
        good, bad = (capitalised(text, seed.frames.letters) for text in filled)
        if good == bad:
            raise NoVariantError("the contrast is lost: it is in a word that the clause inflects")
        return good, bad

    def _require_fitting(self) -> None:
        """Raises NoVariantError where the words of the seed can't stand in the clause, whatever their forms."""
        seed, clause = self.seed, self.clause
        if leading := seed.of("leading"):
            raise NoVariantError(f"it begins with '{leading[0].good}', which goes with main clauses")
        if seed.immovable and (clause.verb or "{S}" in clause.template):
            raise NoVariantError(seed.immovable)
        for word in seed.of("V", "rest"):
            for bundle in clause.without:
                if word.reading and parse_features(bundle) <= word.reading.features:
                    raise NoVariantError(f"'{word.good}' is {bundle}")
        own = [word for word in TOKEN.findall(clause.template.format(clause="", S="").casefold()) if len(word) > 3]
        own += dict.fromkeys(reading.lemma for word in own for reading in self.inflector.analyses(word))
        for word in seed.words:
            forms = {word.good.casefold(), word.reading.lemma.casefold() if word.reading else ""}
            alike = (one for one in own for form in forms if one == form or is_prefixed(one, form))
            if again := next(alike, None):
                raise NoVariantError(f"'{word.good}' repeats or contradicts '{again}' of the matrix clause")
            if not forms.isdisjoint(clause.clashes):
                raise NoVariantError(f"'{word.good}' contradicts the matrix clause")
        if clause.agrees and seed.coordinated:
            raise NoVariantError("the subject is coordinated, so its words don't show what the verb agrees with")

    def _demanded(self, role: Role) -> str:
        return self.clause.verb_is if role == "V" else self.clause.subject_is

    def _head(self, role: Literal["S", "V"]) -> Features:
        """The features of the head of a constituent, which is not known to lack those demanded."""
        dropped, demanded = self.seed.dropped if role == "S" else None, self._demanded(role)
        features = dropped
        if features is None:
            reading = next((self._reading(word) for word in self.seed.of(role) if word.inflected), None)
            if not isinstance(reading, Analysis):
                return NO_FEATURES
            features = reading.features
        wanted, shown = parse_features(demanded), {name for name, _ in features}
        if not wanted <= features and (dropped is None or any(name in shown for name, _ in wanted)):
            raise NoVariantError(f"its {'verb' if role == 'V' else 'subject'} is not {demanded}")
        return features

    def _reading(self, word: ParsedWord) -> Analysis | str:
        """What a word is a form of, or why that is not known: by its tree, else by the one reading that fits."""
        if word.reading:
            return word.reading
        wanted = parse_features(self._demanded(word.role))
        readings = [one for one in self.inflector.analyses(word.good) if one.upos and wanted <= one.features]
        lexemes = {(reading.lemma, reading.upos) for reading in readings}
        if len(lexemes) == 1:
            return readings[0]
        known = f"has {len(lexemes)} readings" if lexemes else "is in no lexicon"
        return f"'{word.good}' {known}; write its form in the mark-up"

    def _inflected(self, role: Literal["S", "V"], wanted: Features) -> tuple[ParsedWord, ...]:
        """A constituent with other features."""
        words, condition = self.seed.of(role), self.clause.condition
        text = written(words)[0]
        if form := self.seed.forms.get(role, {}).get(condition):
            if any(word.good != word.bad for word in words):
                raise NoVariantError(f"the contrast is in '{text}', for which a form is given")
            return (ParsedWord(role, form, form),)
        if not wanted or (role == "S" and self.seed.dropped is not None):
            return words
        if not any(word.inflected for word in words):
            raise NoVariantError(f"nothing says which word of '{text}' to inflect; write its form: ; {condition}=FORM")
        return tuple(self._changed(word, wanted) if word.inflected else word for word in words)

    def _changed(self, word: ParsedWord, wanted: Features) -> ParsedWord:
        if word.good != word.bad:
            raise NoVariantError(f"the contrast is in '{word.good}', which the clause inflects")
        reading = self._reading(word)
        if isinstance(reading, str):
            raise NoVariantError(reading)
        made = self.inflector.change(word.good, reading.lemma, reading.upos or "", reading.features, wanted)
        if isinstance(made, NotInflected):
            raise NoVariantError(made.reason)
        return ParsedWord(word.role, made.form, made.form)


def _variant(seed: ParsedSeed, sides: Sides, condition: str, own: str) -> Candidate:
    """A pair of the paradigm; the seed itself where `condition` is its own."""
    pair, identity = seed.pair, pair_id(seed.pair.rule_id, *sides)
    derivation = ParadigmVariant(seed_id=pair.id, paradigm_id=pair.id, condition=condition, seed_condition=own)
    made = {"id": identity, "good": sides[0], "bad": sides[1], "changes": changes(*sides), "derivation": derivation}
    parent = {"method": "paradigm", "parent_id": None if identity == pair.id else pair.id}
    return pair.model_copy(update={**made, **parent, "alternatives": (), "translation": None})
