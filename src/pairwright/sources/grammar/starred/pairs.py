"""From the starred examples of a grammar to minimal pairs and to the rules that they illustrate, without a model.

Linguists put `*` before an ungrammatical sentence (Leipzig Glossing Rules; Householder 1973, "On arguments from
asterisks"). Its partner is the unstarred sentence most like it: in the same example, as a sub-example or a line beside
the starred one, else in an example with which the prose compares it, else in the example before or after, else one of
the chapter with the same translation, else near it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.ids import content_id
from pairwright.core.records import Block, Contrast, Evidence, Example, Rejection, Rule, Source
from pairwright.core.text import comparison_key, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.conventions import Conventions, usual_conventions
from pairwright.languages.features import NO_FEATURES, Demand, Features, Tagset, override, show_demand
from pairwright.languages.linguistics.glosses import boundary_pattern, labels_of
from pairwright.languages.linguistics.likeness import sentence_similarity
from pairwright.languages.linguistics.sentences import (
    DISPUTED,
    END_MARKS,
    changes,
    ends_sentence,
    is_sentence,
    plain_mark,
)
from pairwright.sources import AS_A_PAIR, PROPOSED, rejection
from pairwright.sources.grammar.starred.forms import (
    LONGEST,
    WORD_FORM,
    Form,
    NoPairError,
    Variant,
    as_sentence,
    find_forms,
    has_variants,
    starred_variants,
)
from pairwright.sources.grammar.starred.prose import Passage, Prose

# Where a partner may be: the further, the less likely it is.
_FURTHER, _NEXT_OF_OTHER_MEANING, _SAME_TRANSLATION, _NEXT, _NAMED, _SAME_EXAMPLE = range(6)
# The least similarity (0-1) of a partner in the same example, and elsewhere; how much less is enough for one with the
# same translation.
_LEAST_SAME_EXAMPLE, _LEAST_ELSEWHERE, _SAME_MEANING = 0.5, 0.7, 0.05
# The least likeness (0-100) of two translations that may say the same but for a word.
_LEAST_MEANING = 60
# How many blocks away the examples before or after may be, and how many of them there may be to either side.
_REACH, _EXAMPLES = 12, 3

EXTRACTED_BY = "examples"
SAME_WORDS = "the same words as the unstarred form: the star is about sound, punctuation or reference"
_HEADING_NUMBER = re.compile(r"^(?P<code>[A-Z]?\d+(?:\.\d+)*)[.)]?\s+(?P<title>\S.*)$")


class _Option(NamedTuple):
    """A possible partner and what ranks it: the largest is the best."""

    enough: bool
    place: int
    same_meaning: bool
    similarity: float
    form: Form


class PartnerFinder:
    """Finds partners among the forms of a book, given in their order."""

    def __init__(self, forms: Sequence[Form], prose: Prose) -> None:
        self._forms, self._prose = forms, prose
        self._by_number: dict[str, list[Form]] = defaultdict(list)
        self._by_example: dict[str, list[Form]] = defaultdict(list)
        self._by_translation: dict[tuple[str, ...], list[Form]] = defaultdict(list)
        for form in forms:
            self._by_example[form.example].append(form)
            if form.place:
                self._by_number[form.place[0]].append(form)
            if form.says_sentence:
                self._by_translation[_said(form)].append(form)

    def partner(self, index: int) -> Form:
        """The partner of the starred form at an index. Raises NoPairError for none."""
        form = self._forms[index]
        options = [_option(form, other, place) for other, place in self._candidates(index) if _fits(form, other)]
        if not options:
            raise NoPairError("there is no unstarred form next to it")
        if all(len({*_sides(form, option.form)}) == 1 for option in options):
            raise NoPairError(SAME_WORDS)
        best = max(options, key=lambda option: option[:-1])
        if not best.enough:
            nearest = f"the nearest ({best.similarity:.2f}): {best.form.sentence}"
            raise NoPairError(f"no unstarred neighbour is like it; {nearest}")
        return best.form

    def _candidates(self, index: int) -> Iterator[tuple[Form, int]]:
        """The forms that may be the partner, each with where it is."""
        form = self._forms[index]
        yield from ((other, _SAME_EXAMPLE) for other in self._by_example[form.example])
        yield from ((other, _NAMED) for other in self._named(form))
        for places in (range(index - 1, -1, -1), range(index + 1, len(self._forms))):
            yield from self._beside(form, places)
        if form.says_sentence:
            yield from ((other, _SAME_TRANSLATION) for other in self._by_translation[_said(form)])

    def _named(self, form: Form) -> Iterator[Form]:
        """The forms of the examples with which the prose compares a form. A chapter may count its own from 1."""
        for number, part in self._prose.compared(form.order, form.place):
            numbered = [it for it in self._by_number[number] if it.block.section[:1] == form.block.section[:1]]
            nearest = min(numbered, key=lambda it: abs(it.order - form.order), default=form).example
            for other in (it for it in numbered if it.example == nearest != form.example):
                if part in ("", *other.place[1:2], "".join(other.place[1:])):
                    yield other

    def _beside(self, form: Form, places: Iterable[int]) -> Iterator[tuple[Form, int]]:
        """The forms of the next examples of the section that have usable ones, in the order of the places."""
        nearest: list[str] = []
        for other in (self._forms[place] for place in places):
            if abs(other.order - form.order) > _REACH or other.block.section != form.block.section:
                return
            if other.example != form.example and _fits(form, other):
                if other.example not in nearest:
                    nearest.append(other.example)
                if len(nearest) <= _EXAMPLES:
                    yield other, _NEXT if len(nearest) == 1 else _FURTHER


def _said(form: Form) -> tuple[str, ...]:
    """What a form says, within its chapter."""
    return comparison_key(form.translation or ""), *form.block.section[:1]


def _fits(form: Form, other: Form) -> bool:
    """Whether a form may be the good side: unmarked, usable, and in the same language where both name theirs."""
    one_language = not (form.language and other.language) or form.language == other.language
    usable = not other.mark and other.flaw is None and len(other.written) <= LONGEST
    return usable and one_language and not has_variants(other.written)


def _sides(form: Form, other: Form) -> tuple[str, str]:
    """The good and the bad sentence: of one that has no line in normal writing, and the other's morphemes, both joined.

    Where morphemes meet, their letters may change in writing, which is no part of what a star says.
    """
    sides = [other.sentence, form.sentence]
    for place, (side, beside) in enumerate(((other, form), (form, other))):
        if side.morphemes and beside.boundaries:
            joined = as_sentence(side.morphemes, beside.boundaries)
            is_open = side.sentence.endswith(tuple(END_MARKS)) and not joined.endswith(tuple(END_MARKS))
            joined += side.sentence[-1] * is_open
            sides[place] = joined[:1].upper() + joined[1:] if side.sentence[:1].isupper() else joined
    return sides[0], sides[1]


def _option(form: Form, other: Form, place: int) -> _Option:
    good, bad = _sides(form, other)
    meanings = [comparison_key(item.translation or "") for item in (form, other)]
    same = meanings[0] == meanings[1] != ""
    if place == _NEXT and all(meanings) and not same:
        place = _NEXT_OF_OTHER_MEANING
    # Two words may differ in their morphemes, or in the letters of one.
    similarity = max(sentence_similarity(*sides) for sides in ((bad, good), *_morphemes(form, other)))
    comparable = not all(meanings) or fuzz.ratio(*meanings) >= _LEAST_MEANING
    least = _LEAST_SAME_EXAMPLE if place == _SAME_EXAMPLE and comparable else _LEAST_ELSEWHERE
    single = place != _FURTHER or len(changes(good, bad)) == 1
    enough = similarity >= least - _SAME_MEANING * same and good != bad and single
    return _Option(enough, place, same, similarity, other)


def _morphemes(form: Form, other: Form) -> Iterator[tuple[str, str]]:
    """Two sentences of one word with spaces between their morphemes; none where one has several words or is not cut."""
    lines = [side.morphemes or (side.boundaries and side.written) for side in (form, other)]
    if all(len(line.split()) == 1 for line in lines):
        pattern = boundary_pattern(form.boundaries or other.boundaries or BOUNDARIES)
        one, two = (pattern.sub(" ", line) for line in lines)
        yield one, two


@dataclass(frozen=True)
class StarredPair:
    """A starred sentence of the source with its unstarred partner.

    block_ids     the blocks of the starred and of the unstarred form; one where they share a block
    introduction  the sentence of the prose that introduces it
    features      what their glosses demand of the differing words, as in `Candidate.features`
    """

    example: Example
    section: tuple[str, ...]
    block_ids: tuple[str, ...]
    number: str
    introduction: Passage | None
    features: tuple[str, ...] = ()


def starred_pairs(
    blocks: Sequence[Block],
    tagset: Tagset | None = None,
    conventions: Conventions | None = None,
    left_out: Mapping[tuple[str, ...], str] | None = None,
) -> tuple[list[StarredPair], list[Rejection]]:
    """The pairs in the starred examples of a book, in order, and a Rejection for every other star.

    tagset    gives features to the labels of the glosses, such as `leipzig`; without one, pairs have no features
    left_out  the sections whose stars make no pair, by the headings over them, each with the reason

    A form whose mark leaves it in doubt makes no pair; its Rejection names the pair that it would make. Where the book
    prints only a segmented line, the morphemes are joined and `Example.note` says so.
    """
    book = conventions or usual_conventions()
    prose = Prose(blocks, book)
    forms = find_forms(blocks, book, prose)
    finder = PartnerFinder(forms, prose)
    pairs: list[StarredPair] = []
    rejected: list[Rejection] = []
    for index, form in enumerate(forms):
        if not form.is_starred:
            continue
        try:
            if reason := (left_out or {}).get(form.block.section):
                raise NoPairError(f"its section is not read: {reason}")
            if flaw := _flaw(form, book):
                raise NoPairError(flaw)
            partner = form
            if not (variants := list(_variants(form))):
                partner = finder.partner(index)
                variants = [Variant(*_sides(form, partner), form.mark)]
            for variant in variants:
                _check_sides(variant, form, partner)
        except NoPairError as fault:
            is_doubtful = form.mark not in ("", DISPUTED) and book.meaning(form.mark) == "doubtful"
            reason = f"{book.why_no_pair(form.mark)}; {fault}" if is_doubtful else str(fault)
            rejected.append(rejection(form.block, f"starred: {reason}", form.quote))
            continue
        for variant in variants:
            if book.meaning(variant.mark) == "bad":
                pairs.append(_pair(variant, form, partner, tagset, prose))
            else:
                doubtful = book.meaning(variant.mark) == "doubtful"
                guess = f"{AS_A_PAIR}{variant.good} | {variant.bad}" if doubtful else ""
                rejected.append(rejection(form.block, f"starred: {book.why_no_pair(variant.mark)}{guess}", form.quote))
    return pairs, rejected


def _flaw(form: Form, book: Conventions) -> str | None:
    """Why a starred form is none that the source calls ungrammatical for all speakers, nor one in doubt."""
    if form.flaw or len(form.written) > LONGEST:
        return form.flaw or "longer than a sentence"
    if has_variants(form.written):
        return None
    if form.mark == DISPUTED:
        return "the source's speakers differ about it"
    return book.why_no_pair(form.mark) if book.meaning(form.mark) == "other" else None


def _variants(form: Form) -> Iterator[Variant]:
    """The pairs inside one example. A mark at its head belongs to the bracket or slash after it: `*(X) …`."""
    text = form.written
    if not has_variants(text):
        if form.mark[:1] in ("", "(") or not form.quote.startswith(form.mark) or not has_variants(form.mark + text):
            return
        text = form.mark + text
    for variant in starred_variants(text):
        sides = [as_sentence(side, form.boundaries) for side in (variant.good, variant.bad, *variant.others)]
        # In some, the first word stood in brackets: its capital is that of all.
        if any(side[:1].isupper() for side in sides):
            sides = [side[:1].upper() + side[1:] for side in sides]
        yield Variant(sides[0], sides[1], variant.mark, tuple(sides[2:]))


def _check_sides(variant: Variant, form: Form, partner: Form) -> None:
    """Raises NoPairError where a side has no words of its own, or both are single words that are no sentences."""
    good, bad = variant.good, variant.bad
    if not words(good) or not words(bad):
        raise NoPairError("nothing is left of one side")
    if comparison_key(good) == comparison_key(bad):
        raise NoPairError(SAME_WORDS)
    said = form.translation or partner.translation or ""
    if len(words(good)) == len(words(bad)) == 1 and not (is_sentence(said) or ends_sentence(good)):
        raise NoPairError(WORD_FORM)


def _pair(found: Variant, form: Form, other: Form, tagset: Tagset | None, prose: Prose) -> StarredPair:
    good, bad, others, stop = found.good, found.bad, found.others, None
    if good.endswith(tuple(END_MARKS)) != bad.endswith(tuple(END_MARKS)):
        # A full stop that only one of the sentences has would be scored with the grammar.
        good, bad, *rest = (re.sub(r"(?<=[^.])\.$", "", side) for side in (good, bad, *others))
        if (good, bad) != found[:2]:
            others, stop = tuple(rest), "the source prints a full stop after one sentence only; it is left out here"
    differing = changes(good, bad)
    demand = gloss_demand(other.gloss, form.gloss, tagset) if tagset and other.gloss and form.gloss else None
    is_prose = form.block.gloss is None and form.block.kind != "table"
    passage = prose.surrounding(form.block, form.quote) if is_prose else None
    spans = [span for change in differing for span in (change.good, change.bad)]
    passage = passage or prose.introduction(form.order, form.place, spans)
    joined = any(side.sentence != as_sentence(side.written, "") for side in (form, other))
    notes = (
        "the source gives the sentence cut into morphemes; they are joined here" if joined else None,
        form.language,
        f"after the starred form: {form.tags}" if re.search(r"[*?]", form.tags or "") else None,
        stop,
    )
    cut = other.written if other.boundaries and other.sentence == good else other.morphemes
    example = Example(
        good=good,
        bad=bad,
        evidence=Evidence.at(form.block, form.quote),
        changes=differing,
        alternatives=others,
        note="; ".join(filter(None, notes)) or None,
        segmentation=cut if cut not in ("", good) else None,
        gloss=other.gloss,
        translation=other.translation or form.translation,
        mark=plain_mark(found.mark),
    )
    block_ids = tuple(dict.fromkeys([form.block.id, other.block.id]))
    features = show_demand(demand) if demand else ()
    return StarredPair(example, form.block.section, block_ids, "".join(form.place), passage, features)


def gloss_demand(good: str, bad: str, tagset: Tagset) -> Demand:
    """The features that the differing words of two glossed sentences must have, by their gloss lines.

    Only features with another value on the other side count, and only where all differing words agree on them: `dog.NOM
    see.PST bird-GEN` against `dog.NOM see.PST bird-ACC` demands Case=Gen of the good word and Case=Acc of the bad.
    """
    nothing = Demand(NO_FEATURES, NO_FEATURES)

    def features(gloss: str) -> Features:
        return reduce(override, (tagset.meaning(label)[1] for label in sorted(labels_of(gloss))), NO_FEATURES)

    rows = [list(map(features, line.split())) for line in (good, bad)]
    if len(rows[0]) != len(rows[1]):
        return nothing
    contrasts = set()
    for one, other in zip(*rows, strict=True):
        differing = {name for name, _ in one - other} & {name for name, _ in other - one}
        contrasts.add(Demand(*(frozenset(it for it in side if it[0] in differing) for side in (one, other))))
    contrasts.discard(nothing)
    return contrasts.pop() if len(contrasts) == 1 else nothing


def left_to_examples(
    pairs: Iterable[StarredPair], stated: Sequence[Rule], blocks: Iterable[Block]
) -> tuple[list[StarredPair], list[Rejection]]:
    """The pairs that are in no rule that the book states, and a Rejection for those of rules that license none.

    stated  the rules that a model found: a licensed one has its pairs itself; one without a licence knows why, such as
            that speakers differ. Where a program refused the licence that the model proposed, the star decides.
    """
    place, kept, rejected = {block.id: block for block in blocks}, list[StarredPair](), list[Rejection]()
    for pair in pairs:
        resting = [
            rule.contrast
            for rule in stated
            if rule.contrast and any(pair.example.bad == example.bad for example in rule.examples)
            if rule.contrast.licensed or rule.contrast.against or not any(it.startswith(PROPOSED) for it in rule.notes)
        ]
        if not resting:
            kept.append(pair)
        elif not any(contrast.licensed for contrast in resting):
            reason = f"starred: the rule that rests on it licenses no pair: {resting[0].what}"
            rejected.append(rejection(place[pair.block_ids[0]], reason, pair.example.evidence.quote))
    return kept, rejected


def example_rules(pairs: Iterable[StarredPair], source: Source) -> Iterator[Rule]:
    """One rule for the pairs of a section that the same sentence introduces, in the order of the pairs.

    The sentence is the rule's description and quotation; where no prose introduces a pair, the starred form is. The
    rule's contrast names the words in which the pairs differ.
    """
    groups: dict[tuple[tuple[str, ...], str, str], list[StarredPair]] = defaultdict(list)
    for pair in pairs:
        introduced = pair.introduction
        evidence = introduced.evidence()[0] if introduced else pair.example.evidence
        groups[pair.section, evidence.block_id, introduced.text if introduced else ""].append(pair)
    yield from (_rule(members, source) for members in groups.values())


def _rule(members: list[StarredPair], source: Source) -> Rule:
    first, section = members[0], members[0].section
    starred = tuple(dict.fromkeys(pair.example.evidence for pair in members))
    evidence = first.introduction.evidence() if first.introduction else starred
    heading = section[-1] if section else source.title
    numbered = _HEADING_NUMBER.match(heading)
    description = first.introduction.text if first.introduction else evidence[0].quote
    demands = {pair.features for pair in members}
    difference = "; ".join(dict.fromkeys(_difference(pair.example) for pair in members))
    features = demands.pop() if len(demands) == 1 else ()
    return Rule(
        id=content_id("rule", source.id, EXTRACTED_BY, section, evidence[0].quote),
        source_id=source.id,
        code=numbered["code"] if numbered else "",
        title=numbered["title"] if numbered else heading,
        description=description,
        category=section[0] if section else source.title,
        phenomenon=heading,
        section=section,
        block_ids=tuple(dict.fromkeys(item.block_id for item in evidence)),
        quote=evidence[0].quote,
        page=evidence[0].page,
        line=evidence[0].line,
        examples=tuple(pair.example for pair in members),
        extracted_by=EXTRACTED_BY,
        evidence=evidence,
        example_ids=tuple(dict.fromkeys(block_id for pair in members for block_id in pair.block_ids)),
        contrast=Contrast(licence="banned", what=difference, features=features, evidence=starred[0]),
    )


def _difference(example: Example) -> str:
    """The words in which a pair differs, or both sentences where only the order of their words does."""
    good, bad = example.good, example.bad or ""
    sides = [(change.good, change.bad) for change in example.changes]
    differing = [side for side in sides if words(" ".join(side))] or sides
    if sorted(words(good.casefold())) == sorted(words(bad.casefold())):
        differing = [(good, bad)]
    shown = [[f"‘{text}’" if text else "nothing" for text in side] for side in differing]
    return ", ".join(f"{first}, not {second}" for first, second in shown)
