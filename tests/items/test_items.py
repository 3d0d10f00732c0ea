"""Items from made-up releases: answers hold, nothing right is a wrong option, and new pairs leave old items alone."""

from collections import Counter
from collections.abc import Iterable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from made_records import make_evidence, make_released, make_rule
from pairwright.core.records import Example, Rule
from pairwright.core.records.items import Item
from pairwright.core.records.release import ExcludedPair, ReleasePair
from pairwright.core.text import sentence_key
from pairwright.tasks.instances import Material
from pairwright.tasks.make import ItemSettings, make_items

FREE = ItemSettings(items=100_000)


def rule(number: int, **fields: object) -> Rule:
    """Rules 1.1, 1.2, 1.3, 2.1, ...: three of a section, two sections of a phenomenon."""
    section = number // 3 + 1
    plain = {"title": f"Rule {number}", "description": f"The word dax{number} takes case {number}."}
    named: dict[str, object] = {"section": (f"Part {section}",), "phenomenon": f"phenomenon {section // 2}"}
    return make_rule(f"{section}.{number % 3 + 1}", **plain | named | fields)


def pair(of: Rule, number: int, **fields: object) -> ReleasePair:
    """A pair that turns on words of its rule; no other rule has them."""
    good = f"Wug{number} saw a dax{of.code.replace('.', 'x')}e toma {number}."
    bad = good.replace("e toma", "o toma")
    said = {"rule_id": of.id, "rule_code": of.code, "rule": of.title, "phenomenon": of.phenomenon, "language": "lt"}
    return make_released(good, bad, **said | {"translation": f"Wug {number} saw it."} | fields)


RULES = [rule(number) for number in range(9)]
PAIRS = [pair(of, 10 * place + number) for place, of in enumerate(RULES) for number in range(4)]


def made(
    pairs: Sequence[ReleasePair] = PAIRS,
    rules: Sequence[Rule] = RULES,
    excluded: Sequence[ExcludedPair] = (),
    settings: ItemSettings = FREE,
) -> list[Item]:
    return [item for items in make_items(Material(pairs, rules, excluded), settings).items.values() for item in items]


def stated(pairs: Iterable[ReleasePair], rules: Iterable[Rule]) -> set[tuple[str, str]]:
    """Rule and sentence, for each sentence of which the release says that it instantiates the rule."""
    held = {(one.rule_id, sentence_key(one.sentence_good)) for one in pairs}
    return held | {(one.id, sentence_key(example.good)) for one in rules for example in one.examples}


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[ReleasePair], list[Rule]]:
    """A few rules, some of which hold each other's sentences, as pairs or as examples; some pairs are exceptions."""
    rules = list(RULES[: draw(st.integers(2, 9))])
    pairs = []
    for place, of in enumerate(rules):
        for number in range(draw(st.integers(1, 3))):
            split = draw(st.sampled_from(["test", "few_shot", "validation"]))
            exception = draw(st.integers(0, 9)) == 0
            pairs.append(pair(of, 10 * place + number, split=split, exception=exception))
    for shared in draw(st.lists(st.sampled_from(pairs), max_size=3)):
        place = draw(st.integers(0, len(rules) - 1))
        example = Example(good=shared.sentence_good, bad=None, evidence=make_evidence("as it is"))
        rules[place] = rules[place].model_copy(update={"examples": (*rules[place].examples, example)})
    return pairs, rules


@settings(max_examples=25)
@given(releases(), st.booleans(), st.integers(0, 3))
def test_every_item_is_answerable_and_no_right_option_is_a_wrong_one(
    release: tuple[list[ReleasePair], list[Rule]], sweep: bool, seed: int
) -> None:
    pairs, rules = release
    items = made(pairs, rules, settings=ItemSettings(items=60, sweep=sweep, seed=seed))
    right = stated([one for one in pairs if not one.exception], rules)
    assert len({item.id for item in items}) == len(items)
    for item in items:
        texts = [option.text for option in item.options]
        assert len(set(texts)) == len(texts)
        if item.task == "translation":
            assert (item.reference, texts) != (None, [])
            continue
        assert item.answers
        assert len(item.answers) + len(item.unknown) < len(texts)
        for place, option in enumerate(item.options):
            if item.task in ("sentence-rules", "sentences-rules"):
                holds = any((option.rule_id, sentence_key(sentence)) in right for sentence in item.context)
                assert holds == (place in item.answers)
            elif item.task == "rule-sentences" and not item.context:
                holds = (item.rule_ids[0], sentence_key(option.text)) in right
                assert holds == (place in item.answers)


