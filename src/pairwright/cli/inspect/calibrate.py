"""`pairwright calibrate SOURCE`: how far the judge of a source's pairs agrees with its reviewers."""

from collections.abc import Iterator

from pairwright.checks.calibration import calibrate, calibration_text, judged_by_both
from pairwright.core.errors import StoreError
from pairwright.core.records import Candidate, LLMJudgment
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.review.log.votes import source_votes


def calibration_lines(workspace: Workspace, name: str) -> Iterator[str]:
    """The lines of the report. Raises SourceError for an unknown source, StoreError if no judge was asked yet."""
    source = load_source(workspace.sources / name)
    work = workspace.work(source.id)
    path = work / "llm_judgments.jsonl"
    judgments = list(read_if_there(path, LLMJudgment))
    if not judgments:
        raise StoreError(
            f"{path}: no judgments; run pairwright generate {source.id} --llm server, and name the pairs to judge "
            'under [judge] in pairwright.toml: methods = ["source", "llm"]'
        )
    candidates = {pair.id: pair for pair in read_jsonl(work / "candidates.jsonl", Candidate)}
    votes = source_votes(workspace.annotations, source.id, candidates).cast
    yield f"judge: {', '.join(sorted({judgment.asked.model_label for judgment in judgments}))}"
    yield from calibration_text(calibrate(judged_by_both(judgments, votes))).splitlines()
