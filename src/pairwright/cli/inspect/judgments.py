"""What a judge said of a pair, in words, for trace and the rules page."""

from collections.abc import Iterator

from pairwright.core.records import LLMJudgment


def judgment_lines(judgment: LLMJudgment) -> Iterator[str]:
    """What a judge said of a pair and of its translation, in words."""
    if judgment.language_known:
        audited = ", and people are asked all the same" if judgment.audited else ""
        yield f"{judgment.verdict}, score {judgment.score} of 10{audited}: {judgment.reason}"
    else:
        yield judgment.reason
    if judgment.translation_score is not None:
        fault = f": {judgment.translation_fault}" if judgment.translation_fault else ""
        yield f"translation {judgment.translation_score} of 10{fault}"
