"""Ids and hashes. Ids come from content, never from position or run: equal words give equal ids on every machine."""

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pairwright.core.errors import PairwrightError
from pairwright.core.files import open_file


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list | tuple):
        return [_nfc(item) for item in value]
    if isinstance(value, dict):
        return {_nfc(key): _nfc(item) for key, item in value.items()}
    return value


def canonical_json(value: Any) -> str:
    """JSON of NFC text with sorted keys and no white space: equal values give equal text."""
    return json.dumps(_nfc(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def content_id(kind: str, *parts: Any) -> str:
    """A short id such as `pair-1f0c9a2b77d04e31`: the kind and the first 64 bits of the digest of the parts."""
    return f"{kind}-{digest([kind, *parts])[:16]}"


def pair_id(rule_id: str, good: str, bad: str) -> str:
    """The id of the minimal pair that a rule makes of two sentences, whoever proposes it."""
    return content_id("pair", rule_id, good, bad)


def pseudonyms(name: str, people: Iterable[str]) -> dict[str, str]:
    """R1, R2, … for each person, ordered by the SHA-256 of a name, such as a pair's id, and the person's own name.

    They stay the same while the group does. Whoever knows the people can find out who is who.
    """
    order = sorted(people, key=lambda person: hashlib.sha256(f"{name}\n{person}".encode()).hexdigest())
    return {person: f"R{number}" for number, person in enumerate(order, start=1)}


def keyed_pseudonym(key: bytes, name: str, person: str) -> str:
    """`R-` and the first 40 bits of the HMAC-SHA-256 of a name, such as a release's, and the person's own name.

    It doesn't change when others join or leave, and differs from name to name. A plain hash could be undone by trying
    the names of likely people; without the key that does not help.
    """
    return f"R-{keyed_digest(key, f'{name} {person}')[:10]}"


def keyed_digest(key: bytes, text: str) -> str:
    """The HMAC-SHA-256 of a text, as 64 hexadecimal digits."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def file_sha256(path: Path, error: type[PairwrightError] = PairwrightError) -> str:
    """SHA-256 of a file's bytes, read in pieces. Raises `error` where it is no ordinary file that can be read."""
    with open_file(path, error) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
