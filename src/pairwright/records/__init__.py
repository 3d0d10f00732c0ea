"""The data's life from a piece of a page to a reviewer's decision. One record a stage; all are frozen.

A release and an evaluation have modules of their own, `release` and `evaluation`.
"""

from pairwright.records.base import Record, Rejection, Stage
from pairwright.records.documents import (
    Block,
    BlockKind,
    Gloss,
    MarkMeaning,
    Source,
    SourceFile,
    SourceKind,
    TableNote,
)
from pairwright.records.pairs import Candidate, CheckedPair, Finding, Level, LLMJudgment, Method, Side, Verdict
from pairwright.records.reviews import Decision, DecisionWord, ItemRole, Judgement, QueueKind, Via
from pairwright.records.rules import Change, Contrast, Evidence, Example, Licence, LLMCall, Rule

__all__ = [
    "Block",
    "BlockKind",
    "Candidate",
    "Change",
    "CheckedPair",
    "Contrast",
    "Decision",
    "DecisionWord",
    "Evidence",
    "Example",
    "Finding",
    "Gloss",
    "ItemRole",
    "Judgement",
    "LLMCall",
    "LLMJudgment",
    "Level",
    "Licence",
    "MarkMeaning",
    "Method",
    "QueueKind",
    "Record",
    "Rejection",
    "Rule",
    "Side",
    "Source",
    "SourceFile",
    "SourceKind",
    "Stage",
    "TableNote",
    "Verdict",
    "Via",
]
