"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = 0.4
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = 0.77
"""The probability of a certain span: in cross-validation 97% of such spans were right."""

NONE = -1.70
"""The log-odds that the bracket corrects none of the spans."""

FLUENCY = 1.0
"""What a language model's mean log-probability of the good sentence weighs beside it, where a span is uncertain."""

WEIGHTS = {
    "added": -0.45,
    "added, closed": 1.30,
    "added, pronoun": -0.15,
    "adposition at both beginnings": -0.16,
    "adposition at its beginning": 1.44,
    "adposition at its end": -1.80,
    "adposition kept": -0.79,
    "agreement lost on the left": -0.41,
    "agreement lost on the right": -0.98,
    "agrees on the left": -0.97,
    "apart": -3.00,
    "as many words, several": 1.02,
    "banned covered": 0.55,
    "banned kept": -1.05,
    "beginning kept on the left": -2.93,
    "behind a comma": 0.30,
    "capital at its place": 1.18,
    "capital inside": -1.22,
    "comma added": -0.37,
    "doubled on the right": -0.49,
    "dropped": -2.85,
    "dropped, closed": -1.20,
    "dropped, pronoun": -1.14,
    "exactly the named words": 0.69,
    "exchanged": -1.25,
    "exchanged for another class": -2.07,
    "exchanged, closed": 0.05,
    "exchanged, pronoun": 0.26,
    "first words match": 1.64,
    "function word at its beginning": 0.16,
    "headword covered": -0.65,
    "headword covered, wrong": 0.68,
    "headword kept": 0.39,
    "headword kept, wrong": -1.36,
    "joined to the bracket": -0.37,
    "last words match": 0.54,
    "named word at the beginning": 0.09,
    "named word at the end": 0.51,
    "named words covered": 1.89,
    "named words cut on the left": -1.52,
    "named words cut on the right": 0.98,
    "negation exchanged": 1.40,
    "order changed": 1.44,
    "other form": 1.41,
    "other form kept on the left": -0.56,
    "other form kept on the right": -0.77,
    "pronoun kept": -0.37,
    "same form at the beginning": 0.53,
    "same form at the end": -0.22,
    "same word": 2.56,
    "same word kept on the left": -1.80,
    "same word kept on the right": -0.18,
    "same word, closed": 1.18,
    "small letter at the beginning": -1.61,
    "whole sentence": 0.45,
    "words to the bracket": -0.03,
}
