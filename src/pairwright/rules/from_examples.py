"""Starred examples of a grammar to minimal pairs and to the rules that they illustrate, without a language model.

`*` before a sentence calls it ungrammatical, after the use of linguists (Leipzig Glossing Rules; Householder 1973, "On
arguments from asterisks"). A pair is a starred sentence with the unstarred one that is most like it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pairwright.ids import content_id
from pairwright.records import Block, Change, Contrast, Evidence, Example, Rejection, Rule, Source
from pairwright.rules.example_forms import Form, example_forms, is_candidate, sentence
from pairwright.rules.introductions import Introduction, introduction
from pairwright.rules.judgements import DISPUTED, UNGRAMMATICAL, WEAK
from pairwright.rules.neighbours import SAME_MEANING, likeness, same_meaning, threshold
from pairwright.rules.prose_forms import WORD_FORM, prose_forms
from pairwright.rules.star_variants import UnclearError, has_variants, starred_variants, without_optional
from pairwright.text import changes, comparison_key, words

EXTRACTED_BY = "examples"

_JOINED = "the source gives the sentence cut into morphemes; they are joined here"
_HEADING_NUMBER = re.compile(r"^(?P<code>[A-Z]?\d+(?:\.\d+)*)[.)]?\s+(?P<title>\S.*)$")


@dataclass(frozen=True)
class StarredPair:
    """A starred sentence of the source with its unstarred neighbour.

    example        the pair; its evidence is the starred form as it stands in its block
    section        the headings above the starred form
    block_ids      the blocks of the starred and of the unstarred form; one where they stand in one block
    number         the starred form's number as printed, such as `16b`; "" where it has none
    introduction   the sentence of the prose that introduces it, with its blocks; None where there is none
    likeness       how alike the two sentences are, 0-1
    """

    example: Example
    section: tuple[str, ...]
    block_ids: tuple[str, ...]
    number: str
    introduction: Introduction | None
    likeness: float

    @property
    def introduced_by(self) -> tuple[str, ...]:
        """The prose blocks that the introduction stands in."""
        return tuple(block.id for block, _ in self.introduction.pieces) if self.introduction else ()


@dataclass(frozen=True)
class _Match:
    """The unstarred side of a pair, and the starred one, as sentences."""

    good: str
    bad: str
    form: Form
    likeness: float
    others: tuple[str, ...] = ()


class _Rejected(ValueError):
    """Why a starred form makes no pair."""


def starred_pairs(blocks: Sequence[Block]) -> tuple[list[StarredPair], list[Rejection]]:
    """The pairs that the starred examples of a book stand for, in their order, and every other star with its reason.

    `blocks` are those of one source in reading order. Sentences are the object lines as printed, without marks; where
    only a line cut into morphemes is printed, the morphemes are joined and `Example.note` says so.
    """
    forms = [*example_forms(blocks), *prose_forms(blocks)]
    forms.sort(key=lambda form: form.order)
    pairs: list[StarredPair] = []
    rejected: list[Rejection] = []
    for index, form in enumerate(forms):
        if not form.mark and not has_variants(form.written):
            continue
        try:
            pairs += _pairs(form, forms, index, blocks)
        except _Rejected as fault:
            rejected.append(_rejection(form, str(fault)))
    return pairs, rejected


def _pairs(form: Form, forms: Sequence[Form], index: int, blocks: Sequence[Block]) -> list[StarredPair]:
    if form.flaw:
        raise _Rejected(form.flaw)
    if form.mark == DISPUTED:
        raise _Rejected("the source's speakers differ about it")
    if form.mark in WEAK:
        raise _Rejected(WEAK[form.mark])
    if form.reading:
        raise _Rejected("bad under one reading only")
    variants = _variants(form)
    if variants:
        return [_pair(form, match, mark, blocks) for match, mark in variants]
    if form.mark not in UNGRAMMATICAL:
        raise _Rejected(f"marked {form.mark!r}, which does not say that it is ungrammatical")
    return [_pair(form, _nearest(form, forms, index), form.mark, blocks)]


def _variants(form: Form) -> list[tuple[_Match, str]]:
    """The pairs inside one example. A mark at the head of `*(X) ...` and `*X/Y ...` belongs to the bracket or the
    slash."""
    text = form.written
    own = form.mark and not has_variants(text) and has_variants(form.mark + text) and form.quote.startswith(form.mark)
    if not own and not has_variants(text):
        return []
    try:
        found = starred_variants(form.mark + text if own else text)
    except UnclearError as fault:
        raise _Rejected(str(fault)) from None
    matches = []
    for variant in found:
        texts = [without_optional(text)[0] for text in (variant.good, variant.bad, *variant.others)]
        good, bad, *others = (sentence(text, segmented=form.segmented) for text in texts)
        _check(good, bad, form)
        matches.append((_Match(good, bad, form, likeness(good, bad), tuple(others)), variant.mark))
    return matches


def _nearest(form: Form, forms: Sequence[Form], index: int) -> _Match:
    """The unstarred form that is most like a starred one, of those that may stand against it."""
    candidates = list(_neighbours(form, forms, index))
    if not candidates:
        raise _Rejected("no unstarred form stands beside it")
    found = []
    for other in candidates:
        same_example = other.example == form.example
        meaning = same_meaning(form.translation, other.translation)
        for bad in without_optional(form.written):
            for good in without_optional(other.written):
                one, two = sentence(bad, segmented=form.segmented), sentence(good, segmented=other.segmented)
                alike = likeness(one, two)
                enough = alike >= threshold(same_example=same_example, same_translation=meaning)
                score = alike + SAME_MEANING * meaning
                found.append((enough and one != two, score, -abs(other.order - form.order), two, one, other, alike))
    best = max(found, key=lambda item: item[:3])
    enough, score, _, good, bad, other, alike = best
    if all(item[3] == item[4] for item in found):
        raise _Rejected("the same letters as the unstarred form: the star is about sound, stress or meaning")
    if not enough:
        raise _Rejected(f"no unstarred neighbour is like it (the nearest {alike:.2f}): {good}")
    _check(good, bad, form)
    equal = {item[3] for item in found if item[0] and item[1] == score and item[5].example == other.example}
    others = tuple(sorted(equal - {good}))
    return _Match(good, bad, other, alike, others)


def _neighbours(form: Form, forms: Sequence[Form], index: int) -> Iterator[Form]:
    """The unstarred forms of the same example, and of the examples before and after it in the same section."""
    for other in forms:
        if other.example == form.example and other is not form and _fits(form, other):
            yield other
    for step in (-1, 1):
        beside = None
        place = index + step
        while 0 <= place < len(forms) and abs(forms[place].order - form.order) < 12:
            other = forms[place]
            place += step
            if other.example == form.example:
                continue
            if other.block.section != form.block.section or (beside and other.example != beside):
                break
            if _fits(form, other):
                beside = other.example
                yield other


def _fits(form: Form, other: Form) -> bool:
    one_language = not (form.language and other.language) or form.language == other.language
    return is_candidate(other) and not has_variants(other.written) and one_language


def _check(good: str, bad: str, form: Form) -> None:
    """Raises _Rejected for sides without words or with the same ones, and for single word forms. A single word is a
    sentence where its translation is one."""
    if not words(good) or not words(bad):
        raise _Rejected("nothing is left of one side")
    if comparison_key(good) == comparison_key(bad):
        raise _Rejected("the same letters as the unstarred form: the star is about sound, stress or meaning")
    translated = re.search(r"[.!?…]$", form.translation or "") or re.search(r"[.!?…]$", good)
    if len(good.split()) == len(bad.split()) == 1 and not translated:
        raise _Rejected(WORD_FORM)


def _pair(form: Form, match: _Match, mark: str, blocks: Sequence[Block]) -> StarredPair:
    other = match.form
    notes = [_JOINED] if form.segmented or other.segmented else []
    notes += [form.language] if form.language else []
    notes += [f"behind the starred form: {form.tags}"] if form.tags and re.search(r"[*?]", form.tags) else []
    example = Example(
        good=match.good,
        bad=match.bad,
        evidence=Evidence(
            block_id=form.block.id, file=form.block.file, page=form.block.page, line=form.block.line, quote=form.quote
        ),
        changes=changes(match.good, match.bad),
        alternatives=match.others,
        note="; ".join(notes) or None,
        gloss=other.gloss,
        translation=other.translation or form.translation,
        mark=mark,
    )
    return StarredPair(
        example=example,
        section=form.block.section,
        block_ids=tuple(dict.fromkeys([form.block.id, other.block.id])),
        number="".join(form.place),
        introduction=introduction(blocks, form.order, form.place),
        likeness=round(match.likeness, 3),
    )


def _rejection(form: Form, reason: str) -> Rejection:
    block = form.block
    return Rejection(
        stage="rules",
        source_id=block.source_id,
        reason=f"starred: {reason}",
        text=form.quote,
        file=block.file,
        page=block.page,
        line=block.line,
    )


def example_rules(pairs: Iterable[StarredPair], source: Source) -> Iterator[Rule]:
    """One rule for the pairs of a section that the same sentence introduces, in the order of the pairs.

    The sentence is the rule's description and quotation; where no prose introduces a pair, the starred form is. The
    rule's contrast names the words in which the pairs differ.
    """
    grouped: dict[tuple[tuple[str, ...], str, str], list[StarredPair]] = defaultdict(list)
    for pair in pairs:
        stated = pair.introduction
        block = stated.block.id if stated else pair.example.evidence.block_id
        grouped[pair.section, block, stated.text if stated else ""].append(pair)
    for (section, _, _), members in grouped.items():
        yield _rule(section, members, source)


def _rule(section: tuple[str, ...], members: list[StarredPair], source: Source) -> Rule:
    first = members[0]
    shown = tuple(dict.fromkeys(pair.example.evidence for pair in members))
    stated = first.introduction.evidence() if first.introduction else shown
    heading = section[-1] if section else source.title
    numbered = _HEADING_NUMBER.match(heading)
    description = first.introduction.text if first.introduction else stated[0].quote
    return Rule(
        id=content_id("rule", source.id, EXTRACTED_BY, section, stated[0].quote),
        source_id=source.id,
        code=numbered["code"] if numbered else "",
        title=numbered["title"] if numbered else heading,
        description=description,
        original=None if source.written_in[:1] == ("en",) else description,
        category=section[0] if section else source.title,
        phenomenon=heading,
        section=section,
        block_ids=tuple(dict.fromkeys(evidence.block_id for evidence in stated)),
        quote=stated[0].quote,
        page=stated[0].page,
        line=stated[0].line,
        examples=tuple(pair.example for pair in members),
        extracted_by=EXTRACTED_BY,
        evidence=stated,
        example_ids=tuple(dict.fromkeys(block_id for pair in members for block_id in pair.block_ids)),
        contrast=Contrast(licensed=True, what=_what(members), evidence=shown[0]),
    )


def _what(members: list[StarredPair]) -> str:
    found = [
        f"{_shown(change.good)}, not {_shown(change.bad)}" for pair in members for change in _main(pair.example.changes)
    ]
    return "; ".join(dict.fromkeys(found))


def _main(differing: tuple[Change, ...]) -> tuple[Change, ...]:
    """The differing spans with words in them; all of them where none has any."""
    return tuple(change for change in differing if words(change.good + " " + change.bad)) or differing


def _shown(text: str) -> str:
    return f"‘{text}’" if text else "nothing"
