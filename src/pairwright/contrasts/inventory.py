"""The names of Universal Dependencies 2 for features, their values and relations, by which misspelt ones are found.

Source: https://universaldependencies.org/u/feat/ and https://universaldependencies.org/u/dep/.
"""

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
_BEARERS = {
    "Aspect": _VERBAL,
    "Degree": frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "VERB"}),
    "Evident": _VERBAL,
    "Mood": _VERBAL,
    "Tense": _VERBAL,
    "VerbForm": _VERBAL,
    "Voice": _VERBAL,
}


def bearers(feature: str) -> frozenset[str]:
    """The parts of speech whose forms may differ in a feature."""
    return _BEARERS.get(feature, _INFLECTED)
