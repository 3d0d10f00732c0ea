"""Seeds of the sample list grow: how many pairs, and what readers said of 200 that were drawn from each run.

Two ways give the words of a slot: classes of the slot lexicon ("with classes"), and words written by hand in a chat
model's place ("cloze", `data/cloze_words.json`), who calls no sentence odd. The judgements are in
`data/augmented_pairs.tsv`: is the good sentence grammatical and the bad one not, does it make sense.
"""

import json
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from common import HERE, measured, miss, need, read_tsv
from llm_server import Body, Say, ScriptedServer
from pairwright.cli.init import make_workspace
from pairwright.core.records import Candidate, CheckedPair
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.growth import augment
from pairwright.pipeline.options import AugmentOptions, LLMOptions
from pairwright.pipeline.review import build

SAMPLE = Path("lt-sample")
RULES = ("1.1.1", "1.4.1", "1.4.2", "1.4.3", "1.5.2")
WAYS = {"with classes": 1000, "cloze": 1000}  # pairs of a rule
DRAWN = 200


def grown(data: Path) -> pd.DataFrame:
    """The pairs of five rules by each way; words written by hand have the tagged dictionary's forms."""
    judged = {(row["good"], row["bad"]): row for row in read_tsv("augmented_pairs.tsv")}
    rows = []
    for way, per_rule in WAYS.items():
        with TemporaryDirectory() as folder:
            workspace = made_workspace(Path(folder) / "workspace", data, way)
            build(Context(workspace), SAMPLE)
            cost = measured(grow, workspace, way, AugmentOptions(per_rule=per_rule, rules=RULES))
            pairs = sorted(read_jsonl(workspace.work("lt-sample") / "augmented.jsonl", Candidate), key=lambda it: it.id)
            checked = read_jsonl(workspace.stage_file("lt-sample", "checked"), CheckedPair)
            verdicts = Counter(it.verdict for it in checked if it.candidate.parent_id and it.candidate.derivation)
        drawn = random.Random(4242).sample(pairs, min(DRAWN, len(pairs)))
        known = [judged[pair.good, pair.bad] for pair in drawn if (pair.good, pair.bad) in judged]
        for pair in drawn:
            if (pair.good, pair.bad) not in judged:
                miss(f"{way}, to be judged: {pair.good} / {pair.bad}")
        row = {"words": way, "pairs": f"{len(pairs):,}", "s": f"{cost.clock:.0f}", "pass": f"{verdicts['pass']:,}"}
        row["judged"] = f"{len(known)} of {len(drawn)}"
        for question in ("grammar", "sense"):
            right, doubtful = (sum(it[question] == answer for it in known) for answer in ("yes", "doubtful"))
            row[question] = f"{right / max(1, len(known)):.1%}, doubtful {doubtful}"
        rows.append(row)
    return pd.DataFrame(rows)


def made_workspace(root: Path, data: Path, way: str) -> Workspace:
    for _ in make_workspace(root, "lt", sample=True):
        pass
    for name in ("lt-LT.dic", "lt-LT.aff") if way == "cloze" else ():
        (root / "morphology").mkdir(exist_ok=True)
        shutil.copyfile(need(data / "morphology" / name), root / "morphology" / name)
    return Workspace(root)


def grow(workspace: Workspace, way: str, options: AugmentOptions) -> None:
    if way != "cloze":
        augment(Context(workspace), SAMPLE, options)
        return
    with ScriptedServer(by_hand) as server:
        with (workspace.root / "pairwright.toml").open("a", encoding="utf-8") as handle:
            handle.write(f'\n[llm]\nbase_url = "{server.base_url}"\nmodel = "by hand"\nstructured = "schema"\n')
            handle.write("\n[judge]\nmethods = []\n")
        augment(Context(workspace), SAMPLE, replace(options, method="cloze"), LLMOptions(kind="server"))


def by_hand(body: Body, nth: int) -> Say:
    """The words that were written by hand for the sentence that a request asks about; no sentence is called odd."""
    asked = "\n".join(message["content"] for message in body["messages"])
    if "The marked word" not in asked:
        return Say(json.dumps({"odd": []}))
    written = json.loads((HERE / "data" / "cloze_words.json").read_text(encoding="utf-8"))
    return Say(json.dumps({"words": next((words for sentence, words in written.items() if sentence in asked), [])}))
