"""Measures everything and prints docs/benchmarks.md with new figures, or only the tables that are named.

    python benchmarks/all.py DATA [--write] [--timings]
    python benchmarks/all.py DATA error_lists.manners grammars.unseen [--show] [--write]

DATA is a folder with the documents that docs/benchmarks.md lists; what is not in it is said in the place of its figure.
The page names a table by its command, `python benchmarks/all.py DATA module.function`; what stands between that line
and the next text is replaced. Tables whose command has `--timings` are made anew with that option alone, as another
program on the machine spoils them.
"""

import argparse
import importlib
import logging
import re
import sys
import warnings
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
# What tests and benchmarks share: made records and servers.
sys.path += [str(ROOT / "tests" / "support")]
COMMAND = re.compile(
    r"^    (?P<command>python benchmarks/all\.py DATA (?P<name>\w+\.\w+)(?P<timings> --timings)?)"
    r"(?:    # (?P<when>.*))?$\n(?P<old>(?:\n|\*Not .*\n|\|.*\n)*)",
    re.MULTILINE,
)


def table(name: str, data: Path) -> str:
    """The table of a benchmark in Markdown, or the reason why there is none."""
    from common import NotHere

    module, _, function = name.partition(".")
    try:
        frame: pd.DataFrame = getattr(importlib.import_module(module), function)(data.absolute())
    except (NotHere, ModuleNotFoundError) as fault:
        return f"*Not measured: {fault}.*"
    rule = f"|---|{'---:|' * (frame.shape[1] - 1)}"
    head, *rows = (f"| {' | '.join(map(str, row))} |" for row in [list(frame), *frame.fillna("").to_numpy().tolist()])
    return "\n".join([head, rule, *rows])


def renewed(match: re.Match[str], data: Path, names: Sequence[str], *, timings: bool) -> str:
    """A command of the page with what it prints today; old figures stay where there are no new ones, and say so."""
    if match["name"] not in names if names else match["timings"] and not timings:
        return match[0]
    print(match["command"], file=sys.stderr, flush=True)
    new, when = table(match["name"], data), f"{datetime.now(UTC):%-d %B %Y}"
    if new.startswith("*Not"):
        old, when = re.sub(r"\*Not .*\n+", "", match["old"]).strip("\n"), match["when"]
        new = f"{new}\n\n{old}" if old else new
    return f"    {match['command']}{f'    # {when}' if when else ''}\n\n{new}\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("names", nargs="*", metavar="module.function")
    parser.add_argument("--write", action="store_true", help="write the page, or the named tables in it")
    parser.add_argument("--timings", action="store_true", help="on an idle machine: measure times anew, too")
    parser.add_argument("--show", action="store_true", help="also print what is missing or wrong, a line each")
    options = parser.parse_args()
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("miss").setLevel(logging.INFO if options.show else logging.WARNING)
    warnings.filterwarnings("ignore")
    if options.names and not options.write:
        for name in options.names:
            print(f"    python benchmarks/all.py DATA {name}\n\n{table(name, options.data)}\n")
        return
    text = PAGE.read_text(encoding="utf-8")
    page = COMMAND.sub(lambda match: renewed(match, options.data, options.names, timings=options.timings), text)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)


if __name__ == "__main__":
    main()
