"""Every setting of a scoring policy is described in plain words, whatever its value."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from report_parts import make_evaluation

from pairwright.core.records.evaluation import EvaluationRun, ScoringPolicy
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


def values_of(name: str) -> list[Any]:
    return FREE.get(name) or list(get_args(ScoringPolicy.model_fields[name].annotation))


def policy_text(policy: ScoringPolicy) -> str:
    return " ".join(policy_sentences(policy, load_words("report")))


@pytest.mark.parametrize("name", sorted(set(ScoringPolicy.model_fields) - set(OF_THE_FIRST_TOKEN)))
def test_each_value_of_a_setting_is_described_in_its_own_words(name: str) -> None:
    values = values_of(name)
    assert values, f"say in FREE which values of {name} to describe"
    words = [policy_text(ScoringPolicy(**{**WITH.get(name, {}), name: value})) for value in values]
    assert len(set(words)) == len(values)
    for text in words:
        assert f"{name}:" not in text
        assert "as-is" not in text
        assert all(sentence[0].isupper() for sentence in policy_sentences(ScoringPolicy(), load_words("report")))


@pytest.fixture
def model(release: Release, given: Any) -> Callable[..., EvaluationRun]:
    def made(token: int | None, scored: bool = True, dtype: str = "float32", **policy: Any) -> EvaluationRun:
        _, run = make_evaluation(release, given, bos_token_id=token)
        info = run.model.model_copy(update={"dtype": dtype})
        changed = {"policy": ScoringPolicy(**policy), "first_token_scored": scored, "model": info}
        made: EvaluationRun = run.model_copy(update=changed)
        return made

    return made


FIRST_TOKENS: list[tuple[int | None, dict[str, Any], str]] = [
    (2, {}, "exactly one beginning-of-sequence token (id 2); the first token is scored"),
    (2, {"bos": "always"}, "exactly one beginning-of-sequence token (id 2); the first token is scored"),
    (2, {"bos": "never", "scored": False}, "no beginning-of-sequence token, as was asked; the first token is not"),
    (None, {"scored": False}, "no beginning-of-sequence token, since the model has none; the first token is not"),
    (None, {"bos": "or-eos"}, "one end-of-sequence token, since the model has no beginning-of-sequence token"),
    (2, {"first_token": "unscored", "scored": False}, "the first token is not scored, as was asked"),
    (2, {"chat": "Rašyk."}, "the beginning of the answer in the model's chat template; the first token is scored"),
    (None, {"kind": "masked-pll"}, "the special tokens of the model's tokenizer around the sentence"),
    (None, {"kind": "seq2seq"}, "the decoder's start token; the first token is scored"),
    (None, {"dtype": "server"}, "the server's tokenizer decides"),
]


@pytest.mark.parametrize(("token", "options", "words"), FIRST_TOKENS)
def test_what_stands_before_the_first_token(
    model: Callable[..., EvaluationRun], token: int | None, options: dict[str, Any], words: str
) -> None:
    assert words in first_token(model(token, **options), load_words("report"))


@pytest.mark.parametrize("name", OF_THE_FIRST_TOKEN)
def test_every_way_of_beginning_a_sentence_is_among_them(name: str) -> None:
    tried = {options.get(name, ScoringPolicy.model_fields[name].default) for _, options, _ in FIRST_TOKENS}
    assert tried == set(values_of(name))
