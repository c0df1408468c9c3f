"""A stored reading is the reading."""

from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.errors import BadInput
from qa_demo.core.store import load_reading, save_reading
from qa_demo.core.types import WindowOptions
from qa_demo.core.what_if import apply_what_if
from tests.fakes import FakeReader

CONTEXT = "The ship é\U0001f600 sailed on, said Ada. " * 12


def test_a_stored_reading_comes_back(tmp_path: Path) -> None:
    reading = FakeReader().read("Who said so?", CONTEXT, WindowOptions(max_seq_length=60, doc_stride=20))
    save_reading(reading, tmp_path / "one.npz")
    back = load_reading(tmp_path / "one.npz")
    assert np.array_equal(back.start_logits, reading.start_logits, equal_nan=True)
    assert np.array_equal(back.end_logits, reading.end_logits, equal_nan=True)
    assert (back.encoding.context, back.options, back.checksum, back.threshold) == (CONTEXT, reading.options, "fake", 0.0)
    assert back.encoding.context_tokens == reading.encoding.context_tokens and len(back.windows) == len(reading.windows)


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(b"not a zip")
    with pytest.raises(BadInput, match=r"bad\.npz is not a stored reading"):
        load_reading(path)


def test_a_logit_and_an_offset_changed_by_hand() -> None:
    reading = FakeReader().read("Who?", CONTEXT, WindowOptions(max_seq_length=60, doc_stride=20))
    bent = apply_what_if(reading, {("start", 0, 5): 9.0}, (1, 2.5))
    assert bent.start_logits[0, 5] == 9.0 and reading.start_logits[0, 5] != 9.0
    n = len(reading.windows[1])
    assert np.allclose(bent.end_logits[1, :n], reading.end_logits[1, :n] + 2.5)
    assert np.array_equal(bent.end_logits[0, :n], reading.end_logits[0, :n])
    assert bent.windows is reading.windows


@pytest.mark.parametrize("change", [{("middle", 0, 0): 1.0}, {("start", 99, 0): 1.0}, {("start", 0, 999): 1.0},
                                    {("end", 0, 0): float("nan")}])
def test_a_change_that_fits_nowhere_is_refused(change: dict) -> None:
    reading = FakeReader().read("Who?", CONTEXT)
    with pytest.raises(BadInput):
        apply_what_if(reading, change)
