"""What is left of a queue as tasks for Label Studio or Argilla, and the form that shows them.

Each reviewer gets a file, since who has what stands in the queue alone. Formats as in `sheets/annotation_files.py`; the
form of Argilla is what `rg.Settings.from_json` reads. Fields and controls have the names of a sheet's fields.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from pairwright.core.records import QueueKind
from pairwright.core.store import write_json, write_text
from pairwright.languages import Language, load_language
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.entries import is_answer, latest_entries
from pairwright.review.queue.sheet_writer import SheetWriter
from pairwright.review.sheets.columns import ANSWERS, IDS, SHOWN, titles
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.pair_facts import interface_words
from pairwright.review.sheets.vocabulary import DECISIONS, DecisionVocabulary

Tool = Literal["label-studio", "argilla"]
Cells = Mapping[str, str]


def write_tasks(context: ReviewContext, tool: Tool, folder: Path) -> dict[Path, int]:
    """Writes a file of tasks for each reviewer with something left, and the form. Returns the files with their sizes.

    Raises ReviewError if there is no such queue.
    """
    info = context.folder.info()
    contents = read_contents(context.folder, context.language)
    requested = frozenset({"findings"} if context.settings.show_findings else ())
    writer = SheetWriter(context, info, contents, requested)
    latest = latest_entries(context.folder.entries(info.kind))
    answered = {key for key, entry in latest.items() if is_answer(entry)}
    words = interface_words(context.language)
    left: dict[str, list[Cells]] = {name: [] for name in sorted(contents.reviewers)}
    for key, item in contents.asked(answered).items():
        if key not in answered:
            left[item.reviewer].append(writer.shown_cells(contents, item, words))
    task, form = _TOOLS[tool]
    files: dict[Path, int] = {}
    for reviewer, rows in left.items():
        if rows:
            path = folder / f"{context.queue}-{reviewer}.{tool}.json"
            write_json(path, [task(info.kind, cells) for cells in rows])
            files[path] = len(rows)
    form(info.kind, context.language, folder / f"{context.queue}.{tool}-form")
    return files


def _options(kind: QueueKind, language: Language) -> dict[str, str]:
    """What may be answered, and how that is shown."""
    if kind == "pairs":
        best = DecisionVocabulary(language).best
        return {word: best[word] for word in DECISIONS}
    return {option: option for option in ("AB" if kind == "choice" else "1234567")}


def _question(kind: QueueKind, language: Language) -> str:
    words = interface_words(language)
    return words[{"pairs": "pair_question", "choice": "choice_question", "likert": "likert_question"}[kind]]


def _shown(kind: QueueKind, language: Language) -> dict[str, str]:
    """The titles of the fields that are shown, by name."""
    hidden = {IDS[kind], "reviewer", "votes", "reason", *ANSWERS[kind]}
    return {name: title for name, title in titles(language, kind).items() if name not in hidden}


def _label_studio_task(kind: QueueKind, cells: Cells) -> dict[str, Any]:
    return {"data": dict.fromkeys(_shown(kind, load_language("en")), "") | dict(cells)}


def _label_studio_form(kind: QueueKind, language: Language, path: Path) -> None:
    view = ElementTree.Element("View")
    answer, *written = ANSWERS[kind]
    first = SHOWN[kind][0]
    for name, title in _shown(kind, language).items():
        ElementTree.SubElement(view, "Header", value=title, size="5")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    ElementTree.SubElement(view, "Header", value=_question(kind, language))
    choices = ElementTree.SubElement(view, "Choices", name=answer, toName=first, choice="single", required="true")
    for option, shown in _options(kind, language).items():
        ElementTree.SubElement(choices, "Choice", value=shown, alias=option)
    for name in written:
        ElementTree.SubElement(view, "Header", value=titles(language, kind)[name], size="5")
        ElementTree.SubElement(view, "TextArea", name=name, toName=first, maxSubmissions="1", editable="true")
    ElementTree.indent(view)
    write_text(path.with_name(f"{path.name}.xml"), ElementTree.tostring(view, encoding="unicode") + "\n")


def _argilla_record(kind: QueueKind, cells: Cells) -> dict[str, Any]:
    shown = _shown(kind, load_language("en"))
    identity = {name: cells[name] for name in (IDS[kind], "reviewer")}
    return {
        "id": ".".join(identity.values()),
        "fields": {name: text for name, text in cells.items() if name in shown and text},
        "metadata": identity,
        "suggestions": {},
        "responses": {},
        "vectors": {},
    }


def _argilla_form(kind: QueueKind, language: Language, path: Path) -> None:
    answer, *written = ANSWERS[kind]
    title_of = titles(language, kind)
    options = [{"value": option, "text": shown} for option, shown in _options(kind, language).items()]
    choice = {"type": "label_selection", "options": options, "visible_options": max(3, len(options))}
    text = {"type": "text", "use_markdown": False}
    questions = [
        (answer, _question(kind, language), True, choice),
        *((name, title_of[name], False, text) for name in written),
    ]
    settings: dict[str, Any] = {
        "guidelines": None,
        "questions": [
            {"name": name, "title": title, "required": required, "settings": kind_of}
            for name, title, required, kind_of in questions
        ],
        "fields": [
            {"name": name, "title": title, "required": name in SHOWN[kind], "settings": text}
            for name, title in _shown(kind, language).items()
        ],
        "vectors": [],
        "metadata": [
            {"name": name, "title": title_of[name], "settings": {"type": "terms"}, "visible_for_annotators": False}
            for name in (IDS[kind], "reviewer")
        ],
        "allow_extra_metadata": False,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "mapping": None,
    }
    write_json(path.with_name(f"{path.name}.json"), settings)


_Task = Callable[[QueueKind, Cells], dict[str, Any]]
_Form = Callable[[QueueKind, Language, Path], None]
_TOOLS: Mapping[Tool, tuple[_Task, _Form]] = {
    "label-studio": (_label_studio_task, _label_studio_form),
    "argilla": (_argilla_record, _argilla_form),
}
