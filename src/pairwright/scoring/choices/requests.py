"""Prompts with options as token ids."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pairwright.errors import ModelError
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import ModelInfo, ScoringPolicy
from pairwright.scoring.inputs.encoding import (
    EncodedSentence,
    SentenceEncoder,
    chat_text,
    policy_text,
    unscorable_reason,
)


class ChoiceRequest(NamedTuple):
    """A prompt, which is prefix and context together, and the texts that may follow it.

    prefix         what many prompts begin with, such as examples: the model reads it once for all of them
    context        the rest of the prompt
    continuations  the options' texts as they follow the context, with the space before them where there is one
    chat           whether the prompt is the user's message, by the model's chat template
    """

    prefix: str
    context: str
    continuations: tuple[str, ...]
    chat: bool = False


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

    def encode(self, requests: Sequence[ChoiceRequest]) -> list[list[EncodedSentence] | str]:
        """The options of each request in their order, or why it can't be scored. All requests are chat, or none is."""
        chat = any(request.chat for request in requests)
        pairs = [self._pairs(request) for request in requests]
        texts = list(dict.fromkeys(text for pair in pairs if not isinstance(pair, str) for text in _texts(pair)))
        ids = dict(zip(texts, self._ids(texts, chat), strict=True))
        return [pair if isinstance(pair, str) else self._options(pair, ids, chat) for pair in pairs]

    def _pairs(self, request: ChoiceRequest) -> "_Pairs | str":
        """The prompt without the white space at its end, and each continuation with it; or why there are none."""
        if not request.continuations:
            return "it has no options"
        prompt = policy_text(request.prefix + request.context, self._policy)
        if request.chat:
            try:
                prompt = self._chat(prompt)
            except ModelError as error:
                return str(error)
        stripped = prompt.rstrip()
        space = prompt[len(stripped) :]
        return _Pairs(stripped, tuple(space + policy_text(text, self._policy) for text in request.continuations))

    def _chat(self, message: str) -> str:
        special = next((token for token in self._tokenizer.all_special_tokens if token in message), None)
        if special is not None:
            raise ModelError(f"the text has {special}, which means something else in the model's chat template")
        return chat_text(self._tokenizer, message, self._info.name)

    def _ids(self, texts: list[str], chat: bool) -> list[list[int]]:
        if not texts:
            return []
        # The marks of a chat template are special tokens; elsewhere what looks like one is text.
        read = self._tokenizer(
            texts, add_special_tokens=False, split_special_tokens=not chat, return_attention_mask=False, verbose=False
        )
        ids: list[list[int]] = read["input_ids"]
        return ids

    def _options(self, pair: "_Pairs", ids: dict[str, list[int]], chat: bool) -> list[EncodedSentence] | str:
        start = () if chat else self._start
        first = max(1, len(start) + len(ids[pair.prompt]))
        options = [
            EncodedSentence(continuation, continuation.strip(), (*start, *ids[pair.prompt + continuation]), first)
            for continuation in pair.continuations
        ]
        for number, option in enumerate(options, 1):
            if reason := unscorable_reason(option, self._info):
                return f"option {number}: {reason}"
        return options


class _Pairs(NamedTuple):
    prompt: str
    continuations: tuple[str, ...]


def _texts(pair: _Pairs) -> Iterable[str]:
    yield pair.prompt
    yield from (pair.prompt + continuation for continuation in pair.continuations)
