"""Prompts with options as token ids.

Which option a causal model finds most probable after a prompt, by log-probabilities.

Prompts and options are packed with shared beginnings, such as examples. Sums are within 1e-3 nats of a float64 run of
the whole text, where the model computes in float32.

What a causal model writes after a prompt: token by token the most probable one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import Any, NamedTuple

from pairwright.core.config import PolicySettings, ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.records.evaluation import ModelInfo, ScoringPolicy
from pairwright.core.records.items import OptionScore
from pairwright.evaluate.scoring.inputs import (
    EncodedSentence,
    SentenceEncoder,
    SentenceOutcome,
    Unscorable,
    chat_text,
    policy_of,
    policy_text,
    unscorable_reason,
)
from pairwright.evaluate.scoring.scorers.causal import CausalScorer, scoring_errors
from pairwright.models.load.models import LoadedModel


class ChoiceRequest(NamedTuple):
    """A prompt and the texts that may follow it.

    continuations  the options' texts as they follow the prompt, with the space before them where there is one
    chat           whether the prompt is the user's message, by the model's chat template
    turns          earlier messages with their answers, in a chat
    """

    prompt: str
    continuations: tuple[str, ...]
    chat: bool = False
    turns: tuple[tuple[str, str], ...] = ()


class RequestEncoder:
    """Turns requests into the ids that a causal model reads.

    A continuation's tokens are those that the prompt with it has more than the prompt alone, and white space at the end
    of the prompt belongs to the continuation, as in lm-evaluation-harness (`TemplateLM._encode_pair`).

    Raises ModelError where the policy asks for a BOS that the tokenizer lacks.
    """

    def __init__(self, model: LoadedModel, policy: ScoringPolicy) -> None:
        self._tokenizer: Any = model.tokenizer
        self._info: ModelInfo = model.info
        self._policy = policy
        self._start = SentenceEncoder(model, policy).context
        added = self._tokenizer.added_tokens_decoder.values()
        marks = {*self._tokenizer.all_special_tokens, *(token.content for token in added if token.special)}
        self._special = re.compile("|".join(map(re.escape, sorted(filter(None, marks)))) or "(?!)")

    def encode(self, requests: Sequence[ChoiceRequest]) -> list[list[EncodedSentence] | str]:
        """The options of each request in their order, or why it can't be scored. All requests are chat, or none is."""
        chat = any(request.chat for request in requests)
        prompts = [self._prompt(request) for request in requests]
        texts = list(
            dict.fromkeys(text for prompt in prompts if isinstance(prompt, _Prompt) for text in prompt.texts())
        )
        ids = dict(zip(texts, self._ids(texts, chat), strict=True))
        return [self._options(prompt, ids, chat) if isinstance(prompt, _Prompt) else prompt for prompt in prompts]

    def encode_prompt(self, request: ChoiceRequest) -> list[int] | str:
        """The ids of a prompt alone, up to where an answer begins, or why it has none."""
        prompt = self._prompt(request)
        if isinstance(prompt, str):
            return prompt
        [ids] = self._ids([prompt.text + prompt.space], request.chat)
        return ids if request.chat else [*self._start, *ids]

    def _prompt(self, request: ChoiceRequest) -> "_Prompt | str":
        """The prompt without the white space at its end, which its continuations have; or why it can't be scored."""
        text, *continuations = map(self._text, (request.prompt, *request.continuations))
        if request.chat:
            turns = [(self._text(asked), self._text(said)) for asked, said in request.turns]
            if mark := self._special.search("\n".join([text, *continuations, *chain.from_iterable(turns)])):
                return f"its text contains {mark[0]}, which is a mark of the model's chat template"
            try:
                text = chat_text(self._tokenizer, text, self._info.name, turns)
            except ModelError as error:
                return str(error)
        stripped = text.rstrip()
        space = text[len(stripped) :]
        return _Prompt(stripped, space, tuple(space + continuation for continuation in continuations))

    def _text(self, text: str) -> str:
        return policy_text(text, self._policy)

    def _ids(self, texts: list[str], chat: bool) -> list[list[int]]:
        if not texts:
            return []
        # The marks of a chat template are special tokens; elsewhere what looks like one is text.
        read = self._tokenizer(
            texts, add_special_tokens=False, split_special_tokens=not chat, return_attention_mask=False, verbose=False
        )
        ids: list[list[int]] = read["input_ids"]
        return ids

    def _options(self, prompt: "_Prompt", ids: dict[str, list[int]], chat: bool) -> list[EncodedSentence] | str:
        if not prompt.continuations:
            return "it has no options"
        start = () if chat else self._start
        first = max(1, len(start) + len(ids[prompt.text]))
        options = [
            EncodedSentence(continuation, continuation.strip(), (*start, *ids[prompt.text + continuation]), first)
            for continuation in prompt.continuations
        ]
        for number, option in enumerate(options, 1):
            if reason := unscorable_reason(option, self._info):
                return f"option {number}: {reason}"
        return options


