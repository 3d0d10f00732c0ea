"""Tables of a report: columns of frames, written as CSV, LaTeX and Markdown; and all pairs, packed for the page."""

import base64
import io
import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NamedTuple
from unicodedata import is_normalized

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from pairwright.core.records import BASELINE
from pairwright.core.records.evaluation import ModelInfo
from pairwright.core.records.release import Release, ReleasePair
from pairwright.core.tables import table_text
from pairwright.core.text import escape_csv_formula, escape_markdown
from pairwright.languages.locale import CellFormat, Words
from pairwright.reporting.analysis.comparisons import COMPARED, in_order, listed
from pairwright.reporting.analysis.groups import FEW, Row, rows_of, rule_labels
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data import BAD, GOOD, ScoredModel, SentenceTokens, parameters

# The tokens of 20 models on 10,000 pairs of a dozen tokens a sentence.
MOST_TOKENS = 5_000_000
# How a column is shown follows from its name, as what it is called does: `columns.NAME`, or `tables.ID.NAME` where a
# table has another heading. A table names its columns, `name:format` where one is shown otherwise.
_NAMES_BY_FORMAT: Mapping[CellFormat, str] = {
    "p": "p p_holm p_bh p_mcnemar",
    "points": "difference gap",
    "number": "coefficient r2 sd mean_difference standard_error pearson spearman value seconds distance",
    "count": "n ties both sum_only mean_only neither majority only_a only_b only_condition only_baseline "
    "input_tokens output_tokens thinking_tokens shots draws seed",
    "percent": "accuracy sum_logprob mean_nll slor without_single share "
    "test theirs ours chance answered refused unreadable cut failed right_of_all "
    "f1 exact over under precision recall",
    "amount": "cost",
}
_FORMATS = {name: form for form, names in _NAMES_BY_FORMAT.items() for name in names.split()}
# Columns whose values have names in the language of the page.
_TERMS = ("measure", "relation", "property", "condition", "phenomenon", "basis", "policy", "wording")
TABLES = {
    "rule-means": "model accuracy measure n_rules n_single without_single",
    "conditions": "phenomenon condition model accuracy difference p measure n n_both only_condition only_baseline "
    "p_mcnemar",
    "comparisons": "a b difference p_holm relation measure n only_a only_b n_clusters p_mcnemar p p_bh",
    "measures": "model both sum_only mean_only neither",
    "confounds": "model property coefficient p measure r2 n",
    "human-preferences": "phenomenon share mean_difference standard_error n_raters n_prefer n_tied",
    "human-choices": "phenomenon share majority n_pairs n_choices",
    "human-alignment": "model phenomenon pearson spearman measure n",
    "other-tools": "model tool theirs ours n_differ measure n",
    "other-tasks": "model dataset value:percent metric task languages",
    "task-scores": "model task condition value metric chance:number sd n",
    "task-outcomes": "model task n answered refused unreadable cut failed right_of_all",
    "task-cost": "model task n input_tokens output_tokens thinking_tokens cost seconds",
    "task-runs": "model requested task policy template prompts wording shots draws seed",
    "leaderboard": "model sum_logprob mean_nll n test gap size number_format state scored",
    "faults": "kind subject message",
    "cited-sources": "source licence citation",
    "models": "model architecture parameters state number_format device hardware n date",
    "back-to-review": "pair_id sentence_good sentence_bad rule_code reason",
}
_LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "±": r"$\pm$"}
)


class Cell(NamedTuple):
    """A cell as people read it, its interval or deviation, and the value to sort by."""

    text: str
    extra: str
    number: float | None

    def as_text(self, quote: Callable[[str], str], extra: str, interval: str) -> str:
        """The cell in some markup: how what follows the value is written, and an interval in it."""
        text = quote(" ".join(self.text.split()))
        if not self.extra:
            return text
        further = quote(self.extra)
        return text + extra.format(further if self.extra.startswith("±") else interval.format(further))


