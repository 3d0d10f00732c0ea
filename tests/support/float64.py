"""Models in float64, one text at a time, to compare scores with; nothing here is code of the package."""

from pathlib import Path
from typing import Any


def in_float64(directory: Path, loader: str = "AutoModelForCausalLM") -> tuple[Any, Any]:
    """A saved model by transformers' plainest code, and its tokenizer, for which special tokens in a text are text."""
    import torch
    import transformers
    from tokenizers import Tokenizer

    auto: Any = getattr(transformers, loader)
    network = auto.from_pretrained(directory, dtype=torch.float64, attn_implementation="eager").eval()
    if hasattr(network, "set_experts_implementation"):
        network.set_experts_implementation("eager")
    core = Tokenizer.from_file(str(directory / "tokenizer.json"))
    core.encode_special_tokens = True
    return network, core


class Reference:
    """A causal model that gives the log-probabilities of a text's tokens."""

    def __init__(self, directory: Path) -> None:
        from transformers import AutoTokenizer

        self._network, self._core = in_float64(directory)
        bos = AutoTokenizer.from_pretrained(directory).bos_token_id
        self._start = [] if bos is None else [bos]

    def logprobs(self, text: str, given: str = "") -> list[float]:
        """Of the tokens that a text has more than its beginning `given`; without BOS the first one has none."""
        import torch

        ids = [*self._start, *self._core.encode(text, add_special_tokens=False).ids]
        first = max(1, len(self._start) + len(self._core.encode(given, add_special_tokens=False).ids))
        with torch.no_grad():
            logits = self._network(torch.tensor([ids]), logits_to_keep=len(ids) - first + 1).logits[0, :-1]
        found: list[float] = logits.log_softmax(-1)[range(len(ids) - first), ids[first:]].tolist()
        return found
