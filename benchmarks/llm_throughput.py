"""What the layer of language models costs in time and memory: `python benchmarks/llm_throughput.py [--requests 3000]`.

A server process on loopback takes 200 ms for every answer. Printed are

- answers a second at 64 requests at a time, as a share of the ideal 64 / 0.2 s, and of what a bare socket loop that
  does nothing with the answers reaches on the same machine at the same moment;
- answers a second that come from the cache;
- the peak memory of a run of 10,000 requests with prompts of 4 kB, as windows over a grammar have.

Every figure is for new files in a new folder. Processor time is given beside wall time, so that a busy machine shows.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM, Request
from pairwright.models.prompts.files import Hints, Message, Rendered

_CONCURRENCY = 64
_DELAY = 0.2
_WORDS = "The verb of a main clause stands in the second place, and the subject may stand before or behind it. "


class Pair(BaseModel):
    """What the server answers."""

    good: str
    bad: str


_ANSWER = Pair(good="She reads a book.", bad="She read a book.").model_dump_json()


def requests(count: int, size: int) -> Iterator[Request[Pair]]:
    for number in range(count):
        words = f"{number} {_WORDS * (size // len(_WORDS))}"
        prompt = Rendered(
            name="window",
            version=1,
            sha256="0" * 64,
            output="Pair",
            hints=Hints(),
            messages=(Message(role="user", content=words),),
        )
        yield Request(prompt=prompt, output=Pair, stage="rules", source_id="grammar", subject=f"window-{number}")


def run(base_url: str, folder: Path, count: int, size: int) -> tuple[float, float]:
    """Wall and processor seconds of a run, without the client's start."""
    settings = LLMSettings(base_url=base_url, model="m", structured="schema", concurrency=_CONCURRENCY)
    with LLM(settings, folder) as llm:
        # The client is imported and all connections are opened.
        for _ in llm.run(requests(_CONCURRENCY, 100)):
            pass
        wall, processor = time.perf_counter(), time.process_time()
        assert all(answer.outcome == "ok" for answer in llm.run(requests(count, size)))
        return time.perf_counter() - wall, time.process_time() - processor


async def bare(base_url: str, count: int, size: int) -> float:
    """Wall seconds of a loop over plain sockets that throws every answer away."""
    port = int(base_url.rsplit(":", 1)[1].split("/")[0])
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * size}]}).encode()
    sent = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    left = iter(range(count))

    async def worker() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(sent)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            await reader.readexactly(int(length.split(b":")[1]))
        writer.close()

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(_CONCURRENCY)))
    return time.perf_counter() - start


def measure_memory(base_url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wall, _ = run(base_url, Path(folder), 10_000, 4000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of 10,000 requests: {peak:.0f} MB ({wall:.0f} s)")


def measure_speed(base_url: str, count: int) -> None:
    ideal = _CONCURRENCY / _DELAY
    with tempfile.TemporaryDirectory() as folder:
        before = asyncio.run(bare(base_url, count, 1000))
        wall, processor = run(base_url, Path(folder), count, 1000)
        after = asyncio.run(bare(base_url, count, 1000))
        reachable = 2 * count / (before + after)
        print(
            f"{_CONCURRENCY} at a time, {_DELAY * 1000:.0f} ms each: {count / wall:.0f}/s, {count / wall / ideal:.1%} "
            f"of the ideal {ideal:.0f}/s, {count / wall / reachable:.1%} of the {reachable:.0f}/s of bare sockets; "
            f"{processor / count * 1000:.2f} ms of processor time a request"
        )
        wall, processor = run(base_url, Path(folder), count, 1000)
        print(f"from the cache: {count / wall:.0f}/s ({count / processor:.0f} for a second of processor time)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--memory-of", metavar="URL", help="measure memory alone, in this process")
    arguments = parser.parse_args()
    if arguments.memory_of:
        measure_memory(arguments.memory_of)
        return
    here = Path(__file__).parent
    command = [sys.executable, str(here / "llm_server.py"), "--delay", str(_DELAY), "--text", _ANSWER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            base_url = server.stdout.readline().strip()
            print(f"load of the machine's {os.cpu_count()} processors before the run: {os.getloadavg()[0]:.1f}")
            measure_speed(base_url, arguments.requests)
            subprocess.run([sys.executable, __file__, "--memory-of", base_url], check=True)
        finally:
            server.kill()


if __name__ == "__main__":
    main()
