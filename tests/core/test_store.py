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


@pytest.fixture
def path(tmp_path) -> Path:
    """Where the reading is stored."""
    save_reading(READING, tmp_path / "one.npz")
    return tmp_path / "one.npz"


def test_a_stored_reading_comes_back(path):
    back = load_reading(path)
    assert np.array_equal(back.start_logits, READING.start_logits, equal_nan=True)
    assert np.array_equal(back.end_logits, READING.end_logits, equal_nan=True)
    assert (back.encoding.context, back.options) == (CONTEXT, READING.options)
    assert (back.checksum, back.threshold) == ("fake", 0.0)
    assert back.encoding.context_tokens == READING.encoding.context_tokens
    assert len(back.windows) == len(READING.windows) > 1


@pytest.mark.parametrize("keep", [0, 2, 300, -30])
def test_a_damaged_file_is_said_in_a_sentence(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BadCheckpoint, match=r"^one\.npz, .* damaged or a git-LFS pointer; get it"):
        load_reading(path)


def test_a_clone_without_git_lfs_is_told_so(path):
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(BadCheckpoint, match="git lfs pull"):
        load_reading(path)


def test_stored_attributions_come_back(tmp_path):
    path = tmp_path / "shares.npz"
    made = FakeReader().attribute(READING, Target("span_minus_null", Span(3, 5), None, 0))
    save_attributions({"ship": ("sum", made)}, path)
    checksum, back = stored_attributions(path)["ship"]
    assert checksum == "sum"
    np.testing.assert_allclose(back.values, made.values, atol=1e-6)
    assert vars(back) | {"values": None} == vars(made) | {"values": None}


def test_calibrations_come_back(path):
    one, other = Calibration(0.5, -1.0), Answerability(2.0, 0.5)
    for fitted in (None, Calibrations(one, None), Calibrations(one, other)):
        save_reading(replace(READING, calibrations=fitted), path)
        assert load_reading(path).calibrations == fitted
