"""What a causal model writes after a prompt: token by token the most probable one."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.choices.requests import ChoiceRequest, RequestEncoder
from pairwright.evaluate.scoring.inputs.encoding import policy_of
from pairwright.evaluate.scoring.inputs.outcomes import Unscorable
from pairwright.evaluate.scoring.scorers.local import scoring_errors
from pairwright.models.load.models import LoadedModel

# To a prompt of n tokens an answer has at most 2 n tokens and these, for languages that take more tokens than others.
ROOM = 64
# Prompts that are read at a time.
TOGETHER = 8


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
        for start in range(0, len(requests), TOGETHER):
            together = requests[start : start + TOGETHER]
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
