"""What speaks for an answer's first B: sums over every possible tagging, one by one."""

from itertools import product

import numpy as np
import pytest

from qa_demo.core.base import softmax
from qa_demo.core.bio import decode_reading, opening
from qa_demo.core.types import B, I, O
from tests.core.toys import random_reading


def possible(tags):
    return all(k != I or (n and tags[n - 1] != O) for n, k in enumerate(tags))


@pytest.mark.parametrize("seed", range(12))
def test_chances_and_rival_taggings_are_those_of_brute_force(seed):
    reading = random_reading(np.random.default_rng(seed), 6, 9, 4, tags=True)
    (w,) = reading.windows
    p = softmax(reading.tag_logits[0, : len(w)][w.is_context].astype(float))
    mass = {
        tags: np.prod([p[t, k] for t, k in enumerate(tags)])
        for tags in product(range(3), repeat=6)
        if possible(tags)
    }
    for answer in decode_reading(reading):
        why, s = opening(reading, answer), answer.span.start
        begins = sum(v for tags, v in mass.items() if tags[s] == B) / sum(mass.values())
        assert why.begins == pytest.approx(begins)
        factors = [why.begins, *why.goes_on, *([] if why.ends is None else [why.ends])]
        assert np.prod(factors) == pytest.approx(answer.marginal)
        rivals = {tags: v for tags, v in mass.items() if tags[s] != B}
        assert tuple(why.with_b) == max(mass, key=mass.get)
        assert tuple(why.without) == max(rivals, key=rivals.get)
        ratio = max(mass.values()) / max(rivals.values())
        assert why.weight(why.with_b) / why.weight(why.without) == pytest.approx(ratio)


def test_beside_the_answers_window_the_tags_are_those_of_their_own():
    reading = random_reading(np.random.default_rng(3), 23, 9, 4, tags=True)
    for answer in decode_reading(reading):
        why, w = opening(reading, answer), reading.windows[answer.window]
        assert all(w.doc_start <= d < w.doc_stop for d in why.differ)
        assert answer.span.start in why.differ
