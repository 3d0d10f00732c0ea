"""The random key from which the pseudonyms of reviewers are made: annotations/pseudonyms.key.

It is never released: with it, whoever knows the reviewers' names can find out how each of them voted. But a release is
frozen from it, as from the sheets beside it: the same sheets and key give the same bytes on every machine.
"""

import re
import secrets
from pathlib import Path

from pairwright.core import store
from pairwright.core.errors import ReleaseError
from pairwright.core.files import read_text

FILE = "pseudonyms.key"


def pseudonym_key(annotations: Path) -> bytes:
    """The key of a workspace, 32 bytes; it is made where there is none yet. Raises ReleaseError where it is damaged."""
    path = annotations / FILE
    if not path.exists():
        store.write_text(path, f"{secrets.token_hex(32)}\n")
    text = read_text(path, 1_000, ReleaseError).strip()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ReleaseError(
            f"{path}: not 64 hexadecimal digits; get the file back from a copy of the workspace, for with another key "
            "all reviewers get other pseudonyms"
        )
    return bytes.fromhex(text)
