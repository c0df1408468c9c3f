"""SQuAD scores: the official vectors, and the threshold against trying each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core import metrics
from qa_demo.core.metrics import normalize, same_text
from qa_demo.core.types import Answer, Example

NOTHING = ("", np.inf)  # said without a span


def question(name, *golds):
    return Example(name, "?", "", tuple(Answer(g, 0) for g in golds))


def evaluated(examples, said, threshold=None, rules="2.0"):
    """The totals of texts and their score_diff, by question."""
    given = np.array([metrics.score(e, said[e.id][0], rules) for e in examples]).T
    has = np.array([bool(e.answers) for e in examples])
    diffs = np.array([said[e.id][1] for e in examples])
    return metrics.evaluate(given, has, diffs, threshold, rules)


def official(examples, said, threshold=None, rules="2.0"):
    """The same, question by question as evaluate-v2.0.py counts; by 1.1 only its first means."""
    raw = {e.id: metrics.score(e, said[e.id][0], rules) for e in examples}
    lead = {name: diff if text else 0.0 for name, (text, diff) in said.items()}
    kept, found = dict(raw), {}
    if rules == "2.0" and threshold is not None:
        for e in examples:
            if lead[e.id] > threshold:
                kept[e.id] = (float(not e.answers),) * 2
    parts = {"": examples, "HasAns_": [e for e in examples if e.answers]}
    parts["NoAns_"] = [e for e in examples if not e.answers]
    for head, part in parts.items():
        if part and (rules == "2.0" or not head):
            exact, f1 = (100 * sum(kept[e.id][k] for e in part) / len(part) for k in (0, 1))
            found |= {f"{head}exact": exact, f"{head}f1": f1, f"{head}total": len(part)}
    for k, name in enumerate(("exact", "f1") if rules == "2.0" else ()):
        best = now = len(parts["NoAns_"])
        at = 0.0
        for e in sorted(examples, key=lambda e: lead[e.id]):
            now += raw[e.id][k] if e.answers else -bool(said[e.id][0])
            if now > best:
                best, at = now, lead[e.id]
        found |= {f"best_{name}": 100 * best / len(examples), f"best_{name}_thresh": at}
    return found


@pytest.mark.parametrize(
    ("gold", "prediction", "exact", "f1"),
    [
        ("Denver Broncos", "the broncos of Denver", 0, 0.8),
        ("", "", 1, 1),
        ("", "x", 0, 0),
        ("a", "the", 1, 1),
        ("Saint-Denis", "Saint Denis", 0, 0),
        ("10,000", "10000", 1, 1),
        ("naïve", "naive", 0, 0),
        ("a b b c", "b b d", 0, 2 / 3),
        ("  The  U.S.!  ", "us", 1, 1),
        ("a-an the", "aan", 1, 1),  # articles go after marks
        ("“quoted” – dash", "quoted dash", 0, 0.4),  # marks of ASCII alone
        ("Theatre and AN", "theatre and", 1, 1),
        ("it's  the\tend\n", "its end", 1, 1),
    ],
)
def test_vectors_of_the_official_scripts(gold, prediction, exact, f1):
    assert metrics.exact_match(gold, prediction) == exact
    assert metrics.f1(gold, prediction) == pytest.approx(f1)
    if not normalize(gold + prediction):
        assert metrics.f1(gold, prediction, "1.1") == 0, "two empty sides count nothing there"


def test_golds_that_normalise_to_nothing():
    assert metrics.score(question("q", "the", "Paris"), "", "2.0") == (0, 0)
    assert metrics.score(question("q", "the"), "", "2.0") == (1, 1)
    assert metrics.score(question("q", "the"), "the", "1.1") == (1, 0)


TEXTS = st.sampled_from(["Ada", "Ada Byron", "The The", "a", "x"])
SAID = st.one_of(st.just(NOTHING), st.tuples(TEXTS, st.integers(-2, 2).map(float)))


@settings(max_examples=100)
@given(st.lists(st.tuples(st.lists(TEXTS, max_size=2), SAID), min_size=1, max_size=7), st.data())
def test_the_totals_are_those_of_the_official_loops(rows, data):
    examples = [question(str(k), *golds) for k, (golds, _) in enumerate(rows)]
    said = {str(k): one for k, (_, one) in enumerate(rows)}
    rules = data.draw(st.sampled_from(["1.1", "2.0"] if all(g for g, _ in rows) else ["2.0"]))
    limit = data.draw(st.one_of(st.none(), st.integers(-3, 3)))
    wanted = official(examples, said, limit, rules)  # by sum, which rounds once from Python 3.12 on
    assert evaluated(examples, said, limit, rules) == pytest.approx(wanted, rel=1e-14)


def test_calibration_table():
    table = metrics.bins_of([0.05, 0.95, 0.9, 1.0], [0, 1, 0, 1])
    assert [(b.low, b.count) for b in table] == [(0.0, 1), (0.9, 3)]
    assert [b.accuracy for b in table] == pytest.approx([0.0, 2 / 3])
    assert table[1].mean_prob == pytest.approx(0.95)
    assert metrics.calibration_error(table) == pytest.approx((0.05 + 3 * (0.95 - 2 / 3)) / 4)


PIECES = ["the", "The ", "an", "a", "Dan", "Thea", "U.S.", "us", " ", "Σ", "ς", "-", "İ"]
WORDS = st.lists(st.sampled_from(PIECES), max_size=12)


@given(WORDS, st.data())
def test_slices_of_the_same_text_are_found_by_brute_force_too(words, data):
    context = "".join(words)
    every = [(a, b) for a in range(len(context) + 1) for b in range(a, len(context) + 1)]
    a, b = data.draw(st.sampled_from(every))
    found, wanted = same_text(context, np.array(every), context[a:b]), normalize(context[a:b])
    assert found.tolist() == [normalize(context[x:y]) == wanted for x, y in every]
    assert same_text("xΣ xς", np.array([(0, 2), (3, 5)]), "xΣ").all(), "a Σ at the end is a ς"
