"""The paths of a workspace, and its configuration."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pairwright.config import Config


class Workspace:
    """The folders under which sources, prompts, annotations and output live."""

    def __init__(self, root: Path | str = ".") -> None:
        self.root = Path(root)

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    @property
    def annotations(self) -> Path:
        return self.root / "annotations"

    @property
    def releases(self) -> Path:
        return self.root / "output" / "releases"

    @property
    def cache(self) -> Path:
        """What can be thrown away at any time and is only slow to make again."""
        return self.root / "output" / "cache"

    @property
    def llm(self) -> Path:
        """The answers of language models and what they cost: what is deleted here has to be paid for again."""
        return self.root / "output" / "llm"

    def work(self, source_id: str) -> Path:
        return self.root / "output" / "work" / source_id

    def evaluation(self, release: str, model: str) -> Path:
        return self.root / "output" / "evaluations" / release / model

    def report(self, release: str) -> Path:
        return self.root / "output" / "reports" / release

    def config(self) -> "Config":
        """The configuration of this workspace; the defaults where it has no pairwright.toml. Raises ConfigError."""
        # Imported here: the command line knows workspaces from its start, and pydantic takes longer than all the rest.
        from pairwright.config import Config, read_toml

        path = self.root / "pairwright.toml"
        return read_toml(path, Config) if path.exists() else Config()


def template() -> Path:
    """Where the flows, prompts and samples that come with pairwright lie: in the installed package or the checkout."""
    package = Path(__file__).parent
    installed = package / "_scaffold"
    return installed if installed.exists() else package.parents[1]


def user_cache() -> Path:
    """The folder for what all workspaces of a user share and can make again, such as unpacked models.

    PAIRWRIGHT_CACHE names it, where `~` is the home folder; else it is the user's cache folder for pairwright.
    """
    import os

    import platformdirs

    folder = os.environ.get("PAIRWRIGHT_CACHE") or platformdirs.user_cache_dir("pairwright", appauthor=False)
    return Path(folder).expanduser()
