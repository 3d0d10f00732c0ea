"""What is left of a queue as tasks for Label Studio, and the form that shows them.

Each reviewer gets a file, since who has what stands in the queue alone. Fields and controls have the names of a sheet's
fields, so that what Label Studio exports as CSV is read like any sheet.
"""

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from pairwright.core.errors import counted
from pairwright.core.records import QueueKind
from pairwright.core.store import write_json, write_text
from pairwright.languages import Language
from pairwright.review.log.log import is_answer
from pairwright.review.log.queue import ReviewContext
from pairwright.review.sheets.columns import ANSWERS, EXPORTED, IDS, SHOWN, titles
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.facts import interface_words
from pairwright.review.sheets.words import DECISIONS, DecisionVocabulary
from pairwright.review.sheets.writing import SheetWriter


def write_tasks(context: ReviewContext, folder: Path) -> dict[Path, str]:
    """Writes a file of tasks for each reviewer with something left, and the form. Returns what each file holds.

    Raises ReviewError if there is no such queue.
    """
    info = context.folder.info()
    contents = read_contents(context.folder, context.language)
    writer = SheetWriter(context, info, contents, show_findings=context.settings.show_findings)
    answered = {key for key, entries in contents.history().items() if is_answer(entries[-1])}
    words = interface_words(context.language)
    shown = _shown(info.kind, context.language)
    left: dict[str, list[dict[str, Mapping[str, str]]]] = {name: [] for name in sorted(contents.reviewers)}
    for key, item in contents.asked(answered).items():
        if key not in answered:
            cells = dict.fromkeys(shown, "") | writer.shown_cells(contents, item, words)
            left[item.reviewer].append({"data": cells})
    files: dict[Path, str] = {}
    for reviewer, tasks in left.items():
        if tasks:
            path = folder / f"{context.queue}-{reviewer}.label-studio.json"
            write_json(path, tasks)
            files[path] = counted(len(tasks), "task")
    form = folder / f"{context.queue}.label-studio-form.xml"
    write_text(form, ElementTree.tostring(_form(info.kind, context.language), encoding="unicode") + "\n")
    return files | {form: "the form, for the labeling interface of a Label Studio project"}


def _shown(kind: QueueKind, language: Language) -> dict[str, str]:
    """The titles of the fields that are shown, by name."""
    hidden = {IDS[kind], "reviewer", "votes", "reason", EXPORTED, *ANSWERS[kind]}
    return {name: title for name, title in titles(language, kind).items() if name not in hidden}


def _form(kind: QueueKind, language: Language) -> ElementTree.Element:
    view = ElementTree.Element("View")
    answer, *written = ANSWERS[kind]
    first = SHOWN[kind][0]
    for name, title in _shown(kind, language).items():
        ElementTree.SubElement(view, "Header", value=title, size="5")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    question = {"pairs": "pair_question", "choice": "choice_question", "likert": "likert_question"}[kind]
    ElementTree.SubElement(view, "Header", value=interface_words(language)[question])
    choices = ElementTree.SubElement(view, "Choices", name=answer, toName=first, choice="single", required="true")
    best = DecisionVocabulary(language).best
    for option in DECISIONS if kind == "pairs" else "AB" if kind == "choice" else "1234567":
        ElementTree.SubElement(choices, "Choice", value=best.get(option, option), alias=option)  # type: ignore[call-overload]
    for name in written:
        ElementTree.SubElement(view, "Header", value=titles(language, kind)[name], size="5")
        ElementTree.SubElement(view, "TextArea", name=name, toName=first, maxSubmissions="1", editable="true")
    ElementTree.indent(view)
    return view
