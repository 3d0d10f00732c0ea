"""What the review page has confirmed is in the log, whenever its server is killed."""

import random
import threading
from pathlib import Path

import httpx
import pytest
from killed_parts import rows, run
from kills import KILLS, kill, start
from workspace_parts import sheet

from pairwright.review.log import latest_decisions

pytestmark = pytest.mark.slow


def test_answers_on_the_page(listed: Path) -> None:
    run("build", "sarasas", "--workspace", listed)
    log = listed / "annotations" / "sarasas" / "decisions.jsonl"
    chance = random.Random(11)
    confirmed: dict[str, str] = {}
    given = [row["Poros ID"] for row in rows(sheet(listed, "ana"))]
    for _ in range(KILLS):
        options = ("--queue", "sarasas", "--reviewer", "ana", "--port", "0", "--workspace", listed)
        server = start("review", "serve", *options)
        assert server.stdout is not None
        address = server.stdout.readline().rpartition(": ")[2].strip()
        killer = threading.Timer(chance.uniform(0.05, 0.6), server.kill)
        answer(killer, address, [item for item in given if item not in confirmed], confirmed, chance)
        killer.join()
        kill(server)
        logged = {key: entry.decision for (key, _), entry in latest_decisions(log).items()}
        assert {key: logged.get(key) for key in confirmed} == confirmed
    assert confirmed
    run("review", "import", "--queue", "sarasas", "--workspace", listed)
    spelt = {"approve": "gerai", "reject": "atmesti", "unsure": "neaišku"}
    cells = {row["Poros ID"]: row["Sprendimas"] for row in rows(sheet(listed, "ana"))}
    assert {key: cells[key] for key in confirmed} == {key: spelt[word] for key, word in confirmed.items()}


def answer(
    killer: threading.Timer, address: str, items: list[str], confirmed: dict[str, str], chance: random.Random
) -> None:
    """Answers items, once the killer runs, until the server is gone; those that it confirmed go into `confirmed`."""
    root = address.partition("/?")[0]
    try:
        with httpx.Client(base_url=root, headers={"Origin": root}, follow_redirects=True, timeout=10) as client:
            client.get(address)
            killer.start()
            for item in items:
                word = chance.choice(["approve", "reject", "unsure"])
                if client.post("/answer", data={"item": item, "decision": word}).status_code == 200:
                    confirmed[item] = word
    except httpx.HTTPError:
        pass
