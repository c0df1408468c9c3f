"""A stored reading is the reading."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.attribution import Target
from qa_demo.core.base import BadCheckpoint
from qa_demo.core.store import load_reading, save_attributions, save_reading, stored_attributions
from qa_demo.core.types import Answerability, Calibration, Calibrations, Span, WindowOptions
from tests.fakes import FakeReader

CONTEXT = "The ship é\U0001f600 sailed on, said Ada. " * 12
READING = FakeReader().read("Who said so?", CONTEXT, WindowOptions(60, 20))
ONE, OTHER = Calibration(0.5, -1.0), Answerability(2.0, 0.5)


@pytest.fixture
def path(tmp_path) -> Path:
    save_reading(READING, tmp_path / "one.npz")
    return tmp_path / "one.npz"


@pytest.mark.parametrize("fits", [None, Calibrations(ONE, None), Calibrations(ONE, OTHER)])
def test_a_stored_reading_comes_back(fits, path):
    save_reading(replace(READING, calibrations=fits), path)
    back = load_reading(path)
    assert np.array_equal(back.start_logits, READING.start_logits, equal_nan=True)
    assert np.array_equal(back.end_logits, READING.end_logits, equal_nan=True)
    assert (back.encoding.context, back.options) == (CONTEXT, READING.options)
    assert (back.checksum, back.threshold, back.calibrations) == ("fake", 0.0, fits)
    assert back.encoding.context_tokens == READING.encoding.context_tokens
    assert len(back.windows) == len(READING.windows) > 1


@pytest.mark.parametrize("keep", [0, 2, 300, -30, None])
def test_a_damaged_file_and_a_git_lfs_pointer_are_told_so(path, keep):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    path.write_bytes(path.read_bytes()[:keep] if keep is not None else pointer)
    with pytest.raises(BadCheckpoint, match=r"^one\.npz, .* git-LFS pointer; .*git lfs pull$"):
        load_reading(path)


def test_stored_attributions_come_back(tmp_path):
    path = tmp_path / "shares.npz"
    made = FakeReader().attribute(READING, Target("span_minus_null", Span(3, 5), None, 0))
    save_attributions({"ship": ("sum", made)}, path)
    checksum, back = stored_attributions(path)["ship"]
    assert checksum == "sum"
    np.testing.assert_allclose(back.values, made.values, atol=1e-6)
    assert vars(back) | {"values": None} == vars(made) | {"values": None}
