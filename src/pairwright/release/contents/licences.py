"""Licences as the world's registries name them: the words of a source.toml are looked up in their SPDX form."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Licence:
    """A licence as it was written. `spdx`, `hub` and `url` are None where licences.toml doesn't know the words."""

    words: str
    spdx: str | None
    hub: str | None
    url: str | None


def licence(words: str) -> Licence:
    """The licence that is meant: `CC BY 4.0`, `cc-by-4.0` and `CC-BY-4.0` are one."""
    key = "-".join(words.casefold().replace("(", " ").replace(")", " ").split())
    return Licence(words, *_registry().get(key, (None, None, None)))


@cache
def _registry() -> dict[str, tuple[str, str, str]]:
    """SPDX id, id on the Hub and address of each licence, by its SPDX id in small letters."""
    text = files("pairwright.release.contents").joinpath("licences.toml").read_text(encoding="utf-8")
    return {spdx.casefold(): (spdx, entry["hub"], entry["url"]) for spdx, entry in tomllib.loads(text).items()}
