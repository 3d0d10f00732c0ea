"""The key of a language model's server is in no file that a flow leaves behind, of the workspace or of Prefect."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL, PREFECT_HOME

import build
from llm_server import Say, ScriptedServer, fault
from pairwright.cli.steps import build_command
from prefect_cluster import on_cluster

Run = Callable[..., tuple[int, str, str]]
KEY = "sk-flow-0123456789abcdef"
PAGE = "# Verbs\n\nThe verb *laukti* ‘wait’ must take the genitive. The accusative is ruled out after it.\n"


def places(workspace: Path) -> Iterator[Path]:
    database = Path(str(PREFECT_API_DATABASE_CONNECTION_URL.value()).split("///", 1)[1])
    assert database.is_file()
    yield from database.parent.glob(f"{database.name}*")
    for folder in (workspace, Path(PREFECT_HOME.value())):
        yield from (path for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 401, 400, 500])
def test_a_key_is_in_no_file_of_a_run(
    run_flow: Run, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("FLOW_KEY", KEY)

    def repeats(body: dict[str, Any], nth: int) -> Say:
        return Say(f'{{"rules": "{KEY}"}}') if status == 200 else fault(status, f"bad key '{KEY}'")

    with ScriptedServer(repeats) as server:
        settings = workspace / "pairwright.toml"
        llm = f'[llm]\nbase_url = "{server.base_url}"\nmodel = "m"\nkey_env = "FLOW_KEY"\nretries = 0\n'
        settings.write_text(settings.read_text(encoding="utf-8") + llm, encoding="utf-8")
        page = tmp_path / "page.md"
        page.write_text(PAGE, encoding="utf-8")
        arguments = ("--kind", "grammar-book", "--language", "lt", "--workspace", workspace, "--llm", "server")
        code, out, err = run_flow(build_command(on_cluster(build.build)), page, *arguments)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert code == (0 if status == 200 else 2), err
    assert KEY not in out + err
    assert [path for path in places(workspace) if KEY.encode() in path.read_bytes()] == []
