"""Jinja environments for the pages and texts that pairwright writes: strict about names, and every value escaped."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pairwright.core.text import escape_markdown


def html_templates(*folders: Path, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """HTML templates of these folders; values are escaped unless they are Markup. `finalize` sees each value before."""
    return _environment(folders, finalize, autoescape=True, trim=True)


def markdown_templates(*folders: Path, trim: bool = True) -> Environment:
    """Markdown templates of these folders; values are escaped unless they are Markup.

    With `trim`, the line of a template tag leaves no empty line behind.
    """
    return _environment(folders, _as_markdown, autoescape=False, trim=trim)


def script_hash(script: str) -> str:
    """What a Content Security Policy calls a script or style that stands inside a page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _environment(
    folders: tuple[Path, ...], finalize: Callable[[Any], Any] | None, *, autoescape: bool, trim: bool
) -> Environment:
    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=trim,
        lstrip_blocks=trim,
        keep_trailing_newline=True,
        finalize=finalize,
    )


def _as_markdown(value: Any) -> Any:
    return escape_markdown(value) if isinstance(value, str) and not isinstance(value, Markup) else value
