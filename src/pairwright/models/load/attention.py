"""Attention in float64 for float32 models on a processor that need it, by torch's own kernel.

Some models have keys so large that float32 loses the difference of two attention scores: with Qwen2.5 Coder 0.5B, whose
keys have biases of over 200, the sum of a sentence is off by up to 1e-2 nats. A few tokens show it when a model is
loaded; only such a model pays for float64.
"""

from contextvars import ContextVar
from typing import Any

NAME = "sdpa in float64"
# The largest relative error of attention in float32. Of sound models it is 5e-6 at most, of Qwen2.5 Coder 5e-5.
ROUNDING = 1e-5
PROBE_TOKENS = 32
_errors: ContextVar[list[float] | None] = ContextVar("errors", default=None)


def widen_attention(network: Any) -> None:
    """Lets a float32 model on a processor compute attention in float64, where transformers chose torch's kernel."""
    import torch
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    sdpa = getattr(network.config, "_attn_implementation", None) == "sdpa"
    if sdpa and network.device.type == "cpu" and network.dtype == torch.float32:
        AttentionInterface.register(NAME, _attend)
        AttentionMaskInterface.register(NAME, sdpa_mask)
        network.set_attn_implementation(NAME)
        if _float32_is_enough(network):
            network.set_attn_implementation("sdpa")


def _float32_is_enough(network: Any) -> bool:
    """Whether a few tokens lose nothing; False where the network does not take them so."""
    import torch

    ids = torch.linspace(0, network.get_input_embeddings().num_embeddings - 1, PROBE_TOKENS).long()[None]
    decoded = {"decoder_input_ids": ids} if network.config.is_encoder_decoder else {}
    errors: list[float] = []
    token = _errors.set(errors)
    try:
        with torch.inference_mode():
            network.base_model(input_ids=ids, **decoded)
    except Exception:  # a network with code of its own raises what it likes
        return False
    finally:
        _errors.reset(token)
    return all(error <= ROUNDING for error in errors)


def _attend(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **options: Any) -> tuple[Any, None]:
    """As `AttentionInterface` describes its functions."""
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    wide, mask = dict(options), attention_mask
    if torch.is_tensor(options.get("position_bias")):
        wide["position_bias"] = options["position_bias"].double()
    if mask is not None and mask.is_floating_point():
        mask = mask.double()
    output, _ = sdpa_attention_forward(module, query.double(), key.double(), value.double(), mask, **wide)
    if (errors := _errors.get()) is not None:
        plain, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        # A token of padding alone may have values of nothing but zeros.
        sizes = output.norm(dim=-1).clamp_min(torch.finfo(output.dtype).tiny)
        errors.append(float(((plain - output).norm(dim=-1) / sizes).max()))
    return output.to(query.dtype), None
