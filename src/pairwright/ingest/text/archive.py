"""What a damaged, encrypted or cut-off ZIP archive, or the XML in it, makes its readers raise."""

from zipfile import BadZipFile
from zlib import error as ZlibError

DAMAGE = (BadZipFile, ZlibError, EOFError, KeyError, RuntimeError, OSError, ValueError, SyntaxError)
