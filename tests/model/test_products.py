"""Products by oneDNN against torch's own: values, gradients, and what must be left alone."""

import threading
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import linear

from qa_demo.model import products
from qa_demo.model.products import FrozenProducts


def stand_in(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, *_: Any
) -> torch.Tensor:
    """The operator where torch lacks it: what goes to it is tested on every machine."""
    y = x @ weight.T
    return y if bias is None else y + bias


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Shapes of what went to oneDNN."""
    shapes: list[tuple[int, ...]] = []
    monkeypatch.setattr(products, "_onednn", products._onednn or stand_in)
    real = products._product

    def counted(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        shapes.append(tuple(x.shape))
        return real(x, weight, bias)

    monkeypatch.setattr(products, "_product", counted)
    return shapes


def test_by_hand(taken: list[tuple[int, ...]]) -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    weight = torch.tensor([[1.0, 10.0], [0.5, -2.0], [4.0, 0.0]])
    bias = torch.tensor([0.0, 1.0, 2.0])
    with FrozenProducts():
        y = linear(x, weight, bias)
    assert y.tolist() == [[21.0, -2.5, 6.0], [-7.0, 4.5, 14.0]]
    (found,) = torch.autograd.grad(y[:, 0].sum() - y[1, 2], x)
    assert found.tolist() == [[1.0, 10.0], [-3.0, 10.0]]
    assert taken == [(2, 2), (2, 3)]


@settings(max_examples=40, deadline=None)
@given(
    shape=st.lists(st.integers(1, 7), min_size=1, max_size=3),
    inside=st.integers(1, 40),
    outside=st.integers(1, 40),
    with_bias=st.booleans(),
    summed=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_values_and_gradients_are_those_of_double_precision(
    shape: list[int], inside: int, outside: int, with_bias: bool, summed: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    x, weight = torch.randn(*shape, inside), torch.randn(outside, inside)
    bias = torch.randn(outside) if with_bias else None
    # a sum's gradient has no strides
    above = torch.ones(*shape, outside) if summed else torch.randn(outside, *shape).movedim(0, -1)
    results = []
    for kind in (torch.float64, torch.float32):
        at = x.to(kind).requires_grad_()
        with FrozenProducts():
            y = linear(at, weight.to(kind), None if bias is None else bias.to(kind))
        value = y.sum() if summed else (y * above.to(kind)).sum()
        results.append((y.detach().double(), torch.autograd.grad(value, at)[0].double()))
    for exact, found in zip(*results, strict=True):
        np.testing.assert_allclose(found.numpy(), exact.numpy(), atol=1e-4)


@pytest.mark.parametrize("which", ["weight", "bias"])
def test_weights_that_learn_stay_with_torch(which: str, taken: list[tuple[int, ...]]) -> None:
    tensors = {"weight": torch.randn(3, 2), "bias": torch.randn(3)}
    tensors[which].requires_grad_()
    with FrozenProducts():
        linear(torch.ones(4, 2), **tensors).sum().backward()
        linear(torch.ones(4, 2), tensors["weight"], tensors["bias"]).sum().backward()
    assert tensors[which].grad is not None and taken == []
    expected = torch.full((3, 2), 8.0) if which == "weight" else torch.full((3,), 8.0)
    assert torch.equal(tensors[which].grad, expected)


def test_other_precisions_and_empty_inputs_stay_with_torch(taken: list[tuple[int, ...]]) -> None:
    weight = torch.randn(3, 2)
    with FrozenProducts():
        assert linear(torch.ones(4, 2).double(), weight.double()).dtype == torch.float64
        assert linear(torch.ones(0, 2), weight).shape == (0, 3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert linear(torch.ones(4, 2), weight).dtype == torch.bfloat16
    linear(torch.ones(4, 2), weight)
    assert taken == [], "and after it everything is as before"


def test_other_threads_are_not_touched(taken: list[tuple[int, ...]]) -> None:
    weight = torch.randn(3, 2)
    found: list[Any] = []
    with FrozenProducts():
        other = threading.Thread(target=lambda: found.append(linear(torch.ones(5, 2), weight)))
        other.start()
        other.join()
        linear(torch.ones(4, 2), weight)
    assert taken == [(4, 2)] and found[0].shape == (5, 3)


def test_this_torch_still_has_the_operator() -> None:
    """torch's own compiler calls it, undocumented: without it all is slow but right."""
    assert (products._onednn is not None) == torch.backends.mkldnn.is_available()


def test_without_the_operator_everything_is_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_onednn", None)
    x, weight = torch.randn(4, 2), torch.randn(3, 2)
    with FrozenProducts():
        assert torch.equal(linear(x, weight), x @ weight.T)
