"""Marks of (un)acceptability before a form: which of them call it bad, and what a speaker's tag says.

Linguists write the mark before the sentence; a grammar of several speakers also writes it before the speaker's initials
behind the sentence, `(NK, *KM)`.
"""

import re

# The marks of linguists' examples. `*` and `**` are ungrammatical, `??` and `*?` nearly so; the others are weaker.
# Typesetters print the star with other characters, too.
STARS = "*∗⁎＊"
MARKS = STARS + "?#%†"
SIGNS = rf"(?:[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}}|\?{{1,3}}|\#|%|†)"
# Why these make no pair.
WEAK = {
    "?": "marked '?': the source finds it odd and does not call it ungrammatical",
    "#": "marked '#': it is well formed, and wrong in its context or meaning only",
    "%": "marked '%': some speakers accept it",
    "†": "marked '†': the sign of old or extinct forms, not of ungrammatical ones",
}
LEADING_MARK = re.compile(rf"^(?P<mark>{SIGNS})(?=[^\s{STARS}])")

DISPUTED = "disputed"
_TAG = re.compile(rf"(?P<mark>[{MARKS}]*)\b[A-Z]{{1,4}}\b")
# A mark before a reading, not before a form: the form is good and only this reading is not there.
READING = re.compile(rf"(?:^|[\s,;/(]){SIGNS}\s*[‘“„«\"'‚]")
_OTHER_READING = re.compile(
    r"^\(?(?:actual(?: reading| meaning)?|only|can only mean|ok(?:ay)?|(?:ok(?:ay)?|good|grammatical) as)\s*:?"
    r"\s*[‘“„«\"']",
    re.IGNORECASE,
)
_INTENDED = re.compile(r"^\(?(?:intended(?: meaning| reading)?|int\.|target(?:ed)?):? ?[‘“\"'«„‚]?", re.IGNORECASE)


def tag_mark(source: str | None) -> str:
    """What the tags of speakers behind a form say: `""` where they accept it or nothing is said, the mark where all of
    them refuse it, DISPUTED where they differ."""
    tags = list(_TAG.finditer(source or ""))
    marks = [plain(tag["mark"]) for tag in tags if tag["mark"]]
    if not marks:
        return ""
    if len(marks) < len(tags):
        return DISPUTED
    return "*" if "*" in marks else marks[0]


def plain(mark: str) -> str:
    """A mark with the common star."""
    return re.sub(f"[{STARS}]", "*", mark)


def is_other_reading(line: str) -> bool:
    """Whether a line below an example says that the form has another reading (`Actual: ‘…’`), or is a refused
    reading (`*‘…’`)."""
    return bool(READING.match(line) or _OTHER_READING.match(line))


def without_label(translation: str | None) -> str | None:
    """A translation without `Intended:` before it and the marks around it."""
    label = _INTENDED.match(translation or "")
    if translation is None or label is None:
        return translation
    return re.sub(r"[’”\"'»‘]?(?P<stop>\.?)[’”\"'»‘]?\)?$", r"\g<stop>", translation[label.end() :]) or None
