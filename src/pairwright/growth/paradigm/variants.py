"""Seeds in all conditions: the orders of subject, object and verb, and subordinate clauses."""

from collections.abc import Iterator

from pairwright.core.ids import pair_id
from pairwright.core.records import BASELINE, Candidate, ParadigmVariant, Rejection
from pairwright.core.stages import PARADIGMS
from pairwright.growth.paradigm.frames import Clause
from pairwright.growth.paradigm.seeds import Constituent, Lexeme, Seed, SeedWord, Sentences, sentences, written
from pairwright.languages.features import Features, parse_features
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.morphology.inflection import Inflector, NotInflected


class NoVariantError(Exception):
    """Why a seed has no variant in a condition."""


def variants(seed: Seed, conditions: tuple[str, ...], inflector: Inflector) -> Iterator[Candidate | Rejection]:
    """The pairs of a seed's paradigm, and for each condition that it can't have a rejection with the reason.

    The words that differ are the same in all conditions. A marked-up seed is a pair of the paradigm itself; one of a
    treebank is among the treebank's pairs already.
    """
    orders: dict[str, Sentences | NoVariantError] = {}
    for order in seed.frames.orders:
        try:
            orders[order] = ordered(seed, order)
        except NoVariantError as fault:
            orders[order] = fault
    baseline = Sentences(seed.pair.good, seed.pair.bad)
    own = next((order for order, made in orders.items() if made == baseline), BASELINE)
    if seed.marked_up:
        yield _variant(seed, baseline, own, own)
    clauses = {clause.condition: clause for clause in seed.frames.clauses}
    for condition in conditions:
        try:
            made = orders[condition] if condition in orders else subordinate(seed, clauses[condition], inflector)
            if isinstance(made, NoVariantError):
                raise made
            if condition != own:
                yield _variant(seed, made, condition, own)
        except NoVariantError as fault:
            yield seed.pair.rejection(PARADIGMS.name, f"{condition}: {fault}", seed.pair.good)


def ordered(seed: Seed, order: str) -> Sentences:
    """The seed with its constituents in an order, such as `OVS`. All other words go with the verb.

    A dropped subject becomes the pronoun of the frames file. Raises NoVariantError where the file has none.
    """
    if seed.immovable:
        raise NoVariantError(seed.immovable)
    objects = seed.of_role("O")
    if not objects:
        raise NoVariantError("it has no object")
    rest = tuple(word for part in seed.of_role("V", "rest") for word in part.words)
    blocks = {"S": _explicit(seed), "O": objects[0].words, "V": rest}
    leading = tuple(word for part in seed.of_role("leading") for word in part.words)
    return sentences((*leading, *(word for role in order for word in blocks[role])), seed.mark, seed.frames)


def _explicit(seed: Seed) -> tuple[SeedWord, ...]:
    """The words of the subject, or its pronoun where it is dropped."""
    subject = seed.subject
    if subject.features is None:
        return subject.words
    pronoun = seed.frames.pronoun(subject.features)
    if pronoun is None:
        raise NoVariantError("the subject is dropped, and the frames file has no pronoun for the verb's features")
    return (SeedWord(pronoun, pronoun),)


def subordinate(seed: Seed, clause: Clause, inflector: Inflector) -> Sentences:
    """The seed as a subordinate clause. Raises NoVariantError where a form is lacking or the contrast would be lost."""
    _require_clause(seed, clause)
    subject, verb = seed.subject, seed.verb
    agreement = {name: value for name, value in _head(subject, clause.subject_is, inflector) if name in clause.agrees}
    if clause.agrees and len(agreement) < len(clause.agrees) and clause.condition not in verb.forms:
        raise NoVariantError(f"the subject shows no {' and no '.join(sorted(set(clause.agrees) - agreement.keys()))}")
    _head(verb, clause.verb_is, inflector)
    wanted = parse_features(clause.verb) | frozenset(agreement.items())
    inflected = {
        "S": _inflected(subject, parse_features(clause.subject), clause.subject_is, clause, inflector),
        "V": _inflected(verb, wanted if clause.verb else frozenset(), clause.verb_is, clause, inflector),
    }
    names = "{S}" in clause.template
    if names and subject.features is not None:
        inflected["S"] = _explicit(seed)
    words = (
        word
        for part in seed.constituents
        if not (names and part.role == "S")
        for word in inflected.get(part.role, part.words)
    )
    inside = written(words)
    before = clause.template.partition("{clause}")[0].split()
    if before and inside.good.split()[:1] == before[-1:]:
        raise NoVariantError(f"it begins with '{before[-1]}' itself")
    sides = zip(inside, written(inflected["S"]), strict=True)
    good, bad = (capitalised(clause.template.format(clause=text, S=name), seed.frames.letters) for text, name in sides)
    if good == bad:
        raise NoVariantError("the contrast is lost: it is in a word that the clause inflects")
    return Sentences(good, bad)


