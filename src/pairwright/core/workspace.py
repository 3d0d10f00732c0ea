"""The paths of a workspace, and its configuration. Nobody else spells out where a file lies."""

import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.core.errors import PairwrightError
from pairwright.core.files import user_path

if TYPE_CHECKING:
    from pairwright.core.config import Config


class Workspace:
    """A folder with the sources, prompts, annotations and output of a benchmark. No path has to exist."""

    def __init__(self, root: Path | str = ".") -> None:
        self.root = Path(root)

    @property
    def config_file(self) -> Path:
        return self.root / "pairwright.toml"

    @property
    def models_file(self) -> Path:
        """The language models to score, each with settings of its own."""
        return self.root / "models.toml"

    @property
    def sources(self) -> Path:
        """The given documents: a folder with a source.toml for each source."""
        return self.root / "sources"

    @property
    def lexicons(self) -> Path:
        """The slot lexicons, `<code>.tsv`, which belong to people, and tables of forms beside them."""
        return self.root / "lexicons"

    @property
    def annotations(self) -> Path:
        """The review queues. Their sheets belong to the reviewers; no program overwrites a person's cell."""
        return self.root / "annotations"

    @property
    def output(self) -> Path:
        """What pairwright derives from the rest."""
        return self.root / "output"

    @property
    def releases(self) -> Path:
        """The frozen releases, `<name>-<version>`."""
        return self.output / "releases"

    @property
    def cache(self) -> Path:
        """What can be thrown away at any time and is only slow to make again."""
        return self.output / "cache"

    @property
    def llm(self) -> Path:
        """The answers of language models and what they cost: what is deleted here has to be paid for again."""
        return self.output / "llm"

    @property
    def previews(self) -> Path:
        """The pages that show what was read of a source, and which rules were found."""
        return self.output / "previews"

    @property
    def review_tasks(self) -> Path:
        """What is left to review, as tasks of annotation tools."""
        return self.output / "review"

    def work(self, source_id: str) -> Path:
        """The stage files of a source."""
        return self.output / "work" / source_id

    def stage_file(self, source_id: str, stage: str) -> Path:
        """The records of one stage of a source, such as `blocks`, `rules`, `candidates` or `checked`."""
        return self.work(source_id) / f"{stage}.jsonl"

    def stage_files(self, stage: str) -> list[Path]:
        """The records of one stage of every source that has reached it, by source id."""
        return sorted(self.work(".").glob(f"*/{stage}.jsonl"))

    def release_folders(self) -> list[Path]:
        """The frozen releases, by name and version; what is still being written is hidden and not among them."""
        return sorted(path for path in self.releases.glob("[!.]*") if path.is_dir())

    def evaluations(self, release: str) -> Path:
        """The evaluations of a release, `<name>-<version>`: a folder for each model."""
        return self.output / "evaluations" / release

    def evaluation(self, release: str, model: str) -> Path:
        """The scores of a model on a release."""
        return self.evaluations(release) / model

    def finished_evaluations(self, release: str) -> list[Path]:
        """The folders of the models that have been scored on a release, by the model's name."""
        return sorted(run.parent for run in self.evaluations(release).glob("*/run.json"))

    def finished_tasks(self, release: str) -> list[Path]:
        """The folders with the answers of the models that were asked a release's tasks, by the model's name."""
        return sorted(run.parent for run in self.evaluations(release).glob("*/tasks/tasks.json"))

    @property
    def leaderboard(self) -> Path:
        """The page of all releases and the models that were scored on them."""
        return self.output / "leaderboard"

    def report(self, release: str) -> Path:
        """The report on a release: page, tables and figures."""
        return self.output / "reports" / release

    def languages(self) -> set[str]:
        """The codes of the languages that settings, sources and language files of this workspace name.

        Files with faults are passed over. Raises ConfigError for a faulty pairwright.toml.
        """
        from pairwright.core.ids import load_toml

        codes = {path.stem for path in self.root.glob("languages/*.toml")} | {self.config().language}
        for path in self.sources.glob("*/source.toml"):
            with suppress(PairwrightError):
                codes.add(load_toml(path).get("language"))
        return {code for code in codes if isinstance(code, str)}

    def command(self, *words: object) -> str:
        """A command line of pairwright for this workspace, to be shown to a user."""
        here = () if self.root == Path() else ("--workspace", self.root)
        return shlex.join(["pairwright", *map(str, (*words, *here))])

    def config(self) -> "Config":
        """The configuration of this workspace; the defaults where it has no pairwright.toml. Raises ConfigError."""
        # Imported here: the command line knows workspaces from its start, and pydantic takes longer than all the rest.
        from pairwright.core.config import Config
        from pairwright.core.ids import read_toml

        return read_toml(self.config_file, Config) if self.config_file.exists() else Config()


def template() -> Path:
    """Where the flows, prompts and samples that come with pairwright lie: in the installed package or the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_scaffold"
    return installed if installed.exists() else package.parents[1]


def user_cache() -> Path:
    """The folder for what all workspaces of a user share and can make again, such as unpacked models.

    PAIRWRIGHT_CACHE names it, where `~` is the home folder; else it is the user's cache folder for pairwright.
    """
    import os

    import platformdirs

    folder = os.environ.get("PAIRWRIGHT_CACHE") or platformdirs.user_cache_dir("pairwright", appauthor=False)
    return user_path(folder)
