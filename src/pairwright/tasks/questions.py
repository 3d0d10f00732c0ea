"""The tasks about rules and about sentences; a wrong rule is next to the right one, of its phenomenon, or far.

Tasks 1 to 3 are those of the evaluation by a grammar book that `docs/models.md` cites.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.core.ids import content_id
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item, Option
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc, sentence_key, squeeze
from pairwright.pairfiles import read_rows
from pairwright.tasks.instances import COMBINED, DISTANCES, STAGE, Distance, Instance, ItemMaker, RuleText, WrongRules

Kind = Distance | Literal["broken"]
KINDS: tuple[Kind, ...] = ("broken", *DISTANCES)
YES_NO = (Option(text="yes"), Option(text="no"))


class Size(NamedTuple):
    """How many sentences and how many rules a question holds."""

    sentences: int = 1
    rules: int = 1


def rules_of_sentences(maker: ItemMaker, group: Sequence[Instance], size: Size) -> Iterator[Item | None]:
    """Tasks 1 and 3, sentences to rules: which rules one sentence instantiates, or several across them.

    An item for each distance of the wrong rules, None where they are too few. Where no distance has enough of them,
    those of all distances are mixed.
    """
    right = _rules_of(maker, group, most=size.rules - 1 if len(group) > 1 else max(1, size.rules // 2))
    sentences = [instance.sentence for instance in group]
    wrong = {distance: maker.wrong_rules(group[0].text, sentences, distance) for distance in DISTANCES}
    made = [_about_rules(maker, group, right, rules, size, distance) for distance, rules in wrong.items()]
    if not any(made):
        sure = tuple(text for rules in wrong.values() for text in rules.sure)
        unknown = tuple(text for rules in wrong.values() for text in rules.unknown)
        made = [_about_rules(maker, group, right, WrongRules(sure, unknown), size, "mixed")]
    yield from filter(None, made) if any(made) else [None]


def _rules_of(maker: ItemMaker, group: Sequence[Instance], most: int) -> list[RuleText]:
    """The rules for which the sentences stand, then others that they instantiate, `most` of them at most."""
    own = {instance.text.id: instance.text for instance in group}
    keys = [instance.key for instance in group]
    others = {
        text_id: maker.text_of[text_id]
        for instance in group
        for text_id in maker.known.instantiated(instance.sentence)
        if text_id not in own
    }
    drawn = sorted(others.values(), key=lambda text: maker.draw("right rule", *keys, text.id))
    fitting = (text for text in drawn if not any(text.quotes(instance.sentence) for instance in group))
    return [*own.values(), *islice(fitting, max(0, most - len(own)))]


def _about_rules(
    maker: ItemMaker,
    group: Sequence[Instance],
    right: Sequence[RuleText],
    wrong: WrongRules,
    size: Size,
    distance: str,
) -> Item | None:
    needed = size.rules - len(right)
    sure = wrong.sure[:needed]
    unknown = wrong.unknown[: needed - len(sure)]
    if not sure or len(sure) + len(unknown) < needed:
        return None
    options = [Option(text=text.text, rule_id=text.id) for text in right]
    for text in (*sure, *unknown):
        options.append(Option(text=text.text, label=group[0].text.distance(text), rule_id=text.id))
    translations = tuple(instance.translation for instance in group)
    several = f"m={size.sentences} " if size.sentences > 1 else ""
    return maker.item(
        "sentences-rules" if size.sentences > 1 else "sentence-rules",
        [pair for instance in group for pair in instance.pairs],
        options,
        right=[text.text for text in right],
        unknown=[text.text for text in unknown],
        context=tuple(instance.sentence for instance in group),
        translations=translations if any(translations) else (),
        condition=f"{several}n={size.rules} {distance}",
    )


def groups(maker: ItemMaker, sentences: int, most: int) -> list[tuple[Instance, ...]]:
    """Sentences of different rules to ask about together, as many couples as the second rule has sentences.

    The rules that a sentence comes together with are drawn for it from all rules of its language; of the third rule and
    those after it, one sentence is drawn.
    """
    made: dict[str, tuple[Instance, ...]] = {}
    for first in maker.instances[:most]:
        others = [text for text in maker.texts if text.language == first.text.language and text.id != first.text.id]
        others.sort(key=lambda text: maker.draw("partner", first.key, text.id))
        partners = [maker.of_rule[text.id][:COMBINED] for text in others[: sentences - 1]]
        if len(partners) < sentences - 1 or not all(partners):
            continue
        for second in partners[0]:
            key = first.key, second.key
            more = [min(own, key=lambda one: maker.draw("partner", *key, one.key)) for own in partners[1:]]
            # In an order of their own, as the same sentences may come together from each of them.
            group = sorted((first, second, *more), key=lambda one: maker.draw("order of sentences", one.key))
            if len({sentence_key(one.sentence) for one in group}) == sentences:
                made[" ".join(one.key for one in group)] = tuple(group)
    return [made[key] for key in maker.in_turn(made, lambda key: made[key][0].text.id, lambda key: key)]


def rule_sentences(maker: ItemMaker, instance: Instance, size: Size) -> Iterator[Item | None]:
    """Task 2, rule to sentences: which sentences instantiate the rule; for one sentence, whether it does.

    A wrong sentence breaks the rule, as the bad one of its pairs, or instantiates another rule at a distance.
    """
    if size.sentences == 1:
        yield from _about_one_sentence(maker, instance)
        return
    drawn = int.from_bytes(maker.draw("number of right sentences", instance.key)[:4], "big")
    n_right = 1 + drawn % (size.sentences // 2)
    others = [one for one in maker.of_rule[instance.text.id] if one.key != instance.key]
    others.sort(key=lambda one: maker.draw("right sentence", instance.key, one.key))
    right = [instance, *others[: n_right - 1]]
    for kind in KINDS:
        wrong = _broken(maker, others[n_right - 1 :]) if kind == "broken" else _elsewhere(maker, instance, kind)
        options = {one.sentence: Option(text=one.sentence) for one in right}
        pairs = [pair for one in right for pair in one.pairs]
        for one, sentence in wrong:
            if len(options) < size.sentences and sentence not in options:
                options[sentence] = Option(text=sentence, label=kind, rule_id=one.text.id)
                pairs += one.pairs
        if len(options) < size.sentences:
            yield None
            continue
        yield maker.item(
            "rule-sentences",
            pairs,
            list(options.values()),
            right=[one.sentence for one in right],
            asked=instance.text,
            condition=f"n={size.sentences} {kind}",
        )


def _about_one_sentence(maker: ItemMaker, instance: Instance) -> Iterator[Item | None]:
    """The rule with its sentence, and the same rule with a bad one or the same sentence with another rule."""
    for kind in sorted(KINDS, key=lambda kind: maker.draw("kind", instance.key, kind)):
        if kind == "broken":
            wrong = [(instance.text, sentence) for _, sentence in _broken(maker, [instance])]
        else:
            sure = maker.wrong_rules(instance.text, [instance.sentence], kind).sure
            wrong = [(text, instance.sentence) for text in sure[:1]]
        for text, sentence in wrong:
            for asked, shown, answer in ((instance.text, instance.sentence, "yes"), (text, sentence, "no")):
                fields = {"context": (shown,), "condition": f"n=1 {kind}"}
                yield maker.item("rule-sentences", instance.pairs, YES_NO, [answer], (), asked, **fields)
            return
    yield None


def _broken(maker: ItemMaker, instances: Iterable[Instance]) -> Iterator[tuple[Instance, str]]:
    """A bad sentence of each good one's pairs, which breaks the rule for sure and is not in the rule's words."""
    for instance in instances:
        pairs = sorted(instance.pairs, key=lambda pair: maker.draw("broken", pair.id))
        bad_sentences = (squeeze(pair.sentence_bad) for pair in pairs)
        for sentence in bad_sentences:
            if maker.known.standing(sentence, instance.text) == "broken" and not instance.text.quotes(sentence):
                yield instance, sentence
                break


def _elsewhere(maker: ItemMaker, instance: Instance, distance: Distance) -> Iterator[tuple[Instance, str]]:
    """Sentences of the rules at a distance, of each rule in turn, that don't instantiate this one."""
    rules = maker.at_distance(instance.text, distance)
    drawn = sorted(rules, key=lambda text: maker.draw("elsewhere", instance.key, text.id))
    for index in range(COMBINED):
        for text in drawn:
            for one in maker.of_rule[text.id][index : index + 1]:
                if maker.known.standing(one.sentence, instance.text) in ("none", "broken"):
                    yield one, one.sentence


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
