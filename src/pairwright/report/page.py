"""Writes a report as one self-contained HTML page and as Markdown. Every text from a release is escaped."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pairwright import store
from pairwright.languages import load_language
from pairwright.records import Side
from pairwright.releases import Release, ReleasePair
from pairwright.report.summary import JudgedPair, ModelSummary, Summary
from pairwright.report.words import FEW, interval, limit_words, method_words, percent, result_words
from pairwright.text import escape_markdown

PAGE = "index.html"
MARKDOWN = "report.md"


def write_report(directory: Path, release: Release, summary: Summary) -> Path:
    """Writes `index.html` and `report.md` into a directory, each replaced as a whole. Returns the path of the page.

    The page needs no other file, no network and no script.
    """
    view = _view(release, summary)
    page = _environment(html=True).get_template("page.html.j2").render(view)
    markdown = _environment(html=False).get_template("page.md.j2").render(view)
    store.write_text(directory / MARKDOWN, markdown)
    store.write_text(directory / PAGE, page)
    return directory / PAGE


def marked(pair: ReleasePair, side: Side) -> list[tuple[str, bool]]:
    """A sentence of a pair in stretches, each with whether it is one of the differing words; together the sentence."""
    sentence = pair.sentence_good if side == "good" else pair.sentence_bad
    spans = [
        (change.good_at, len(change.good)) if side == "good" else (change.bad_at, len(change.bad))
        for change in pair.changes
    ]
    stretches, done = [], 0
    for start, length in sorted(spans):
        first, last = max(start, done), max(start + length, done)
        stretches += [(sentence[done:first], False), (sentence[first:last], True)]
        done = last
    return [(text, differs) for text, differs in [*stretches, (sentence[done:], False)] if text]


def _view(release: Release, summary: Summary) -> dict[str, Any]:
    """What both templates show."""
    info = release.info
    return {
        "title": f"{info.name} {info.version}",
        "release": release,
        "languages": ", ".join(sorted({load_language(source.language).name for source in info.sources})),
        "language_of": {source.id: source.language for source in info.sources},
        "summary": summary,
        "several": len(summary.models) > 1,
        "results": result_words(summary),
        "methods": method_words(summary),
        "limits": limit_words(release, summary),
        "tables": [
            ("phenomenon", "Phenomenon", "Accuracy by phenomenon", summary.by_phenomenon),
            ("rule", "Rule", "Accuracy by rule", summary.by_rule),
            ("construction", "Construction", "Accuracy by how the pairs were made", summary.by_method),
        ],
        "few": FEW,
        "packages": _packages(summary),
    }


def _packages(summary: Summary) -> list[str]:
    """The versions of the packages that scored, each once."""
    named = {f"{name} {version}" for model in summary.models for name, version in model.run.model.packages.items()}
    return sorted(named)


def _environment(html: bool) -> Environment:
    """Templates in which every text that is put in is escaped, for HTML or for Markdown, unless it is Markup."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=None if html else _markdown,
    )
    environment.filters.update(
        percent=percent,
        interval=interval,
        parameters=_parameters,
        margins=_margins,
        identity=_identity,
        marked=marked,
    )
    return environment


def _markdown(value: Any) -> Any:
    return escape_markdown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _parameters(count: int) -> str:
    """A number of parameters as people say it, such as 268M or 1.7B."""
    for size, letter in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}" if count < 10 * size else f"{count / size:.0f}{letter}"
    return str(count)


def _identity(model: ModelSummary) -> str:
    """What tells one state of a model from another: the commit of a hub model or the hash of its weights."""
    info = model.run.model
    if info.revision is not None:
        return f"commit {info.revision[:12]}"
    return f"weights SHA-256 {info.weights_sha256[:12]}" if info.weights_sha256 is not None else "not recorded"


def _margins(judged: JudgedPair, summary: Summary) -> list[tuple[str, str, str, str]]:
    """Per model that scored the pair: its label, both margins with their sign, and the tokens of both sentences."""
    return [
        (model.label, _signed(margin.by_sum), _signed(margin.by_mean), f"{margin.n_tokens[0]} and {margin.n_tokens[1]}")
        for model, margin in zip(summary.models, judged.margins, strict=True)
        if margin is not None
    ]


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
