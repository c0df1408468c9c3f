"""A stored reading is the reading."""

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.attribution import Target
from qa_demo.core.base import BadInput
from qa_demo.core.store import (
    load_reading,
    load_replay,
    save_attributions,
    save_reading,
    stored_attributions,
)
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


def test_stored_attributions_come_back(tmp_path):
    path = tmp_path / "shares.npz"
    made = FakeReader().attribute(READING, Target("span_minus_null", Span(3, 5), None, 0))
    save_attributions({"ship": ("sum", made)}, path)
    checksum, back = stored_attributions(path)["ship"]
    assert checksum == "sum"
    np.testing.assert_allclose(back.values, made.values, atol=1e-6)
    assert vars(back) | {"values": None} == vars(made) | {"values": None}
    assert stored_attributions(tmp_path / "none.npz") == {}
    (tmp_path / "bad.npz").write_bytes(path.read_bytes()[:80])
    with pytest.raises(BadInput, match=r"bad\.npz"):
        stored_attributions(tmp_path / "bad.npz")


def test_calibrations_come_back(path):
    one, other = Calibration(0.5, -1.0), Answerability(2.0, 0.5)
    for fitted in (None, Calibrations(one, None), Calibrations(one, other)):
        save_reading(replace(READING, calibrations=fitted), path)
        assert load_reading(path).calibrations == fitted


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_a_reading_that_was_cut_off_or_damaged_is_refused(path, keep):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(BadInput, match=r"one\.npz is not a stored reading"):
        load_reading(path)
    for at in np.random.default_rng(int(10 * keep)).integers(0, len(whole), 100):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with contextlib.suppress(BadInput):  # a byte that is no content may change without harm
            load_reading(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("start_logits", None),
        ("end_logits", None),
        ("end_logits", np.zeros((1, 3))),
        ("tag_logits", np.zeros((1, 3, 3))),
    ],
)
def test_a_reading_without_logits_or_with_those_of_another_text_is_refused(path, name, array):
    with np.load(path) as stored:
        arrays = {**stored, name: array}
    np.savez_compressed(path, **{name: x for name, x in arrays.items() if x is not None})
    with pytest.raises(BadInput, match=r"^one\.npz"):
        load_reading(path)


@pytest.mark.parametrize("rows", [b"", b"PK\x03\x04 cut off"])
def test_a_broken_replay_is_refused(tmp_path, rows):
    (tmp_path / "replay.json").write_text("{}")
    (tmp_path / "replay.npz").write_bytes(rows)
    with pytest.raises(BadInput, match="the replay of the fine-tuning cannot be read"):
        load_replay(tmp_path)
