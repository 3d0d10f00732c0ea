"""Unpacks documents that are ZIP archives, in memory only and never beyond the size that they declare."""

from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

# What a damaged, encrypted or cut-off archive, or the XML in it, makes its readers raise.
DAMAGE = (BadZipFile, ZlibError, EOFError, KeyError, RuntimeError, OSError, ValueError, SyntaxError)
_STEP = 1 << 20


def read_member(archive: ZipFile, item: ZipInfo) -> bytes:
    """The bytes of a member. Raises BadZipFile where they are not those that were packed, or not as many as it says."""
    with archive.open(item) as member:
        return member.read(max(item.file_size, 1))


def verify_members(archive: ZipFile) -> None:
    """Raises BadZipFile where a member is damaged or unpacks to another size than it declares; keeps nothing."""
    for item in archive.infolist():
        with archive.open(item) as member:
            while member.read(_STEP):
                pass
