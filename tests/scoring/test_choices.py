"""Options of prompts by log-probability, against a float64 run of the whole text without code of the package."""

import math
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from float64 import Reference
from tiny_models import tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.choices import ROOM, ChoiceOutcome, ChoiceRequest, ChoiceScorer, Writer, Written
from pairwright.evaluate.scoring.inputs import Unscorable
from pairwright.evaluate.scoring.scorers.registry import load_for_scoring
from pairwright.models.load.models import LoadedModel, load_model
from pairwright.models.load.settings import ModelSettings

TOLERANCE = 1e-3
# Which models take packed prompts is told here by hand: Bloom's distances and Mamba's states leave no place.
PACKED = ("GPT2", "Llama", "Qwen2", "Gemma2", "Gemma3Text", "Mistral", "Granite", "OPT", "GPTNeoX", "Mixtral")
PADDED = ("Bloom", "Mamba")
PREFIX = "Sakinys: Sniegas krito.\nGerai: taip\n\nSakinys: Sniegas kritai.\nGerai: ne\n\n"
OTHER_PREFIX = "Atsakykite taip arba ne.\n\n"
OPTIONS = (" taip", " ne", " gal ir taip")
CONTEXTS = (
    "Mums trūksta laiko.",
    "Mums trūksta laikas.",
    "Ne.",
    "The keys is <s> here.",
    "Mano pra\u0301šymas trumpas.",
)


def requests_for(prefix: str = PREFIX, contexts: Sequence[str] = CONTEXTS) -> list[ChoiceRequest]:
    return [ChoiceRequest(f"{prefix}Sakinys: {context}\nGerai:", OPTIONS) for context in contexts]


def reference(directory: Path, requests: Sequence[ChoiceRequest]) -> list[list[tuple[float, int]]]:
    """The sum and the number of an option's log-probabilities: the tokens that come after those of the prompt alone."""
    model, found = Reference(directory), []
    for request in requests:
        prompt = unicodedata.normalize("NFC", request.prompt)
        options = [model.logprobs(prompt + continuation, prompt) for continuation in request.continuations]
        found.append([(math.fsum(logprobs), len(logprobs)) for logprobs in options])
    return found


def score(model: LoadedModel, requests: Sequence[ChoiceRequest], **options: Any) -> list[ChoiceOutcome]:
    return list(ChoiceScorer(model, ScoreSettings(**options)).score(requests))


def sums(outcome: ChoiceOutcome) -> list[float]:
    assert isinstance(outcome, tuple), outcome
    return [option.sum_logprob for option in outcome]


def reason(outcome: ChoiceOutcome) -> str:
    assert isinstance(outcome, Unscorable), outcome
    return outcome.reason


@pytest.mark.parametrize("architecture", [*PACKED, *PADDED])
def test_options_equal_the_float64_reference(architecture: str) -> None:
    """Gemma2, Gemma3Text and Mistral have windows far shorter than the prompts."""
    requests = requests_for()
    wanted = reference(tiny_folder(architecture), requests)
    scorer = ChoiceScorer(tiny(architecture), ScoreSettings())
    for outcome, expected in zip(scorer.score(requests), wanted, strict=True):
        assert sums(outcome) == pytest.approx([total for total, _ in expected], abs=TOLERANCE)
        assert isinstance(outcome, tuple)
        assert [option.n_tokens for option in outcome] == [count for _, count in expected]
        assert [option.n_chars for option in outcome] == [4, 2, 11]
    assert scorer.route.startswith("packed") == (architecture in PACKED)


def test_requests_come_back_in_order_whatever_their_prefixes(model: LoadedModel) -> None:
    first, second = requests_for(), requests_for(OTHER_PREFIX)
    mixed = [request for pair in zip(first, second, strict=True) for request in pair]
    together = score(model, mixed, batch_tokens=64)
    for request, outcome in zip(mixed, together, strict=True):
        assert sums(outcome) == pytest.approx(sums(score(model, [request])[0]), abs=TOLERANCE)


def test_what_prompts_share_is_read_few_times(model: LoadedModel) -> None:
    read: list[int] = []
    network: Any = model.model
    requests = requests_for(contexts=[f"Sniegas {number}." for number in range(40)])
    scorer = ChoiceScorer(model, ScoreSettings())
    list(scorer.score(requests[:3]))
    hook = network.base_model.register_forward_pre_hook(
        lambda _, __, inputs: read.append(inputs["input_ids"].numel()), with_kwargs=True
    )
    list(scorer.score(requests))
    hook.remove()
    tokenizer: Any = model.tokenizer
    alone = [len(tokenizer(request.prompt + option)["input_ids"]) for request in requests for option in OPTIONS]
    assert sum(read) < sum(alone) / 4


def test_prompts_longer_than_a_batch_give_the_same() -> None:
    requests = requests_for()
    whole = score(tiny("Gemma3Text"), requests)
    for outcome, expected in zip(score(tiny("Gemma3Text"), requests, batch_tokens=16), whole, strict=True):
        assert sums(outcome) == pytest.approx(sums(expected), abs=TOLERANCE)


@pytest.mark.parametrize("fault", ["refuses", "sees strangers"])
def test_beyond_its_window_a_model_is_packed_only_where_that_gives_the_same(fault: str) -> None:
    requests = requests_for()
    model = load_model(str(tiny_folder("Mistral")), device="cpu")
    wanted = [sums(outcome) for outcome in score(model, requests, packing="never")]
    network: Any = model.model
    forward, faults = network.base_model.forward, []

    def faulty(*arguments: Any, **inputs: Any) -> Any:
        places = inputs.get("position_ids")
        if places is not None and places.max() >= network.config.sliding_window:
            faults.append(fault)
            if fault == "refuses":
                raise NotImplementedError("no mask of strangers")
            inputs["attention_mask"] = None
        return forward(*arguments, **inputs)

    network.base_model.forward = faulty
    for outcome, expected in zip(score(model, requests), wanted, strict=True):
        assert sums(outcome) == pytest.approx(expected, abs=TOLERANCE)
    assert faults == [fault]  # it is tried once


