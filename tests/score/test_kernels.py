"""Layers whose products oneDNN takes over: what they compute stays the same, and what it can't do is left alone."""

from typing import Any

import pytest

from pairwright.score.cpu.kernels import speed_up


def network(activation: str) -> Any:
    """A tiny model with random weights and this activation, wide enough to reach where activations bend."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=80,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        hidden_act=activation,
        initializer_range=0.4,
        mlp_bias=True,
    )
    model: Any = LlamaForCausalLM(config)
    return model.eval()


def logits(model: Any) -> Any:
    import torch

    with torch.inference_mode():
        return model(torch.arange(40)[None]).logits


@pytest.mark.parametrize(
    ("activation", "taken"),
    [("gelu_pytorch_tanh", True), ("gelu", True), ("silu", True), ("relu", True), ("quick_gelu", False)],
)
def test_a_gated_layer_computes_the_same(activation: str, taken: bool) -> None:
    import torch

    model = network(activation)
    before = logits(model)
    speed_up(model)
    assert all(("forward" in vars(layer.mlp)) == taken for layer in model.model.layers)
    assert torch.allclose(logits(model), before, rtol=1e-4, atol=1e-4)


def test_inputs_and_weights_may_change_after_it() -> None:
    import torch

    model = network("silu")
    speed_up(model)
    mlp = model.model.layers[0].mlp
    with torch.no_grad():
        mlp.up_proj.weight.mul_(2)
    inputs = torch.randn(3, 5, 32)
    wanted = mlp.down_proj(torch.nn.functional.silu(mlp.gate_proj(inputs)) * mlp.up_proj(inputs))
    assert torch.allclose(mlp(inputs), wanted, rtol=1e-4, atol=1e-4)
    assert mlp(inputs[:0]).shape == (0, 5, 32)


@pytest.mark.parametrize("kind", ["doubled", "of two inputs", "of two outputs", "not a number"])
def test_a_layer_that_does_something_else_is_left_alone(kind: str) -> None:
    import torch

    model = network("silu")
    mlp = model.model.layers[0].mlp
    plain = mlp.forward
    odd = {
        "doubled": lambda inputs: 2 * plain(inputs),
        "of two inputs": lambda inputs, more: plain(inputs) + more,
        "of two outputs": lambda inputs: (plain(inputs), inputs),
        "not a number": plain,
    }[kind]
    mlp.forward = odd
    if kind == "not a number":
        with torch.no_grad():
            mlp.up_proj.weight[0, 0] = torch.nan
    speed_up(model)
    assert vars(mlp)["forward"] is odd
