"""The content security policy of the pages: nothing from elsewhere, and only their own scripts."""

import base64
import hashlib
from collections.abc import Iterable


def content_policy(scripts: Iterable[str], style: str) -> str:
    """The value of Content-Security-Policy that lets these scripts and this style in, and no others."""
    sources = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {sources}; style-src {_hash(style)}; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