@dataclass(frozen=True)
class Column:
    """A column: its heading, its values from the first row to the last, and how they are shown.

    low, high  the ends of 95% intervals; `sd` standard deviations: both empty, or one a value
    heat       whether a share is coloured by how far it is from one half
    """

    heading: str
    values: Sequence[Any]
    format: CellFormat = "text"
    low: Sequence[Any] = ()
    high: Sequence[Any] = ()
    sd: Sequence[Any] = ()
    heat: bool = False

    @property
    def numeric(self) -> bool:
        return self.format != "text"

    def cells(self, words: Words) -> Iterator[Cell]:
        """The values as people read them."""
        ends = words("range", low="{}", high="{}") if self.format in ("points", "number") else "{}–{}"
        for value, low, high, sd in zip_longest(self.values, self.low, self.high, self.sd):
            extra = "" if sd is None else f"± {words.cell(sd, self.format)}"
            if low is not None:
                extra = ends.format(words.cell(low, self.format), words.cell(high, self.format))
            yield Cell(words.cell(value, self.format), extra, value if self.numeric else None)


@dataclass(frozen=True)
class Table:
    """A table of a report. `id` names its files; `note` says below it what a reader has to know, as plain text."""

    id: str
    title: str
    columns: tuple[Column, ...]
    note: str = ""

    def rows(self, words: Words) -> list[tuple[Cell, ...]]:
        """The rows as people read them."""
        return list(zip(*(column.cells(words) for column in self.columns), strict=True))

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].values)

    @property
    def counts(self) -> Sequence[int]:
        """How many pairs each row rests on, as the first column of counts says; 0 where there is none."""
        return next((column.values for column in self.columns if column.format == "count"), [0] * self.n_rows)

    def as_csv(self, words: Words) -> str:
        """The table in full precision: an interval takes two more columns, a deviation one. No text is a formula."""
        columns: list[Sequence[Any]] = []
        for column in self.columns:
            columns.append([column.heading, *column.values])
            for name in ("low", "high", "sd"):
                if further := getattr(column, name):
                    columns.append([f"{column.heading} {words(f'columns.{name}')}", *further])
        return table_text(zip(*columns, strict=True))

    def as_latex(self, words: Words) -> str:
        """The table as it would be printed, for a document that uses booktabs."""
        rows = [[it.as_text(_latex, " {{\\scriptsize {}}}", "[{}]") for it in row] for row in self.rows(words)]
        table = DataFrame(rows, columns=[_latex(column.heading) for column in self.columns]).to_latex(
            index=False,
            escape=False,
            column_format="".join("r" if column.numeric else "l" for column in self.columns),
            caption=_latex(self.title),
            label=f"tab:{self.id}",
        )
        note = f"\n\\smallskip\n\\footnotesize {_latex(self.note)}\n" if self.note else ""
        return "% needs \\usepackage{booktabs}\n" + table.replace("\\end{table}", f"{note}\\end{{table}}")

    def as_markdown(self, words: Words) -> str:
        """The table in GitHub's Markdown, every text escaped."""
        lines = [[str(escape_markdown(column.heading)) for column in self.columns]]
        lines.append(["---:" if column.numeric else "---" for column in self.columns])
        lines += [
            [it.as_text(lambda text: str(escape_markdown(text)), " {}", "({})") for it in row]
            for row in self.rows(words)
        ]
        body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
        return f"{body}\n{escape_markdown(self.note)}\n" if self.note else body


def _latex(text: str) -> str:
    return " ".join(text.split()).translate(_LATEX)


def table(
    words: Words,
    id: str,
    rows: DataFrame | Iterable[Row],
    columns: str = "",
    *more: Column,
    title: str = "title",
    note: str | None = None,
    named: str = "",
    **values: object,
) -> Table | None:
    """A table of some columns of a frame, then `more`; None without a row.

    columns  their names, each with a format after a colon where it is not its usual one; those of `TABLES` by default.
             A column `x` brings its interval along where the frame has `x_low` and `x_high`
    title    the key of the title in the table's words
    note     what stands below the table, by default the text of its words, in which `values` are filled in
    named    its id where its words are those of several tables
    """
    rows = rows_of(rows) if isinstance(rows, DataFrame) else list(rows)
    if not rows:
        return None
    shown = tuple(_column(words, id, rows, *name.split(":")) for name in (columns or TABLES[id]).split())
    if note is None:
        note = words(f"tables.{id}.note", **values) if f"tables.{id}.note" in words else ""
    return Table(named or id, words(f"tables.{id}.{title}"), (*shown, *more), note)


