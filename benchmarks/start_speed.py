"""Seconds until a user sees something: import, --help, a build with nothing to do by command and by flow.

    python benchmarks/start_speed.py [--runs 5] [--flow]

Each figure is the smallest and the median over whole processes, by the clock. The build is of the sample list, in a
workspace of its own. --flow starts Prefect's server for each run, which takes a while.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

BIN = Path(sys.executable).parent / "pairwright"


def timed(command: Sequence[str | Path], runs: int) -> str:
    """Runs a command some times. Raises CalledProcessError where it fails."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return f"{min(seconds):6.2f} s at least, {statistics.median(seconds):6.2f} s in the middle of {runs}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--flow", action="store_true", help="time the same build as a Prefect flow, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        subprocess.run([BIN, "init", workspace, "--sample"], check=True, capture_output=True)
        source = ["lt-sample", "--workspace", str(workspace)]
        subprocess.run([BIN, "build", *source], check=True, capture_output=True)
        print(f"import pairwright            {timed([sys.executable, '-c', 'import pairwright'], options.runs)}")
        print(f"pairwright --help            {timed([BIN, '--help'], options.runs)}")
        print(f"pairwright build, all fresh  {timed([BIN, 'build', *source], options.runs)}")
        if options.flow:
            flow = [sys.executable, str(workspace / "flows" / "build.py"), *source]
            print(f"flows/build.py, all fresh    {timed(flow, options.runs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
