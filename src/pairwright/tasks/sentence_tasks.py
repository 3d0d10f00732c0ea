"""The tasks about sentences: which of two is acceptable, whether one is, and what it is in another language."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.core.ids import content_id
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item, Option
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc, squeeze
from pairwright.pairfiles import read_rows
from pairwright.tasks.drawing import ItemMaker
from pairwright.tasks.instances import STAGE
from pairwright.tasks.rule_tasks import YES_NO

WITH_RULE, WITHOUT_RULE = "rule", "no rule"


def minimal_pair(maker: ItemMaker, pair: ReleasePair) -> Iterator[Item | None]:
    """Task 4: which of two sentences is acceptable, with the rule and without; an exception is asked without it."""
    options = Option(text=squeeze(pair.sentence_good)), Option(text=squeeze(pair.sentence_bad), label="unacceptable")
    for condition in (WITH_RULE, WITHOUT_RULE):
        text = maker.text_of.get(pair.rule_id) if condition == WITH_RULE else None
        if condition == WITH_RULE and (pair.exception or not text or any(text.quotes(one.text) for one in options)):
            yield None
            continue
        yield maker.item("minimal-pair", [pair], options, [options[0].text], asked=text, condition=condition)


def labelled_sentences(pairs: Iterable[ReleasePair]) -> dict[str, tuple[set[bool], list[ReleasePair]]]:
    """Each sentence with whether it is good, and its pairs; one that is good here and bad there has both labels."""
    labelled: dict[str, tuple[set[bool], list[ReleasePair]]] = defaultdict(lambda: (set(), []))
    for pair in pairs:
        for sentence, is_good in ((pair.sentence_good, True), (pair.sentence_bad, False)):
            labels, own = labelled[squeeze(sentence)]
            labels.add(is_good)
            own.append(pair)
    return labelled


def acceptability(maker: ItemMaker) -> Iterator[Item | None]:
    """Task 5: single sentences labelled right or wrong, each once, as EuroEval has them (Nielsen 2023)."""
    by_language: dict[str, list[ReleasePair]] = defaultdict(list)
    for pair in maker.material.pairs:
        by_language[pair.language].append(pair)
    rows: list[tuple[str, bool, list[ReleasePair]]] = []
    for pairs in by_language.values():
        for sentence, (labels, own) in labelled_sentences(pairs).items():
            if len(labels) == 1:
                rows.append((sentence, True in labels, own))
            else:
                maker.reject(own[0], f"'{sentence}' is good in one pair and bad in another, so it has no one label")
    for sentence, is_good, own in maker.in_turn(rows, lambda row: f"{row[2][0].rule_id} {row[1]}", lambda row: row[0]):
        yield maker.item("acceptability", own, YES_NO, ["yes" if is_good else "no"], context=(sentence,))


def translation(maker: ItemMaker, pair: ReleasePair) -> Iterator[Item | None]:
    """Task 6: a good sentence out of its language and into it, with the rule and without."""
    if not pair.translation:
        return
    sentence, translated = squeeze(pair.sentence_good), squeeze(pair.translation)
    for condition in (WITHOUT_RULE, WITH_RULE):
        text = maker.text_of.get(pair.rule_id) if condition == WITH_RULE else None
        for direction, given, wanted in (("from", sentence, translated), ("into", translated, sentence)):
            if condition == WITH_RULE and (pair.exception or not text or text.quotes(wanted)):
                yield None
                continue
            named = f"{direction} {condition}"
            yield maker.item("translation", [pair], asked=text, context=(given,), reference=wanted, condition=named)


class TextFile(NamedTuple):
    """A table in any form that pairs may have, such as FLORES as TSV: a text a row, and its translation.

    text, english  the names of the two columns
    """

    path: Path
    text: str
    english: str


def text_items(file: TextFile, language: str, seed: int = 0) -> Iterator[Item | Rejection]:
    """Two items a row, out of the language and into it; their conditions name the file.

    A row that lacks one of the texts gives a Rejection. Raises SourceError with the line at fault.
    """
    for row in read_rows(file.path, good=file.text, bad=file.english):
        text, english = (nfc(row.text(field)).strip() for field in ("good", "bad"))
        if not (text and english):
            yield Rejection(
                stage=STAGE,
                source_id=file.path.stem,
                reason=f"the cell '{file.english if text else file.text}' is empty",
                text=text or english,
                file=file.path.name,
                line=row.line,
            )
            continue
        for direction, given, wanted in (("from", text, english), ("into", english, text)):
            content = {
                "task": "translation",
                "language": language,
                "context": (given,),
                "reference": wanted,
                "condition": f"{direction} {file.path.stem}",
            }
            yield Item.model_validate(content | {"id": content_id("item", content), "seed": seed})
