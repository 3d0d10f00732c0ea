"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = 0.4
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = 0.75
"""The probability of a certain span: in cross-validation 97% of such spans were right."""

NONE = -0.76
"""The log-odds that the bracket corrects none of the spans."""

PRIOR, FLUENCY = 1.0, 1.0
"""What the evidence weighs, and a language model's mean log-probability of the good sentence, where a span is uncertain."""

WEIGHTS = {
    "added": -1.02,
    "added, closed": 0.75,
    "added, pronoun": -0.14,
    "adposition at both beginnings": -0.33,
    "adposition at its beginning": 1.07,
    "adposition at its end": -1.37,
    "adposition kept": -0.83,
    "adposition without its case": -0.28,
    "agreement lost on the left": -0.57,
    "agrees on the left": -1.25,
    "agrees on the right": -0.35,
    "apart": -2.30,
    "banned covered": 0.61,
    "banned kept": -0.90,
    "beginning kept on the left": -1.31,
    "behind a comma": 0.21,
    "capital at its place": 0.69,
    "capital inside": -1.04,
    "comma added": -0.14,
    "comma crossed": -0.14,
    "correction agrees on the right": -0.20,
    "doubled on the right": -0.22,
    "dropped": -2.79,
    "dropped, closed": -0.70,
    "dropped, pronoun": -0.96,
    "exactly the named words": 0.59,
    "exchanged": -0.89,
    "exchanged for another class": -1.15,
    "exchanged, closed": -0.19,
    "exchanged, pronoun": 0.15,
    "finite verbs gained": -0.52,
    "finite verbs lost": -0.96,
    "first words match": 1.23,
    "function word at its beginning": 0.08,
    "headword covered": -0.34,
    "headword covered, wrong": 0.56,
    "headword kept": 0.17,
    "headword kept, wrong": -1.35,
    "joined to the bracket": -0.67,
    "last words match": 1.17,
    "match kept on the left": -1.28,
    "match kept on the right": -0.84,
    "named word at the beginning": 0.97,
    "named word at the end": 0.46,
    "named words covered": 1.50,
    "named words cut on the left": -0.89,
    "named words cut on the right": 0.78,
    "negation exchanged": 0.94,
    "nothing explained": 0.56,
    "order changed": 0.90,
    "other form": 0.84,
    "pronoun kept": -0.62,
    "same form at the beginning": 0.40,
    "same form at the end": 0.66,
    "same word": 1.74,
    "same word, closed": 1.15,
    "small letter at the beginning": -1.06,
    "two finite verbs, left": -0.30,
    "whole sentence": 0.25,
    "words to the bracket": -0.23,
}
