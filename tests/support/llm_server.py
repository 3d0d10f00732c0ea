"""A scripted OpenAI-compatible server on loopback, which drives the real client in tests and benchmarks.

    with ScriptedServer(script) as server: ... server.base_url

A script is a function of a request's body and how often this very body came before; it returns what to do. Without a
script the server answers with `{}`.
"""

import asyncio
import contextlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

Body = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """What the server does with a request: waits `delay` seconds, then answers with `text`, or with `status` and `raw`.

    hang_up  closes the connection without a word
    """

    text: str = "{}"
    delay: float = 0
    status: int = 200
    raw: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str | None = None
    thinking: str | None = None
    usage: tuple[int, int] | None = (100, 10)
    hang_up: bool = False


Script = Callable[[Body, int], Say]


def fault(status: int, message: str, **headers: str) -> Say:
    """An error as OpenAI sends it."""
    raw = json.dumps({"error": {"message": message, "type": "error", "code": None, "param": None}})
    return Say(status=status, raw=raw, headers={name.replace("_", "-"): value for name, value in headers.items()})


def completion(body: Body, say: Say) -> str:
    """The body of a chat completion."""
    message: Body = {"role": "assistant", "content": None if say.refusal else say.text, "refusal": say.refusal}
    message |= {"reasoning_content": say.thinking} if say.thinking else {}
    answer: Body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": say.finish}],
    }
    if say.usage:
        sent, said = say.usage
        answer["usage"] = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
        if say.thinking:
            answer["usage"]["completion_tokens_details"] = {"reasoning_tokens": len(say.thinking.split())}
    return json.dumps(answer)


class ScriptedServer:
    """The server while a `with` lasts. `seen` are all bodies that came, `billed` those that were answered with 200."""

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = script or (lambda body, nth: Say())
        self.seen: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.billed: list[Body] = []
        self.in_flight = self.most_in_flight = 0
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.batch_polls = 1
        self._counts: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self.base_url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, port: int = 0) -> None:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", port), self._loop
        ).result()
        self.base_url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _stop(self) -> None:
        assert self._server
        self._server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = head[0].split(" ", 2)
        self.headers.append(headers)
        if path.endswith("/chat/completions"):
            say = await self._chat(json.loads(content))
        else:
            say = self._other(method, path.split("?")[0].removeprefix("/v1"), content, headers)
        if say.hang_up:
            return False
        payload = (say.raw if say.raw is not None else "{}").encode()
        lines = [f"HTTP/1.1 {say.status} {HTTPStatus(say.status).phrase}", f"Content-Length: {len(payload)}"]
        lines += [f"{name}: {value}" for name, value in ({"Content-Type": "application/json"} | say.headers).items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + payload)
        await writer.drain()
        return True

    async def _chat(self, body: Body) -> Say:
        self.seen.append(body)
        said = json.dumps(body, sort_keys=True)
        nth = self._counts[said]
        self._counts[said] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            say = self.script(body, nth)
            await asyncio.sleep(say.delay)
        finally:
            self.in_flight -= 1
        if say.status == 200 and say.raw is None and not say.hang_up:
            self.billed.append(body)
            return Say(raw=completion(body, say), headers=say.headers)
        return say

    def _other(self, method: str, path: str, content: bytes, headers: dict[str, str]) -> Say:
        """Files and batches, as far as the Batch API needs them."""
        parts = path.strip("/").split("/")
        if (method, parts) == ("GET", ["models"]):
            return _json({"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}]})
        if (method, parts[0]) == ("POST", "files"):
            number = f"file-{len(self.files) + 1}"
            self.files[number] = _uploaded(content, headers["content-type"])
            return _json({"id": number, "object": "file", "bytes": 1, "created_at": 1, "purpose": "batch"})
        if (method, parts[0]) == ("POST", "batches"):
            return self._new_batch(json.loads(content))
        if (method, parts) == ("GET", ["batches"]):
            return _json({"object": "list", "data": list(self.batches.values()), "has_more": False})
        if method == "GET" and parts[0] == "batches" and parts[1] in self.batches:
            return self._poll_batch(parts[1])
        if method == "GET" and parts[0] == "files" and parts[1] in self.files:
            return Say(raw=self.files[parts[1]].decode(), headers={"Content-Type": "application/octet-stream"})
        return fault(404, f"no such path: {path}")

    def _new_batch(self, wanted: Body) -> Say:
        number = f"batch-{len(self.batches) + 1}"
        self.batches[number] = wanted | {
            "id": number,
            "object": "batch",
            "created_at": 1,
            "status": "validating",
            "polls": 0,
        }
        return _json(self.batches[number])

    def _poll_batch(self, number: str) -> Say:
        batch = self.batches[number]
        batch["polls"] += 1
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        if batch["polls"] > self.batch_polls and batch["status"] == "in_progress":
            batch["status"] = "completed"
            lines = [self._batch_line(json.loads(line)) for line in self.files[batch["input_file_id"]].splitlines()]
            good = [line for line in lines if line["response"]["status_code"] == 200]
            for name, chosen in (("output", good), ("error", [line for line in lines if line not in good])):
                if chosen:
                    self.files[f"{number}-{name}"] = "\n".join(json.dumps(line) for line in chosen).encode()
                    batch[f"{name}_file_id"] = f"{number}-{name}"
        return _json(batch)

    def _batch_line(self, item: Body) -> Body:
        say = self.script(item["body"], 0)
        if say.status == 200 and say.raw is None:
            self.billed.append(item["body"])
        raw = say.raw if say.raw is not None else completion(item["body"], say)
        response = {"status_code": say.status, "request_id": "r", "body": json.loads(raw)}
        return {"id": "b", "custom_id": item["custom_id"], "response": response, "error": None}


def _json(value: Body) -> Say:
    return Say(raw=json.dumps(value))


def _uploaded(content: bytes, kind: str) -> bytes:
    """The file in a multipart form."""
    boundary = kind.split("boundary=")[1].strip('"').encode()
    part = next(part for part in content.split(b"--" + boundary) if b"filename=" in part)
    return part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
