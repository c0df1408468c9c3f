"""What computed sentences claim, said again in a few lines over every example and random labels."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Span
from qa_demo.figures.bio.loss import loss_sentence
from qa_demo.figures.bio.loss import soft_terms as terms_of
from qa_demo.figures.loss.misread import misread_data
from qa_demo.figures.loss.replay import sentence
from qa_demo.figures.loss.step_notices import labels_notice, pull_notice
from qa_demo.figures.spans.picture import spans_picture
from qa_demo.figures.windows.picture import preview_sentence
from qa_demo.views.examples import load_examples
from tests.requests import readings


def letters(n: int, gold: Span | None) -> list[str]:
    """One annotator's tags, letter by letter."""
    return [
        "O" if gold is None or not gold.start <= d <= gold.end else "B" if d == gold.start else "I"
        for d in range(n)
    ]


def entropy_at(column: list[str]) -> float:
    """Entropy in nats of what the annotators say at one token."""
    counts = Counter(column).values()
    return -sum(c / len(column) * math.log(c / len(column)) for c in counts)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_where_annotators_part_is_counted_and_every_tie_is_named(data: st.DataObject) -> None:
    whole = [r for r in readings().values() if len(r.windows) == 1]
    reading = data.draw(st.sampled_from(whole))
    n = len(reading.encoding.context_ids)
    span = st.tuples(st.integers(0, n - 1), st.integers(0, 3)).map(
        lambda x: Span(x[0], min(n - 1, x[0] + x[1]))
    )
    golds = tuple(data.draw(st.lists(st.none() | span, min_size=3, max_size=3)))
    said = loss_sentence(reading, terms_of(reading, golds), golds)
    tags = [letters(n, gold) for gold in golds]
    floors = [entropy_at([row[d] for row in tags]) for d in range(n)]
    parted = [d for d in range(n) if floors[d] > 1e-9]
    if not parted:
        agreed = "All 3 annotators agree on every token" if any(golds) else "None of the 3 "
        assert said.startswith(agreed)
        return
    assert f"part at {len(parted)} token" in said
    assert f"H(t) = {sum(floors):.2f}, which is " in said
    assert not re.search(r"\b0 % of this loss", said)
    top = [d for d in parted if floors[d] > max(floors) - 1e-9]
    named = re.findall("“\u2068(.*?)\u2069”", said, re.DOTALL)
    if len(top) == len(parted):
        assert named == [] and ("at each of them alike" in said) == (len(parted) > 1)
    elif len(top) > 3:
        assert f"most at {len(top)} of them" in said and named == []
    else:
        assert len(named) == len(top)


def test_the_formula_without_its_minus_and_whose_loss_stands_beside_it() -> None:
    """On every example: minus the loss of the named annotator alone, softmax over all tokens."""
    several = 0
    for key, example in load_examples().items():
        reading = readings()[key]
        golds = tuple(span_at(reading.encoding, a.char_start, a.char_end) for a in example.answers)
        w = reading.windows[0]
        sent = {d["key"]: d for d in misread_data(reading, 0, golds, DecodeOptions())}
        held = [k for k, g in enumerate(golds) if w.doc_start <= g.start and g.end < w.doc_stop]
        i, j = (w.to_pos(golds[held[0]].start), w.to_pos(golds[held[0]].end)) if held else (0, 0)
        s, e = (np.asarray(x, dtype=float) for x in reading.logits(0))
        right = (np.log(np.exp(s - s[i]).sum()) + np.log(np.exp(e - e[j]).sum())) / 2
        assert float(sent["no_minus"]["right"].replace("−", "-")) == pytest.approx(right, abs=6e-3)
        assert float(sent["no_minus"]["value"].replace("−", "-")) == pytest.approx(-right, abs=6e-3)
        if len(set(golds)) < 2:
            assert {d["of"] for d in sent.values()} == {"the loss"}
        elif held:
            several += 1
            alone = f"the loss by annotator {held[0] + 1} alone"
            assert {d["of"] for d in sent.values()} == {alone}
    assert several


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=8))
def test_a_replay_says_since_when_its_answer_stands(answers: list[str | None]) -> None:
    steps = tuple(range(0, 10 * len(answers), 10))
    said = sentence(steps, [1.0] * len(answers), tuple(answers))
    first = max((k + 1 for k, a in enumerate(answers) if a != answers[-1]), default=0)
    if first == len(answers) - 1 and first:
        assert said.endswith("came with the last recorded step only.")
    else:
        assert said.endswith(f"stands from step {10 * first} on.")