def _column(words: Words, id: str, rows: Sequence[Row], name: str, form: Any = None) -> Column:
    form = form or _FORMATS.get(name, "count" if name.startswith("n_") else "text")
    heading = words(f"tables.{id}.{name}") if f"tables.{id}.{name}" in words else words.name("columns", name)
    has_ends = any(f"{name}_low" in row for row in rows)
    low, high = ([row.get(f"{name}_{end}") for row in rows] if has_ends else [] for end in ("low", "high"))
    values = plain((row.get(name) for row in rows), form)
    if name in _TERMS:
        values = [words.name(f"terms.{name}", value) if value is not None else None for value in values]
    return Column(heading, values, form, low, high)


def plain(values: Iterable[Any], form: CellFormat) -> list[Any]:
    """Values as Python's own, None where one is missing; counts are whole numbers."""
    known = [None if isinstance(value, float) and math.isnan(value) else value for value in values]
    return [int(it) if isinstance(it, float) else it for it in known] if form == "count" else known


def with_few(note: str, counts: Sequence[int], words: Words) -> str:
    """A note, and how many rows rest on few pairs, where some do."""
    n_few = sum(n < FEW for n in counts)
    return f"{note} {words('tables.few', n=n_few, of=len(counts), few=FEW)}" if n_few else note


def across(
    rows: Iterable[Row], down: Sequence[str], over: str, heads: Iterable[str], value: str, form: CellFormat = "percent"
) -> tuple[list[Row], list[Column]]:
    """Rows with the columns `down`, and a column for each of the `heads`, which are values of the column `over`.

    Shares are coloured, unless the frame has their standard deviations as `sd`.
    """
    cells = {(*(row[name] for name in down), row[over]): row for row in rows}
    keys, spread = dict.fromkeys(key[:-1] for key in cells), any("sd" in row for row in cells.values())
    columns = []
    for head in heads:
        own = [cells.get((*key, head), {}) for key in keys]
        sd = plain((row.get("sd") for row in own), form) if spread else ()
        columns.append(Column(head, plain((row.get(value) for row in own), form), form, sd=sd, heat=not spread))
    return [dict(zip(down, key, strict=True)) for key in keys], columns


# Accuracies


def _by_measure(summary: Summary, words: Words, kind: str) -> tuple[list[Row], str, str]:
    """A row for each group of a kind and model, with the accuracy by each measure in a column of its own; the name of
    the column with what intervals take as independent, where rows differ in it; and the words of a note for all."""
    found = summary.rows("groups", kind=kind)
    rows: dict[tuple[str, str], Row] = {}
    for it in found:
        row = rows.setdefault((it["group"], it["model"]), {"group": it["group"], "model": it["model"], "basis": {}})
        row |= {f"{it['measure']}{end}": it[f"accuracy{end}"] for end in ("", "_low", "_high")}
        row["basis"][words(f"terms.basis.{it['basis']}")] = None
        if it["measure"] == "sum_logprob":
            row |= {"n": it["n"], "ties": it["ties"]}
    for row in rows.values():
        row["basis"] = ", ".join(row["basis"])
    differ = len({row["basis"] for row in rows.values()}) > 1
    return list(rows.values()), "basis" if differ else "", interval_bases(found, words)


def interval_bases(rows: Iterable[Row], words: Words) -> str:
    """What the intervals of rows take as independent, for a note."""
    bases = (words(f"terms.basis.{row['basis']}") for row in rows)
    return words("tables.bases", bases=", ".join(dict.fromkeys(bases)))


def ranking(summary: Summary, words: Words) -> Table | None:
    """All models, best first, with intervals."""
    rows, basis, over = _by_measure(summary, words, "overall")
    found = {row["model"]: row for row in rows if row["group"] == "all pairs"}
    ways = {label: way(settings, words) for settings, labels in summary.comparable().items() for label in labels}
    rows = [{"model": label, "scored": ways[label], "n": 0} | found.get(label, {}) for label in summary.runs]
    several = len(set(ways.values())) > 1
    columns = ["model", *summary.measures, "scored" if several else "", "n", basis]
    apart = [words("tables.not_ranked")] if several else []
    note = " ".join([words("tables.ranking.note", over=over), *apart])
    return table(words, "ranking", rows, " ".join(columns), note=note)


