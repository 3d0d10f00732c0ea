"""Attention in float64 for float32 models on a processor, by torch's own kernel.

Some models have keys so large that float32 loses the difference of two attention scores: with Qwen2.5 Coder 0.5B, whose
keys have biases of over 200, the sum of a sentence is off by up to 1e-2 nats. Attention is a small part of the work.
"""

from typing import Any

NAME = "sdpa in float64"


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


def _attend(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **options: Any) -> tuple[Any, None]:
    """As `AttentionInterface` describes its functions."""
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if torch.is_tensor(options.get("position_bias")):
        options["position_bias"] = options["position_bias"].double()
    if attention_mask is not None and attention_mask.is_floating_point():
        attention_mask = attention_mask.double()
    output, _ = sdpa_attention_forward(module, query.double(), key.double(), value.double(), attention_mask, **options)
    return output.to(query.dtype), None
