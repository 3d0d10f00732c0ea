"""A seed as a frame with slots, and the pairs that other words in its slots make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.core.records import Candidate, Replacement, Tree
from pairwright.core.text import comparison_key
from pairwright.growth.augment.seeds import Place, agreement_of, imposed, of_head, places_of
from pairwright.languages import Language
from pairwright.languages.features import Features, override
from pairwright.languages.letters import capitalised, upper
from pairwright.languages.linguistics.concord import IMPOSED, NOUNS
from pairwright.languages.linguistics.edits import replaced
from pairwright.languages.linguistics.forms import words_at
from pairwright.languages.linguistics.headwords import named_words
from pairwright.languages.morphology.inflection import Inflected, Inflector, NotInflected

_CONTENT = ("NOUN", "PROPN", "ADJ", "ADV", "VERB")

Choice = tuple[tuple[int, str], ...]
"""The numbers of slots with the lemmas that take them, in order."""


class Variant(NamedTuple):
    """A pair that a choice of lemmas makes of a frame."""

    good: str
    bad: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class Frame:
    """A seed whose words in `slots`, by their numbers among its places, may be replaced.

    heads, held  see `SeedAgreement`
    skipped      words that make no slot, with the reasons
    letters      of the language, for its capitals
    """

    seed: Candidate
    places: tuple[Place, ...]
    slots: tuple[int, ...]
    heads: Mapping[int, int]
    held: frozenset[int]
    skipped: tuple[tuple[str, str], ...]
    letters: str = ""

    def realise(self, choice: Choice, inflector: Inflector) -> Variant | NotInflected:
        """The pair with these lemmas in its slots and with the words that agree with them; or why there is none."""
        forms: dict[int, tuple[str, str]] = {}
        given: dict[int, dict[str, str]] = {}
        chosen = dict(choice)
        staying = {place.lemma for number, place in enumerate(self.places) if number not in chosen}
        if twice := staying & set(chosen.values()):
            return NotInflected(f"the sentence has '{min(twice)}' already")
        # Nouns first: what they impose decides the forms of the others.
        for number in sorted(chosen, key=lambda number: (self.places[number].upos not in NOUNS, number)):
            made = self._form(number, chosen[number], given, inflector)
            if isinstance(made, NotInflected):
                return made
            forms[number] = made
            if kept := imposed(self.places[number]):
                given[number] = _imposed_by(made[0], chosen[number], inflector)
                if given[number].keys() != kept.keys():
                    return NotInflected(f"the lexicons do not tell the {' and '.join(kept)} of '{chosen[number]}'")
                if given[number] != kept and number in self.held:
                    return NotInflected(f"'{chosen[number]}' has another gender, and what agrees with it can't be told")
        for number, head in self.heads.items():
            if number not in chosen and head in given and given[head] != imposed(self.places[head]):
                made = self._form(number, self.places[number].lemma, given, inflector)
                if isinstance(made, NotInflected):
                    return made
                forms[number] = made
        return self._variant(forms, chosen, inflector)

    def _form(
        self, number: int, lemma: str, given: Mapping[int, Mapping[str, str]], inflector: Inflector
    ) -> tuple[str, str] | NotInflected:
        """The forms of a lemma in a place of the good and of the bad sentence."""
        place = self.places[number]
        if not place.bundles:
            return NotInflected(f"'{place.good.text}' agrees with it, and what word it is can't be told")
        taken = frozenset(given.get(self.heads.get(number, -1), {}).items())
        sides: list[str] = []
        for side, token in ((0, place.good), (1, place.bad)):
            forms: set[str] = set()
            for bundles in place.bundles:
                features = override(bundles[side], taken)
                if place.upos in NOUNS:
                    features = frozenset(item for item in features if item[0] not in IMPOSED)
                made = inflector.inflect(lemma, place.upos, features) if features else Inflected(lemma, features, "")
                if isinstance(made, NotInflected):
                    return made
                forms.add(made.form)
            if len(forms) > 1:
                return NotInflected(f"'{token.text}' can be read in several ways, which differ in '{lemma}'")
            sides.append(self._capitals(forms.pop(), token.text, place.lemma))
        if place.changed == (sides[0].casefold() == sides[1].casefold()):
            return NotInflected(f"the two forms of '{lemma}' are the same in writing")
        return sides[0], sides[1]

    def _capitals(self, form: str, like: str, lemma: str) -> str:
        """A form with the capitals that its place in the seed requires, not those of a name that stood there."""
        if len(like) > 1 and like.isupper():
            return upper(form, self.letters)
        is_placed = like[:1].isupper() and not lemma[:1].isupper()
        return capitalised(form, self.letters) if is_placed else form

    def _variant(
        self, forms: Mapping[int, tuple[str, str]], chosen: Mapping[int, str], inflector: Inflector
    ) -> Variant | NotInflected:
        # Many forms of agreeing words are the same for several genders.
        stays = {number: (place.good.text, place.bad.text) for number, place in enumerate(self.places)}
        forms = {number: made for number, made in forms.items() if made != stays[number]}
        if _is_ambiguous(self.places, forms, inflector):
            return NotInflected("the bad sentence has a form that is also the good one")
        replacements = tuple(
            Replacement(
                seed=self.places[number].good.text,
                new=form,
                lemma=chosen.get(number, self.places[number].lemma),
                good_at=self.places[number].good.at,
                bad_at=self.places[number].bad.at,
                agrees=number not in chosen,
            )
            for number, (form, _) in sorted(forms.items())
        )
        goods = ((*self.places[number].good.span, made[0]) for number, made in forms.items())
        bads = ((*self.places[number].bad.span, made[1]) for number, made in forms.items())
        return Variant(replaced(self.seed.good, goods), replaced(self.seed.bad, bads), replacements)


def frame_of(
    seed: Candidate, language: Language, inflector: Inflector, tree: Tree | None = None, keep: Sequence[str] = ()
) -> Frame:
    """The frame of a seed. Raises MisalignedError.

    tree  of its good sentence, where it has one
    keep  words and phrases that stay as they are
    """
    places = places_of(seed, inflector, tree)
    agreement = agreement_of(seed.good, places, language, tree)
    places = tuple(
        of_head(place, [good for good, _ in places[agreement.heads[number]].bundles])
        if number in agreement.heads
        else place
        for number, place in enumerate(places)
    )
    held_words = _held_words(seed, language, inflector, keep)
    slots, skipped = list[int](), list[tuple[str, str]]()
    for number, place in enumerate(places):
        reason = _why_no_slot(place, places, held_words)
        if reason is None:
            slots.append(number)
        elif reason:
            skipped.append((place.good.text, reason))
    return Frame(seed, places, tuple(slots), agreement.heads, agreement.held, tuple(skipped), language.letters)


def _is_ambiguous(places: Sequence[Place], forms: Mapping[int, tuple[str, str]], inflector: Inflector) -> bool:
    """Whether every changed word of the bad sentence can be read with what tells the good form apart from it."""
    can_be_good: list[bool] = []
    for number, place in enumerate(places):
        bad = forms.get(number, (place.good.text, place.bad.text))[1]
        if place.changed:
            contrasts = filter(None, map(_contrast, place.bundles))
            can_be_good += [inflector.reads_as(bad, place.upos, contrast) for contrast in contrasts]
    return bool(can_be_good) and all(can_be_good)


def _contrast(bundles: tuple[Features, Features]) -> Features:
    good, bad = map(dict, bundles)
    return frozenset((name, value) for name, value in good.items() if name in bad and bad[name] != value)


def _held_words(seed: Candidate, language: Language, inflector: Inflector, keep: Sequence[str]) -> frozenset[str]:
    """Words that stay, as written in the seed: of its headword, closed classes, and phrases to keep."""
    headwords = {lemma for word in named_words(seed.entry or "") for lemma in _lemmas(word, inflector)}
    closed = {*language.adpositions, *language.function_words, *language.common_words, *language.negations}
    sentence = f" {comparison_key(seed.good)} "
    kept = {
        word for phrase in keep if f" {comparison_key(phrase)} " in sentence for word in comparison_key(phrase).split()
    }
    tokens = {token.text for token in words_at(seed.good)}
    return frozenset(
        token for token in tokens if token.casefold() in closed | kept or _lemmas(token, inflector) & headwords
    )


def _lemmas(word: str, inflector: Inflector) -> frozenset[str]:
    return frozenset({word.casefold(), *(reading.lemma.casefold() for reading in inflector.analyses(word))})


def _why_no_slot(place: Place, places: Sequence[Place], held_words: frozenset[str]) -> str | None:
    """None for a slot; "" for a word of a closed class, which needs no reason."""
    if place.good.text in held_words:
        return ""
    if not place.lemma:
        return "no lexicon has it" if not place.readings else "its readings have several lemmas or parts of speech"
    if place.upos not in _CONTENT:
        return ""
    if place.upos == "VERB" and (place.node is None or _governs_change(place, places)):
        return "a verb decides on the forms around it"
    return None


def _governs_change(place: Place, places: Sequence[Place]) -> bool:
    return place.changed or any(
        other.changed and other.node and place.node and other.node.head == place.node.id for other in places
    )


def _imposed_by(form: str, lemma: str, inflector: Inflector) -> dict[str, str]:
    """What a noun imposes, by the readings of one of its forms; nothing where they differ."""
    readings = [dict(reading.features) for reading in inflector.analyses(form) if reading.lemma == lemma]
    names = [name for name in IMPOSED if any(name in reading for reading in readings)]
    values = {name: {reading[name] for reading in readings if name in reading} for name in names}
    return {name: next(iter(several)) for name, several in values.items() if len(several) == 1}
