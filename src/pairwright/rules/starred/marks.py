"""Acceptability marks: which of them call a form bad, and what the tags of speakers say.

Linguists put the mark before the sentence. A grammar of several speakers also puts it before their initials behind the
sentence: `(NK, *KM)`.
"""

import re

from pairwright.records import MarkMeaning

# Typesetters have several stars.
STARS = "*∗⁎＊"
MARKS = STARS + "?#%†"
SIGNS = rf"(?:[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}}|\?{{1,3}}|\#|%|†)"
# What the marks mean unless the source says otherwise.
MEANINGS: dict[str, MarkMeaning] = {
    "*": "bad", "**": "bad", "*?": "bad", "?*": "bad", "??": "bad", "???": "bad",
    "?": "doubtful", "#": "other", "%": "other", "†": "other",
}  # fmt: skip
# Why the others make no pair by themselves.
WEAK = {
    "?": "marked '?': the source finds it odd and does not call it ungrammatical",
    "#": "marked '#': it is well formed, and wrong in its context or meaning only",
    "%": "marked '%': some speakers accept it",
    "†": "marked '†': the sign of old or extinct forms, not of ungrammatical ones",
}
ANY_STAR = re.compile(f"[{STARS}]")
_LEADING_MARK = re.compile(rf"^(?P<mark>{SIGNS}|\({SIGNS}\))(?=[^\s{STARS}])")

DISPUTED = "disputed"
_TAG = re.compile(rf"(?P<mark>[{MARKS}]*)\b[A-Z]{{1,4}}\b")
# A mark before a reading, not before a form: the form is good, but does not have this reading.
READING = re.compile(rf"(?:^|[\s,;/(]){SIGNS}\s*[‘“„«\"'‚]")
# What follows the label of a translation or reading: a colon, a full stop or a quotation mark.
_LABEL_END = r"\.?\s*(?::|(?=[‘“„«‚\"']))\s*[‘“„«‚\"']?"


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


def is_other_reading(line: str, labels: re.Pattern[str]) -> bool:
    """Whether a line below an example gives another reading, `Actual: ‘…’`, or one that is refused, `*‘…’`."""
    labelled = re.match(rf"\(?{labels.pattern}{_LABEL_END}", line, re.IGNORECASE)
    return bool(READING.match(line) or (labelled and labelled[0][-1] in "‘“„«‚\"'"))


def without_label(translation: str | None, labels: re.Pattern[str]) -> str | None:
    """A translation without `Intended:` before it and the quotation marks around it."""
    label = re.match(rf"\(?{labels.pattern}{_LABEL_END}", translation or "", re.IGNORECASE)
    if translation is None or label is None:
        return translation
    return re.sub(r"[’”\"'»‘“]?(?P<stop>\.?)[’”\"'»‘“]?\)?$", r"\g<stop>", translation[label.end() :]) or None