def test_whether_the_two_maxima_fit_is_said_of_every_window_of_every_example() -> None:
    seen = set()
    for reading in readings().values():
        found = predict(reading, DecodeOptions())
        for w in reading.windows:
            says = spans_picture(reading, found, DecodeOptions(), w.index)["apart"]["says"]
            start, end = (
                int(np.argmax(np.where(w.is_context, x, -np.inf))) for x in reading.logits(w.index)
            )
            why = None if w.is_max_context[start] else "not owned"
            if not 0 <= end - start < 30:
                why = "end before start" if end < start else "too long"
            seen.add(why)
            told = "fit: a legal pair." if why is None else f"do not fit: {why}."
            assert says == f"Highest start and highest end {told}"
    assert {None, "end before start", "not owned"} <= seen


def test_the_example_that_chapter_4_offers_is_one_where_they_do_not_fit() -> None:
    source = (ASSETS / "page" / "spans" / "chapter.js").read_text(encoding="utf-8")
    (named,) = re.findall(r'const UNFIT = "(.+?)";', source)
    reading = readings()[named]
    says = spans_picture(reading, predict(reading, DecodeOptions()), DecodeOptions(), 0)["apart"]
    assert says["says"].endswith("do not fit: end before start.")


def test_a_preview_says_how_many_windows_reading_it_would_give() -> None:
    """Counted again window by window, as the reader would be given them."""
    for reading in readings().values():
        n = len(reading.encoding.context_ids)
        fixed = 3 + len(reading.encoding.question_ids)
        for room in range(4, 60, 7):
            step = 1 + room // 2
            begins = [0]
            while begins[-1] + room < n:
                begins.append(begins[-1] + step)
            said = preview_sentence(reading, WindowOptions(room + fixed, step))
            if len(begins) == 1:
                assert f"one window of {room} holds all {n:,} pieces" in said
            else:
                assert f"{len(begins):,} windows of up to {room}, each {step} further on." in said
            assert "fits into one window" not in said, "never beside several windows"


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_sentences_of_labels_and_steps_in_chapter_5(data: st.DataObject) -> None:
    reading = readings()[data.draw(st.sampled_from(list(readings())))]
    n = len(reading.encoding.context_ids)
    span = st.integers(0, n - 1).map(lambda d: Span(d, min(n - 1, d + 2)))
    golds = tuple(data.draw(st.lists(st.none() | span, min_size=1, max_size=3)))
    window = data.draw(st.integers(0, len(reading.windows) - 1))
    floors, pulls = [], []
    for w in reading.windows:
        for side, x in enumerate(reading.logits(w.index)):
            places = [
                w.cls_at
                if g is None or g.start < w.doc_start or g.end >= w.doc_stop
                else w.to_pos((g.start, g.end)[side])
                for g in golds
            ]
            floors.append(entropy_at([str(p) for p in places]))
            if w.index == window:
                p = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
                pulls.append([(places.count(k) / len(places) - p[k]) / 2 for k in range(len(p))])
    said, floor = labels_notice(reading, golds), float(np.mean(floors))
    assert ("can fall to 0" in said) == (floor < 1e-9)
    if floor >= 1e-9:
        (printed,) = re.findall(r"below its entropy, ([\d.]+)\.$", said)
        unit = 10.0 ** -len(printed.partition(".")[2])
        assert abs(float(printed) - floor) <= 0.5001 * unit
    said, most = pull_notice(reading, golds, window), float(np.max(np.abs(pulls)))
    (named,) = re.findall(r"½ \(y − p\) = ([+−][\d.]+)\.", said)
    assert abs(float(named.replace("−", "-"))) == pytest.approx(most, abs=6e-3)
    assert ("hardest, up: " if named[0] == "+" else "hardest, down: ") in said
    assert abs(sum(pulls[0])) < 1e-6 and abs(sum(pulls[1])) < 1e-6
