"""Bytes that a server sent, as JSON and text. Nobody vouches for them: what can't be read is `UnreadableError`."""

import json
import re
import zlib
from typing import Any

# More digits than any figure that a server has reason to send; Python itself refuses more than 4,300.
_MOST_DIGITS = 30
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnreadableError(Exception):
    """An answer that can't be used, with the reason."""


def unpack(content: bytes, coding: str, most: int) -> bytes:
    """The content of a body in a `Content-Encoding`. Raises UnreadableError beyond `most` bytes, before it holds them.

    Servers are asked for plain bodies; gzip and deflate are understood because some proxies pack whatever they pass on.
    """
    if coding in ("", "identity"):
        return content
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableError(f"packed as {coding[:20]!r}, which was not asked for")
    try:
        # 32 more than the usual window: zlib tells gzip from deflate by the header.
        unpacked = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, most + 1)
    except zlib.error as fault:
        raise UnreadableError(f"not the {coding} that it is said to be: {fault}") from None
    if len(unpacked) > most:
        raise UnreadableError(f"larger than {most:,} bytes when unpacked")
    return unpacked


def read_json(content: bytes) -> Any:
    """The value of a JSON text. Raises UnreadableError if it is not JSON or too deep; huge integers become floats."""
    try:
        return json.loads(content, parse_int=_number)
    except RecursionError:
        raise UnreadableError("JSON that is nested too deep") from None
    except ValueError as fault:
        raise UnreadableError(f"not JSON: {fault}") from None


def read_object(content: bytes) -> dict[str, Any]:
    """The object of a JSON text. Raises UnreadableError where it is anything else."""
    value = read_json(content)
    if not isinstance(value, dict):
        raise UnreadableError("no JSON object")
    return value


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def plain_text(text: str) -> str:
    """Text that can be written as UTF-8: each half of a surrogate pair that stands alone becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
