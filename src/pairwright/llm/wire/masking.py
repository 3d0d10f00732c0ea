"""Keys, taken out of whatever a server or a library says, in each of the forms in which they turn up."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

_STARS = "***"
# No server gives out a shorter key. Users of local servers write `x` or `none`, which any answer may say.
_LEAST_KEY = 8
# A shorter piece of Base64 says too little, and may stand in any text.
_LEAST_BASE64 = 6


class Mask:
    """Replaces a key by stars: as it is, quoted, in a URL, and in Base64, as Basic authentication has it."""

    def __init__(self, key: str) -> None:
        # The longest first, so that no form leaves the rest of a longer one behind.
        forms = _forms(key) if len(key) >= _LEAST_KEY else ()
        self._forms = sorted({form for form in forms if form}, key=len, reverse=True)
        self._bytes = [form.encode() for form in self._forms]

    def text(self, said: object) -> str:
        """What was said, without the key."""
        clean = str(said)
        for form in self._forms:
            clean = clean.replace(form, _STARS)
        return clean

    def content(self, sent: bytes) -> bytes:
        """Bytes of a server, without the key."""
        for form in self._bytes:
            sent = sent.replace(form, _STARS.encode())
        return sent


def _forms(key: str) -> Iterator[str]:
    for quoted in (key, repr(key)[1:-1]):
        # JSON within JSON, as an answer that is an object has it.
        for _ in range(3):
            yield quoted
            yield quoted.replace("/", r"\/")
            quoted = json.dumps(quoted)[1:-1]
    for encoded in (quote(key), quote(key, safe=""), quote_plus(key)):
        yield encoded
        yield _lower_escapes(encoded)
    yield from _base64_forms(key.encode())


def _lower_escapes(encoded: str) -> str:
    first, *rest = encoded.split("%")
    return "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])


def _base64_forms(key: bytes) -> Iterator[str]:
    """The Base64 of a key wherever it stands in a longer text: the digits that no neighbour has a share in."""
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(key)) * 8 // 6
        if last - first >= _LEAST_BASE64:
            for encode in (b64encode, urlsafe_b64encode):
                yield encode(bytes(before) + key).decode()[first:last]
