"""The numbers that the browser's tests compare with are those that Python makes now."""

import json

import pytest

from tests.page_vectors import PATH, vectors


def test_the_stored_vectors_are_what_python_makes() -> None:
    stored, made = json.loads(PATH.read_text(encoding="utf-8")), json.loads(json.dumps(vectors()))
    again = "python -m tests.page_vectors writes the file again"
    assert {k: v for k, v in stored.items() if k != "heads"} == {
        k: v for k, v in made.items() if k != "heads"
    }, again
    for old, new in zip(stored["heads"], made["heads"], strict=True):
        assert (old["logits"], old["labels"]) == (new["logits"], new["labels"]), again
        # exp and log may differ in the last bit between machines
        for name in ("log_z", "p", "warm", "loss"):
            assert old[name] == pytest.approx(new[name], rel=1e-12, abs=1e-300), again