@settings(max_examples=10)
@given(releases(), st.data())
def test_new_pairs_of_the_rules_change_no_item(
    release: tuple[list[ReleasePair], list[Rule]], data: st.DataObject
) -> None:
    pairs, rules = release
    before = {item.id: item for item in made(pairs, rules)}
    numbers = data.draw(st.lists(st.integers(200, 220), unique=True, min_size=1, max_size=4))
    new = [pair(data.draw(st.sampled_from(rules)), number) for number in numbers if pairs]
    used = {one.rule_id for one in pairs if not one.exception}
    after = {item.id: item for item in made([*pairs, *(one for one in new if one.rule_id in used)], rules)}
    assert before.items() <= after.items()


def test_a_new_pair_may_take_a_place_under_the_limit_and_changes_no_item() -> None:
    few = ItemSettings(items=30)
    before = {item.id: item for item in made(settings=few)}
    after = {item.id: item for item in made([*PAIRS, pair(RULES[0], 300)], settings=few)}
    shared = before.keys() & after.keys()
    assert len(shared) >= 0.85 * len(before)
    assert all(before[key] == after[key] for key in shared)


def test_the_order_of_the_records_changes_nothing_and_the_seed_does() -> None:
    assert made() == made(PAIRS[::-1], RULES[::-1])
    assert {item.id for item in made()} != {item.id for item in made(settings=ItemSettings(100_000, seed=1))}


def test_each_task_has_its_base_conditions_and_a_sweep_adds_sizes() -> None:
    conditions = {(item.task, item.condition) for item in made()}
    distances = ("section", "phenomenon", "far")
    expected = {("sentence-rules", f"n=2 {name}") for name in distances}
    expected |= {("sentences-rules", f"m=2 n=4 {name}") for name in distances}
    expected |= {("rule-sentences", f"n=1 {name}") for name in ("broken", *distances)}
    expected |= {("minimal-pair", "rule"), ("minimal-pair", "no rule"), ("acceptability", "")}
    expected |= {("translation", f"{way} {name}") for way in ("from", "into") for name in ("rule", "no rule")}
    assert conditions == expected
    swept = {(item.task, item.condition) for item in made(settings=ItemSettings(items=500, sweep=True))}
    more = {("sentence-rules", "n=3 far"), ("sentence-rules", "n=9 mixed"), ("rule-sentences", "n=10 far")}
    assert expected | more | {("sentences-rules", "m=3 n=6 mixed")} <= swept


def test_where_no_distance_has_enough_rules_they_are_mixed() -> None:
    near_and_far = [RULES[0], RULES[1], RULES[3]]
    pairs = [one for one in PAIRS if one.rule_id in {of.id for of in near_and_far}]
    items = [
        item for item in made(pairs, near_and_far, settings=ItemSettings(100, sweep=True)) if len(item.options) == 3
    ]
    asked = [item for item in items if item.task == "sentence-rules" and item.rule_ids == (RULES[0].id,)]
    assert [(item.condition, sorted(option.label for option in item.options)) for item in asked] == [
        ("n=3 mixed", ["", "far", "section"])
    ] * 4


def test_answers_stand_in_every_place_as_often() -> None:
    places = Counter(item.answers for item in made() if item.task == "minimal-pair")
    n_items = sum(places.values())
    assert n_items == 2 * len(PAIRS)
    assert abs(places[0,] - n_items / 2) < 4 * (n_items / 4) ** 0.5
    said = Counter(
        item.options[item.answers[0]].text for item in made() if item.task in ("acceptability", "rule-sentences")
    )
    assert said["yes"] == said["no"] > 0


def test_a_sentence_of_another_rules_excluded_duplicate_is_no_wrong_option() -> None:
    shared, other = PAIRS[0], RULES[1]
    left_out = ExcludedPair(
        id="pair-2", source_id="mini", rule_id=other.id, rule_code=other.code, sentence_good=shared.sentence_good,
        sentence_bad=shared.sentence_bad, method="source", exception=False, votes=(), cause="duplicate", reason="twice",
    )  # fmt: skip
    asked = [item for item in made(excluded=[left_out]) if item.context == (shared.sentence_good,)]
    wrong = {
        option.rule_id
        for item in asked
        if item.task == "sentence-rules"
        for place, option in enumerate(item.options)
        if place not in item.answers
    }
    assert wrong
    assert other.id not in wrong


