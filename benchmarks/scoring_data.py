"""Pairs for the scoring benchmarks: made here by templates, or read from a CSV file with a header."""

import csv
import itertools
import random
from pathlib import Path

from pairwright.core.errors import ModelError

COLUMNS = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("correct_sentence", "incorrect_sentence"),
)
Pair = tuple[str, str]

SUBJECTS = ("author", "senator", "pilot", "teacher", "guard", "waiter", "lawyer", "customer", "surgeon", "gardener")
PLURALS = (
    "authors",
    "senators",
    "pilots",
    "teachers",
    "guards",
    "waiters",
    "lawyers",
    "customers",
    "surgeons",
    "clerks",
)
OBJECTS = ("the old map", "a red boat", "this photograph", "their neighbours", "the long letter", "two bicycles")
PLACES = ("near the harbour", "behind the library", "in the small town", "at the station", "on the hill")
VERBS = (("likes", "like"), ("admires", "admire"), ("visits", "visit"), ("paints", "paint"), ("knows", "know"))
CLAUSES = (
    "the neighbours who had moved in last winter said nothing about the noise",
    "the committee postponed the vote because half of its members were ill",
    "several trains were late after the storm had damaged the bridge",
    "nobody could explain why the lamps in the corridor stayed on all night",
    "the museum lent its oldest paintings to a school outside the city",
    "a letter from the archive had been lying unopened on the desk for weeks",
)


def blimp_like(count: int) -> list[Pair]:
    """English pairs of six or more words as in BLiMP: agreement across a modifier, reflexives, negative polarity."""
    pairs: list[Pair] = []
    for subject, other, (third, plain), thing in itertools.product(SUBJECTS, PLURALS, VERBS, OBJECTS):
        pairs.append(
            (f"The {subject} beside the {other} {third} {thing}.", f"The {subject} beside the {other} {plain} {thing}.")
        )
    for subject, other, place in itertools.product(PLURALS, SUBJECTS, PLACES):
        start = f"The {subject} {place} thought that the {other} hurt"
        pairs.append((f"{start} himself.", f"{start} themselves."))
    for subject, (_, plain), place, thing in itertools.product(SUBJECTS, VERBS, PLACES, OBJECTS):
        pairs.append(
            (f"No {subject} {place} will ever {plain} {thing}.", f"Some {subject} {place} will ever {plain} {thing}.")
        )
    return _spread(pairs, count)


def long_pairs(count: int) -> list[Pair]:
    """English pairs of about a hundred tokens whose sentences part at a place drawn at random."""
    draw = random.Random(11)
    pairs = []
    for number in range(count):
        subject, other = draw.choice(SUBJECTS), draw.choice(PLURALS)
        third, plain = draw.choice(VERBS)
        clauses = draw.sample(CLAUSES, 6)
        at = draw.randrange(1, 6)
        start = f"Report {number} says that " + ", that ".join(clauses[:at])
        rest = "".join(f", and that {clause}" for clause in clauses[at:]) + "."
        thing = draw.choice(OBJECTS)
        good, bad = (f"{start}, that the {subject} of the {other} {verb} {thing}{rest}" for verb in (third, plain))
        pairs.append((good, bad))
    return pairs


def _spread(pairs: list[Pair], count: int) -> list[Pair]:
    """`count` pairs, evenly from all, in their order, so that neighbours are of one paradigm."""
    step = max(1, len(pairs) // max(1, count))
    return pairs[::step][:count]


def folder_of(model: str) -> str:
    """The folder that other programs load: that of `embedded` and of a GGUF file is what they were converted to."""
    from pairwright.models.load.embedded import embedded_model, gguf_model

    if model == "embedded":
        return str(embedded_model().directory)
    return str(gguf_model(Path(model)).directory) if model.endswith(".gguf") else model


def read_pairs(path: Path, limit: int | None) -> list[Pair]:
    """The good and bad sentences of a CSV file, unchanged. Raises ModelError where it has no such columns."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        header = handle.readline()
        handle.seek(0)
        rows = list(csv.DictReader(handle, delimiter=";" if header.count(";") > header.count(",") else ","))
    for good, bad in COLUMNS:
        if rows and good in rows[0] and bad in rows[0]:
            return [(row[good], row[bad]) for row in rows[:limit]]
    raise ModelError(f"{path}: no pair of sentence columns; one of {COLUMNS} is needed")
