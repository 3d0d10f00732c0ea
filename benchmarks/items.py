"""How long the items of a release take, how many there are, and whether they hold: made-up pairs, or a real release.

    python benchmarks/items.py [RELEASE] [--rules 60] [--pairs 600] [--items 500] [--sweep]

Prints the items of each task with the share that has an option of which the release does not say whether it is right;
checks that the same seed gives the same bytes in another order of the records, that no answer is also a wrong option,
and how many items a few new pairs leave as they were: all, but for those that lose their place under the limit.
"""

import hashlib
import sys
import time
from pathlib import Path

import click

from made_records import make_released
from pairwright.core.errors import PairwrightError
from pairwright.core.records import Rule
from pairwright.core.records.release import ExcludedPair, ReleasePair
from pairwright.release.verify import EXCLUDED, RULES, read_records, read_release
from pairwright.tasks.instances import Instances, Material, rule_texts
from pairwright.tasks.make import ItemSet, ItemSettings, make_items
from release_speed import made_up


def made_up_material(n_pairs: int, n_rules: int) -> Material:
    """Pairs of invented words under rules in sections of twenty."""
    checked, rules, _ = made_up(n_pairs, n_rules)
    pairs: list[ReleasePair] = []
    for one in checked:
        rule = rules[one.candidate.rule_id]
        fields = {"rule_id": rule.id, "rule_code": rule.code, "phenomenon": rule.phenomenon, "language": "lt"}
        fields["translation"] = f"sentence {len(pairs)}"
        pairs.append(make_released(one.candidate.good, one.candidate.bad, **fields))
    return Material(pairs, tuple(rules.values()))


def released_material(folder: Path) -> Material:
    release = read_release(folder)
    rules = tuple(read_records(folder / RULES, Rule))
    return Material(release.pairs, rules, tuple(read_records(folder / EXCLUDED, ExcludedPair)))


def sha256(made: ItemSet) -> str:
    lines = (item.model_dump_json() for items in made.items.values() for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def double_answers(material: Material, made: ItemSet) -> int:
    """Items with a rule among their wrong options that one of their sentences instantiates."""
    texts, _ = rule_texts(material)
    known = Instances(material, texts)
    return sum(
        option.rule_id in {text_id for sentence in item.context for text_id in known.instantiated(sentence)}
        for task in ("sentence-rules", "sentences-rules")
        for item in made.items[task]
        for place, option in enumerate(item.options)
        if place not in item.answers
    )


def with_new_pairs(material: Material, n_new: int) -> Material:
    """The same with new pairs of the first rules, in words that stand nowhere else."""
    new: list[ReleasePair] = []
    for number, pair in enumerate(material.pairs[:n_new]):
        good = f"Nauja{number} ežė{number} pyra{number}."
        said = {"rule_id": pair.rule_id, "language": pair.language, "phenomenon": pair.phenomenon}
        new.append(make_released(good, good.replace("pyra", "pyro"), **said))
    return material._replace(pairs=(*material.pairs, *new))


@click.command(help=__doc__)
@click.argument("release", required=False, type=click.Path(path_type=Path))
@click.option("--rules", default=60)
@click.option("--pairs", default=600)
@click.option("--items", default=500)
@click.option("--sweep", is_flag=True)
def main(release: Path | None, rules: int, pairs: int, items: int, sweep: bool) -> None:
    try:
        material = released_material(release) if release else made_up_material(pairs, rules)
    except PairwrightError as fault:
        print(f"error: {fault}", file=sys.stderr)
        sys.exit(2)
    settings = ItemSettings(items=items, sweep=sweep)
    start = time.perf_counter()
    made = make_items(material, settings)
    seconds = time.perf_counter() - start
    for task, own in made.items.items():
        unknown = sum(bool(item.unknown) for item in own)
        drawn = f"{made.not_made.get(task, 0)} draws without one"
        print(f"{task:<16} {len(own):>6,} items, {unknown} with an unknown option; {drawn}")
    n_items = sum(map(len, made.items.values()))
    print(f"{n_items:,} items of {len(material.rules)} rules and {len(material.pairs):,} pairs in {seconds:.1f} s")
    turned = material._replace(pairs=material.pairs[::-1], rules=material.rules[::-1])
    same = sha256(make_items(turned, settings)) == sha256(made)
    print(f"the same bytes again, from the records in the opposite order: {same}")
    n_double = double_answers(material, made)
    print(f"wrong options that a sentence instantiates: {n_double}")
    later = make_items(with_new_pairs(material, 10), settings).items
    kept = sum(len(set(own) & set(later[task])) for task, own in made.items.items())
    print(f"after 10 new pairs, {kept:,} of {n_items:,} items are there unchanged")
    sys.exit(0 if same and not n_double else 1)


if __name__ == "__main__":
    main()
