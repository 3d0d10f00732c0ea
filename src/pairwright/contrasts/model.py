"""What a contrast file says of one contrast: which words it looks for in a tree, and which one changes into what.

Misspelt features and relations are found by the names of Universal Dependencies 2: their values are those of
https://universaldependencies.org/u/feat/ and https://universaldependencies.org/u/dep/.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from pairwright.core.codes import LanguageCode
from pairwright.core.config import Settings
from pairwright.core.records.rules import Licence
from pairwright.languages.features import UPOS, parse_features

_RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)
RELATIONS = frozenset(_RELATIONS.split(" "))

_CASES = (
    "Abs Acc Erg Nom Abe Ben Cau Cmp Cns Com Dat Dis Equ Gen Ins Par Tem Abl Add Ade All Del Ela Ess Ill Ine Lat Loc "
    "Per Sbe Sbl Spl Sub Sup Ter Tra Voc"
)
_VALUES = {
    "Abbr": "Yes",
    "Animacy": "Anim Hum Inan Nhum",
    "Aspect": "Hab Imp Iter Perf Prog Prosp",
    "Case": _CASES,
    "Clusivity": "Ex In",
    "Definite": "Com Cons Def Ind Spec",
    "Degree": "Abs Aug Cmp Dim Equ Pos Sup",
    "Deixis": "Abv Bel Even Med Nvis Prox Remt",
    "DeixisRef": "1 2",
    "Evident": "Fh Nfh",
    "Foreign": "Yes",
    "Gender": "Com Fem Masc Neut",
    "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
    "NumType": "Card Dist Frac Mult Ord Range Sets",
    "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
    "Person": "0 1 2 3 4",
    "Polarity": "Neg Pos",
    "Polite": "Elev Form Humb Infm",
    "Poss": "Yes",
    "PronType": "Art Dem Emp Exc Ind Int Neg Prs Rcp Rel Tot",
    "Reflex": "Yes",
    "Tense": "Fut Imp Past Pqp Pres",
    "Typo": "Yes",
    "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
    "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
}
FEATURES = {name: frozenset(values.split(" ")) for name, values in _VALUES.items()}
"""The universal features with their values; `NounClass` and `ExtPos`, whose values are open, are in `OPEN_FEATURES`."""
OPEN_FEATURES = frozenset({"ExtPos", "NounClass"})

_INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
_VERBAL = frozenset({"ADJ", "ADV", "AUX", "VERB"})
# The parts of speech whose forms may differ in a feature.
_BEARERS = {
    "Aspect": _VERBAL,
    "Degree": frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "VERB"}),
    "Evident": _VERBAL,
    "Mood": _VERBAL,
    "Tense": _VERBAL,
    "VerbForm": _VERBAL,
    "Voice": _VERBAL,
}


def _translated(value: Any) -> Any:
    texts = {"en": value} if isinstance(value, str) else value
    if isinstance(texts, dict) and "en" not in texts:
        raise ValueError("no English text; write en = ... too")
    return texts


def _readable(bundles: tuple[str, ...]) -> tuple[str, ...]:
    for bundle in bundles:
        parse_features(bundle)
    return bundles


Strings = Annotated[tuple[str, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""One string or a list of them."""
Translated = Annotated[dict[LanguageCode, str], BeforeValidator(_translated)]
"""A text by the code of its language, one in English among them; a plain string is the English one."""
Bundles = Annotated[Strings, AfterValidator(_readable)]
"""Feature bundles, such as `Case=Gen|Number=Plur`."""


