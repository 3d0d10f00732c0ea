"""A table of matrices with words of our own, as published ones are laid out."""

from collections.abc import Sequence

ANSWERS = ("The vase broke on the floor.", "The boy broke on the floor.", "The vase broke the boy.")
LABELS = ("Correct", "Wrong Agent", "Order")
HEADER = [
    *("ID", "Sent_1", "Sent_2"),
    *(f"Answer_{n}" for n in (1, 2, 3)),
    *(f"Answer_label_{n}" for n in (1, 2, 3)),
    *(f"Answer_value_{n}" for n in (1, 2, 3)),
    *(f"Answer_template_{n}" for n in (1, 2, 3)),
]


def cells(number: int, **changes: str) -> dict[str, str]:
    """The cells of a problem with words of its own."""
    row = {"ID": str(number), "Sent_1": f"Boy {number} broke the vase.", "Sent_2": f"Vase {number} was broken."}
    for place, (answer, label) in enumerate(zip(ANSWERS, LABELS, strict=True), start=1):
        row |= {
            f"Answer_{place}": f"{number} {answer}",
            f"Answer_label_{place}": label,
            f"Answer_value_{place}": str(place == 1),
            f"Answer_template_{place}": f"NP{place} Verb",
        }
    return row | changes


def table_text(*rows: dict[str, str], header: Sequence[str] = HEADER) -> str:
    """The file of these problems."""
    return "".join("\t".join(line) + "\r\n" for line in (header, *([row[name] for name in header] for row in rows)))
