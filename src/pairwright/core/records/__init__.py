"""The data's life from a piece of a page to a reviewer's decision. One record a stage; all are frozen.

A release and an evaluation have modules of their own, `release` and `evaluation`.
"""

from pairwright.core.config import Method
from pairwright.core.records.documents import (
    Block,
    BlockKind,
    Gloss,
    MarkMeaning,
    Record,
    Rejection,
    Source,
    SourceFile,
    SourceKind,
    Stage,
    TableNote,
    Tree,
    Word,
)
from pairwright.core.records.pairs import (
    BASELINE,
    Augmentation,
    Candidate,
    CheckedPair,
    Corruption,
    Derivation,
    Finding,
    Level,
    LLMJudgment,
    ParadigmVariant,
    Replacement,
    Side,
    TreebankChange,
    Verdict,
)
from pairwright.core.records.reviews import Decision, DecisionWord, ItemRole, Judgement, Lot, QueueKind, Via
from pairwright.core.records.rules import Change, Contrast, Evidence, Example, Licence, LLMCall, Rule
