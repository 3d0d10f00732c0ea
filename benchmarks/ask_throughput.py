"""How fast chat models are asked the items of a release: `python benchmarks/ask_throughput.py [--items 10000]`.

A server process on loopback takes 200 ms for every answer, at 64 requests at a time. The items have three lettered
options of made-up words; each is rendered, asked, read and becomes a response. Printed are

- items a second as a share of the ideal 64 / 0.2 s, and of what bare sockets reach on the same machine at that moment,
  with everything that stands between items and responses; and the processor time of an item;
- the same from the cache, when an interrupted run is run again.

Every figure is for new files in a new folder.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from llm_throughput import bare
from pairwright.core.config import AskSettings, LLMSettings
from pairwright.core.records.items import Item, Option
from pairwright.evaluate.asking.chat import ask_chat
from pairwright.evaluate.asking.plan import plan_task
from pairwright.evaluate.asking.wording import load_wording
from pairwright.models.chat import LLM

_CONCURRENCY = 64
_DELAY = 0.2
_ANSWER = '{"letters": ["A"]}'


def item(number: int) -> Item:
    rules = tuple(Option(text=f"Rule {number} of {place}: the verb stands in the second place") for place in range(3))
    sentence = f"Sentence number {number} has a verb in the second place."
    return Item(
        id=f"item-{number:06}", task="sentence-rules", language="en", context=(sentence,), options=rules, answers=(0,)
    )


def run(base_url: str, folder: Path, items: list[Item]) -> tuple[float, float]:
    """Wall and processor seconds from items to responses, after the client's start."""
    settings = LLMSettings(base_url=base_url, model="m", structured="schema", concurrency=_CONCURRENCY, repairs=0)
    wordings = {"en": load_wording("en")}
    with LLM(settings, folder) as llm:
        opening = [item(1_000_000 + number) for number in range(_CONCURRENCY)]
        list(ask_chat(llm, plan_task(opening, wordings, AskSettings()).questions, "release", "m", None))
        wall, processor = time.perf_counter(), time.process_time()
        questions = plan_task(items, wordings, AskSettings()).questions
        responses = list(ask_chat(llm, questions, "release", "m", None))
        assert len(responses) == len(items)
        assert all(response.outcome == "answered" for response in responses)
        return time.perf_counter() - wall, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    items = [item(number) for number in range(parser.parse_args().items)]
    ideal = _CONCURRENCY / _DELAY
    command = [sys.executable, str(Path(__file__).parent / "llm_server.py"), "--delay", str(_DELAY), "--text", _ANSWER]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        try:
            assert server.stdout
            base_url = server.stdout.readline().strip()
            print(f"load of the machine's {os.cpu_count()} processors before the run: {os.getloadavg()[0]:.1f}")
            count = len(items) // 4
            before = asyncio.run(bare(base_url, count, 1000))
            wall, processor = run(base_url, Path(folder), items)
            reachable = 2 * count / (before + asyncio.run(bare(base_url, count, 1000)))
            rate = len(items) / wall
            print(
                f"{len(items):,} items, {_CONCURRENCY} at a time, {_DELAY * 1000:.0f} ms each: {rate:.0f}/s, "
                f"{rate / ideal:.1%} of the ideal {ideal:.0f}/s, {rate / reachable:.1%} of {reachable:.0f}/s of bare "
                f"sockets; {processor / len(items) * 1000:.2f} ms of processor time an item"
            )
            wall, processor = run(base_url, Path(folder), items)
            rates = len(items) / wall, len(items) / processor
            print(f"from the cache: {rates[0]:.0f}/s ({rates[1]:.0f} for a second of processor time)")
        finally:
            server.kill()


if __name__ == "__main__":
    main()
