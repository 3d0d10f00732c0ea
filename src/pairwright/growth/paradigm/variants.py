"""Seeds in all conditions: the orders of subject, object and verb, and subordinate clauses."""

from collections.abc import Iterator
from itertools import groupby
from typing import Literal

from pairwright.core.ids import pair_id
from pairwright.core.records import BASELINE, Candidate, ParadigmVariant, Rejection
from pairwright.core.records.base import PARADIGMS
from pairwright.core.text import TOKEN
from pairwright.growth.paradigm.frames import Clause
from pairwright.growth.paradigm.seeds import ParsedSeed, ParsedWord, Sides, sentences, written
from pairwright.languages.features import Features, parse_features
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.likeness import is_prefixed
from pairwright.languages.morphology import Analysis
from pairwright.languages.morphology.inflection import Inflector, NotInflected


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
        try:
            clause = clauses.get(condition)
            made[condition] = subordinate(seed, clause, inflector) if clause else ordered(seed, condition)
        except NoVariantError as fault:
            made[condition] = fault
    baseline = (seed.pair.good, seed.pair.bad)
    own = next((order for order in seed.frames.orders if made[order] == baseline), BASELINE)
    if seed.marked_up:
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


def subordinate(seed: ParsedSeed, clause: Clause, inflector: Inflector) -> Sides:
    """The seed as a subordinate clause. Raises NoVariantError where a form is lacking or the contrast would be lost."""
    _require_clause(seed, clause, inflector)
    head = _head(seed, "S", clause.subject_is, inflector)
    agreement = frozenset((name, value) for name, value in head if name in clause.agrees)
    shown = {name for name, _ in agreement}
    if len(shown) < len(clause.agrees) and clause.condition not in seed.forms.get("V", {}):
        raise NoVariantError(f"the subject shows no {' and no '.join(sorted(set(clause.agrees) - shown))}")
    _head(seed, "V", clause.verb_is, inflector)
    verb = parse_features(clause.verb) | agreement if clause.verb else frozenset()
    inflected = {
        "S": _inflected(seed, "S", parse_features(clause.subject), clause.subject_is, clause, inflector),
        "V": _inflected(seed, "V", verb, clause.verb_is, clause, inflector),
    }
    names = "{S}" in clause.template
    if names and seed.dropped is not None:
        inflected["S"] = _explicit_subject(seed)
    runs = ((role, tuple(run)) for role, run in groupby(seed.words, key=lambda word: word.role))
    inside = written(word for role, run in runs if not (names and role == "S") for word in inflected.get(role, run))
    before = clause.template.partition("{clause}")[0].split()
    if before and inside[0].split()[:1] == before[-1:]:
        raise NoVariantError(f"it begins with '{before[-1]}' itself")
    sides = zip(inside, written(inflected["S"]), strict=True)
    good, bad = (capitalised(clause.template.format(clause=text, S=name), seed.frames.letters) for text, name in sides)
    if good == bad:
        raise NoVariantError("the contrast is lost: it is in a word that the clause inflects")
    return good, bad


def _require_clause(seed: ParsedSeed, clause: Clause, inflector: Inflector) -> None:
    """Raises NoVariantError where the words of a seed can't stand in a clause, whatever their forms."""
    if leading := seed.of("leading"):
        raise NoVariantError(f"it begins with '{leading[0].good}', which goes with main clauses")
    if seed.immovable and (clause.verb or "{S}" in clause.template):
        raise NoVariantError(seed.immovable)
    for word in seed.of("V", "rest"):
        for bundle in clause.without:
            if word.reading and parse_features(bundle) <= word.reading.features:
                raise NoVariantError(f"'{word.good}' is {bundle}")
    own = [word for word in TOKEN.findall(clause.template.format(clause="", S="").casefold()) if len(word) > 3]
    own += dict.fromkeys(reading.lemma for word in own for reading in inflector.analyses(word))
    for word in seed.words:
        forms = {word.good.casefold(), word.reading.lemma.casefold() if word.reading else ""}
        alike = (one for one in own for form in forms if one == form or is_prefixed(one, form))
        if again := next(alike, None):
            raise NoVariantError(f"'{word.good}' repeats or contradicts '{again}' of the matrix clause")
        if not forms.isdisjoint(clause.clashes):
            raise NoVariantError(f"'{word.good}' contradicts the matrix clause")
    if clause.agrees and seed.coordinated:
        raise NoVariantError("the subject is coordinated, so its words don't show what the verb agrees with")