def test_rules_that_may_hold_are_drawn_last_and_marked_as_unknown() -> None:
    first, second, third = RULES[0], RULES[1], RULES[2]
    # A word on which a pair of the second rule turns stands in a sentence of the first.
    touched = make_released(
        "Dax1x2e toma saw a dax1x1e toma.", "Dax1x2e toma saw a dax1x1o toma.", rule_id=first.id, language="lt"
    )
    pairs = [touched, pair(first, 1), pair(second, 2), pair(third, 3)]
    swept = made(pairs, [first, second, third], settings=ItemSettings(items=100, sweep=True))
    asked = [item for item in swept if item.task == "sentence-rules" and item.context == (touched.sentence_good,)]
    two, three = ([item for item in asked if len(item.options) == n] for n in (2, 3))
    assert [option.rule_id for item in two for option in item.options if option.label] == [third.id]
    assert [item.options[place].rule_id for item in three for place in item.unknown] == [second.id]


def test_rules_and_sentences_that_can_not_be_asked_about_are_named() -> None:
    silent, exceptional, unused = rule(21, title=" ", description=""), rule(22), rule(23)
    twin = rule(20, title=RULES[0].title, description=RULES[0].description)
    torn = make_released(PAIRS[0].sentence_bad, "Wug0 saw it toma.", rule_id=RULES[5].id, language="lt")
    unasked = [pair(silent, 500), pair(exceptional, 501, exception=True)]
    rules = [*RULES, silent, exceptional, unused, twin]
    result = make_items(Material([*PAIRS, *unasked, pair(twin, 400), torn], rules), FREE)
    reasons = " ".join(one.reason for one in result.rejected)
    assert f"rule {silent.id}: neither a title nor a description" in reasons
    assert f"rule {exceptional.id} {exceptional.code} has no sentence" in reasons
    assert f"rule {unused.id}: no pair" in reasons
    assert "the same words" in reasons
    assert "so it has no one label" in reasons
    by_rule = {item.pair_ids[0] for item in result.items["minimal-pair"] if item.condition == "rule"}
    assert not by_rule & {one.id for one in unasked}
    assert all(PAIRS[0].sentence_bad not in item.context for item in result.items["acceptability"])
    for item in (item for items in result.items.values() for item in items):
        assert len({option.text for option in item.options}) == len(item.options)


def test_a_rule_that_quotes_a_sentence_does_not_give_its_answer_away() -> None:
    quoted = pair(RULES[0], 600)
    telling = RULES[0].model_copy(update={"description": f"As in: {quoted.sentence_good.upper()} And so on."})
    result = make_items(Material([*PAIRS, quoted], [telling, *RULES[1:]]), FREE)
    assert [one.text for one in result.rejected] == [quoted.sentence_good]
    for item in (item for items in result.items.values() for item in items if item.condition != "from rule"):
        shown = [item.reference, *item.context, *(option.text for option in item.options)]
        assert quoted.sentence_good not in shown or quoted.sentence_good.upper() not in item.question


def test_fewer_items_leave_as_many_examples() -> None:
    pairs = [one.model_copy(update={"split": "test" if at % 3 else "few_shot"}) for at, one in enumerate(PAIRS)]
    pools = [
        {item.id for item in made(pairs, settings=ItemSettings(items=n))
         if (item.task, item.split) == ("acceptability", "few_shot")}
        for n in (2, 500)
    ]  # fmt: skip
    assert pools[0] == pools[1] != set()


def test_the_split_of_an_item_is_that_of_its_most_guarded_pair() -> None:
    pairs = [one.model_copy(update={"split": "few_shot" if at % 3 else "test"}) for at, one in enumerate(PAIRS)]
    splits = {one.id: one.split for one in pairs}
    for item in made(pairs, settings=ItemSettings(items=200, sweep=True)):
        assert item.split == ("test" if any(splits[key] == "test" for key in item.pair_ids) else "few_shot")


def test_translations_go_both_ways() -> None:
    asked = {item.condition: item for item in made() if item.task == "translation" and item.pair_ids == (PAIRS[0].id,)}
    sentence, translated = PAIRS[0].sentence_good, "Wug 0 saw it."
    assert (asked["from no rule"].context, asked["from no rule"].reference) == ((sentence,), translated)
    assert (asked["into rule"].context, asked["into rule"].reference) == ((translated,), sentence)
    assert (asked["into no rule"].question, "takes case 0" in asked["into rule"].question) == ("", True)


def test_languages_are_not_mixed() -> None:
    turkish = [rule(number, source_id="list-tr") for number in range(30, 34)]
    more = [pair(of, 700 + at, language="tr", source_id="list-tr") for at, of in enumerate(turkish)]
    items = made([*PAIRS, *more], [*RULES, *turkish])
    languages = {of.id: "lt" for of in RULES} | {of.id: "tr" for of in turkish}
    for item in items:
        assert {languages[option.rule_id] for option in item.options if option.rule_id} <= {item.language}
