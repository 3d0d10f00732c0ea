"""Language codes: ISO 639, by the table of the python-iso639 package."""

import re

from pairwright.errors import ConfigError

_PRIVATE = re.compile("q[a-t][a-z]")


def language_name(code: str) -> str:
    """The English name of a language by its code, such as `sje`; subtags as in `sje-Latn` are left out of account.

    Codes from `qaa` to `qtz`, which the standard leaves to private use, are their own names. Raises ConfigError for a
    code that is none, and where the standard has a shorter one.
    """
    from iso639 import Language, LanguageNotFoundError

    primary = code.split("-")[0]
    if _PRIVATE.fullmatch(primary):
        return code
    try:
        language = Language.match(primary)
    except LanguageNotFoundError:
        raise ConfigError(
            f"'{code}' is no language code of ISO 639: look it up at iso639-3.sil.org, or take one from qaa to qtz for "
            "a language that has none"
        ) from None
    if primary != (language.part1 or language.part3):
        raise ConfigError(f"the code of {language.name} is '{language.part1 or language.part3}', not '{code}'")
    return str(language.name)


def three_letter_code(code: str) -> str:
    """A language's code of ISO 639-3, such as `lit` for `lt`; a code that the standard lacks stays."""
    from iso639 import Language, LanguageNotFoundError

    primary = code.split("-")[0]
    try:
        return str(Language.match(primary).part3 or primary)
    except LanguageNotFoundError:
        return primary
