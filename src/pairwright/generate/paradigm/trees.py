"""Treebank pairs as seeds: subject, object and verb are found in the dependency tree."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pairwright.generate.paradigm.frames import Frames
from pairwright.generate.paradigm.seeds import Constituent, Lexeme, Role, Seed, SeedWord, sentences
from pairwright.languages.features import NO_FEATURES, parse_features
from pairwright.records import Block, Candidate, Tree, TreebankChange, Word

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
            good, bad = frames.uncapitalised(good), frames.uncapitalised(bad)
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
