"""Lines cut into morphemes (Leipzig Glossing Rules, rules 2, 4, 9 and 10), and the sentences that they stand for."""

import re

from pairwright.core.records import Gloss
from pairwright.core.text import squeeze
from pairwright.languages import BOUNDARIES

_ZERO = re.compile(r"[-=~]?∅[-=~]?|[-=~]Ø(?!\w)|(?<!\w)Ø[-=~]")


def boundary_pattern(boundaries: str = BOUNDARIES) -> re.Pattern[str]:
    """Finds the signs that touch a word, not those behind figures or by themselves: `25-30` and `a - b` stay."""
    signs = re.escape(re.sub("[<>]", "", boundaries))
    touching = [rf"(?<=[^\s\d])[{signs}]+|(?<!\S)[{signs}]+(?=[^\W\d])"] if signs else []
    around = [r"<(?=[^<>\s]+>\w)|(?<=\w)<(?=[^<>\s]+>)|(?<=[^\s<])>"] if "<" in boundaries else []
    return re.compile("|".join([*touching, *around]) or r"(?!)")


def join_morphemes(text: str, boundaries: str = BOUNDARIES) -> str:
    """The sentence that a segmented line stands for: the signs between morphemes and the zeros disappear, spaces stay.

    boundaries  the signs, of `-=~<>`; `<>` are those around infixes. Without `-`, hyphens belong to the spelling.
    """
    return squeeze(boundary_pattern(boundaries).sub("", _ZERO.sub("", text)))


def is_segmented(gloss: Gloss, boundaries: str = BOUNDARIES) -> bool:
    """Whether an example's only object line is cut: a word and its gloss have signs between morphemes."""
    if gloss.surface or not gloss.glosses:
        return False
    cut = boundary_pattern(boundaries)
    rows = zip(gloss.segmentation, gloss.glosses[0], strict=True)
    return any(cut.search(word) and re.search("[-=~<]", label) for word, label in rows)


def plain_sentence(gloss: Gloss, boundaries: str = BOUNDARIES) -> str:
    """An example's sentence as it is written: its surface line, else its segmented line joined."""
    line = gloss.object_line
    return join_morphemes(line, boundaries) if is_segmented(gloss, boundaries) else line
