"""From the starred examples of a grammar to minimal pairs and to the rules that they illustrate, without a model.

Linguists put `*` before an ungrammatical sentence (Leipzig Glossing Rules; Householder 1973, "On arguments from
asterisks"). A pair is a starred sentence with the unstarred one that is most like it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pairwright.core.ids import content_id
from pairwright.core.records import Block, Contrast, Evidence, Example, Rejection, Rule, Source
from pairwright.core.text import comparison_key, words
from pairwright.languages.features import NO_FEATURES, Demand, Features, override, show_demand
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.marks import DISPUTED, plain_mark, tag_mark
from pairwright.languages.linguistics.sentences import END_MARKS
from pairwright.languages.tagset import Tagset
from pairwright.sources import AS_A_PAIR, rejection
from pairwright.sources.grammar.starred.conventions import Conventions
from pairwright.sources.grammar.starred.forms import LONGEST, WORD_FORM, Form, as_sentence, find_forms
from pairwright.sources.grammar.starred.partners import SAME_WORDS, NoPairError, PartnerFinder, StarredMatch
from pairwright.sources.grammar.starred.prose import Passage, introduction, surrounding
from pairwright.sources.grammar.starred.variants import UnclearError, has_variants, starred_variants

EXTRACTED_BY = "examples"

# `-` and `=` separate morphemes, `.` a morpheme's labels, and a person is before its number: `1SG`, `3PL`.
_LABEL = re.compile(r"[123](?=[A-Z])|[^\W_]+")
_HEADING_NUMBER = re.compile(r"^(?P<code>[A-Z]?\d+(?:\.\d+)*)[.)]?\s+(?P<title>\S.*)$")


@dataclass(frozen=True)
class StarredPair:
    """A starred sentence of the source with its unstarred partner.

    section       the headings above the starred form
    block_ids     the blocks of the starred and of the unstarred form; one where they share a block
    number        the starred form's number as printed, such as `16b`; empty where it has none
    introduction  the sentence of the prose that introduces it; None where there is none
    features      what their glosses demand of the differing words, as in `Candidate.features`
    """

    example: Example
    section: tuple[str, ...]
    block_ids: tuple[str, ...]
    number: str
    introduction: Passage | None
    features: tuple[str, ...] = ()


def starred_pairs(
    blocks: Sequence[Block], tagset: Tagset | None = None, conventions: Conventions | None = None
) -> tuple[list[StarredPair], list[Rejection]]:
    """The pairs in the starred examples of a book, in order, and a Rejection for every other star.

    blocks  of one source, in reading order
    tagset  gives features to the labels of the glosses, such as `leipzig`; without one, pairs have no features
    conventions  what the book means by its marks and words; those of a book in English where it is None

    A form whose mark leaves it in doubt makes no pair; its Rejection names the pair that it would make. Sentences are
    the surface lines, without marks. Where the book prints only a segmented line, the morphemes are
    joined and `Example.note` says so.
    """
    book = conventions or Conventions()
    forms = find_forms(blocks, book)
    partners = PartnerFinder(forms, blocks, book)
    pairs: list[StarredPair] = []
    rejected: list[Rejection] = []
    for index, form in enumerate(forms):
        if not form.is_starred:
            continue
        try:
            if flaw := _flaw(form, book):
                raise NoPairError(flaw)
            matches = _variants(form) or [(partners.match(index), form.mark)]
            for match, _ in matches:
                _check_sides(match, form)
        except NoPairError as fault:
            is_doubtful = form.mark not in ("", DISPUTED) and book.meaning(form.mark) == "doubtful"
            reason = f"{book.why_no_pair(form.mark)}; {fault}" if is_doubtful else str(fault)
            rejected.append(rejection(form.block, f"starred: {reason}", form.quote))
            continue
        for match, mark in matches:
            if book.meaning(mark) == "bad":
                pairs.append(_pair(form, match, mark, blocks, tagset, book))
            else:
                guess = f"{AS_A_PAIR}{match.good} | {match.bad}" if book.meaning(mark) == "doubtful" else ""
                rejected.append(rejection(form.block, f"starred: {book.why_no_pair(mark)}{guess}", form.quote))
    return pairs, rejected


def _flaw(form: Form, book: Conventions) -> str | None:
    """Why a starred form is none that the source calls ungrammatical for all speakers, nor one in doubt."""
    if form.flaw:
        return form.flaw
    if len(form.written) > LONGEST:
        return "longer than a sentence"
    if form.reading:
        return "bad under one reading only"
    if has_variants(form.written):
        return None
    if DISPUTED in (form.mark, tag_mark(form.tags)):
        return book.why_no_pair(DISPUTED)
    return book.why_no_pair(form.mark) if book.meaning(form.mark) == "other" else None


def _variants(form: Form) -> list[tuple[StarredMatch, str]]:
    """The pairs inside one example, with their marks. A mark at its head belongs to the bracket or slash: `*(X) …`."""
    text = form.written
    leads = form.mark[:1] not in ("", "(") and form.quote.startswith(form.mark)
    own = leads and not has_variants(text) and has_variants(form.mark + text)
    if not own and not has_variants(text):
        return []
    try:
        variants = starred_variants(form.mark + text if own else text)
    except UnclearError as fault:
        raise NoPairError(str(fault)) from None
    matches = []
    for variant in variants:
        sides = [as_sentence(text, form.boundaries) for text in (variant.good, variant.bad, *variant.others)]
        # In some, the first word stood in brackets: its capital is that of all.
        if any(side[:1].isupper() for side in sides):
            sides = [side[:1].upper() + side[1:] for side in sides]
        matches.append((StarredMatch(sides[0], sides[1], form, tuple(sides[2:])), variant.mark))
    return matches


def _check_sides(match: StarredMatch, form: Form) -> None:
    """Raises NoPairError where a side has no words of its own, or both are words that do not end as sentences."""
    good, bad = match.good, match.bad
    if not words(good) or not words(bad):
        raise NoPairError("nothing is left of one side")
    if comparison_key(good) == comparison_key(bad):
        raise NoPairError(SAME_WORDS)
    single = len(good.split()) == len(bad.split()) == 1
    said = form.counterpart or form.translation or match.form.translation
    if single and not (said or good.endswith(tuple(END_MARKS))):
        raise NoPairError(WORD_FORM)


def _without_lone_stop(match: StarredMatch) -> StarredMatch:
    """A pair without the full stop that only one of its sentences has, which would be scored with the grammar."""
    if match.good.endswith(tuple(END_MARKS)) == match.bad.endswith(tuple(END_MARKS)):
        return match
    sides = (match.good, match.bad, *match.others)
    good, bad, *others = (re.sub(r"(?<=[^.])\.$", "", side) for side in sides)
    return match if (good, bad, *others) == sides else match._replace(good=good, bad=bad, others=tuple(others))


def _pair(
    form: Form, found: StarredMatch, mark: str, blocks: Sequence[Block], tagset: Tagset | None, book: Conventions
) -> StarredPair:
    match = _without_lone_stop(found)
    other = match.form
    differing = changes(match.good, match.bad)
    demand = gloss_demand(other.gloss, form.gloss, tagset) if tagset and other.gloss and form.gloss else None
    is_prose = form.block.gloss is None and form.block.kind != "table"
    passage = surrounding(form.block, form.quote, book.prose) if is_prose else None
    if passage is None:
        spans = [text for change in differing for text in (change.good, change.bad)]
        passage = introduction(blocks, form.order, form.place, book.prose, spans)
    joined = any(side.sentence != as_sentence(side.written, "") for side in (form, other))
    stop = None if match is found else "the source prints a full stop after one sentence only; it is left out here"
    notes = (
        "the source gives the sentence cut into morphemes; they are joined here" if joined else None,
        form.language,
        f"behind the starred form: {form.tags}" if re.search(r"[*?]", form.tags or "") else None,
        stop,
    )
    cut = other.written if other.boundaries and other.sentence == match.good else other.morphemes
    example = Example(
        good=match.good,
        bad=match.bad,
        evidence=Evidence.at(form.block, form.quote),
        changes=differing,
        alternatives=match.others,
        note="; ".join(filter(None, notes)) or None,
        segmentation=cut if cut not in ("", match.good) else None,
        gloss=other.gloss,
        translation=other.translation or form.translation,
        mark=plain_mark(mark),
    )
    block_ids = tuple(dict.fromkeys([form.block.id, other.block.id]))
    features = show_demand(demand) if demand else ()
    return StarredPair(example, form.block.section, block_ids, "".join(form.place), passage, features)


def gloss_demand(good: str, bad: str, tagset: Tagset) -> Demand:
    """The features that the differing words of two glossed sentences must have, by their gloss lines.

    Only features with another value on the other side count, and only where all differing words agree on them:
    `dog.NOM see.PST bird-GEN` against `dog.NOM see.PST bird-ACC` demands Case=Gen of the good word and Case=Acc of the
    bad one. Empty where the lines have different numbers of words. Source: the Leipzig Glossing Rules, rules 2 to 4 and
    the list of abbreviations.
    """
    nothing = Demand(NO_FEATURES, NO_FEATURES)
    rows = [[_features(word, tagset) for word in line.split()] for line in (good, bad)]
    if len(rows[0]) != len(rows[1]):
        return nothing
    contrasts = set()
    for one, other in zip(*rows, strict=True):
        differing = {name for name, _ in one - other} & {name for name, _ in other - one}
        contrasts.add(Demand(*(frozenset(it for it in side if it[0] in differing) for side in (one, other))))
    contrasts.discard(nothing)
    return contrasts.pop() if len(contrasts) == 1 else nothing


def _features(gloss: str, tagset: Tagset) -> Features:
    features = NO_FEATURES
    for label in _LABEL.findall(gloss):
        # Labels are printed in capitals; a meaning, such as `in` or `def`, is none.
        if label == label.upper():
            features = override(features, tagset.meaning(label)[1])
    return features


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
    if sorted(words(good.casefold())) == sorted(words(bad.casefold())):
        differing = [(good, bad)]
    else:
        differing = [side for side in sides if words(" ".join(side))] or sides
    shown = [[f"‘{text}’" if text else "nothing" for text in side] for side in differing]
    return ", ".join(f"{first}, not {second}" for first, second in shown)
