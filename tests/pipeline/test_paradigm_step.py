"""Marked-up seeds of a source as their user handles them: from paradigms.txt to the conditions of a release."""

import re
from pathlib import Path

from command_lines import Run
from workspace_parts import decide, license_source, records, sheet

SEEDS = """\
# Objects under negation
rule 1.1
[S Person=1|Number=Sing] [V neturiu] [O laiko/*laiką] šiandien.
[S brolis] [V nemato] [O upės/*upę].
"""


def test_marked_up_seeds_become_conditions_of_a_release(run: Run, workspace: Path, document: Path) -> None:
    at = ["--workspace", workspace]
    run("build", document, "--language", "lt", *at)
    assert "no seeds" in run.refused("grow", "orders", "sarasas", *at)
    (workspace / "sources" / "sarasas" / "paradigms.txt").write_text(SEEDS, encoding="utf-8")
    out = run.done("grow", "orders", "sarasas", "--conditions", "SVO,OVS,kad,gerund", *at)
    assert "paradigms  7 paradigm pairs, 2 rejected with reasons" in out
    assert "pairwright build sarasas" in out

    code, out, _ = run("build", "sarasas", *at)
    assert code == 0
    assert sum(map(int, re.findall(r"(\d+) new rows?", out))) == 7
    for reviewer in ("ana", "jonas"):
        decide(sheet(workspace, reviewer), "gerai")
    license_source(workspace)
    run.done("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)
    pairs = records(workspace / "output" / "releases" / "lt-test-1.0.0" / "pairs.jsonl")
    paradigms = {pair["sentence_good"]: (pair["condition"], pair["paradigm_id"]) for pair in pairs if pair["condition"]}
    dropped = next(pair["id"] for pair in pairs if pair["sentence_good"] == "Neturiu laiko šiandien.")
    assert paradigms["Neturiu laiko šiandien."] == ("baseline", dropped)
    assert paradigms["Aš neturiu šiandien laiko."] == ("SVO", dropped)
    assert paradigms["Laiko neturiu šiandien aš."] == ("OVS", dropped)
    assert paradigms["Visi žino, kad neturiu laiko šiandien."] == ("kad", dropped)
    # This seed has an order itself.
    assert paradigms["Brolis nemato upės."][0] == "SVO"
    assert paradigms["Brolis nemato upės."][1] == paradigms["Upės nemato brolis."][1]
    assert len(paradigms) == 7
