"""Acceptability marks: which of them call a form bad, and what the tags of speakers say.

Linguists put the mark before the sentence. A grammar of several speakers also puts it before their initials behind the
sentence: `(NK, *KM)`.
"""

import re

# `*` and `**` mean ungrammatical, `??` and `*?` nearly so; the others are weaker. Typesetters have several stars.
STARS = "*∗⁎＊"
MARKS = STARS + "?#%†"
SIGNS = rf"(?:[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}}|\?{{1,3}}|\#|%|†)"
# Why these marks make no pair.
WEAK = {
    "?": "marked '?': the source finds it odd and does not call it ungrammatical",
    "#": "marked '#': it is well formed, and wrong in its context or meaning only",
    "%": "marked '%': some speakers accept it",
    "†": "marked '†': the sign of old or extinct forms, not of ungrammatical ones",
}
ANY_STAR = re.compile(f"[{STARS}]")
_LEADING_MARK = re.compile(rf"^(?P<mark>{SIGNS})(?=[^\s{STARS}])")

DISPUTED = "disputed"
_TAG = re.compile(rf"(?P<mark>[{MARKS}]*)\b[A-Z]{{1,4}}\b")
# A mark before a reading, not before a form: the form is good, but does not have this reading.
READING = re.compile(rf"(?:^|[\s,;/(]){SIGNS}\s*[‘“„«\"'‚]")
_OTHER_READING = re.compile(
    r"^\(?(?:actual(?: reading| meaning)?|only|can only mean|ok(?:ay)?|(?:ok(?:ay)?|good|grammatical) as)\s*:?"
    r"\s*[‘“„«\"']",
    re.IGNORECASE,
)
_INTENDED = re.compile(r"^\(?(?:intended(?: meaning| reading)?|int\.|target(?:ed)?):? ?[‘“\"'«„‚]?", re.IGNORECASE)


def split_mark(text: str) -> tuple[str, str]:
    """The mark at the beginning of a text, empty where there is none, and the text behind it."""
    match = _LEADING_MARK.match(text)
    return (match["mark"], text[match.end() :]) if match else ("", text)


def tag_mark(source: str | None) -> str:
    """The mark by all speakers' tags behind a form; empty where none has one, DISPUTED where only some have."""
    marks = [plain_mark(tag["mark"]) for tag in _TAG.finditer(source or "")]
    if not any(marks):
        return ""
    if not all(marks):
        return DISPUTED
    return "*" if "*" in marks else marks[0]


def plain_mark(mark: str) -> str:
    """A mark with the common star."""
    return ANY_STAR.sub("*", mark)


def is_other_reading(line: str) -> bool:
    """Whether a line below an example gives another reading, `Actual: ‘…’`, or one that is refused, `*‘…’`."""
    return bool(READING.match(line) or _OTHER_READING.match(line))


def without_label(translation: str | None) -> str | None:
    """A translation without `Intended:` before it and the quotation marks around it."""
    label = _INTENDED.match(translation or "")
    if translation is None or label is None:
        return translation
    return re.sub(r"[’”\"'»‘]?(?P<stop>\.?)[’”\"'»‘]?\)?$", r"\g<stop>", translation[label.end() :]) or None