def _require_clause(seed: Seed, clause: Clause) -> None:
    """Raises NoVariantError where the words of a seed can't stand in a clause, whatever their forms."""
    if leading := seed.of_role("leading"):
        raise NoVariantError(f"it begins with '{leading[0].words[0].good}', which goes with main clauses")
    if seed.immovable and (clause.verb or "{S}" in clause.template):
        raise NoVariantError(seed.immovable)
    for word in (word for part in seed.of_role("V", "rest") for word in part.words):
        for bundle in clause.without:
            if word.lexeme and parse_features(bundle) <= word.lexeme.features:
                raise NoVariantError(f"'{word.good}' is {bundle}")
    if clause.agrees and seed.subject.coordinated:
        raise NoVariantError("the subject is coordinated, so its words don't show what the verb agrees with")


def _head(part: Constituent, demanded: str, inflector: Inflector) -> Features:
    """The features of the head of a constituent. Raises NoVariantError where it is known not to have those demanded."""
    features = part.features
    if features is None:
        lexeme = next((_lexeme(word, demanded, inflector) for word in part.words if word.inflected), None)
        features = lexeme.features if isinstance(lexeme, Lexeme) else None
    if features is None:
        return frozenset()
    names = {name for name, _ in parse_features(demanded)}
    if not parse_features(demanded) <= features and (part.words or names & {name for name, _ in features}):
        raise NoVariantError(f"its {'verb' if part.role == 'V' else 'subject'} is not {demanded}")
    return features


def _lexeme(word: SeedWord, demanded: str, inflector: Inflector) -> Lexeme | str:
    """What a word is a form of, or why that is not known: by its tree, else by the one reading that fits."""
    if word.lexeme:
        return word.lexeme
    readings = [
        reading
        for reading in inflector.analyses(word.good)
        if reading.upos and parse_features(demanded) <= reading.features
    ]
    lexemes = {(reading.lemma, reading.upos) for reading in readings}
    if len(lexemes) != 1:
        known = f"has {len(lexemes)} readings" if lexemes else "is in no lexicon"
        return f"'{word.good}' {known}; write its form in the mark-up"
    first = readings[0]
    return Lexeme(first.lemma, first.upos or "", first.features)


def _inflected(
    part: Constituent, wanted: Features, demanded: str, clause: Clause, inflector: Inflector
) -> tuple[SeedWord, ...]:
    """A constituent with other features. Raises NoVariantError, with the reason, where a form can't be had."""
    if form := part.forms.get(clause.condition):
        if any(word.good != word.bad for word in part.words):
            raise NoVariantError(f"the contrast is in '{written(part.words).good}', for which a form is given")
        return (SeedWord(form, form),)
    if not wanted or not part.words:
        return part.words
    if not any(word.inflected for word in part.words):
        raise NoVariantError(
            f"nothing says which word of '{written(part.words).good}' to inflect; "
            f"write its form: ; {clause.condition}=FORM"
        )
    return tuple(_changed(word, wanted, demanded, inflector) if word.inflected else word for word in part.words)


def _changed(word: SeedWord, wanted: Features, demanded: str, inflector: Inflector) -> SeedWord:
    if word.good != word.bad:
        raise NoVariantError(f"the contrast is in '{word.good}', which the clause inflects")
    lexeme = _lexeme(word, demanded, inflector)
    if isinstance(lexeme, str):
        raise NoVariantError(lexeme)
    made = inflector.change(word.good, *lexeme, wanted)
    if isinstance(made, NotInflected):
        raise NoVariantError(made.reason)
    return SeedWord(made.form, made.form)


def _variant(seed: Seed, made: Sentences, condition: str, own: str) -> Candidate:
    """A pair of the paradigm; the seed itself where `condition` is its own."""
    pair, identity = seed.pair, pair_id(seed.pair.rule_id, *made)
    derivation = ParadigmVariant(seed_id=pair.id, paradigm_id=pair.id, condition=condition, seed_condition=own)
    return pair.model_copy(
        update={
            "id": identity,
            "good": made.good,
            "bad": made.bad,
            "changes": changes(*made),
            "method": "paradigm",
            "parent_id": None if identity == pair.id else pair.id,
            "alternatives": (),
            "translation": None,
            "derivation": derivation,
        }
    )
