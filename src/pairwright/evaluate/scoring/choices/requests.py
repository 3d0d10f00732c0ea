"""Prompts with options as token ids."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pairwright.core.errors import ModelError
from pairwright.core.records.evaluation import ModelInfo, ScoringPolicy
from pairwright.evaluate.scoring.inputs.encoding import (
    EncodedSentence,
    SentenceEncoder,
    chat_text,
    policy_text,
    unscorable_reason,
)
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