def _head(seed: ParsedSeed, role: Literal["S", "V"], demanded: str, inflector: Inflector) -> Features:
    """The features of the head of a constituent. Raises NoVariantError where it is known not to have those demanded."""
    dropped = seed.dropped if role == "S" else None
    features = dropped
    if features is None:
        reading = next((_reading(word, demanded, inflector) for word in seed.of(role) if word.inflected), None)
        features = reading.features if isinstance(reading, Analysis) else None
    if features is None:
        return frozenset()
    wanted, shown = parse_features(demanded), {name for name, _ in features}
    if not wanted <= features and (dropped is None or any(name in shown for name, _ in wanted)):
        raise NoVariantError(f"its {'verb' if role == 'V' else 'subject'} is not {demanded}")
    return features


def _reading(word: ParsedWord, demanded: str, inflector: Inflector) -> Analysis | str:
    """What a word is a form of, or why that is not known: by its tree, else by the one reading that fits."""
    if word.reading:
        return word.reading
    wanted = parse_features(demanded)
    readings = [one for one in inflector.analyses(word.good) if one.upos and wanted <= one.features]
    lexemes = {(reading.lemma, reading.upos) for reading in readings}
    if len(lexemes) == 1:
        return readings[0]
    known = f"has {len(lexemes)} readings" if lexemes else "is in no lexicon"
    return f"'{word.good}' {known}; write its form in the mark-up"


def _inflected(
    seed: ParsedSeed, role: Literal["S", "V"], wanted: Features, demanded: str, clause: Clause, inflector: Inflector
) -> tuple[ParsedWord, ...]:
    """A constituent with other features. Raises NoVariantError, with the reason, where a form can't be had."""
    words = seed.of(role)
    if form := seed.forms.get(role, {}).get(clause.condition):
        if any(word.good != word.bad for word in words):
            raise NoVariantError(f"the contrast is in '{written(words)[0]}', for which a form is given")
        return (ParsedWord(role, form, form),)
    if not wanted or (role == "S" and seed.dropped is not None):
        return words
    if not any(word.inflected for word in words):
        text = written(words)[0]
        raise NoVariantError(
            f"nothing says which word of '{text}' to inflect; write its form: ; {clause.condition}=FORM"
        )
    return tuple(_changed(word, wanted, demanded, inflector) if word.inflected else word for word in words)


def _changed(word: ParsedWord, wanted: Features, demanded: str, inflector: Inflector) -> ParsedWord:
    if word.good != word.bad:
        raise NoVariantError(f"the contrast is in '{word.good}', which the clause inflects")
    reading = _reading(word, demanded, inflector)
    if isinstance(reading, str):
        raise NoVariantError(reading)
    made = inflector.change(word.good, reading.lemma, reading.upos or "", reading.features, wanted)
    if isinstance(made, NotInflected):
        raise NoVariantError(made.reason)
    return ParsedWord(word.role, made.form, made.form)


def _variant(seed: ParsedSeed, sides: Sides, condition: str, own: str) -> Candidate:
    """A pair of the paradigm; the seed itself where `condition` is its own."""
    pair, identity = seed.pair, pair_id(seed.pair.rule_id, *sides)
    derivation = ParadigmVariant(seed_id=pair.id, paradigm_id=pair.id, condition=condition, seed_condition=own)
    return pair.model_copy(
        update={
            "id": identity,
            "good": sides[0],
            "bad": sides[1],
            "changes": changes(*sides),
            "method": "paradigm",
            "parent_id": None if identity == pair.id else pair.id,
            "alternatives": (),
            "translation": None,
            "derivation": derivation,
        }
    )
