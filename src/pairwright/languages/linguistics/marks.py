"""Acceptability marks: which of them call a form bad, and what the tags of speakers say.

Linguists put the mark before the sentence. A grammar of several speakers also puts it before their initials behind the
sentence: `(NK, *KM)`.
"""

import re
from collections.abc import Mapping

from pairwright.core.records import Gloss, MarkMeaning

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
# Before the words of a line of an example, also of one that has nothing else.
JUDGEMENT = re.compile(rf"^(?P<mark>{SIGNS})(?=\S|$)")
# Right before a form inside other text.
STARRED = re.compile(rf"(?<![\w{STARS}])[{STARS}]{{1,2}}\s?[-=(]?[^\W\d]")
_LEADING_MARK = re.compile(rf"^(?P<mark>{SIGNS}|\({SIGNS}\))(?=[^\s{STARS}])")

DISPUTED = "disputed"
_TAG = re.compile(rf"(?P<mark>[{MARKS}]*)\b[A-Z]{{1,4}}\b")
# A mark before a reading, not before a form: the form is good, but does not have this reading.
READING = re.compile(rf"(?:^|[\s,;/(]){SIGNS}\s*[‘“„«\"'‚]")


def split_mark(text: str) -> tuple[str, str]:
    """The mark at the beginning of a text, empty where there is none, and the text behind it."""
    match = _LEADING_MARK.match(text)
    return (match["mark"], text[match.end() :]) if match else ("", text)


def is_marked(gloss: Gloss) -> bool:
    """Whether an example has a mark, also where its reader left it before the sentence."""
    return bool(gloss.judgement or split_mark(gloss.object_line.lstrip())[0])


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


def meaning(mark: str, own: Mapping[str, MarkMeaning] | None = None) -> MarkMeaning:
    """What a mark says of its form; `own` is what the source says of its marks, as `Source.marks`."""
    plain = plain_mark(mark)
    # In brackets, `(*)`, a mark is a doubt, too.
    unusual: MarkMeaning = "bad" if "*" in plain and not plain.startswith("(") else "doubtful"
    return (own or {}).get(plain) or MEANINGS.get(plain, unusual)
