"""Letters and Roman numerals that number lists and examples."""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def roman_numeral(number: int) -> str:
    """A number from 1 in small Roman numerals."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def letter_numeral(number: int) -> str:
    """A number from 1 as word processors letter their lists: a to z, then aa, bb, to zz, and so on."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
