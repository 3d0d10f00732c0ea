"""All attempts, of every area."""

import answers  # noqa: F401
import documents  # noqa: F401
import releases  # noqa: F401
import sheets  # noqa: F401
import workspaces  # noqa: F401
from attempts import ATTEMPTS

__all__ = ["ATTEMPTS"]
