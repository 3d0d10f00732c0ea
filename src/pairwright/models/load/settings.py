"""models.toml: the language models that a user names, each with settings of its own."""

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from pairwright.core.config import Count, DtypeName, Natural, Settings, VariableName
from pairwright.core.errors import ModelError
from pairwright.core.ids import digest
from pairwright.core.toml import read_toml

# The environment variable that holds a server's key where neither models.toml nor [llm] names one.
KEY = "PAIRWRIGHT_API_KEY"


class ModelSettings(Settings):
    """A model of models.toml. What is left out is as `[score]` of pairwright.toml says, or as auto does.

    name               a folder, a GGUF file, a hub id, `embedded`, or the address of a server with its `/v1`
    thinking_tokens    as in [ask]
    family             for reports, which else read it from the name; likewise `size` such as 1.7B, and `variant`
    """

    name: Annotated[str, Field(min_length=1)]
    label: str | None = None  # the name in reports, instead of the model's own
    revision: str | None = None  # branch, tag or commit of a hub model
    dtype: DtypeName | None = None
    device: str | None = None
    quantisation: Literal["8bit", "4bit"] | None = None  # by bitsandbytes
    batch_size: Count | None = None
    batch_tokens: Natural | None = None
    masked: Literal["pll", "within-word"] | None = None
    chat: str | None = None
    trust_remote_code: bool = False  # whether Python code that comes with the model is run; it can do whatever you can
    keep: bool = True  # whether a hub model that had to be downloaded stays on disk after it was scored
    model: str | None = None  # what the server calls the model; `key_env` the environment variable with its key
    key_env: VariableName | None = None
    thinking_tokens: Natural | None = None
    family: str | None = None
    size: str | None = None
    variant: Literal["base", "instruct"] | None = None

    @field_validator("name")
    @classmethod
    def _no_password(cls, name: str) -> str:
        address = urlsplit(name) if name.startswith(("http://", "https://")) else urlsplit("")
        if "@" in address.netloc or address.query or address.fragment:
            host = address.netloc.rsplit("@", 1)[-1]
            remedy = "put the key into an environment variable, and its name under key_env in models.toml"
            # Not a ValueError, which would show the password.
            raise ModelError(f"{address.scheme}://{host}: an address has no user name, password or query; {remedy}")
        return name

    def served_slug(self, model: str) -> str:
        """The folder name of a model of this server, by what the server calls it."""
        slug = f"{self.label or model}-{digest([self.name, model])[:8]}-server"
        return re.sub(r"[^A-Za-z0-9._-]+", "-", slug).lstrip("-._")

    @property
    def is_served(self) -> bool:
        """Whether a server holds the model."""
        return self.name.startswith(("http://", "https://"))


class ModelList(Settings):
    """The content of models.toml: a table `[[model]]` for each model, in the order in which they are scored."""

    model: Annotated[tuple[ModelSettings, ...], Field(min_length=1)]


def read_models(path: Path) -> tuple[ModelSettings, ...]:
    """The models of a models.toml. Raises ModelError that names file, line and key."""
    return read_toml(path, ModelList, ModelError).model
