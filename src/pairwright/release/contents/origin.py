"""Where a pair comes from, told so that it says nothing of the machine on which the release was made."""

import re
from functools import lru_cache
from pathlib import PurePosixPath, PureWindowsPath
from typing import TypeVar

from pairwright.core.records import (
    Augmentation,
    Block,
    CheckedPair,
    Derivation,
    Evidence,
    Rule,
    Source,
    TreebankChange,
)
from pairwright.core.records.release import PairOrigin, ReleasePair
from pairwright.core.text import comparison_key

P = TypeVar("P", Block, Evidence)

BRACKETED = re.compile(r"\([^()]*\)|\[[^][]*\]")


def is_published(good: str, bad: str, quote: str, url: str | None) -> bool:
    """Whether one of the sentences stands word by word in the quotation of a source on the web.

    Nothing but brackets may interrupt it, in which a list of errors prints the correction behind the wrong words.
    """
    if url is None:
        return False
    plain, n_removed = quote, 1
    while n_removed:  # nested ones too
        plain, n_removed = BRACKETED.subn("", plain)
    texts = [f" {comparison_key(text)} " for text in {quote, plain}]
    return any(f" {comparison_key(sentence)} " in text for sentence in (good, bad) for text in texts)


@lru_cache(maxsize=4096)
def portable_path(path: str) -> str:
    """A relative path as it is; of an absolute one, the file's name."""
    windows = PureWindowsPath(path)
    return windows.name if windows.drive or windows.root or PurePosixPath(path).is_absolute() else path


def portable_rule(rule: Rule) -> Rule:
    """A rule whose examples and evidence give portable paths."""
    examples = (example.model_copy(update={"evidence": portable(example.evidence)}) for example in rule.examples)
    return rule.model_copy(update={"examples": tuple(examples), "evidence": tuple(map(portable, rule.evidence))})


def portable(record: P) -> P:
    """A block, or evidence, whose file is a portable path."""
    return record.model_copy(update={"file": portable_path(record.file)})


def _portable_derivation(derivation: Derivation | None) -> Derivation | None:
    """A derivation that names its lexicon, or a model in a folder, by a portable path."""
    if isinstance(derivation, TreebankChange):
        return derivation.model_copy(update={"lexicon": portable_path(derivation.lexicon)})
    if isinstance(derivation, Augmentation):
        return derivation.model_copy(update={"model": portable_path(derivation.model)})
    return derivation


def pair_origin(pair: ReleasePair, checked: CheckedPair, rule: Rule, source: Source) -> PairOrigin:
    """The way of a released pair from its place in the source to its votes."""
    candidate, evidence = checked.candidate, checked.candidate.evidence
    return PairOrigin(
        pair_id=pair.id,
        source_id=pair.source_id,
        rule_id=rule.id,
        rule_code=rule.code,
        rule_page=rule.page,
        rule_quote=rule.quote,
        rule_declared=rule.declaration,
        method=pair.method,
        parent_id=pair.parent_id,
        votes=pair.votes,
        file=portable_path(evidence.file),
        file_sha256=next((file.sha256 for file in source.files if file.path == evidence.file), None),
        page=evidence.page,
        line=evidence.line,
        block_id=evidence.block_id,
        quote=evidence.quote,
        derivation=_portable_derivation(candidate.derivation),
        prompts=tuple(f"{asked.prompt}@{asked.prompt_sha256} {asked.model_label}" for asked in candidate.asked),
        findings=tuple(f"{finding.level} {finding.check}: {finding.message}" for finding in checked.findings),
    )
