"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = 0.4
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = 0.77
"""The probability of a certain span: in cross-validation 97% of such spans were right."""

NONE = -0.90
"""The log-odds that the bracket corrects none of the spans."""

FLUENCY = 1.0
"""What a language model's mean log-probability of the good sentence weighs beside it, where a span is uncertain."""

WEIGHTS = {
    "added": -1.06,
    "added, closed": 1.06,
    "added, pronoun": -0.06,
    "adposition at both beginnings": -0.28,
    "adposition at its beginning": 1.29,
    "adposition at its end": -1.45,
    "adposition kept": -1.05,
    "adposition without its case": -0.29,
    "agreement lost on the left": -0.52,
    "agreement lost on the right": -0.95,
    "agrees on the left": -1.13,
    "apart": -2.48,
    "as many words, several": 0.73,
    "banned covered": 0.52,
    "banned kept": -0.87,
    "beginning kept on the left": -1.25,
    "behind a comma": 0.20,
    "capital at its place": 0.85,
    "capital inside": -1.07,
    "comma added": -0.19,
    "comma crossed": -0.05,
    "doubled on the right": -0.31,
    "dropped": -2.52,
    "dropped, closed": -0.80,
    "dropped, pronoun": -0.67,
    "exactly the named words": 1.17,
    "exchanged": -0.97,
    "exchanged for another class": -1.26,
    "exchanged, closed": -0.01,
    "exchanged, pronoun": 0.14,
    "finite verbs gained": -0.49,
    "finite verbs lost": -1.14,
    "first words match": 1.29,
    "function word at its beginning": 0.13,
    "headword covered": -0.41,
    "headword covered, wrong": 0.45,
    "headword kept": 0.03,
    "headword kept, wrong": -1.31,
    "joined to the bracket": -0.61,
    "last words match": 0.91,
    "named word at the beginning": 0.76,
    "named word at the end": 0.24,
    "named words covered": 1.44,
    "named words cut on the left": -1.18,
    "named words cut on the right": 0.97,
    "negation exchanged": 1.07,
    "nothing explained": 0.55,
    "order changed": 1.21,
    "other form": 1.15,
    "other form kept on the left": -0.76,
    "other form kept on the right": -0.64,
    "pronoun kept": -0.50,
    "same form at the beginning": 0.40,
    "same form at the end": 0.44,
    "same word": 1.95,
    "same word kept on the left": -1.36,
    "same word kept on the right": -0.16,
    "same word, closed": 1.04,
    "small letter at the beginning": -1.33,
    "two finite verbs, left": -0.30,
    "whole sentence": 0.35,
    "words to the bracket": -0.10,
}
