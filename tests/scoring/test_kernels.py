"""oneDNN's products: the numbers of torch's own, and torch's own wherever an operator is missing, wrong or fails."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from pairwright.models.load.kernels import CpuKernels, onednn_linear


def network(activation: str = "silu") -> Any:
    """A tiny model with random weights and this activation, wide enough to reach where activations bend."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    sizes: dict[str, Any] = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 80, "num_hidden_layers": 2}
    heads: dict[str, Any] = {"num_attention_heads": 4, "num_key_value_heads": 2}
    config = LlamaConfig(**sizes, **heads, hidden_act=activation, initializer_range=0.4, mlp_bias=True)
    model: Any = LlamaForCausalLM(config)
    return model.eval()


def logits(model: Any) -> Any:
    import torch

    with torch.inference_mode():
        return model(torch.arange(40)[None]).logits


class Operator:
    """An operator with oneDNN's signature, by torch's public functions; it can be made to fail from some call on."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.working = error, True

    def __call__(self, inputs: Any, weight: Any, bias: Any, name: str, scalars: list[Any], form: str) -> Any:
        import torch

        if self.error and not self.working:
            raise self.error
        product = torch.nn.functional.linear(inputs, weight, bias)
        return torch.nn.functional.silu(product) if name == "swish" else product

    def binary(self, inputs: Any, other: Any, weight: Any, bias: Any, name: str) -> Any:
        return self(inputs, weight, bias, "none", [], "") * other


@pytest.mark.parametrize(
    ("activation", "known"),
    [("gelu_pytorch_tanh", True), ("gelu", True), ("silu", True), ("relu", True), ("quick_gelu", False)],
)
def test_a_gated_layer_computes_the_same(activation: str, known: bool) -> None:
    import torch

    model, kernels = network(activation), CpuKernels(onednn_linear)
    before = logits(model)
    kernels.speed_up(model)
    assert all(("forward" in vars(layer.mlp)) == (known and kernels.active) for layer in model.model.layers)
    assert torch.allclose(logits(model), before, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["doubled", "of two inputs", "of two outputs", "not a number"])
def test_a_layer_that_does_something_else_is_left_alone(kind: str) -> None:
    import torch

    model = network()
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
    CpuKernels(Operator).speed_up(model)
    assert vars(mlp)["forward"] is odd


@pytest.mark.parametrize(
    ("find_operator", "warnings"),
    [
        (lambda torch: torch.ops.mkldnn._no_such_operator, 1),
        (lambda torch: torch.ops.aten.addmm, 1),  # of another signature
        (lambda torch: lambda inputs, weight, bias, *rest: 1.001 * torch.nn.functional.linear(inputs, weight, bias), 1),
        (lambda torch: lambda inputs, weight, bias, *rest: inputs, 1),  # of another shape
        (lambda torch: None, 0),  # torch has no oneDNN
    ],
)
def test_an_operator_that_can_not_be_used_is_named_once_and_changes_nothing(
    find_operator: Callable[[Any], Any], warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    import torch

    model = network()
    before = logits(model)
    kernels = CpuKernels(lambda: find_operator(torch))
    kernels.speed_up(model)
    assert torch.equal(logits(model), before)
    inputs, weight = torch.randn(4, 32), torch.randn(8, 32)
    assert torch.equal(kernels.linear(inputs, weight), inputs @ weight.T)
    assert not kernels.active
    assert len(caplog.records) == warnings
    for record in caplog.records:
        assert record.levelno == logging.WARNING
        assert record.getMessage().startswith("score.cpu_kernels: ")
        assert "\n" not in record.getMessage()


@pytest.mark.parametrize("error", [RuntimeError("could not create a primitive"), TypeError("unexpected argument")])
def test_an_operator_that_fails_later_is_named_once_and_changes_nothing(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    import torch

    model, operator = network(), Operator(error)
    before = logits(model)
    kernels = CpuKernels(lambda: operator)
    kernels.speed_up(model)
    operator.working = False
    for _ in range(2):
        assert torch.equal(logits(model), before)
    assert not kernels.active
    assert len(caplog.records) == 1


def test_memory_that_runs_out_is_no_fault_of_the_operator() -> None:
    import torch

    operator = Operator(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"))
    kernels = CpuKernels(lambda: operator)
    operator.working = False
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        kernels.linear(torch.randn(4, 32), torch.randn(8, 32))
    assert kernels.active
