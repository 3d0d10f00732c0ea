"""A seed: a pair whose sentences are cut into subject, object, verb and the words that go with the verb."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.core.errors import SourceError, at
from pairwright.core.files import read_lines
from pairwright.core.ids import content_id, pair_id
from pairwright.core.records import Block, Candidate, Evidence, Rule, Tree, TreebankChange, Word
from pairwright.core.text import nfc
from pairwright.growth.paradigm.frames import Frames
from pairwright.languages.features import NO_FEATURES, Features, parse_features
from pairwright.languages.letters import capitalised, uncapitalised
from pairwright.languages.linguistics.edits import changes

Role = Literal["S", "O", "V", "rest", "leading"]


class Lexeme(NamedTuple):
    """What a word is a form of: its lemma, part of speech and features in its sentence."""

    lemma: str
    upos: str
    features: Features


class SeedWord(NamedTuple):
    """A word as the good and the bad sentence have it, written as inside of a sentence; empty where one lacks it.

    lexeme     None where nothing is known of it
    inflected  whether it changes where its constituent is inflected: the head, and the words that agree with it
    glued      whether no space comes before it, as before a comma
    """

    good: str
    bad: str
    lexeme: Lexeme | None = None
    inflected: bool = False
    glued: bool = False


class Constituent(NamedTuple):
    """Neighbouring words with one role.

    forms     what a person wrote for the whole constituent, by condition
    features  of a dropped subject: those of its pronoun
    coordinated  whether it has several heads, whose features are not its own
    """

    role: Role
    words: tuple[SeedWord, ...]
    forms: Mapping[str, str] = {}
    features: Features | None = None
    coordinated: bool = False


@dataclass(frozen=True)
class Seed:
    """A pair with its constituents in order, and the mark at its end.

    marked_up  a person wrote it, no treebank
    immovable  why its constituents can't change their places; empty where they can
    """

    pair: Candidate
    constituents: tuple[Constituent, ...]
    mark: str
    marked_up: bool = False
    immovable: str = ""
    frames: Frames = field(repr=False, default_factory=Frames)

    def of_role(self, *roles: Role) -> tuple[Constituent, ...]:
        """The constituents with these roles, in order."""
        return tuple(constituent for constituent in self.constituents if constituent.role in roles)

    @property
    def subject(self) -> Constituent:
        return self.of_role("S")[0]

    @property
    def verb(self) -> Constituent:
        return self.of_role("V")[0]


class Sentences(NamedTuple):
    """The good and the bad sentence."""

    good: str
    bad: str


def written(words: Iterable[SeedWord]) -> Sentences:
    """Words as they follow each other inside of a sentence."""
    listed = list(words)
    good, bad = (
        "".join(("" if word.glued else " ") + form for word, form in zip(listed, forms, strict=True) if form).strip()
        for forms in ([word.good for word in listed], [word.bad for word in listed])
    )
    return Sentences(good, bad)


def sentences(words: Iterable[SeedWord], mark: str, frames: Frames) -> Sentences:
    """Words as sentences, with a capital at the beginning and a mark at the end."""
    good, bad = (capitalised(text, frames.letters) + mark for text in written(words))
    return Sentences(good, bad)


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


_MARKS = (".", "!")
_SIGNS = ("PUNCT", "SYM")


class UnusableTreeError(Exception):
    """Why no seed can be made of a sentence."""


def names_in(trees: Iterable[Tree]) -> frozenset[str]:
    """The lemmas that more often than not have a capital inside of sentences, such as those of institutions."""
    capitals: Counter[str] = Counter()
    for word in (word for tree in trees for word in tree.words[1:]):
        capitals[word.lemma] += 1 if word.form[:1].isupper() else -1
    return frozenset(lemma for lemma, count in capitals.items() if count > 0)


def tree_seed(pair: Candidate, block: Block, frames: Frames, names: frozenset[str] = frozenset()) -> Seed:
    """The seed of a treebank's pair. Raises UnusableTreeError, with the reason, where the tree allows none.

    It takes main clauses with one subject and one object at most, no other punctuation than commas and the final mark,
    and a verb as root. Its words, put together again, must give the pair. A first word loses its capital, unless it is
    a proper name or its lemma is among `names`.
    """
    tree, change = block.tree, pair.derivation
    if tree is None or not isinstance(change, TreebankChange):
        raise UnusableTreeError("no tree")
    words, mark = _without_mark(tree)
    root = next((word for word in words if word.head == 0), None)
    if root is None or root.upos != "VERB":
        raise UnusableTreeError("the root is no verb")
    roles = _roles(words, root, change.word, frames)
    for role in ("S", "O"):
        ids = [word.id for word in words if roles[word.id] == role]
        if ids and ids[-1] - ids[0] + 1 != len(ids):
            raise UnusableTreeError("the subject or the object is not in one piece")
    constituents: list[Constituent] = []
    coordinated = any(roles[word.id] == "S" and word.deprel == "conj" for word in words)
    for role, seed_words in _runs(_seed_words(block, words, roles, pair, change.word, frames, names)):
        constituents.append(Constituent(role, tuple(seed_words), coordinated=role == "S" and coordinated))
    if not any(constituent.role == "S" for constituent in constituents):
        shown, impersonal = parse_features(root.feats), parse_features(frames.impersonal)
        # Perhaps there is no subject: no pronoun stands for it.
        features = NO_FEATURES if impersonal and impersonal <= shown else shown
        constituents.append(Constituent("S", (), features=features))
    seed = Seed(pair, tuple(constituents), mark, immovable=_immovable(words, roles), frames=frames)
    if sentences((word for part in constituents for word in part.words), mark, frames) != (pair.good, pair.bad):
        raise UnusableTreeError("its words, put together again, do not give the pair")
    return seed


def _without_mark(tree: Tree) -> tuple[list[Word], str]:
    words = list(tree.words)
    if not words or words[-1].form not in _MARKS:
        raise UnusableTreeError("it does not end with a full stop or an exclamation mark")
    mark = words.pop().form
    if (words and words[0].upos in _SIGNS) or any(word.upos in _SIGNS and word.form != "," for word in words):
        raise UnusableTreeError("it has other signs inside than commas")
    return words, mark


def _immovable(words: Sequence[Word], roles: Mapping[int, Role]) -> str:
    """Why no constituent may be moved: a comma that does not part the conjuncts of one. Empty where all may."""
    deprels = {word.id: word.deprel for word in words}
    commas = (word for word in words if word.upos in _SIGNS)
    inside = all(roles[comma.id] in ("S", "O") and deprels.get(comma.head) == "conj" for comma in commas)
    return "" if inside else "it has a comma that parts no conjuncts, and its place would change"


def _roles(words: Sequence[Word], root: Word, changed: int, frames: Frames) -> dict[int, Role]:
    """The role of each word by its number."""
    by_head: dict[int, list[Word]] = {}
    for word in words:
        by_head.setdefault(word.head, []).append(word)
    roles: dict[int, Role] = {word.id: "rest" for word in words}
    roles[root.id] = "V"
    children = by_head.get(root.id, [])
    for child in children:
        if child.deprel in ("conj", "parataxis") or child.deprel.startswith("csubj"):
            raise UnusableTreeError(f"the verb has a clause beside it ({child.deprel})")
        if child.deprel.startswith("nsubj") and child.deprel not in frames.subject:
            raise UnusableTreeError(f"a subject of another kind ({child.deprel})")
    subject = _only([word for word in children if word.deprel in frames.subject])
    heads: tuple[tuple[Role, Word | None], ...] = (
        ("S", subject),
        ("O", _object(children, by_head, changed, frames)),
    )
    for role, head in heads:
        for number in _subtree(head, by_head):
            roles[number] = role
    for word in words:
        if word.head != root.id or word.deprel not in frames.leading:
            break
        roles[word.id] = "leading"
    return roles


def _object(children: Sequence[Word], by_head: Mapping[int, list[Word]], changed: int, frames: Frames) -> Word | None:
    """The object: the dependent that holds the changed word, else the only one of the first relation."""
    possible = [word for word in children if word.deprel in frames.object]
    holding = [word for word in possible if changed in _subtree(word, by_head)]
    return _only(holding or [word for word in possible if word.deprel == frames.object[0]])


def _only(words: Sequence[Word]) -> Word | None:
    if len(words) > 1:
        raise UnusableTreeError(f"the verb has {len(words)} words of the relation {words[0].deprel}")
    return words[0] if words else None


def _subtree(word: Word | None, by_head: Mapping[int, list[Word]]) -> list[int]:
    """The numbers of a word and of all below it; none without a word."""
    if word is None:
        return []
    return [word.id, *(below for child in by_head.get(word.id, ()) for below in _subtree(child, by_head))]


def _seed_words(
    block: Block,
    words: Sequence[Word],
    roles: dict[int, Role],
    pair: Candidate,
    changed: int,
    frames: Frames,
    names: frozenset[str],
) -> list[tuple[Role, SeedWord]]:
    """The words as they are written, each with its role; the words of one multiword token are one."""
    tokens: list[list[Word]] = []
    for word in words:
        if tokens and tokens[-1][0].start == word.start:
            tokens[-1].append(word)
        else:
            tokens.append([word])
    seed_words: list[tuple[Role, SeedWord]] = []
    for index, token in enumerate(tokens):
        if len({roles[word.id] for word in token}) > 1:
            raise UnusableTreeError(f"'{token[0].form}' belongs to two constituents")
        good = block.text[token[0].start : token[0].end]
        bad = pair.changes[0].bad if any(word.id == changed for word in token) and pair.changes else good
        if index == 0 and token[0].lemma not in names and _is_capital_of_place(token[0], good):
            good, bad = uncapitalised(good, frames.letters), uncapitalised(bad, frames.letters)
        lexeme = Lexeme(token[0].lemma, token[0].upos, parse_features(token[0].feats)) if len(token) == 1 else None
        glued = index > 0 and tokens[index - 1][0].end == token[0].start
        if glued and token[0].upos not in _SIGNS:
            raise UnusableTreeError(f"'{token[0].form}' is written together with the word before it")
        role = roles[token[0].id]
        inflected = role in ("S", "V") and _is_inflected(token[0], words, roles, frames)
        seed_words.append((role, SeedWord(good, bad, lexeme, inflected, glued)))
    return seed_words


def _is_capital_of_place(word: Word, form: str) -> bool:
    """Whether a first word has its capital only because it is first."""
    acronym = len(form) > 1 and form.isupper()
    return word.upos != "PROPN" and not acronym and not word.lemma[:1].isupper()


def _is_inflected(word: Word, words: Sequence[Word], roles: dict[int, Role], frames: Frames) -> bool:
    """Whether a word is the head of its constituent, or stands in the head's case by a chain of agreeing words."""
    by_id = {each.id: each for each in words}
    case = dict(parse_features(word.feats)).get("Case")
    while (head := by_id.get(word.head)) and roles[head.id] == roles[word.id]:
        same_case = case == dict(parse_features(head.feats)).get("Case")
        if word.deprel not in frames.agreeing or not same_case:
            return False
        word = head
    return True


def _runs(words: Sequence[tuple[Role, SeedWord]]) -> list[tuple[Role, list[SeedWord]]]:
    runs: list[tuple[Role, list[SeedWord]]] = []
    for role, word in words:
        if runs and runs[-1][0] == role:
            runs[-1][1].append(word)
        else:
            runs.append((role, [word]))
    return runs