class _Prompt(NamedTuple):
    text: str
    space: str
    continuations: tuple[str, ...]

    def texts(self) -> Iterable[str]:
        """What has to become token ids."""
        return self.text, *(self.text + continuation for continuation in self.continuations)


# A prompt's text is scored as it is: of the policy, only these settings are heeded.
HEEDED = ("bos", "normalisation")
# Requests that are batched together, before the results of the first are given.
TOGETHER = 512

ChoiceOutcome = tuple[OptionScore, ...] | Unscorable


class ChoiceScorer:
    """Scores the options of requests with a loaded causal model.

    Of the policy in `settings`, `bos` and `normalisation` are heeded; the rest is about sentences.

    Raises ModelError where the model is of another kind, or has no BOS and the settings ask for one.
    """

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        if model.kind != "causal":
            raise ModelError(f"{model.info.name}: options are scored by causal models alone; this one is {model.kind}")
        defaults = {name: field.default for name, field in PolicySettings.model_fields.items() if name not in HEEDED}
        self.info = model.info
        self._causal = CausalScorer(model, settings.model_copy(update=defaults | {"tokens": False, "unigrams": None}))
        self._encoder = RequestEncoder(model, self._causal.policy)

    @property
    def route(self) -> str:
        """How prompts go through the model, known after the first ones."""
        return self._causal.route

    def score(self, requests: Sequence[ChoiceRequest]) -> Iterator[ChoiceOutcome]:
        """The scores of each request's options, in the order of the requests, or why it has none.

        Raises ModelError where the model itself fails.
        """
        for _, alike in groupby(requests, lambda request: request.chat):
            while together := list(islice(alike, TOGETHER)):
                yield from self._outcomes(together)

    def _outcomes(self, requests: list[ChoiceRequest]) -> list[ChoiceOutcome]:
        """The outcomes of requests, all chat or none."""
        encoded = self._encoder.encode(requests)
        options = [option for part in encoded if not isinstance(part, str) for option in part]
        with scoring_errors(self.info.name):
            scores = self._option_scores(options) if options else []
        following = iter(scores)
        return [
            Unscorable(request.prompt, part)
            if isinstance(part, str)
            else _outcome(request, list(islice(following, len(part))))
            for request, part in zip(requests, encoded, strict=True)
        ]

    def _option_scores(self, options: list[EncodedSentence]) -> list[SentenceOutcome]:
        # What stands in place of the sentence leads from an outcome back to its option.
        items = [replace(option, sentence=str(number)) for number, option in enumerate(options)]
        return sorted(self._causal.score_items(items), key=lambda outcome: int(outcome.sentence))


def _outcome(request: ChoiceRequest, outcomes: list[SentenceOutcome]) -> ChoiceOutcome:
    scores = []
    for number, outcome in enumerate(outcomes, 1):
        if isinstance(outcome, Unscorable):
            return Unscorable(request.prompt, f"option {number}: {outcome.reason}")
        scores.append(
            OptionScore(sum_logprob=outcome.sum_logprob, n_tokens=outcome.n_tokens, n_chars=max(1, outcome.n_chars))
        )
    return tuple(scores)


