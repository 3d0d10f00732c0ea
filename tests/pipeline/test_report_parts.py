"""What an evaluation puts beside scores: people, faults."""

import json
import shutil
from pathlib import Path

from command_lines import Run
from workspace_parts import save_sheet, sheet_rows

from pairwright.core.ids import file_sha256
from pairwright.release.verify import read_release


def test_a_report_is_written_again_with_people_and_names_what_it_leaves_out(
    run: Run, workspace: Path, frozen: Path, tiny_model: Path, tmp_path: Path
) -> None:
    at = ["--workspace", workspace]
    listed = tmp_path / "models.toml"
    listed.write_text(f'[[model]]\nname = "{tiny_model}"\nfamily = "Ilma"\nsize = "2M"\n', encoding="utf-8")
    run.done("evaluate", frozen, "--models", listed, *at)
    evaluations = workspace / "output" / "evaluations" / frozen.name
    (scored,) = evaluations.glob("*/")
    older = shutil.copytree(scored, evaluations / "older")
    record = json.loads((older / "run.json").read_text(encoding="utf-8"))
    record["model"] |= {"name": "older", "slug": "older"}
    (older / "run.json").write_text(json.dumps(record | {"release_sha256": "0" * 64}), encoding="utf-8")
    first = read_release(frozen).pairs[0].id
    people = tmp_path / "people.csv"
    people.write_text(f"pair_id,rater,choice\n{first},R1,good\n{first},R2,bad\n", encoding="utf-8")
    again = ("evaluate", frozen, "--report-only", "--models", listed, "--judgements", people)
    out = run.done(*again, "--page-language", "tr", *at)
    assert out.count("page       in English, as there is no locale/tr/report.ftl") == 1
    assert "scoring" not in out
    assert "warning    older was scored on" in out
    page = (workspace / "output" / "reports" / frozen.name / "index.html").read_text(encoding="utf-8")
    assert "Forced choices of people and models" in page
    assert "Caveats about the input" in page
    summary = (workspace / "output" / "reports" / frozen.name / "summary.json").read_text(encoding="utf-8")
    assert json.loads(summary)["frames"]["models"]["family"] == ["Ilma"]
    people.write_text("pair_id,rater,choice\nx,R1,maybe\n", encoding="utf-8")
    before = file_sha256(workspace / "output" / "reports" / frozen.name / "index.html")
    err = run.refused(*again, *at)
    assert "people.csv:2: choice" in err
    assert file_sha256(workspace / "output" / "reports" / frozen.name / "index.html") == before


def missing_models(workspace: Path, frozen: Path, missed: str) -> None:
    """Three models that miss one pair and are right on all others, made of the scores of one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    evaluations = workspace / "output" / "evaluations" / frozen.name
    (scored,) = evaluations.glob("*/")
    for name in ("a", "b", "c"):
        folder = shutil.copytree(scored, evaluations / name)
        table = pq.read_table(folder / "scores.parquet")
        rows = table.select(["pair_id", "side"]).to_pylist()
        high = [(row["pair_id"] == missed) != (row["side"] == "good") for row in rows]
        sums = pa.array([-10.0 if better else -20.0 for better in high])
        place = table.column_names.index("sum_logprob")
        pq.write_table(table.set_column(place, table.schema.field(place), sums), folder / "scores.parquet")
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        record["model"] |= {"name": name, "slug": name, "weights_sha256": name * 64}
        record["files"]["scores.parquet"] = file_sha256(folder / "scores.parquet")
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    shutil.rmtree(scored)


def test_a_pair_that_all_models_miss_goes_back_to_its_reviewers(
    run: Run, workspace: Path, frozen: Path, tiny_model: Path
) -> None:
    at = ["--workspace", workspace]
    run.done("evaluate", frozen, "--model", tiny_model, *at)
    missed = read_release(frozen).pairs[1].id
    missing_models(workspace, frozen, missed)
    out = run("evaluate", frozen, "--report-only", *at)[1]
    assert "missed by every model: 1 pair;" in out
    command = next(line for line in out.splitlines() if "pairwright review sync" in line)
    arguments = command.split("pairwright review sync ")[1].split()
    before = file_sha256(workspace / "annotations" / "sarasas" / "ana.csv")
    with next(Path(it) for it in arguments if it.endswith(".csv")).open("a", encoding="utf-8") as table:
        table.write("pair-gone,a,b,1,x\n")
    out = run.done("review", "sync", *arguments, *at)
    assert "sarasas-recheck/ana.csv: 1 new row," in out
    assert "1 pair of the table not, or no longer, of this source" in out
    for name in ("ana", "jonas"):
        sheet = workspace / "annotations" / "sarasas-recheck" / f"{name}.csv"
        first, *others = sheet_rows(sheet)
        assert first["Poros ID"] == missed
        assert "all 3 models prefer the bad sentence" in first["Kodėl klausiama dar kartą"]
        save_sheet(sheet, [first | {"Sprendimas": "atmesti"}, *others])
    run.done("release", "create", "--name", "lt-test", "--version", "1.1.0", *at)
    second = {pair.id for pair in read_release(frozen.parent / "lt-test-1.1.0").pairs}
    assert second == {pair.id for pair in read_release(frozen).pairs} - {missed}
    assert file_sha256(workspace / "annotations" / "sarasas" / "ana.csv") == before
