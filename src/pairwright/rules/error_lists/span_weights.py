"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = 0.4
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = 0.71
"""The probability of a certain span: in cross-validation 97% of such spans were right."""

NONE = -1.09
"""The log-odds that the bracket corrects none of the spans."""

FLUENCY = 1.0
"""What a language model's mean log-probability of the good sentence weighs beside it, where a span is uncertain."""

WEIGHTS = {
    "added": -1.00,
    "added, closed": 1.06,
    "added, pronoun": -0.06,
    "adposition at both beginnings": -0.28,
    "adposition at its beginning": 1.29,
    "adposition at its end": -1.43,
    "adposition kept": -1.05,
    "adposition without its case": -0.29,
    "agreement lost on the left": -0.52,
    "agreement lost on the right": -0.95,
    "agrees on the left": -1.10,
    "apart": -2.47,
    "as many words, several": 0.73,
    "banned covered": 0.50,
    "banned kept": -0.88,
    "beginning kept on the left": -1.26,
    "behind a comma": 0.18,
    "capital at its place": 0.89,
    "capital inside": -1.06,
    "comma added": -0.19,
    "comma crossed": -0.05,
    "doubled on the right": -0.32,
    "dropped": -2.53,
    "dropped, closed": -0.81,
    "dropped, pronoun": -0.68,
    "exactly the named words": 1.16,
    "exchanged": -0.85,
    "exchanged for another class": -1.23,
    "exchanged, pronoun": 0.17,
    "finite verbs gained": -0.48,
    "finite verbs lost": -1.15,
    "first words match": 1.25,
    "function word at its beginning": 0.14,
    "headword covered": -0.44,
    "headword covered, wrong": 0.41,
    "headword kept": 0.03,
    "headword kept, wrong": -1.29,
    "joined to the bracket": -0.61,
    "last words match": 0.88,
    "named word at the beginning": 0.73,
    "named word at the end": 0.22,
    "named words covered": 1.41,
    "named words cut on the left": -1.21,
    "named words cut on the right": 0.96,
    "negation exchanged": 1.08,
    "order changed": 1.22,
    "other form": 1.08,
    "other form kept on the left": -0.79,
    "other form kept on the right": -0.65,
    "pronoun kept": -0.51,
    "same form at the beginning": 0.41,
    "same form at the end": 0.46,
    "same word": 1.94,
    "same word kept on the left": -1.38,
    "same word kept on the right": -0.17,
    "same word, closed": 1.04,
    "small letter at the beginning": -1.34,
    "two finite verbs, left": -0.28,
    "whole sentence": 0.32,
    "words to the bracket": -0.13,
}
