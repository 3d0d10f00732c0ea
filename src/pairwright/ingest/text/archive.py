"""What damaged documents that are ZIP archives make their readers raise."""

from zipfile import BadZipFile
from zlib import error as ZlibError

# Of a damaged, encrypted or cut-off archive, or the XML in it.
DAMAGE = (BadZipFile, ZlibError, EOFError, KeyError, RuntimeError, OSError, ValueError, SyntaxError)