class WordConditions(Settings):
    """What a word is: it must have one of the values of each key that is given.

    deprel  the relation to its head; `nsubj` stands for `nsubj:pass` too
    feats   feature bundles such as `Case=Gen|Number=Plur`, all of whose features the word must have
    lemma, form  compared without regard to capitals
    """

    upos: Strings = ()
    deprel: Strings = ()
    feats: Bundles = ()
    lemma: Strings = ()
    form: Strings = ()

    @field_validator("upos")
    @classmethod
    def _parts_of_speech(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        return _of(values, UPOS, "part of speech")

    @field_validator("deprel")
    @classmethod
    def _relations(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        _of((value.partition(":")[0] for value in values), RELATIONS, "relation")
        return values


def _of(values: Iterable[str], known: frozenset[str], noun: str) -> tuple[str, ...]:
    listed = tuple(values)
    if unknown := next((value for value in listed if value not in known), None):
        raise ValueError(f"'{unknown}' is no {noun} of Universal Dependencies; known: {', '.join(sorted(known))}")
    return listed


class WordPattern(WordConditions, validate_by_name=True):
    """A word of a tree, by what it is and how it stands to other named words.

    head      the named word on which it depends
    before, after, next_to  the named word that it stands before, after, or right beside on either side
    not_      what it must not be: a word that has one of the values of any key is left out
    not_read_as  bundles that no reading of its form in the bad sentence may have, as it would make the sentence good;
                 one that the changed word had before is no such reading
    """

    head: str | None = None
    before: str | None = None
    after: str | None = None
    next_to: str | None = None
    not_: Annotated[WordConditions, Field(alias="not")] = WordConditions()
    not_read_as: Bundles = ()

    def named(self) -> Iterator[str]:
        """The words that it refers to."""
        yield from filter(None, (self.head, self.before, self.after, self.next_to))


class WordAgreement(Settings, validate_by_name=True):
    """The changed word agrees with the word `with` in the features `in`, and in the bad sentence no longer does."""

    with_: Annotated[str, Field(alias="with")]
    in_: Annotated[Strings, Field(alias="in", min_length=1)]


class DeclaredContrast(Settings, validate_by_name=True):
    """A contrast.

    name         stable, and unique in its file: pairs and settings name the contrast by it
    title        by the codes of reviewers' languages
    description  so, too: what the good sentence has and the bad one lacks
    words        the words of the pattern by name; each is another word of the sentence
    without      words that the sentence must not have
    change       the word that changes; `from_` is one of the bundles that it has before, `to` those that it may get
    swap         in place of them, where the contrast is one of order: two words that change places. Each takes its
                 phrase along, unless the other word is in it
    agreement    what the change breaks, where the contrast is one of agreement; else it is one of government
    follow       relations of dependents that take over the changed features where they have the same ones before
    file, line   where it is declared; the loader fills them in
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Translated
    phenomenon: str
    description: Translated
    literature: Strings = ()
    licence: Licence = "obligatory"
    words: Annotated[dict[str, WordPattern], Field(min_length=1)]
    without: tuple[WordPattern, ...] = ()
    change: str = ""
    from_: Annotated[Bundles, Field(alias="from")] = ()
    to: Bundles = ()
    swap: Strings = ()
    agreement: WordAgreement | None = None
    follow: Strings = ()
    file: str = ""
    line: int = 0

    def in_language(self, code: str) -> dict[str, str]:
        """Title and description in a language, those that it has."""
        texts = {"title": self.title, "description": self.description}
        return {field: text[code] for field, text in texts.items() if code in text}

    @model_validator(mode="after")
    def _names_words(self) -> Self:
        if self.swap and (len(set(self.swap)) != 2 or self.change or self.to or self.from_):
            raise ValueError("swap: name two words, without change, from and to")
        if not self.swap and not (self.change and self.to):
            raise ValueError("no change and to; say which word changes into what, or two words to swap")
        changed = {"swap": list(self.swap)} if self.swap else {"change": [self.change]}
        named = {**changed, "agreement": [self.agreement.with_] if self.agreement else []}
        named |= {f"words.{key}": list(word.named()) for key, word in self.words.items()}
        named["without"] = [name for word in self.without for name in word.named()]
        for key, names in named.items():
            if missing := next((name for name in names if name not in self.words), None):
                raise ValueError(f"{key} names '{missing}', which is not one of the words: {', '.join(self.words)}")
        return self

    @model_validator(mode="after")
    def _can_change(self) -> Self:
        upos = self.words[self.moved].upos
        if self.change and not upos:
            raise ValueError(f"words.{self.change}.upos: say the part of speech of the word that changes")
        before = [parse_features(bundle) for bundle in self.from_]
        for bundle in self.to:
            after = parse_features(bundle)
            if not after:
                raise ValueError("to: an empty bundle changes nothing; name a feature, such as Case=Acc")
            if before and all(after <= features for features in before):
                raise ValueError(f"to: {bundle} is what the word has before, by from; nothing would change")
            for name, _ in after:
                if not _BEARERS.get(name.partition("[")[0], _INFLECTED) & set(upos):
                    raise ValueError(f"to: no {' or '.join(upos)} has the feature {name}; correct the feature or upos")
        return self

    @property
    def moved(self) -> str:
        """The word that changes, or the first of two that change places."""
        return self.change or self.swap[0]

    def bundles(self) -> Iterator[str]:
        """All feature bundles and feature names that it mentions."""
        for word in (*self.words.values(), *self.without):
            yield from (*word.feats, *word.not_.feats, *word.not_read_as)
        yield from (*self.from_, *self.to)


def check_features(bundles: Iterable[str], own: Iterable[str]) -> None:
    """Raises ValueError for a feature that neither Universal Dependencies nor the file, as its `own`, has."""
    allowed = frozenset(own) | OPEN_FEATURES
    for bundle in bundles:
        for name, values in parse_features(bundle):
            base = name.partition("[")[0]
            if base not in FEATURES and base not in allowed:
                raise ValueError(f"'{name}' is not a universal feature; correct it, or list it in features = [...]")
            unknown = set(values.split(",")) - FEATURES.get(base, frozenset())
            if base not in allowed and unknown:
                known = ", ".join(sorted(FEATURES[base]))
                raise ValueError(
                    f"'{name}={min(unknown)}' is no universal value; known: {known}; or list {name} in features = [...]"
                )
