"""A review queue together with its source, as it was last built."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pairwright.contrasts import load_contrasts
from pairwright.core.config import ReleaseSettings, ReviewSettings
from pairwright.core.records import Block, Candidate, CheckedPair, Rule, Source
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.languages import Language, load_language
from pairwright.review.log.folder import QueueFolder


@dataclass(frozen=True)
class ReviewContext:
    """What the steps of a review share.

    queue         the name of the queue, which need not exist yet
    pairs         the checked pairs of the source, by id
    rules         the rules of the source, by id, in the order of the source
    language      of the reviewers' sheets and page
    deciding      how a release counts votes
    attested      the blocks whose sentences stand in pairs or behind them, by id
    """

    annotations: Path
    queue: str
    source: Source
    pairs: Mapping[str, CheckedPair]
    rules: Mapping[str, Rule]
    language: Language
    settings: ReviewSettings
    deciding: ReleaseSettings = field(default_factory=ReleaseSettings)
    attested: Mapping[str, Block] = field(default_factory=dict)

    @cached_property
    def folder(self) -> QueueFolder:
        return QueueFolder(self.annotations, self.queue)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """The source's pairs without their findings, by id."""
        return {pair_id: checked.candidate for pair_id, checked in self.pairs.items()}

    def rule_code(self, rule_id: str) -> str:
        """The code of a rule, its title where it has none; its id if the source no longer has the rule."""
        rule = self.rules.get(rule_id)
        return (rule.code or rule.title if rule else "") or rule_id


def review_settings(workspace: Workspace, queue: str, options: Mapping[str, Any] | None = None) -> ReviewSettings:
    """The configured settings with options in their place. Raises ValidationError for an option out of range.

    Where the options name no reviewers, a queue that has others than the configured ones, and none of those, keeps its
    own: they were named when it was made.
    """
    configured = workspace.config().review
    own = tuple(dict.fromkeys(item.reviewer for item in QueueFolder(workspace.annotations, queue).assignments()))
    kept = {"reviewers": own} if own and set(own).isdisjoint(configured.reviewers) else {}
    return ReviewSettings.model_validate(configured.model_dump() | kept | dict(options or {}))


def read_context(
    workspace: Workspace, source: Source, queue: str, settings: ReviewSettings | None = None
) -> ReviewContext:
    """Reads what a review needs from a workspace, or with other settings. Raises StoreError before the first build."""
    config, work = workspace.config(), workspace.work(source.id)
    settings = settings or review_settings(workspace, queue)
    pairs = {pair.candidate.id: pair for pair in read_jsonl(work / "checked.jsonl", CheckedPair)}
    ids = {block_id for pair in pairs.values() for block_id in pair.candidate.attested_ids}
    language = reviewers_language(workspace, source, queue, settings)
    blocks = read_jsonl(work / "blocks.jsonl", Block) if ids else ()
    return ReviewContext(
        annotations=workspace.annotations,
        queue=queue,
        source=source,
        pairs=pairs,
        rules={rule.id: rule for rule in _rules(workspace, source, language)},
        language=language,
        settings=settings,
        deciding=config.release,
        attested={block.id: block for block in blocks if block.id in ids},
    )


def _rules(workspace: Workspace, source: Source, language: Language) -> Iterator[Rule]:
    """The rules of a source, those of contrast files in the reviewers' language where they have its words."""
    texts: dict[str, dict[str, str]] = {}
    for rule in read_jsonl(workspace.work(source.id) / "rules.jsonl", Rule):
        if rule.declared_in and not texts:
            contrasts = load_contrasts(source.language, workspace.root)
            texts = {contrast.name: contrast.in_language(language.code) for contrast in contrasts}
        yield rule.model_copy(update=texts.get(rule.code)) if rule.declared_in else rule


def reviewers_language(workspace: Workspace, source: Source, queue: str, settings: ReviewSettings) -> Language:
    """The language that a queue's reviewers read: the queue's own, else the configured one, else the source's."""
    info = QueueFolder(workspace.annotations, queue).find_info()
    return load_language(info.language if info else settings.language or source.language, workspace.root)