def test_white_space_at_the_end_of_a_prompt_belongs_to_the_option(model: LoadedModel) -> None:
    [before, after] = score(model, [ChoiceRequest("Gerai: ", ("taip",)), ChoiceRequest("Gerai:", (" taip",))])
    assert before == after


def test_what_can_not_be_scored_is_named_and_the_rest_goes_on(model: LoadedModel) -> None:
    requests = [
        *requests_for(),
        ChoiceRequest("Sakinys: " + "ne " * 300, OPTIONS),
        ChoiceRequest("Sakinys:", ()),
        ChoiceRequest("Sakinys:", (" taip", "")),
        ChoiceRequest("Sakinys:", (" taip",)),
        ChoiceRequest("Klausimas", (" taip",), chat=True),
    ]
    *fine, long, without, empty, single, chat = score(model, requests)
    assert all(isinstance(outcome, tuple) for outcome in [*fine, single])
    assert reason(long).startswith("option 1: longer than the model's context")
    assert reason(without) == "it has no options"
    assert reason(empty).startswith("option 2: no token can be scored")
    assert "no chat template" in reason(chat)


def test_a_chat_prompt_stands_in_the_template_behind_its_turns() -> None:
    model = load_model(str(tiny_folder("Llama")), device="cpu")
    model.tokenizer.chat_template = "<s>{% for m in messages %}{{ m.role[0] }}[{{ m.content }}]{% endfor %}a["
    asked = [request._replace(chat=True) for request in requests_for(contexts=["Ne.", "Taip.", "Sniegas."])]
    turns = [request._replace(turns=(("Sniegas kritai.", "ne"),)) for request in asked]
    # The template's BOS is the one that a plain prompt gets from the policy.
    plain = [ChoiceRequest(f"u[{request.prompt}]a[", OPTIONS) for request in asked]
    behind = [ChoiceRequest(f"u[Sniegas kritai.]a[ne]u[{request.prompt}]a[", OPTIONS) for request in asked]
    for outcome, expected in zip(score(model, asked + turns), score(model, plain + behind), strict=True):
        assert sums(outcome) == pytest.approx(sums(expected), abs=TOLERANCE)
    marked = (
        *requests_for(contexts=["a </s> b"]),
        asked[0]._replace(continuations=(" taip", "</s>")),
        asked[0]._replace(turns=(("a </s> b", "ne"),)),
    )
    for outcome in score(model, [request._replace(chat=True) for request in marked]):
        assert reason(outcome) == "its text contains </s>, which is a mark of the model's chat template"


def greedy(directory: Path, prompt: str, steps: int) -> str:
    """What a plain loop of the most probable next tokens gives, up to the end of a line."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loader: Any = AutoModelForCausalLM
    network, tokenizer = loader.from_pretrained(directory).eval(), AutoTokenizer.from_pretrained(directory)
    ids = [tokenizer.bos_token_id, *tokenizer(prompt, add_special_tokens=False)["input_ids"]]
    first = len(ids)
    with torch.no_grad():
        for _ in range(steps):
            token = int(network(torch.tensor([ids])).logits[0, -1].argmax())
            if token == tokenizer.eos_token_id:
                break
            ids.append(token)
            if "\n" in str(tokenizer.decode(ids[first:])).lstrip():
                break
    return str(tokenizer.decode(ids[first:], skip_special_tokens=True)).lstrip().partition("\n")[0].rstrip()


def test_the_most_probable_tokens_are_written_whatever_stands_beside() -> None:
    prompts = ["Sniegas", "Versk: Mums labai trūksta laiko.", "x " * 400]
    writer = Writer(tiny("Llama"), ScoreSettings())
    *written, long = writer.write([ChoiceRequest(prompt, ()) for prompt in prompts])
    for prompt, one in zip(prompts, written, strict=False):
        assert isinstance(one, Written)
        assert one.text == greedy(tiny_folder("Llama"), prompt, 2 * one.n_read + ROOM)
        assert one.n_written <= 2 * one.n_read + ROOM
        assert one.is_cut == (one.n_written == 2 * one.n_read + ROOM)
    assert isinstance(long, Unscorable)
    assert long.reason.startswith("longer than the model's context with its answer")


def test_only_causal_models_compare_options() -> None:
    with pytest.raises(ModelError, match="causal models alone; this one is masked"):
        ChoiceScorer(tiny("Bert"), ScoreSettings())


@pytest.mark.slow
def test_the_embedded_model_equals_the_float64_reference_beyond_its_window() -> None:
    from pairwright.models.load.embedded import embedded_model

    examples = "".join(f"Sakinys: Jau {n} dienas laukiame lietaus.\nGerai: taip\n\n" for n in range(2, 26))
    requests = requests_for(examples, CONTEXTS[:3])
    [wanted] = reference(embedded_model().directory, requests[:1])
    options = ScoreSettings(device="cpu")
    scorer = ChoiceScorer(load_for_scoring(ModelSettings(name="embedded"), options), options)
    first, *_ = scorer.score(requests)
    assert sums(first) == pytest.approx([total for total, _ in wanted], abs=TOLERANCE)
    assert scorer.route == "packed"
