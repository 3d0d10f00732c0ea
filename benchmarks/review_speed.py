"""How long a queue of many rows takes to be exported and imported, its memory, and many reviewers at once.

    python benchmarks/review_speed.py [--rows 100000] [--reviewers 20] [--rate 50] [--seconds 60] [--only-page]

One reviewer gets all rows, so that one sheet has them. Each step runs in a process of its own, whose wall-clock time,
processor time and peak memory are printed; the start of Python is in them. The first import takes over a decision in
every row; the second finds nothing new.

Then the same rows are given to many reviewers, who answer through links at a steady rate in total. Each click is an
answer and the page after it. Half way through, the server is killed without a warning and started again; whoever got no
word sends the answer again. Every answer that a reviewer saw confirmed has to be in the log, and in the audit.
"""

import argparse
import csv
import http.client
import io
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from made_records import make_candidate, make_checked, make_evidence, make_rule, make_source
from pairwright.core.config import ReviewSettings
from pairwright.core.records import CheckedPair, Rule
from pairwright.core.store import read_jsonl, write_jsonl
from pairwright.languages import load_language

if TYPE_CHECKING:
    from pairwright.review.log.queue import ReviewContext

QUEUE = "eile"
CROWD = "minia"
HOST = "review.example.org"
N_RULES = 200
SOURCE = make_source()


def make(folder: Path, rows: int) -> None:
    """Rules and pairs of a large source, as the stages before the review write them."""
    rules = [
        make_rule(f"{number // 10}.{number % 10}", title="Veiksmažodis valdo kilmininką") for number in range(N_RULES)
    ]
    write_jsonl(folder / "rules.jsonl", rules)
    write_jsonl(folder / "checked.jsonl", (_pair(number, rules[number % N_RULES].id) for number in range(rows)))


def _pair(number: int, rule_id: str) -> CheckedPair:
    good = f"Rytą prie {number} namo laukėme žalio autobuso, kuris vėlavo."
    bad = f"Rytą prie {number} namo laukėme žalią autobusą, kuris vėlavo."
    return make_checked(make_candidate(good, bad, rule_id=rule_id, evidence=make_evidence(bad, line=number + 1)))


def fill(path: Path) -> None:
    """Every row decided, some with comments, as a spreadsheet program saves it."""
    draw = random.Random(1)
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    decision, comment = rows[0].index("Sprendimas"), rows[0].index("Pastaba")
    for row in rows[1:]:
        row[decision] = draw.choice(["gerai", "gerai", "gerai", "atmesti", "neaišku"])
        row[comment] = draw.choice(["", "", "", "„žalias“ čia dviprasmis; žr. 3, 4"])
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(rows)
    path.write_bytes(out.getvalue().encode("cp1257", "replace"))


def read_queue(folder: Path, queue: str, reviewers: tuple[str, ...]) -> "ReviewContext":
    """The queue and its source, as every step reads them."""
    from pairwright.review.log.queue import ReviewContext

    pairs = {pair.candidate.id: pair for pair in read_jsonl(folder / "checked.jsonl", CheckedPair)}
    rules = {rule.id: rule for rule in read_jsonl(folder / "rules.jsonl", Rule)}
    settings = ReviewSettings(reviewers=reviewers, per_pair=1)
    return ReviewContext(folder / "annotations", queue, SOURCE, pairs, rules, load_language("lt"), settings)


def serve_page(folder: Path) -> None:
    """The review page for whoever has a link, until this process is killed. Prints the port."""
    from pairwright.review.web.access import Allowance, Limits, public_site
    from pairwright.review.web.links import Sessions
    from pairwright.review.web.server import ReviewServer, serve
    from pairwright.review.web.shared import SharedQueue
    from pairwright.review.web.view import PageSettings

    context = read_queue(folder, CROWD, ())
    queue = SharedQueue(context)
    queue.read_sheets(*queue.contents.reviewers)
    sessions = Sessions(queue)
    limits = Limits(lambda: Allowance(rate=1000, burst=1000))
    server = ReviewServer(sessions, PageSettings(context.language), name=CROWD, limits=limits)
    serve([server], 0, lambda port: print(port, flush=True), public_site(f"https://{HOST}"))


