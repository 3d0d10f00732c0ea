"""The content security policy of the pages: nothing from elsewhere, and only their own scripts."""

from collections.abc import Iterable

from pairwright.core.templates import script_hash


def content_policy(scripts: Iterable[str], style: str) -> str:
    """The value of Content-Security-Policy that lets these scripts and this style in, and no others."""
    sources = " ".join(f"'{script_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {sources}; style-src '{script_hash(style)}'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