# To a prompt of n tokens an answer has at most 2 n tokens and these, for languages that take more tokens than others.
ROOM = 64
# Prompts that are read at a time.
WRITTEN_TOGETHER = 8


class Written(NamedTuple):
    """An answer, whether it was cut at the limit, and how many tokens were read and written."""

    text: str
    is_cut: bool
    n_read: int
    n_written: int


class Writer:
    """Answers prompts with a loaded causal model. A base model's answer ends with its line: it goes on by itself."""

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        self._info = model.info
        self._network: Any = model.model
        self._tokenizer: Any = model.tokenizer
        self._encoder = RequestEncoder(model, policy_of(settings, "causal"))
        ends = self._network.generation_config.eos_token_id
        self._ends = {end for end in (ends if isinstance(ends, list) else [ends]) if end is not None}

    def write(self, requests: Sequence[ChoiceRequest]) -> Iterator[Written | Unscorable]:
        """The answer to each prompt in order, or why it has none; all prompts are chat, or none is.

        Raises ModelError where the model itself fails.
        """
        for start in range(0, len(requests), WRITTEN_TOGETHER):
            together = requests[start : start + WRITTEN_TOGETHER]
            prompts = [self._prompt(request) for request in together]
            readable = [prompt for prompt in prompts if not isinstance(prompt, str)]
            with scoring_errors(self._info.name):
                rows = iter(self._generate(readable, chat=together[0].chat) if readable else [])
            for request, prompt in zip(together, prompts, strict=True):
                if isinstance(prompt, str):
                    yield Unscorable(request.prompt, prompt)
                else:
                    yield self._written(prompt, next(rows), request.chat)

    def _prompt(self, request: ChoiceRequest) -> list[int] | str:
        """The ids of a prompt that leaves room for an answer."""
        ids, longest = self._encoder.encode_prompt(request), self._info.context_length
        if not isinstance(ids, str) and longest is not None and len(ids) + _limit(ids) > longest:
            return f"longer than the model's context with its answer: {len(ids)} + {_limit(ids)} tokens of {longest}"
        return ids

    def _generate(self, prompts: Sequence[list[int]], *, chat: bool) -> list[list[int]]:
        """What follows each prompt, up to the limit of the longest one."""
        import torch
        import transformers

        config_class: Any = transformers.GenerationConfig
        width, device = max(map(len, prompts)), self._network.device
        pad = min(self._ends, default=0)
        ids = torch.tensor([[pad] * (width - len(prompt)) + prompt for prompt in prompts], device=device)
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=device)
        settings = config_class(
            do_sample=False,
            num_beams=1,
            repetition_penalty=1.0,
            use_cache=True,
            max_new_tokens=max(map(_limit, prompts)),
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=pad,
        )

        def ended(rows: torch.Tensor, _: object) -> torch.Tensor:
            texts = self._tokenizer.batch_decode(rows[:, width:], skip_special_tokens=True)
            return torch.tensor(["\n" in text.lstrip() for text in texts], device=device)

        with torch.inference_mode():
            rows = self._network.generate(
                input_ids=ids,
                attention_mask=mask,
                generation_config=settings,
                stopping_criteria=[] if chat else [ended],
            )
        return [row[width:] for row in rows.tolist()]

    def _written(self, prompt: list[int], row: list[int], chat: bool) -> Written:
        row = row[: _limit(prompt)]
        end = next((index for index, token in enumerate(row) if token in self._ends), None)
        said = row[:end]
        text: str = self._tokenizer.decode(said, skip_special_tokens=True).lstrip()
        line, newline, _ = text.partition("\n")
        if chat:
            return Written(text.rstrip(), end is None, len(prompt), len(said))
        return Written(line.rstrip(), end is None and not newline, len(prompt), len(said))


def _limit(prompt: Sequence[int]) -> int:
    return 2 * len(prompt) + ROOM
