"""From a document to minimal pairs: read it, find its rules, make the pairs that it gives, check them; and releases."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import pandas as pd

from pairwright.core.config import CheckSettings, IngestSettings
from pairwright.core.errors import SourceError
from pairwright.core.ids import file_sha256
from pairwright.core.records import (
    Block,
    Candidate,
    CheckedPair,
    Finding,
    Record,
    Rejection,
    Rule,
    Source,
    SourceFile,
    SourceKind,
)
from pairwright.core.records.release import ReleaseInfo
from pairwright.core.workspace import user_cache
from pairwright.documents.source import KIND_BY_SUFFIX, load_source, slug
from pairwright.languages import Language, load_language, load_tagset
from pairwright.pairfiles import pair_candidate
from pairwright.release.unreleased import frame_rows

R = TypeVar("R", bound=Record)


class SourceRecords(list[R]):
    """Blocks or rules in the order of their source, as a list, with the source and what could not be used.

    source    describes the document: its language, kind and files
    rejected  the pages or passages that gave nothing, each with its place and the reason
    """

    def __init__(self, records: Iterable[R | Rejection], source: Source) -> None:
        everything = list(records)
        super().__init__(record for record in everything if not isinstance(record, Rejection))
        self.source = source
        self.rejected = tuple(record for record in everything if isinstance(record, Rejection))


def read_source(
    path: str | Path,
    *,
    language: str | None = None,
    kind: SourceKind | None = None,
    notation: str | None = None,
    encoding: str = "utf-8",
    pages: tuple[int, int] | None = None,
    progress: Callable[[int], None] = lambda page: None,
) -> SourceRecords[Block]:
    """Reads a document and returns its blocks: headings, paragraphs, list items, tables, examples, each with its place.

    path      a PDF, DOCX, EPUB, HTML, Markdown, text, CSV or CoNLL-U file, or a source folder with a source.toml
    language  of the examples, such as `lt`; every file needs it
    kind      `error-list`, `grammar-book` or `treebank`; told from the ending where you leave it out
    notation  how an error list marks errors; `find_rules` tells it from the text where you leave it out
    encoding  of a text file without a byte-order mark
    pages     the first and the last page of a PDF, counted from 1; all where you leave it out
    progress  called with the number of each page that was read

    The pages of a PDF are read by several processes and kept under `pages/` in the user's cache (PAIRWRIGHT_CACHE), so
    a second call returns at once. Raises SourceError where the document is missing, damaged or of no known kind, and
    ConfigError for an unknown language code.
    """
    path = Path(path)
    if path.is_dir():
        source = load_source(path)
        return SourceRecords(_read_files(path, source, progress), source)
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    if language is None:
        raise SourceError(f"{path}: say the language of the document, for example language='lt'")
    load_language(language)
    kind = kind or KIND_BY_SUFFIX.get(path.suffix.lower())
    if kind is None:
        raise SourceError(f"{path}: can't tell what this is; say kind='error-list', 'grammar-book' or 'treebank'")
    source = Source(
        id=slug(path.stem),
        title=path.stem,
        language=language,
        kind=kind,
        licence="unknown",
        citation=path.name,
        files=(SourceFile(path=str(path.resolve()), sha256=file_sha256(path, SourceError)),),
        pages=pages,
        notation=notation,
        encoding=encoding,
    )
    return SourceRecords(_read_files(path.parent, source, progress), source)


def _read_files(folder: Path, source: Source, progress: Callable[[int], None]) -> Iterator[Block | Rejection]:
    from pairwright.pipeline.ingest import is_paged, read_document

    for file in source.files:
        if is_paged(source, file):
            yield from _read_pages(folder, source, file, progress)
        else:
            yield from read_document(folder, source, file, IngestSettings())


def _read_pages(
    folder: Path, source: Source, file: SourceFile, progress: Callable[[int], None]
) -> Iterator[Block | Rejection]:
    from pairwright.documents.read.pool import linked_pages, n_workers, read_into
    from pairwright.pipeline.ingest import read_pages

    language, settings = load_language(source.language), IngestSettings()
    read = partial(read_into, workers=n_workers(settings), on_page=progress)
    for page in linked_pages(*read_pages(folder, source, file, language, settings, user_cache(), read)):
        yield from page.blocks
        yield from page.rejections


def find_rules(blocks: Iterable[Block], source: Source | None = None) -> SourceRecords[Rule]:
    """Finds the rules that a document states with pairs of its own, each with its examples, without a language model.

    blocks  what `read_source` returned, or some of it
    source  describes the document; needed where `blocks` is a plain list

    An error list gives its corrections, a grammar book its starred examples; those that make no pair are `rejected`. A
    treebank's rules are the contrasts that are declared for its language.
    Rules in the prose of a grammar book need a language model: `pairwright build SOURCE --llm` finds them. Raises
    SourceError where an error list has no correction in any known notation, ConfigError where its notation is unknown.
    """
    from pairwright.contrasts import load_contrasts
    from pairwright.languages.conventions import Conventions
    from pairwright.sources.error_list.reader import read_error_list
    from pairwright.sources.grammar.starred.pairs import example_rules, starred_pairs
    from pairwright.sources.treebank.candidates import declared_rules

    if source is None:
        if not isinstance(blocks, SourceRecords):
            raise TypeError("find_rules(blocks, source): a plain list of blocks needs its source, as blocks.source")
        source = blocks.source
    blocks = list(blocks)
    if source.kind == "treebank":
        return SourceRecords(declared_rules(load_contrasts(source.language), source), source)
    if source.kind == "error-list":
        return SourceRecords(read_error_list(blocks, source, load_language(source.language)), source)
    pairs, rejected = starred_pairs(blocks, load_tagset("leipzig"), Conventions.of_source(source))
    return SourceRecords([*example_rules(pairs, source), *rejected], source)


def make_pairs(rules: Iterable[Rule]) -> list[Candidate]:
    """Makes the minimal pairs that the examples of some rules give, in their order, each pair of a rule once."""
    from pairwright.sources.given import source_candidates

    return list(source_candidates(rules))


@dataclass(frozen=True)
class LoadedRelease:
    """A verified release: `sha256` is that of MANIFEST.sha256, `pairs` has the columns of pairs.parquet."""

    path: Path
    sha256: str
    info: ReleaseInfo
    pairs: pd.DataFrame
    rules: tuple[Rule, ...]


def load_release(directory: str | Path) -> LoadedRelease:
    """Loads a release after verifying every file of it. Raises ReleaseError where one has changed or is missing."""
    from pairwright.core.store import read_jsonl
    from pairwright.release.verify import verified

    release = verified(Path(directory))
    return LoadedRelease(
        path=release.path,
        sha256=release.sha256,
        info=release.info,
        pairs=pd.read_parquet(release.path / "pairs.parquet"),
        rules=tuple(read_jsonl(release.path / "rules.jsonl", Rule)),
    )


def check_pairs(
    pairs: pd.DataFrame | Iterable[Candidate],
    language: str | Language,
    *,
    rules: Iterable[Rule] = (),
    settings: CheckSettings | None = None,
) -> list[CheckedPair]:
    """Checks minimal pairs and returns each with its findings and a verdict, in order. docs/checks.md lists the checks.

    pairs     what `load_pairs` or `make_pairs` returned
    language  such as `lt`; it decides letters, spelling and word forms
    rules     what `find_rules` returned: its examples say how far the pairs of a rule may differ

    A pair with an error gets the verdict `reject`; of several equal pairs the first passes. Raises MorphologyError
    where a dictionary of the language can't be read.
    """
    from pairwright.checks.registry import check_pairs as run_checks

    if isinstance(pairs, pd.DataFrame):
        pairs = [pair_candidate(row, "pairs", "pairs") for row in frame_rows(pairs)]
    chosen = load_language(language) if isinstance(language, str) else language
    return list(run_checks(pairs, {rule.id: rule for rule in rules}, chosen, settings or CheckSettings()))


def findings(checked: Iterable[CheckedPair]) -> pd.DataFrame:
    """What `check_pairs` found, one row a finding: `pair_id`, `line`, then the fields of Finding."""
    rows = [
        {"pair_id": pair.candidate.id, "line": pair.candidate.evidence.line, **dict(finding)}
        for pair in checked
        for finding in pair.findings
    ]
    return pd.DataFrame(rows, columns=["pair_id", "line", *Finding.model_fields])
