"""Every setting of a scoring policy is described in plain words, whatever its value."""

from typing import Any, get_args

import pytest
from report_parts import make_evaluation

from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.core.records.release import Release
from pairwright.languages.locale import load_words
from pairwright.reporting.render.sections import first_token, policy_sentences

FREE: dict[str, list[Any]] = {
    "prefix": ["", "Tai gera lietuvių kalba: "],
    "prefix_scored": [False, True],
    "chat": [None, "Parašyk vieną sakinį."],
    "version": [2, 3],
}
# A scored prefix is described only where there is one, and BOS only for a model that has it or not.
WITH: dict[str, dict[str, Any]] = {"prefix_scored": {"prefix": "Sakinys: "}}
OF_THE_FIRST_TOKEN = ("bos", "first_token")


@pytest.mark.parametrize("name", sorted(set(ScoringPolicy.model_fields) - set(OF_THE_FIRST_TOKEN)))
def test_each_value_of_a_setting_is_described_in_its_own_words(name: str) -> None:
    values = FREE.get(name) or list(get_args(ScoringPolicy.model_fields[name].annotation))
    assert values, f"say in FREE which values of {name} to describe"
    said = [
        policy_sentences(ScoringPolicy(**{**WITH.get(name, {}), name: value}), load_words("report")) for value in values
    ]
    assert len(set(map(tuple, said))) == len(values)
    for sentence in (sentence for own in said for sentence in own):
        assert sentence[0].isupper()
        assert f"{name}:" not in sentence
        assert "as-is" not in sentence


# The BOS token of a model, whether the first token is scored, what else is known, and a word of what is said.
FIRST_TOKENS: list[tuple[int | None, bool, dict[str, Any], str]] = [
    (2, True, {}, "(id 2); the first token is scored"),
    (2, True, {"bos": "always"}, "(id 2); the first token is scored"),
    (2, False, {"bos": "never"}, "as was asked; the first token is not"),
    (None, False, {}, "since the model has none; the first token is not"),
    (None, True, {"bos": "or-eos"}, "end-of-sequence"),
    (2, False, {"first_token": "unscored"}, "the first token is not scored, as was asked"),
    (2, True, {"chat": "Rašyk."}, "chat template"),
    (None, True, {"kind": "masked-pll"}, "around the sentence"),
    (None, True, {"kind": "seq2seq"}, "the decoder's start token"),
    (None, True, {"dtype": "server"}, "the server"),
]


def test_what_stands_before_the_first_token_is_said_for_every_way_of_beginning_a_sentence(
    release: Release, given: Any
) -> None:
    for token, scored, options, words in FIRST_TOKENS:
        _, run = make_evaluation(release, given, bos_token_id=token)
        dtype, policy = options.get("dtype", "float32"), {k: v for k, v in options.items() if k != "dtype"}
        changed = {"policy": ScoringPolicy(**policy), "first_token_scored": scored}
        run = run.model_copy(update=changed | {"model": run.model.model_copy(update={"dtype": dtype})})
        assert words in first_token(run, load_words("report"))
    for name in OF_THE_FIRST_TOKEN:
        field = ScoringPolicy.model_fields[name]
        assert {it.get(name, field.default) for _, _, it, _ in FIRST_TOKENS} == set(get_args(field.annotation))
