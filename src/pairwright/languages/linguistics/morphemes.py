"""Lines cut into morphemes (Leipzig Glossing Rules, rules 2, 4, 9 and 10), and the sentences that they stand for."""

import re
from itertools import islice, product

from pairwright.core.records import Gloss
from pairwright.core.text import squeeze, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.linguistics.marks import ANY_STAR

# Brackets around constituents with what they are called, as in `[NP small dogs]` and `[small dogs]Subject`.
_CONSTITUENT = re.compile(r"\[(?:[A-Z]{1,4}\d?(?=\s))?|\](?:[A-Z][\w.]{0,11})?")
# Beside labels in capitals, as in `[he]SBJ [to him]io`: small capitals may be read as small letters.
_CAPITAL_LABEL, _SMALL_LABEL = re.compile(r"\][A-Z]"), re.compile(r"(?<=\])[a-z]{2,3}(?!\w)")
# Optional letters or words in parentheses, and alternatives between slashes.
_CHOICE = re.compile(
    r"\{(?P<braced>[^{}]*)\}|\((?P<optional>[^()]*)\)|(?<![^\s(])(?P<slashed>[^\s/()]+(?:/[^\s/()]+)+)"
)
_TRANSCRIBED = re.compile(r"\s*(?:\[[^\[\]]*\]|/.*/)\W*")
_MOST_WORDINGS = 6
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


def without_constituents(text: str) -> str:
    """A line without the brackets around constituents and what these are called."""
    return _CONSTITUENT.sub("", _SMALL_LABEL.sub("", text) if _CAPITAL_LABEL.search(text) else text)


def wordings(gloss: Gloss, boundaries: str = BOUNDARIES) -> list[str]:
    """The sentences for which an example stands that brackets constituents, or puts several wordings into one line.

    `[koor(a)]NP me/mai ikua` has four; the first one has all that is optional and the first of alternatives. An example
    that is a transcription, has a star inside, or of which no wording has the words that are glossed, stays as it is.
    """
    line = plain_sentence(gloss, boundaries)
    if ANY_STAR.search(line) or _TRANSCRIBED.fullmatch(line):
        return [line]
    bare, parts, end = without_constituents(line), list[tuple[str, ...]](), 0
    labels = gloss.glosses[0] if gloss.glosses else ()
    alternate = any("/" in label for label in labels)
    for match in _CHOICE.finditer(bare):
        optional, others = match["optional"], match["braced"] or match["slashed"] or ""
        options = others.split("/") if optional is None else [optional, ""]
        # Where the gloss has one reading, what follows a slash may be an ending alone: `sol-en/an`.
        options = options[:1] if match["slashed"] and labels and not alternate else options
        parts += [(bare[end : match.start()],), tuple(map(str.strip, options))]
        end = match.end()
    made = (squeeze("".join(pieces)) for pieces in product(*parts, (bare[end:],)))
    found = list(dict.fromkeys(islice(made, _MOST_WORDINGS)))
    if len(found) == 1:
        return found
    n_glossed = sum(bool(label and words(cut)) for cut, label in zip(gloss.segmentation, labels, strict=False))
    first = next((at for at, text in enumerate(found) if len(words(text)) == n_glossed), None)
    return [line] if first is None else found[first:]
