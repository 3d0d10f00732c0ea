"""How many modules and lines of Python each package has, at a revision of this repository and in the working tree.

    python benchmarks/package_sizes.py [REVISION]

A package is a folder under src/pairwright/ with all below it; `widest` is the number of modules in its fullest folder.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def modules(revision: str | None) -> Iterator[tuple[PurePosixPath, int]]:
    """The modules of `src/pairwright` and `flows` with their lines, at a revision, or in the working tree."""
    tracked = git("ls-tree", "-r", "--name-only", revision) if revision else git("ls-files")
    for name in tracked.splitlines():
        path = PurePosixPath(name)
        if path.suffix == ".py" and (name.startswith(("src/pairwright/", "flows/"))):
            text = git("show", f"{revision}:{name}") if revision else (ROOT / name).read_text(encoding="utf-8")
            yield path, text.count("\n")


def table(found: Iterable[tuple[PurePosixPath, int]]) -> dict[str, tuple[int, int, int]]:
    """By package: modules, lines, and the modules of its fullest folder."""
    count, lines = Counter[str](), Counter[str]()
    folders = Counter[tuple[str, PurePosixPath]]()
    for path, n_lines in found:
        package = path.parts[2] if path.parts[0] == "src" and len(path.parts) > 3 else path.parent.name
        count[package] += 1
        lines[package] += n_lines
        folders[package, path.parent] += 1
    widest = {package: max(n for (name, _), n in folders.items() if name == package) for package in count}
    return {package: (count[package], lines[package], widest[package]) for package in count}


def main() -> int:
    columns = [table(modules(revision)) for revision in [*sys.argv[1:2], None]]
    print("| package |" + " modules | lines | widest |" * len(columns))
    print("|---|" + "---:|---:|---:|" * len(columns))
    for package in sorted(set().union(*columns)):
        cells = [column.get(package, (0, 0, 0)) for column in columns]
        print(f"| `{package}` | " + " | ".join(f"{number:,}" for cell in cells for number in cell) + " |")
    totals = [(sum(c[0] for c in column.values()), sum(c[1] for c in column.values())) for column in columns]
    print("| all | " + " | ".join(f"{modules_:,} | {lines:,} | " for modules_, lines in totals) + "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
