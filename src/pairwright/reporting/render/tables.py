"""Tables of a report: columns of frames, written as CSV, as LaTeX with booktabs, as Markdown, and shown on the page."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pandas import DataFrame

from pairwright.core.records import BASELINE
from pairwright.core.records.evaluation import ModelInfo
from pairwright.core.records.release import ReleasePair
from pairwright.core.tables import table_text
from pairwright.core.text import escape_markdown
from pairwright.languages.locale import CellFormat, Words
from pairwright.reporting.analysis.conditions import KINDS, in_order
from pairwright.reporting.analysis.frames import Row, rows_of
from pairwright.reporting.analysis.groups import FEW, FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.model_family import parameters, size_of
from pairwright.reporting.data.score_differences import Measure

# How a column is shown follows from its name, as what it is called does: `columns.NAME`, or `tables.ID.NAME` where a
# table has another heading. A table names its columns, `name:format` where one is shown otherwise.
_NAMES_BY_FORMAT: Mapping[CellFormat, str] = {
    "p": "p p_holm p_bh p_mcnemar",
    "points": "difference gap",
    "number": "coefficient r2 sd mean_difference standard_error pearson spearman value seconds distance",
    "count": "n ties both sum_only mean_only neither majority only_a only_b only_condition only_baseline place "
    "input_tokens output_tokens thinking_tokens shots draws seed",
    "percent": "accuracy sum_logprob mean_nll slor without_single share "
    "test theirs ours chance answered refused unreadable cut failed right_of_all chosen expected right "
    "base_sum_logprob base_mean_nll instruct_sum_logprob instruct_mean_nll f1 exact "
    "over under precision recall",
    "amount": "cost",
}
_FORMATS = {name: form for form, names in _NAMES_BY_FORMAT.items() for name in names.split()}
# Columns whose values have names in the language of the page.
_TERMS = ("measure", "relation", "property", "condition", "phenomenon", "basis", "policy", "wording")
TABLES = {
    "table-1": "family size base_mean_nll instruct_mean_nll base_sum_logprob instruct_sum_logprob",
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
    "task-sizes": "model task n_options value:percent chance n_sentences n",
    "task-outcomes": "model task n answered refused unreadable cut failed right_of_all",
    "task-cost": "model task n input_tokens output_tokens thinking_tokens cost seconds",
    "task-places": "model task place chosen expected right p n_options n",
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

    def cells(self, words: Words) -> list[Cell]:
        """The values as people read them."""
        none = [None] * len(self.values)
        rows = zip(self.values, self.low or none, self.high or none, self.sd or none, strict=True)
        return [self._cell(words, *row) for row in rows]

    def _cell(self, words: Words, value: Any, low: Any, high: Any, sd: Any) -> Cell:
        extra = ""
        if low is not None:
            low, high = words.cell(low, self.format), words.cell(high, self.format)
            extra = words("range", low=low, high=high) if self.format in ("points", "number") else f"{low}–{high}"
        elif sd is not None:
            extra = f"± {words.cell(sd, self.format)}"
        return Cell(words.cell(value, self.format), extra, value if self.numeric else None)


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

        def cell(it: Cell) -> str:
            extra = it.extra if it.extra.startswith("±") else f"[{it.extra}]"
            return f"{_latex(it.text)} {{\\scriptsize {_latex(extra)}}}" if it.extra else _latex(it.text)

        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{_latex(self.title)}}}",
            f"\\label{{tab:{self.id}}}",
            f"\\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in self.columns)}}}",
            "\\toprule",
            " & ".join(_latex(column.heading) for column in self.columns) + " \\\\",
            "\\midrule",
            *(" & ".join(map(cell, row)) + " \\\\" for row in self.rows(words)),
            "\\bottomrule",
            "\\end{tabular}",
            *(("", "\\smallskip", f"\\footnotesize {_latex(self.note)}") if self.note else ()),
            "\\end{table}",
        ]
        return "\n".join([*lines, ""])

    def as_markdown(self, words: Words) -> str:
        """The table in GitHub's Markdown, every text escaped."""

        def cell(it: Cell) -> str:
            extra = it.extra if it.extra.startswith("±") or not it.extra else f"({it.extra})"
            return f"{escape_markdown(' '.join(it.text.split()))} {extra}".strip()

        lines = [[str(escape_markdown(column.heading)) for column in self.columns]]
        lines.append(["---:" if column.numeric else "---" for column in self.columns])
        lines += [list(map(cell, row)) for row in self.rows(words)]
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
    **values: object,
) -> Table | None:
    """A table of some columns of a frame, then `more`; None without a row.

    columns  their names, each with a format after a colon where it is not its usual one; those of `TABLES` by default.
             A column `x` brings its interval along where the frame has `x_low` and `x_high`
    title    the key of the title in the table's words
    note     what stands below the table, by default the text of its words, in which `values` are filled in
    """
    rows = rows_of(rows) if isinstance(rows, DataFrame) else list(rows)
    if not rows:
        return None
    shown = tuple(_column(words, id, rows, *name.split(":")) for name in (columns or TABLES[id]).split())
    if note is None:
        note = words(f"tables.{id}.note", **values) if f"tables.{id}.note" in words else ""
    return Table(id, words(f"tables.{id}.{title}"), (*shown, *more), note)


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