@dataclass
class Crowd:
    """Reviewers who click at a rate, and what they saw."""

    folder: Path
    tokens: dict[str, str]
    port: int = 0
    seconds: list[float] = field(default_factory=list)
    confirmed: dict[tuple[str, str], str] = field(default_factory=dict)
    n_again: int = 0

    def start(self) -> subprocess.Popen[str]:
        """Starts the server and waits until everybody has seen a page."""
        command = [sys.executable, __file__, "--step", "serve", "--folder", str(self.folder)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        self.port = int(process.stdout.readline())
        for token in self.tokens.values():
            self._ask("GET", "", token)
        return process

    def click(self, reviewer: str, items: list[str], every: float, until: float) -> None:
        """One reviewer's answers, at their pace."""
        draw, due = random.Random(reviewer), time.monotonic() + random.Random(reviewer).random() * every
        while due < until and items:
            time.sleep(max(0.0, due - time.monotonic()))
            item, word = items.pop(), draw.choice(["approve", "reject", "unsure"])
            start = time.monotonic()
            while not self._answered(reviewer, item, word):
                self.n_again += 1
                time.sleep(0.5)
            self.seconds.append(time.monotonic() - start)
            due += every

    def _answered(self, reviewer: str, item: str, word: str) -> bool:
        token = self.tokens[reviewer]
        try:
            status, place = self._ask("POST", "answer", token, urlencode({"item": item, "decision": word}))
            if status == 303 and place == "./?note=saved":
                self.confirmed[item, reviewer] = word
                return self._ask("GET", "?note=saved", token)[0] == 200
        except (OSError, http.client.HTTPException):
            pass
        return False

    def _ask(self, method: str, path: str, token: str, body: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Host": HOST, "X-Forwarded-Host": HOST, "X-Forwarded-Proto": "https", "Origin": f"https://{HOST}"}
        headers["Cookie"] = f"__Host-pairwright_{CROWD}={token}"
        connection.request(method, f"/{CROWD}/{path}", body or None, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers.get("location", "")


def crowd(folder: Path, n_reviewers: int, rate: float, seconds: float) -> None:
    """Many reviewers at once, and a server that is killed; prints what they saw and what the log has."""
    from pairwright.review.assign.export import export_queue
    from pairwright.review.log.votes import latest_decisions
    from pairwright.review.web.links import issue

    reviewers = tuple(f"r{number:02}" for number in range(n_reviewers))
    context = read_queue(folder, CROWD, reviewers)
    export_queue(context)
    queue = context.folder
    tokens = {reviewer: issue(queue, reviewer, 1, datetime.now(UTC))[0] for reviewer in reviewers}
    given: dict[str, list[str]] = {reviewer: [] for reviewer in reviewers}
    for item in queue.assignments():
        given[item.reviewer].append(item.item_id)
    del context
    people = Crowd(folder, tokens)
    begun = time.monotonic()
    server = people.start()
    print(f"{n_reviewers} reviewers: {time.monotonic() - begun:.1f} s until all have a page", flush=True)
    start = time.monotonic()
    arguments = [(name, given[name], n_reviewers / rate, start + seconds) for name in reviewers]
    threads = [threading.Thread(target=people.click, args=each) for each in arguments]
    for thread in threads:
        thread.start()
    began, _ = _usage(server.pid)
    time.sleep(seconds / 2)
    (ended, memory), before = _usage(server.pid), len(people.seconds)
    rate_reached, cost = before / (seconds / 2), (ended - began) / before
    print(f"{rate_reached:.0f} answers a second, {cost * 1000:.0f} ms of processor time each")
    print(f"start of the server: {began:.1f} s of processor time; {memory:.0f} MiB", flush=True)
    server.kill()
    server.wait()
    down = time.monotonic()
    server = people.start()
    down = time.monotonic() - down
    for thread in threads:
        thread.join()
    took, undisturbed = time.monotonic() - start, sorted(people.seconds[:before])
    logged = {key: entry.decision for key, entry in latest_decisions(queue.log()).items()}
    lost = [key for key, word in people.confirmed.items() if logged.get(key) != word]
    audit = (queue.path / "audit.jsonl").read_text(encoding="utf-8")
    unaudited = [key for key in people.confirmed if f'"item_id":"{key[0]}"' not in audit]
    print(f"{len(people.confirmed)} answers confirmed in {took:.0f} s, {rate:g} a second asked for; killed once")
    print(f"away for {down:.1f} s, {people.n_again} sent again, {len(lost)} lost, {len(unaudited)} not in the audit")
    middle, most = statistics.median(undisturbed), undisturbed[-1]
    print(f"a click before the kill: median {middle * 1000:.0f} ms, 95% within ", end="")
    print(f"{undisturbed[int(len(undisturbed) * 0.95)] * 1000:.0f} ms, longest {most * 1000:.0f} ms")
    server.terminate()
    begun = time.monotonic()
    server.wait()
    print(f"{time.monotonic() - begun:.1f} s to stop")


def _usage(process: int) -> tuple[float, float]:
    """The processor time of a process so far, in seconds, and what it holds now, in MiB."""
    import psutil

    of = psutil.Process(process)
    return sum(of.cpu_times()[:2]), of.memory_info().rss / 2**20


def step(name: str, folder: Path) -> None:
    """One step, in this process."""
    if name == "serve":
        serve_page(folder)
    elif name == "export":
        from pairwright.review.assign.export import export_queue

        exported = export_queue(read_queue(folder, QUEUE, ("ana",)))
        print(f"{exported.sheets[0].n_new} rows written", end="; ")
    else:
        from pairwright.review.log.queue import QueueFolder
        from pairwright.review.sheets.importing import import_answers

        queue = QueueFolder(folder / "annotations", QUEUE)
        result = import_answers(queue, load_language("lt"), datetime.now(UTC))
        print(f"{result.sheets[0].n_new} new decisions, {len(result.doubts)} doubts", end="; ")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time, peak {usage.ru_maxrss / 1024:.0f} MiB", end="; ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--reviewers", type=int, default=20, help="at once; 0 leaves them out")
    parser.add_argument("--rate", type=float, default=50, help="answers a second of all reviewers together")
    parser.add_argument("--seconds", type=float, default=60, help="for which they answer")
    parser.add_argument("--only-page", action="store_true", help="only the reviewers at once")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        step(arguments.step, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, arguments.rows)
        for label in () if arguments.only_page else ("export", "first import", "second import"):
            if label == "first import":
                fill(folder / "annotations" / QUEUE / "ana.csv")
            start = time.perf_counter()
            print(f"{label}: ", end="", flush=True)
            command = [sys.executable, __file__, "--step", label.split()[-1], "--folder", str(folder)]
            subprocess.run(command, check=True)
            print(f"{time.perf_counter() - start:.1f} s in all")
        if arguments.reviewers:
            crowd(folder, arguments.reviewers, arguments.rate, arguments.seconds)


if __name__ == "__main__":
    main()
