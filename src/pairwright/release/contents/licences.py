"""Licences as the world's registries name them. What a source.toml says in words is looked up in its SPDX form."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# SPDX id -> (id of the Hugging Face Hub, address of the text)
_CC = "https://creativecommons.org/licenses"
KNOWN = {
    "CC0-1.0": ("cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "CC-BY-3.0": ("cc-by-3.0", f"{_CC}/by/3.0/"),
    "CC-BY-4.0": ("cc-by-4.0", f"{_CC}/by/4.0/"),
    "CC-BY-SA-3.0": ("cc-by-sa-3.0", f"{_CC}/by-sa/3.0/"),
    "CC-BY-SA-4.0": ("cc-by-sa-4.0", f"{_CC}/by-sa/4.0/"),
    "CC-BY-NC-4.0": ("cc-by-nc-4.0", f"{_CC}/by-nc/4.0/"),
    "CC-BY-ND-4.0": ("cc-by-nd-4.0", f"{_CC}/by-nd/4.0/"),
    "CC-BY-NC-SA-3.0": ("cc-by-nc-sa-3.0", f"{_CC}/by-nc-sa/3.0/"),
    "CC-BY-NC-SA-4.0": ("cc-by-nc-sa-4.0", f"{_CC}/by-nc-sa/4.0/"),
    "CC-BY-NC-ND-4.0": ("cc-by-nc-nd-4.0", f"{_CC}/by-nc-nd/4.0/"),
    "Apache-2.0": ("apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    "MIT": ("mit", "https://opensource.org/license/mit"),
    "MPL-2.0": ("mpl-2.0", "https://www.mozilla.org/en-US/MPL/2.0/"),
    "GPL-3.0-only": ("gpl-3.0", "https://www.gnu.org/licenses/gpl-3.0.html"),
    "LGPL-3.0-only": ("lgpl-3.0", "https://www.gnu.org/licenses/lgpl-3.0.html"),
    "ODbL-1.0": ("odbl", "https://opendatacommons.org/licenses/odbl/1-0/"),
    "ODC-By-1.0": ("odc-by", "https://opendatacommons.org/licenses/by/1-0/"),
    "PDDL-1.0": ("pddl", "https://opendatacommons.org/licenses/pddl/1-0/"),
}
_BY_WORDS = {spdx.casefold(): spdx for spdx in KNOWN}


@dataclass(frozen=True)
class Licence:
    """A licence as it was written. `spdx`, `hub` and `url` are None where the words are no licence that we know."""

    words: str
    spdx: str | None
    hub: str | None
    url: str | None


@lru_cache(maxsize=1024)
def licence(words: str) -> Licence:
    """The licence that is meant: `CC BY 4.0`, `cc-by-4.0` and `CC-BY-4.0` are one."""
    spdx = _BY_WORDS.get("-".join(words.casefold().replace("(", " ").replace(")", " ").split()))
    hub, url = KNOWN[spdx] if spdx else (None, None)
    return Licence(words=words, spdx=spdx, hub=hub, url=url)


def distinct(words: Iterable[str]) -> list[Licence]:
    """The licences without repetition, in order."""
    found: dict[str, Licence] = {}
    for text in words:
        one = licence(text)
        found.setdefault(one.spdx or one.words, one)
    return list(found.values())