# Accuracies


def _by_measure(summary: Summary, kind: str) -> list[Row]:
    """A row for each group of a kind and model, with the accuracy by each measure in a column of its own."""
    rows: dict[tuple[str, str], Row] = {}
    for it in summary.rows("groups", kind=kind):
        row = rows.setdefault((it["group"], it["model"]), {"group": it["group"], "model": it["model"], "basis": {}})
        row |= {f"{it['measure']}{end}": it[f"accuracy{end}"] for end in ("", "_low", "_high")}
        row["basis"][it["basis"]] = None
        if it["measure"] == "sum_logprob":
            row |= {"n": it["n"], "ties": it["ties"]}
    return list(rows.values())


def _bases(rows: Sequence[Row], words: Words) -> tuple[str, str]:
    """The column with what intervals take as independent, where rows differ in it; and the words of a note for all."""
    for row in rows:
        row["basis"] = ", ".join(words(f"terms.basis.{name}") for name in row["basis"])
    bases = list(dict.fromkeys(row["basis"] for row in rows if row["basis"]))
    return "basis" if len(bases) > 1 else "", words("tables.bases", bases=", ".join(bases))


def interval_bases(rows: Iterable[Row], words: Words) -> str:
    """What the intervals of rows take as independent, for a note."""
    bases = (words(f"terms.basis.{row['basis']}") for row in rows)
    return words("tables.bases", bases=", ".join(dict.fromkeys(bases)))


def ranking(summary: Summary, words: Words) -> Table | None:
    """All models, best first, with intervals."""
    found = {row["model"]: row for row in _by_measure(summary, "overall") if row["group"] == "all pairs"}
    ways = {label: way(settings, words) for settings, labels in summary.comparable().items() for label in labels}
    rows = [
        {"basis": {}, "model": label, "scored": ways[label], "n": 0} | found.get(label, {}) for label in summary.runs
    ]
    basis, over = _bases(rows, words)
    several = len(set(ways.values())) > 1
    columns = ["model", *summary.measures, "scored" if several else "", "n", basis]
    shown = table(words, "ranking", rows, " ".join(columns), over=over)
    return replace(shown, note=f"{shown.note} {words('tables.not_ranked')}") if shown and several else shown


def way(settings: Sequence[str], words: Words) -> str:
    """In which way models were scored, to follow a verb, from the settings in which they differ from others."""
    return ", ".join(words.name("settings", setting) for setting in settings)


