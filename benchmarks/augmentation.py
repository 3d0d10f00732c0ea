"""Seeds of the sample list grow: how many pairs, in what time, how varied, and what readers say of them.

usage: python benchmarks/augmentation.py [--without-classes | --cloze] [--dictionary FILE] [--per-rule N] [--draw FILE]

    --without-classes  the words of a slot are chosen by the model's ranking alone
    --cloze            the words are those of benchmarks/data/cloze_words.json, written by hand in a chat model's place
    --dictionary       lt-LT.dic, a tagged Hunspell dictionary with its .aff, for forms that the sample table lacks
    --draw             writes the drawn pairs with the judgements that benchmarks/data/augmented_pairs.tsv has of them
"""

import argparse
import csv
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from llm_server import Body, Say, ScriptedServer
from pairwright.cli.init import make_workspace
from pairwright.core.records import Candidate, CheckedPair
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.growth.augment.lexicon import read_slot_lexicon
from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflected, Inflector
from pairwright.pipeline.build import build
from pairwright.pipeline.context import Context
from pairwright.pipeline.growth.augment import augment, with_own_forms
from pairwright.pipeline.options import AugmentOptions, LLMOptions

DATA = Path(__file__).parent / "data"
SAMPLE = Path("lt-sample")
RULES = ("1.1.1", "1.4.1", "1.4.2", "1.4.3", "1.5.2")
DRAWN = 200


class Lines:
    """A reporter that prints lines and no bars."""

    def say(self, label: str, text: str) -> None:
        print(f"{label:<10} {text}")

    def progress(self, task: str, total: int) -> Any:
        from contextlib import nullcontext

        return nullcontext(lambda done: None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-classes", action="store_true")
    parser.add_argument("--cloze", action="store_true")
    parser.add_argument("--dictionary", type=Path)
    parser.add_argument("--per-rule", type=int, default=1000)
    parser.add_argument("--draw", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        workspace = _workspace(Path(folder) / "workspace", arguments)
        build(Context(workspace), SAMPLE)
        start = time.monotonic()
        _grow(workspace, arguments)
        seconds = time.monotonic() - start
        pairs = list(read_jsonl(workspace.work("lt-sample") / "augmented.jsonl", Candidate))
        print(f"{len(pairs):,} pairs of {len(RULES)} rules in {seconds:.0f} s, the checks included")
        _show_checked(workspace)
        kind = "cloze" if arguments.cloze else "without classes" if arguments.without_classes else "with classes"
        _show_judgements(pairs, kind, arguments.draw)
        _show_speed(workspace)


def _workspace(root: Path, arguments: argparse.Namespace) -> Workspace:
    for _ in make_workspace(root, "lt", sample=True):
        pass
    if arguments.without_classes:
        file = root / "pairwright.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[augment]\n", "[augment]\nclasses = false\n"), encoding="utf-8")
    if arguments.dictionary:
        (root / "morphology").mkdir()
        for part in (arguments.dictionary, arguments.dictionary.with_suffix(".aff")):
            shutil.copyfile(part, root / "morphology" / f"lt-LT{part.suffix}")
    return Workspace(root)


def _grow(workspace: Workspace, arguments: argparse.Namespace) -> None:
    context = Context(workspace, Lines())
    options = AugmentOptions(per_rule=arguments.per_rule, rules=RULES)
    if not arguments.cloze:
        augment(context, SAMPLE, options)
        return
    with ScriptedServer(_answer) as server:
        with (workspace.root / "pairwright.toml").open("a", encoding="utf-8") as handle:
            handle.write(f'\n[llm]\nbase_url = "{server.base_url}"\nmodel = "by hand"\nstructured = "schema"\n')
            handle.write("\n[judge]\nmethods = []\n")
        augment(context, SAMPLE, replace(options, method="cloze"), LLMOptions(kind="server"))


def _answer(body: Body, nth: int) -> Say:
    """The words that were written by hand for the sentence that a request asks about."""
    asked = "\n".join(message["content"] for message in body["messages"])
    written = json.loads((DATA / "cloze_words.json").read_text(encoding="utf-8"))
    return Say(json.dumps({"words": next((words for sentence, words in written.items() if sentence in asked), [])}))


def _show_checked(workspace: Workspace) -> None:
    verdicts, findings = Counter[str](), Counter[str]()
    for pair in read_jsonl(workspace.stage_file("lt-sample", "checked"), CheckedPair):
        if pair.candidate.parent_id and pair.candidate.derivation:
            verdicts[pair.verdict] += 1
            findings.update({finding.check for finding in pair.findings if finding.level != "info"})
    print(f"checks: {dict(verdicts)}; findings {dict(findings.most_common(5))}")


def _show_judgements(pairs: Iterable[Candidate], kind: str, draw: Path | None) -> None:
    """What readers say of pairs drawn at random: is the good sentence good and the bad one bad, does it make sense."""
    drawn = random.Random(4242).sample(sorted(pairs, key=lambda pair: pair.id), DRAWN)
    judged = {(row["good"], row["bad"]): row for row in _judgements()}
    known = [judged[pair.good, pair.bad] for pair in drawn if (pair.good, pair.bad) in judged]
    print(f"{kind}: {len(known)} of {len(drawn)} drawn pairs judged")
    if known:
        for question in ("grammar", "sense"):
            right, doubtful = (sum(row[question] == answer for row in known) for answer in ("yes", "doubtful"))
            print(f"  {question}: {right} of {len(known)}, {right / len(known):.1%}; doubtful {doubtful}")
    if draw:
        with draw.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle, delimiter="\t", lineterminator="\n")
            writer.writerow(["good", "bad", "grammar", "sense", "note"])
            for pair in drawn:
                row = judged.get((pair.good, pair.bad), {})
                writer.writerow([pair.good, pair.bad, *(row.get(name, "") for name in ("grammar", "sense", "note"))])


def _judgements() -> Iterator[dict[str, str]]:
    path = DATA / "augmented_pairs.tsv"
    if path.exists():
        with path.open(encoding="utf-8", newline="") as handle:
            yield from csv.DictReader(handle, delimiter="\t")


def _show_speed(workspace: Workspace) -> None:
    """Forms a second: each noun of the lexicon in the bundles of every other one, each asked for once."""
    language = with_own_forms(load_language("lt", workspace.root), workspace)
    inflector, lexicon = Inflector.of(language), read_slot_lexicon(workspace.lexicons / "lt.tsv")
    nouns = [word for word in lexicon if word.upos == "NOUN"]
    cases, numbers = ("Nom", "Gen", "Dat", "Acc", "Ins", "Loc"), ("Sing", "Plur")
    bundles = [frozenset({("Case", case), ("Number", number)}) for case in cases for number in numbers]
    inflector.inflect(nouns[0].lemma, "NOUN", bundles[0])
    start = time.perf_counter()
    made = [inflector.inflect(word.lemma, "NOUN", bundle) for word in nouns for bundle in bundles]
    seconds = time.perf_counter() - start
    there = sum(isinstance(form, Inflected) for form in made)
    print(f"re-inflection: {len(made):,} forms asked for once, {there:,} there, {len(made) / seconds:,.0f} a second")


if __name__ == "__main__":
    main()
