"""Tasks put to a model that is loaded, and to a server: what is written, kept, and asked again."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from item_parts import make_item
from said import Said
from tiny_model import save_tiny_model

from llm_server import Body, Say, ScriptedServer
from pairwright.core.errors import ConfigError, LLMError
from pairwright.core.records.items import Item, Response, TaskName, TaskRun
from pairwright.core.records.release import FrozenRelease, ReleaseInfo
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.models import ask_tasks, read_tasks
from pairwright.pipeline.options import TaskOptions

SETTINGS = '[ask]\ndraws = 2\nshots = 4\n[llm]\nstructured = "schema"\nbackoff_seconds = 0.01\nretries = 0\n'


@pytest.fixture
def context(tmp_path: Path) -> Context:
    (tmp_path / "pairwright.toml").write_text(SETTINGS, encoding="utf-8")
    return Context(Workspace(tmp_path), Said())


def items() -> dict[TaskName, Sequence[Item]]:
    tasks: tuple[TaskName, ...] = ("sentence-rules", "rule-sentences", "minimal-pair", "translation")
    made: dict[TaskName, Sequence[Item]] = {task: [make_item(task, n) for n in range(4)] for task in tasks}
    made["acceptability"] = [make_item("acceptability", n, split="few_shot" if n < 4 else "test") for n in range(8)]
    return made


def release(folder: Path) -> FrozenRelease:
    info = ReleaseInfo(
        name="lt", version="1.0.0", votes_needed=1, n_pairs=0, n_exceptions=0, n_rules=0, n_reviewers=0, n_excluded=0,
        n_conflicts=0, sources=(),
    )  # fmt: skip
    return FrozenRelease(path=folder / "lt-1.0.0", sha256="0" * 64, info=info)


def written(folder: Path) -> tuple[list[Response], TaskRun]:
    (path,) = folder.glob("output/evaluations/lt-1.0.0/*/tasks/tasks.json")
    run = TaskRun.model_validate_json(path.read_text(encoding="utf-8"))
    return list(read_jsonl(path.with_name("responses.jsonl"), Response)), run


def put(context: Context, model: ModelSettings, *names: str, asked: Any = None) -> tuple[list[Response], TaskRun]:
    root = context.workspace.root
    ask_tasks(context, release(root), model, asked or items(), TaskOptions(names=names or ("all",)))
    return written(root)


def test_a_loaded_model_compares_options_and_translates(
    context: Context, tmp_path_factory: pytest.TempPathFactory
) -> None:
    responses, run = put(context, ModelSettings(name=str(save_tiny_model(tmp_path_factory.mktemp("model"), 2048))))
    assert [response.item_id for response in responses] == sorted(response.item_id for response in responses)
    assert (run.policy, run.template) == ("logprob", False)
    assert {task: part.n_responses for task, part in run.tasks.items()} == {
        "acceptability": 8, "minimal-pair": 4, "rule-sentences": 4, "sentence-rules": 4, "translation": 4,
    }  # fmt: skip
    said = {response.item_id: (len(response.scores), len(response.denials)) for response in responses}
    assert said["item-minimal-pair-1"] == said["item-rule-sentences-1"] == said["item-acceptability-5"] == (2, 0)
    assert said["item-sentence-rules-1"] == (3, 3)
    calibrated = {response.item_id[5:-2]: response.scores[0].free_logprob for response in responses if response.scores}
    assert [task for task, free in calibrated.items() if free is None] == ["acceptability"]
    assert all(response.output_tokens for response in responses if response.item_id.startswith("item-translation"))


def test_tasks_asked_before_stay_and_a_second_run_computes_nothing(context: Context, tiny_model: Path) -> None:
    model = ModelSettings(name=str(tiny_model))
    put(context, model, "minimal-pair")
    responses, run = put(context, model, "rule-sentences", "acceptability")
    assert (len(responses), set(run.tasks)) == (4 + 4 + 8, {"minimal-pair", "rule-sentences", "acceptability"})
    first = put(context, model)
    assert isinstance(context.reporter, Said)
    context.reporter.lines.clear()
    assert put(context, model) == first
    assert sum("up to date" in line for line in context.reporter.lines) == 5
    others: dict[TaskName, Sequence[Item]] = {"minimal-pair": [make_item("minimal-pair", n) for n in range(50, 52)]}
    responses, run = put(context, model, asked=others)
    assert (len(responses), set(run.tasks)) == (2, {"minimal-pair"})
    assert any(line.startswith("replaced ") for line in context.reporter.lines)


def lettered(body: Body, nth: int) -> Say:
    if "response_format" in body:
        return Say(json.dumps({"letters": ["A"]}))
    return Say("taip", usage=(50, 2))


def test_a_server_is_asked_every_task_with_no_key_of_another(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    with ScriptedServer(lettered) as server:
        estimate = TaskOptions(names=("all",), estimate=True)
        model = ModelSettings(name=server.base_url, model="m")
        assert ask_tasks(context, release(context.workspace.root), model, items(), estimate) is None
        assert not server.seen
        assert isinstance(context.reporter, Said)
        assert sum(line.startswith("llm ") for line in context.reporter.lines) == 5
        responses, run = put(context, ModelSettings(name=server.base_url))
        assert not any("sk-of" in headers.get("authorization", "") for headers in server.headers)
    assert (run.policy, run.model, set(run.tasks)) == ("chat", "m", set(items()))
    assert {response.outcome for response in responses} == {"answered"}
    assert sum(response.input_tokens or 0 for response in responses if response.item_id.startswith("item-acc")) == 400


def test_one_bad_item_does_not_stop_the_others(context: Context) -> None:
    bad = make_item("minimal-pair", 9, options=make_item("minimal-pair").options[:1])
    asked = {"minimal-pair": [*items()["minimal-pair"], bad]}
    with ScriptedServer(lettered) as server:
        responses, run = put(context, ModelSettings(name=server.base_url), asked=asked)
    assert run.tasks["minimal-pair"].outcomes == {"answered": 4, "failed": 1}
    (failed,) = (response for response in responses if response.outcome == "failed")
    assert (failed.item_id, failed.reason[:9]) == (bad.id, "1 options")
    assert isinstance(context.reporter, Said)
    assert any("1 item can't be asked: 1 options" in line for line in context.reporter.lines)


def test_a_server_of_many_models_is_named(context: Context) -> None:
    many = json.dumps(
        {"object": "list", "data": [{"id": i, "object": "model", "created": 1, "owned_by": "x"} for i in "ab"]}
    )
    with ScriptedServer(lettered) as server:
        server._other = lambda *of_request: Say(raw=many)  # type: ignore[method-assign]
        with pytest.raises(LLMError, match=r"say which model of the server.*it lists a, b"):
            put(context, ModelSettings(name=server.base_url))


def test_an_unknown_task_or_folder_of_items_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--tasks translations: no such task; those there are: sentence-rules"):
        read_tasks(release(tmp_path), TaskOptions(names=("translations",)))
    (tmp_path / "swept").mkdir()
    with pytest.raises(ConfigError, match=r"--items .*/swpet: no such folder; .*; did you mean swept\?"):
        read_tasks(release(tmp_path), TaskOptions(names=("all",), items=tmp_path / "swpet"))