def way(settings: Sequence[str], words: Words) -> str:
    """In which way models were scored, to follow a verb, from the settings in which they differ from others."""
    return ", ".join(words.name("settings", setting) for setting in settings)


def in_full(summary: Summary, words: Words, kind: str) -> Table | None:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them.

    None where the kind has a single group, which is all pairs.
    """
    counts = list(summary.groups(kind).values())
    if len(counts) < 2:
        return None
    rows, basis, over = _by_measure(summary, words, kind)
    name = "pairs_taken" if kind == "overall" else kind
    for row in rows:
        row[name] = words.name("terms.overall", row["group"]) if kind == "overall" else row["group"]
    columns = [name, "model" if len(summary.runs) > 1 else "", *summary.measures, "n ties", basis]
    id = {"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s")
    note = with_few(words("tables.groups.note", over=over), counts, words)
    return table(words, "groups", rows, " ".join(columns), title=f"by-{kind}", note=note, named=id)


def heat(summary: Summary, words: Words, kind: str) -> Table | None:
    """Rules, the second table of a paper, or phenomena down and models across. None for a single group or model."""
    groups = summary.groups(kind)
    if len(groups) < 2 or len(summary.runs) < 2:
        return None
    rows = [row | {kind: row["group"]} for row in summary.rows("groups", kind=kind, measure="sum_logprob")]
    rows, columns = across(rows, [kind], "model", summary.runs, "accuracy")
    note = with_few(words("tables.table-2.note"), list(groups.values()), words)
    id = "table-2" if kind == "rule" else "phenomena-by-model"
    return table(words, id, [row | {"n": groups[row[kind]]} for row in rows], f"{kind} n", *columns, note=note)


# Conditions, people and pairs


def conditions(summary: Summary, words: Words) -> Table | None:
    """Models down and the conditions of paradigms across."""
    found = sorted(summary.rows("conditions", measure="sum_logprob"), key=lambda row: row["phenomenon"])
    down = ["phenomenon", "model"] if len({row["phenomenon"] for row in found}) > 1 else ["model"]
    heads = in_order(row["condition"] for row in found)
    rows, columns = across(found, down, "condition", heads, "accuracy")
    columns = [replace(it, heading=words("columns.baseline")) if it.heading == BASELINE else it for it in columns]
    return table(words, "conditions-by-model", rows, " ".join(down), *columns)


def choices(summary: Summary, words: Words) -> Table | None:
    """Forced choices of people, and the models on the same pairs."""
    found = summary.rows("choices_by_model")
    _, models = across(found, ["phenomenon"], "model", summary.runs, "accuracy")
    return table(words, "human-choices", summary["choices"], "", *models)


def faults(summary: Summary, words: Words) -> Table | None:
    """What is wrong with the input."""
    rows = (
        {"kind": words(f"fault_kinds.{it.kind}"), "subject": it.subject, "message": it.text(words)}
        for it in summary.faults
    )
    return table(words, "faults", rows)


def back_to_review(summary: Summary, words: Words, pairs: Sequence[ReleasePair]) -> Table | None:
    """The pairs that go back to the reviewers, with the reason."""
    by_id = {pair.id: pair for pair in pairs}
    rows = [
        dict(by_id[row["pair_id"]]) | {"reason": words("text.returned", n=row["n_models"]), "pair_id": row["pair_id"]}
        for row in summary.rows("pairs", faulty=True)
    ]
    return table(words, "back-to-review", rows)


# Models and tasks


def models(summary: Summary, words: Words) -> Table | None:
    """The models as they were loaded."""
    rows = [
        dict(run.model)
        | {"model": label, "parameters": parameters(run.model.n_parameters), "state": identity(run.model, words)}
        | {"number_format": run.model.number_format, "n": run.n_scored, "date": run.finished_at[:10]}
        for label, run in summary.runs.items()
    ]
    return table(words, "models", rows)


def identity(info: ModelInfo, words: Words) -> str:
    """What tells one state of a model from another: the commit of a hub model or the hash of its weights."""
    if info.revision is not None:
        return words("page.commit", id=info.revision[:12])
    sha256 = info.weights_sha256
    return words("page.weights", id=sha256[:12]) if sha256 is not None else words("page.no_identity")


def models_by_tasks(summary: Summary, words: Words) -> Table | None:
    """Models down and tasks across, values with their standard deviations, and a last row with chance."""
    scores: dict[str, dict[str, Row]] = {}
    for row in summary.rows("task_headline"):
        scores.setdefault(row["column"], {})[row["model"]] = row
    columns = []
    for name, own in scores.items():
        form: CellFormat = "number" if next(iter(own.values()))["metric"] == "MCC" else "percent"
        chances = [row["chance"] for row in own.values() if row["chance"] is not None]
        cells = [own.get(label, {}) for label in summary.task_runs]
        values, sds = ([cell.get(key) for cell in cells] for key in ("value", "sd"))
        chance = sum(chances) / len(chances) if chances else None
        columns.append(Column(name, [*values, chance], form, sd=[*sds, None]))
    rows = [{"model": label} for label in (*summary.task_runs, words("columns.chance"))] if scores else []
    return table(words, "task-table", rows, "model", *columns)


def task_runs(summary: Summary, words: Words) -> Table | None:
    """How each task was put to each model."""
    rows = [
        {"model": label, "requested": run.requested, "task": task, "prompts": "; ".join(part.prompts)}
        | {"policy": "chat" if task == "translation" else run.policy, "wording": part.words}
        | {"template": words(f"cells.{'server' if run.policy == 'chat' else 'yes' if run.template else 'no'}")}
        | {name: getattr(part, name) for name in ("shots", "draws", "seed")}
        for label, run in summary.task_runs.items()
        for task, part in run.tasks.items()
    ]
    return table(words, "task-runs", rows)


# All pairs, with the score differences of every model


class PackedPairs(NamedTuple):
    """The pairs as the page holds them; `n_shown` with tokens, of the `n_kept` that have any, `n_tokens` in all.

    Both texts are base64 of a deflated block. `data` begins with the length of a JSON object in four bytes,
    little-endian, then the object, then arrays; `tokens` has the arrays of tokens. `pairs.js` reads them.
    """

    data: str
    tokens: str
    n_shown: int
    n_kept: int
    n_tokens: int


def packed_pairs(release: Release, summary: Summary, most_tokens: int = MOST_TOKENS) -> PackedPairs | None:
    """The pairs of a report as the page holds them; None where the summary came from a file or has no model.

    Score differences keep 16 of their 24 binary digits, which is more than the page shows, and always their sign.
    Surprisals are in hundredths of a nat. Pairs get their tokens one after the other, those in lists first, as long as
    all models' tokens are not more than `most_tokens`.
    """
    models = summary.scored
    if not models:
        return None
    chosen, n_kept, n_tokens = _with_tokens(release.pairs, summary, models, most_tokens)
    pairs, languages = release.pairs, {source.id: source.language for source in release.info.sources}
    head = {
        "models": [model.label for model in models],
        "shown": chosen,
        "tokens": [model.tokens is not None for model in models],
        "ids": [pair.id for pair in pairs],
        "good": [pair.sentence_good for pair in pairs],
        "bad": [pair.sentence_bad for pair in pairs],
        # Start and end of the differing words of each change, in the good sentence, then in the bad one.
        "changes": [
            [
                n
                for it in pair.changes
                for at, text in ((it.good_at, it.good), (it.bad_at, it.bad))
                for n in (at, at + len(text))
            ]
            for pair in pairs
        ],
        "rules": _numbered(rule_labels(pairs)),
        "phenomena": _numbered([pair.phenomenon for pair in pairs]),
        "languages": _numbered([languages.get(pair.source_id, "und") for pair in pairs]),
        "exceptions": [index for index, pair in enumerate(pairs) if pair.exception],
    }
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    block = [len(text).to_bytes(4, "little"), text]
    for model in models:
        # The three upper bytes of each float32.
        block += [_planes(model.differences[name], "<f4", (1, 2, 3)) for name in COMPARED]
        block += [_planes(model.n_tokens[:, side], "<u2", (0, 1)) for side in (GOOD, BAD)]
    tokens = [part for model in models if model.tokens is not None for part in _token_arrays(model.tokens, chosen)]
    return PackedPairs(_packed(block), _packed(tokens), len(chosen), n_kept, n_tokens)


def _packed(block: Iterable[bytes]) -> str:
    return base64.b64encode(zlib.compress(b"".join(block))).decode()


def _with_tokens(
    pairs: Sequence[ReleasePair], summary: Summary, models: Sequence[ScoredModel], most: int
) -> tuple[list[int], int, int]:
    """The places of the pairs whose tokens are shown; how many have tokens, and how many tokens these are.

    The scored text of a pair has to be as long as its sentences, which normalisation may change.
    """
    n_tokens = np.zeros(len(pairs), dtype=np.int64)
    for model in models:
        if model.tokens is not None:
            n_tokens += np.diff(model.tokens.ends, prepend=0).reshape(-1, 2).sum(axis=1)
    forms: set[Any] = {model.run.policy.normalisation for model in models if model.tokens is not None} - {"none"}
    kept = [
        place
        for place in np.flatnonzero(n_tokens).tolist()
        if all(is_normalized(form, pairs[place].sentence_good + pairs[place].sentence_bad) for form in forms)
    ]
    first = {place for places in listed(summary["pairs"]).values() for place in places}
    kept.sort(key=lambda place: (place not in first, place))
    totals = np.cumsum(n_tokens[kept])
    return sorted(kept[: int(np.searchsorted(totals, most, side="right"))]), len(kept), int(n_tokens[kept].sum())


def _numbered(labels: Sequence[str]) -> dict[str, list[Any]]:
    """Labels in the order in which they first come, and for each pair the number of its own."""
    places = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    return {"labels": list(places), "of": [places[label] for label in labels]}


def _token_arrays(tokens: SentenceTokens, chosen: Sequence[int]) -> Iterator[bytes]:
    """Of the sentences of the chosen pairs: how many tokens, where the first begins; of each token its length up to the
    next one, 0 for the last one, and its surprisal.
    """
    counts = np.diff(tokens.ends, prepend=0)
    taken = np.zeros((len(counts) // 2, 2), dtype=bool)
    taken[chosen] = True
    own = np.repeat(taken.ravel(), counts)
    counts, starts = counts[taken.ravel()], tokens.starts[own]
    lasts = np.cumsum(counts)[counts > 0] - 1
    firsts, lengths = np.zeros(len(counts)), np.diff(starts, append=0)
    firsts[counts > 0] = starts[lasts + 1 - counts[counts > 0]]
    lengths[lasts] = 0
    nats = np.clip(np.round(-100 * tokens.logprobs[own]), 0, 65535)
    yield from (_planes(values, "<u2", (0, 1)) for values in (counts, firsts, lengths, nats))


def _planes(values: NDArray[Any], kind: str, kept: Sequence[int]) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on, which deflates best."""
    rows = np.ascontiguousarray(values.astype(kind)).view(np.uint8).reshape(len(values), np.dtype(kind).itemsize)
    return np.ascontiguousarray(rows[:, list(kept)].T).tobytes()


def pairs_csv(release: Release, summary: Summary) -> bytes:
    """pairs.csv: every pair with each model's verdicts (1 right, 0 not, empty without a score), score differences in
    float32, and scored tokens. Large tables take columns, not rows."""
    import pyarrow as pa
    from pyarrow import csv

    names = {"pair_id": "id"} | {name: name for name in ("rule_code", "phenomenon", "sentence_good", "sentence_bad")}
    columns: dict[str, Any] = {
        name: [escape_csv_formula(str(getattr(pair, value))) for pair in release.pairs] for name, value in names.items()
    }
    for model in summary.scored:
        label = escape_csv_formula(model.label)
        for measure, values in model.differences.items():
            scored = model.scored(measure)
            columns[f"{label}, {measure}"] = pa.array(model.right(measure).astype(np.int8), mask=~scored)
            columns[f"{label}, {measure} difference"] = pa.array(values.astype(np.float32), mask=~scored)
        for side, name in enumerate(("good", "bad")):
            tokens = model.n_tokens[:, side]
            columns[f"{label}, tokens {name}"] = pa.array(tokens, mask=tokens == 0)
    data = io.BytesIO()
    csv.write_csv(pa.table(columns), data)
    return data.getvalue()
