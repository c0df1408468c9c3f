"""Packed products against torch's linear layer, values and gradients."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from qa_demo.model import products
from qa_demo.model.products import Packed, pack

SIZES = st.integers(1, 70)


@given(st.tuples(SIZES, SIZES), st.lists(st.integers(1, 9), min_size=1, max_size=3), st.booleans())
def test_values_and_gradients_are_those_of_a_linear_layer(size, rows, bias):
    layer = nn.Linear(*size, bias=bias).requires_grad_(False)
    packed = Packed(layer.weight, layer.bias)
    x = torch.randn(size[0], *rows).movedim(0, -1)  # not contiguous
    torch.testing.assert_close(packed(x), layer(x), rtol=1e-5, atol=1e-5)
    assert torch.equal(packed.weight, layer.weight)
    with torch.inference_mode():
        torch.testing.assert_close(packed(x), layer(x), rtol=1e-5, atol=1e-5)
    weights = torch.randn(*rows, size[1])
    found, wanted = (
        torch.autograd.grad((each(at) * weights).sum(), at)[0]
        for each in (packed, layer)
        for at in [x.detach().requires_grad_()]
    )
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("amd", "kind"), [(True, Packed), (False, nn.Linear)])
def test_only_linear_layers_on_a_processor_that_gains_are_packed(amd, kind, monkeypatch):
    monkeypatch.setattr(products, "is_amd", lambda: amd)
    model = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4)), nn.Linear(4, 2))
    model.requires_grad_(False)
    before, x = copy.deepcopy(model), torch.randn(3, 4)
    pack(model)
    kinds = [type(m) for m in model.modules() if not isinstance(m, nn.Sequential)]
    assert kinds == [kind, nn.LayerNorm, kind]
    torch.testing.assert_close(model(x), before(x))


@pytest.mark.parametrize(
    ("linux", "windows", "amd"),
    [
        ("vendor_id\t: AuthenticAMD\n", "", True),
        ("vendor_id\t: GenuineIntel\n", "AMD64 Family 25 Model 33, AuthenticAMD", False),
        (None, "AMD64 Family 25 Model 33 Stepping 0, AuthenticAMD", True),
        (None, "Intel64 Family 6 Model 158 Stepping 10, GenuineIntel", False),
        (None, "arm", False),
    ],
)
def test_the_processors_maker_is_what_the_system_says(linux, windows, amd, monkeypatch, tmp_path):
    info = tmp_path / "cpuinfo"
    if linux is not None:
        info.write_text(linux)
    monkeypatch.setattr(products, "Path", lambda _: info)
    monkeypatch.setattr("platform.processor", lambda: windows)
    assert products.is_amd() is amd
