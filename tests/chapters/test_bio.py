"""Chapter 7: softmax and losses by hand; core's test_bio proves the taggings by brute force."""

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from qa_demo.core import bio
from qa_demo.core.text import touching
from qa_demo.examples import load_menu
from qa_demo.ladder import MOST, folded, runs_of
from qa_demo.printed import probability
from tests.chapters.given import blocks, example, faked, full, stored, words

EXAMPLES = ("oresund", "nobel-1903", "south-pole", "warsaw", "natural-selection")


def asked(name: str, step: int) -> dict[str, Any]:
    return {**example(name), "chapter": "bio", "step": step}


def shares_of(name: str) -> np.ndarray:
    """P of B, I and O of every token of a text of one window."""
    reading = load_menu()[name].stored()
    (w,) = reading.windows
    return torch.tensor(reading.tag_logits[0][w.is_context]).double().softmax(1).numpy()


@pytest.mark.parametrize("name", EXAMPLES)
def test_bars_are_the_softmax_of_three_logits_and_the_loss_is_cross_entropy(name):
    p, found = shares_of(name), blocks(stored(), **asked(name, 1))
    first = found["tags"]["data"][0]["customdata"]
    means = np.add.reduceat(p, first) / np.diff([*first, len(p)])[:, None]
    np.testing.assert_allclose([t["y"] for t in found["tags"]["data"]], means.T, atol=1e-4)
    each = [z - a > 1 and (p[a:z].argmax(1) == 2).all() for a, z in pairwise([*first, len(p)])]
    assert ["each O ≥" in t for t in found["tags"]["data"][2]["text"]] == each
    said = re.search(r"([\d,]+) of ([\d,]+) tokens are most likely O", words(found["finding"]))
    assert said and [int(x) for x in said.groups()] == [(p.argmax(1) == 2).sum(), len(p)]
    reading, answers = load_menu()[name].stored(), load_menu()[name].answers
    t = np.zeros((len(p), 3))
    for g in answers:
        at = touching(reading.encoding, g.char_start, g.char_end)
        tags = [0 if d == at.start else 1 if at.start < d <= at.end else 2 for d in range(len(p))]
        t += np.eye(3)[tags] / len(answers)
    t[:, 2] += not answers
    found = blocks(stored(), **asked(name, 3))
    bars, printed = found["tags"]["data"][-2:]
    entropy, loss = -(t * np.log(np.where(t > 0, t, 1))).sum(1), -(t * np.log(p)).sum(1)
    wanted = np.add.reduceat(loss, bars["customdata"])
    np.testing.assert_allclose([x["y"] for x in (bars, printed)], [wanted] * 2, atol=2e-4)
    d = int(np.argmax(t[:, 0] + 9 * (entropy > 0)))
    assert words(found["loss"]).endswith(f" {abs(entropy[d]):.2f}")


def test_one_label_leaves_one_term():
    found, p = blocks(stored(), **asked("oresund", 2)), shares_of("oresund")
    right = np.full(len(p), 2)
    right[32:35] = 0, 1, 1
    bars = [b for b in found["tags"]["data"] if "opacity" in b.get("marker", {})]
    for k, bar in zip(range(3), bars, strict=True):  # pale where no right tag is
        pale = [1.0 if k in right[a:z] else 0.2 for a, z in pairwise([*bar["customdata"], len(p)])]
        assert bar["marker"]["opacity"] == pale
    total = -np.log(p[np.arange(len(p)), right]).sum()
    assert f"Σ log p(right tag) = {total:.3f}" in words(found["loss"])
    assert f"−log {p[32, 0]:.3f} = {-np.log(p[32, 0]):.3f}" in words(found["loss"])


@pytest.mark.parametrize("name", ["bangkok", "south-pole"])
def test_the_chance_of_each_answer_is_that_of_core(name):
    found = blocks(stored(), **asked(name, 4))
    answers = bio.decode_reading(load_menu()[name].stored())
    results = re.findall(r"[=≈] (0[.]\d+)(?=\n|$)", words(found["chance"]))
    assert results == [probability(x.marginal) for x in answers]


def test_impossible_single_tags_are_said_and_of_many_marks_five_have_a_row():
    found = blocks(full(), **asked("oresund", 4))
    assert "together impossible" in (alt := found["tags"]["alt"])
    assert all(note["text"] in alt for note in found["tags"]["layout"]["annotations"])
    assert "Read together" in words(blocks(full(), **asked("oresund", 1))["finding"])
    assert "no answer" in words(blocks(stored(), **asked("reef", 4))["finding"])
    own = {"question": "Who?", "context": "Ada", "chapter": "bio"}
    for many, said in ((5, "5 marks of yours: one row each"), (7, "the first 5 of them")):
        rows = blocks(full(), **own, step=3, gold=[[0, 3]] * many)["tags"]["layout"]["annotations"]
        assert rows[0]["text"].endswith(said)
    assert "(1 token)" in words(blocks(full(), **own, step=2, gold=[[0, 3]])["finding"])


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_text_that_nobody_marked_says_so(step):
    own = {"question": "Where?", "context": "Ada Kok lives in Oslo. " * 12}
    small = {"max_seq_length": 40, "doc_stride": 12, "chapter": "bio", "step": step}
    marked = blocks(full(), **own, **small, gold=[[0, 7], [9, 16], [17, 21]])
    assert step != 1 or "another result" in words(marked["finding"])
    assert marked["tags"]["layout"]["height"] < 460
    assert ("Nobody marked" in words(blocks(full(), **own, **small)["finding"])) == (step in (2, 3))
    without = blocks(faked(), **asked("oresund", step))
    assert "gives no tags" in words(without["finding"]) and "tags" not in without


@pytest.mark.parametrize("seed", range(8))
def test_columns_hold_every_token_once_and_whole_words_and_three_share_one(seed):
    assert folded(np.array([0, 0, 0, 1, 0, 0, 1], bool)) == [(0, 2), (3, 3), (4, 4), (5, 5), (6, 6)]
    rng = np.random.default_rng(seed)
    words = np.cumsum(rng.integers(0, 2, 60))
    keep = [int(rng.integers(60))]
    cells = runs_of(words, rng.beta(20, 1, 60), keep)
    assert [d for a, z in cells for d in range(a, z + 1)] == list(range(60))
    assert (keep[0], keep[0]) in cells and len(cells) <= MOST + 2
    assert all(a == 0 or words[a - 1] != words[a] for a, z in cells if a < z)