def in_full(summary: Summary, words: Words, kind: str) -> Table | None:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them.

    None where the kind has a single group, which is all pairs.
    """
    rows, counts = _by_measure(summary, kind), list(summary.groups(kind).values())
    basis, over = _bases(rows, words)
    name = "pairs_taken" if kind == "overall" else kind
    for row in rows:
        row[name] = words.name("terms.overall", row["group"]) if kind == "overall" else row["group"]
    columns = [name, "model" if len(summary.runs) > 1 else "", *summary.measures, "n ties", basis]
    id = {"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s")
    note = with_few(words("tables.groups.note", over=over), counts, words)
    shown = table(words, "groups", rows if len(counts) > 1 else [], " ".join(columns), title=kind, note=note)
    return replace(shown, id=id) if shown else None


def heat(summary: Summary, words: Words, kind: str, measure: Measure = "sum_logprob") -> Table | None:
    """Rules, the second table of a paper, or phenomena down and models across. None for a single group."""
    groups = summary.groups(kind)
    cells = {(it["group"], it["model"]): it["accuracy"] for it in summary.rows("groups", kind=kind, measure=measure)}
    models = [
        Column(label, [cells.get((group, label)) for group in groups], "percent", heat=True) for label in summary.runs
    ]
    id = {"phenomenon": "phenomena-by-model", "rule": "table-2" if measure == "sum_logprob" else "table-2-mean"}[kind]
    rows = [{kind: group, "n": n} for group, n in groups.items()] if len(groups) > 1 else []
    note = with_few(words("tables.table-2.note"), list(groups.values()), words)
    return table(words, id, rows, f"{kind} n", *models, note=note)


def base_and_instruct(summary: Summary, words: Words) -> Table | None:
    """The first table of a paper: families and sizes down, base and tuned models across, by both measures.

    Where several models would share a cell, as under two policies, or were scored with different settings, each has a
    row of its own, by its label.
    """
    models = summary.rows("models")
    own: dict[tuple[str, str], list[Row]] = {}
    for model in models:
        own.setdefault((model["family"], model["size"]), []).append(model)
    rows: dict[tuple[str, str], Row] = {}
    for model in models:
        alike = own[model["family"], model["size"]]
        shared = sum(it["variant"] == model["variant"] for it in alike) > 1
        ways = {summary.runs[it["model"]].conditioning for it in alike}
        family = model["model"] if shared or len(ways) > 1 else model["family"]
        row = rows.setdefault((family, model["size"]), {"family": family, "size": model["size"]})
        for variant in ("base", "instruct"):
            for measure in ("sum_logprob", "mean_nll"):
                row.setdefault(f"{variant}_{measure}", None)
                if model["variant"] == variant:
                    row[f"{variant}_{measure}"] = summary.accuracies(measure).get(model["model"], {}).get("accuracy")
    return table(words, "table-1", sorted(rows.values(), key=lambda row: (row["family"].lower(), size_of(row["size"]))))


# Comparisons and what else explains accuracies


def comparisons(summary: Summary, words: Words) -> Table | None:
    """All paired comparisons of models."""
    relations = ("base-instruct", "size", "family", "other")
    rows = sorted(summary.rows("comparisons"), key=lambda row: relations.index(row["relation"]))
    return table(words, "comparisons", rows)


def choices(summary: Summary, words: Words) -> Table | None:
    """Forced choices of people, and the models on the same pairs."""
    rows = summary.rows("choices")
    cells = {(it["phenomenon"], it["model"]): it["accuracy"] for it in summary.rows("choices_by_model")}
    models = [
        Column(label, plain((cells[row["phenomenon"], label] for row in rows), "percent"), "percent", heat=True)
        for label in summary.runs
    ]
    return table(words, "human-choices", rows, "", *models)


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
        {"reason": words("text.returned", n=row["n_models"]), "pair_id": row["pair_id"]}
        | by_id[row["pair_id"]].model_dump(include={"sentence_good", "sentence_bad", "rule_code"})
        for row in summary.rows("pairs", faulty=True)
    ]
    return table(words, "back-to-review", rows)


def models(summary: Summary, words: Words) -> Table | None:
    """The models as they were loaded."""
    rows = [
        {"model": label, "parameters": parameters(run.model.n_parameters), "state": identity(run.model, words)}
        | {name: getattr(run.model, name) for name in ("architecture", "number_format", "device", "hardware")}
        | {"n": run.n_scored, "date": run.finished_at[:10]}
        for label, run in summary.runs.items()
    ]
    return table(words, "models", rows)


def identity(info: ModelInfo, words: Words) -> str:
    """What tells one state of a model from another: the commit of a hub model or the hash of its weights."""
    if info.revision is not None:
        return words("page.commit", id=info.revision[:12])
    sha256 = info.weights_sha256
    return words("page.weights", id=sha256[:12]) if sha256 is not None else words("page.no_identity")


# Conditions of paradigms


def conditions(summary: Summary, words: Words) -> Iterator[Table | None]:
    """For each kind of conditions models and people down and conditions across: accuracies with the share of raters,
    differences from the baseline, and ratings."""
    of_people = words("columns.people")
    for kind in KINDS:
        models = summary.rows("conditions", kind=kind, measure="sum_logprob")
        people = [row | {"model": of_people} for row in summary.rows("rated_conditions", kind=kind)]
        names = in_order(row["condition"] for row in (*models, *people))
        changed = [row for row in models if row.get("n_both")]
        note = "note_accuracy", *(["note_people"] if people else [])
        parts: tuple[tuple[str, list[Row], str, CellFormat, Sequence[str], Sequence[str]], ...] = (
            (
                "accuracy",
                [*models, *(row | {"accuracy": row["share"]} for row in people)],
                "accuracy",
                "percent",
                names,
                note,
            ),
            ("change", changed, "difference", "points", [it for it in names if it != BASELINE], ["note_change"]),
            ("ratings", people, "mean_difference", "number", names, ["note_ratings"]),
        )
        for part, rows, value, form, across, notes in parts:
            cells = {(row["phenomenon"], row["model"], row["condition"]): row for row in rows}
            phenomena = list(dict.fromkeys(key[0] for key in cells))
            down = sorted({key[:2]: None for key in cells}, key=lambda it: (it[1] == of_people, phenomena.index(it[0])))
            shown = []
            for condition in across:
                own = [cells.get((*key, condition), {}) for key in down]
                values, low, high = (
                    plain((it.get(f"{value}{end}") for it in own), form) for end in ("", "_low", "_high")
                )
                heading = words("columns.baseline") if condition == BASELINE else condition
                if part == "change":
                    shown.append(Column(heading, values, form, low, high))
                else:
                    shown.append(Column(heading, values, form, heat=part == "accuracy"))
            several = len({phenomenon for phenomenon, _ in down}) > 1
            made = table(
                words,
                "conditions",
                [{"phenomenon": phenomenon, "model": model} for phenomenon, model in down],
                "phenomenon model" if several else "model",
                *shown,
                title=f"{kind.replace(' ', '_')}_{part}",
                note=" ".join(words(f"tables.conditions.{it}") for it in notes),
            )
            name = f"conditions-{kind.replace(' ', '-')}{'' if part == 'accuracy' else f'-{part}'}"
            yield replace(made, id=name) if made else None


def conditions_in_full(summary: Summary, words: Words) -> Table | None:
    """A row for each model, measure, phenomenon and condition. The baseline stands in it once."""
    rows = {
        (row["model"], row["measure"], row["phenomenon"], row["condition"]): row for row in summary.rows("conditions")
    }
    return table(words, "conditions", rows.values(), fewest=FEWEST_CLUSTERS)


# Prompted tasks


def models_by_tasks(summary: Summary, words: Words) -> Table | None:
    """Models down and tasks across, values with their standard deviations, and a last row with chance."""
    scores: dict[str, dict[str, Row]] = {}
    for row in summary.rows("task_headline"):
        scores.setdefault(row["column"], {})[row["model"]] = row
    columns = []
    for name, own in scores.items():
        form: CellFormat = "number" if next(iter(own.values()))["metric"] == "MCC" else "percent"
        chances = [it for it in plain((row["chance"] for row in own.values()), form) if it is not None]
        cells = [own.get(label, {}) for label in summary.task_runs]
        cells.append({"value": sum(chances) / len(chances) if chances else None})
        values, sds = (plain((cell.get(key) for cell in cells), form) for key in ("value", "sd"))
        columns.append(Column(name, values, form, sd=sds))
    rows = [{"model": label} for label in (*summary.task_runs, words("columns.chance"))] if scores else []
    return table(words, "task-table", rows, "model", *columns)


def task_runs(summary: Summary, words: Words) -> Table | None:
    """How each task was put to each model."""
    rows = [
        {
            "model": label,
            "requested": run.requested,
            "task": task,
            "policy": "chat" if task == "translation" else run.policy,
            "template": words(f"cells.{'server' if run.policy == 'chat' else 'yes' if run.template else 'no'}"),
            "prompts": "; ".join(part.prompts),
            "wording": part.words,
            "shots": part.shots,
            "draws": part.draws,
            "seed": part.seed,
        }
        for label, run in summary.task_runs.items()
        for task, part in run.tasks.items()
    ]
    return table(words, "task-runs", rows)
