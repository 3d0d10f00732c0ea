"""Language codes: ISO 639 by the table of the python-iso639 package, and BCP 47 private use."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from pairwright.core.errors import ConfigError

if TYPE_CHECKING:
    from iso639 import Language

_TAG = re.compile("(?P<primary>[A-Za-z]{2,3}|x)(?P<subtags>(?:-[A-Za-z0-9]{1,8})*)")
_PRIVATE = re.compile("q[a-t][a-z]")
_SUGGESTIONS = 3
_LONGEST_CODE = 3


@cache
def language_name(code: str) -> str:
    """The English name of a language by its code, such as `sje`; subtags as in `sje-Latn` are left out of account.

    Codes of private use, `qaa` to `qtz` and `x-...`, are their own names. Raises ConfigError, with the nearest codes,
    for an unknown code, and where the standard has a shorter one.
    """
    parts = _TAG.fullmatch(code)
    primary = parts["primary"] if parts else ""
    if _PRIVATE.fullmatch(primary) or (primary == "x" and parts and parts["subtags"]):
        return code
    from iso639 import Language, LanguageNotFoundError

    try:
        language = Language.match(primary or code)
    except LanguageNotFoundError:
        raise ConfigError(
            f"'{code}' is no language code of ISO 639; the nearest are {', '.join(_nearest(code))}; look it up at "
            "iso639-3.sil.org, or take one from qaa to qtz for a language that has none"
        ) from None
    if primary != (language.part1 or language.part3):
        raise ConfigError(f"the code of {language.name} is '{language.part1 or language.part3}', not '{code}'")
    return str(language.name)


def preferred_code(code: str) -> str:
    """The code that the standard prefers, such as `hy` for `hye`, with its subtags; one that it lacks stays."""
    primary, _, subtags = code.partition("-")
    if len(primary) != _LONGEST_CODE or not primary.islower():
        return code
    from iso639 import Language, LanguageNotFoundError

    try:
        language = Language.match(primary)
    except LanguageNotFoundError:
        return code
    return "-".join(filter(None, (language.part1 or language.part3, subtags)))


def check_language_code(code: str) -> str:
    """The code itself. Raises ValueError with what `language_name` says, for settings and records."""
    # The table takes a fifth of a second to load: a language that comes with pairwright does without.
    if not code.isalpha() or not (files("pairwright") / "languages" / f"{code}.toml").is_file():
        try:
            language_name(code)
        except ConfigError as fault:
            raise ValueError(str(fault)) from None
    return code


LanguageCode = Annotated[str, AfterValidator(check_language_code)]
"""A code that ISO 639 has, with subtags or without, or one of private use."""


def _nearest(text: str) -> Iterator[str]:
    """The codes most like a wrong one, or those whose names are, with their names; those in wider use first."""
    from iso639 import ALL_LANGUAGES
    from rapidfuzz.distance import JaroWinkler

    text = text.casefold()

    def rank(language: "Language") -> tuple[float, bool, bool, str]:
        codes = {language.part1, language.part2b, language.part3}
        names = {language.name, *(name.print for name in language.other_names or ())}
        spellings = codes if len(text) <= _LONGEST_CODE else names
        likeness = max(JaroWinkler.similarity(text, name.casefold()) for name in spellings if name)
        return -likeness, language.part1 is None, language.part2b is None, language.part3

    for language in sorted(ALL_LANGUAGES, key=rank)[:_SUGGESTIONS]:
        yield f"{language.part1 or language.part3} ({language.name})"
