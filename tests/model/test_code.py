"""Every chapter's code is run, with the bundled weights, and prints the numbers of the records."""

import contextlib
import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from qa_demo.core.arrays import softmax
from qa_demo.core.explaining.attribution import Target
from qa_demo.core.learning.losses import start_end_loss
from qa_demo.core.learning.tagging import owned_rows
from qa_demo.core.options import MergeOptions, WindowOptions
from qa_demo.core.reading.heads import anatomy
from qa_demo.core.reading.scales import COMBINES, null_logits
from qa_demo.core.reading.spans import pair_mass
from qa_demo.core.types import Span
from qa_demo.figures.span_score import four_numbers, null_score, span_prob
from qa_demo.model.loading import load_reader
from qa_demo.model.spanbert_loading import load_spanbert
from qa_demo.views.examples import load_examples
from qa_demo.views.labels import labels_of
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import CHAPTERS
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.spanbert.lab import KEY, kept_of
from qa_demo.views.state import Screen, WhatIf
from qa_demo.views.why.choice import Choice
from tests.requests import job

pytestmark = pytest.mark.model
ROOT = Path(__file__).resolve().parents[2]
MODULES = {module.CHAPTER.key: module for module in CHAPTERS}
NUMBER = re.compile(r"-?\d+\.\d{4,}(?:e-?\d+)?")


@pytest.fixture(autouse=True)
def where_app_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@cache
def reader():  # type: ignore[no-untyped-def]
    """The bundled one."""
    return load_reader("bundled")


@cache
def screen(name: str) -> Screen:
    """An example in one window, its sentence that answers, and all of it in windows of 48 with
    overlap, changed by hand.
    """
    example = load_examples()["oresund"]
    text = example.context
    if name == "sentence":
        text = text[text.index("Its four") : text.index(" Pylons")]
    options = WindowOptions(48, 12, 40) if name == "several" else WindowOptions()
    reading = reader().read(example.question, text, options)
    made = new_screen(None, reading, example.answers, example.id)
    if name != "several":
        return made
    assert len(reading.windows) > 2 and made.selection is not None
    at = reading.windows[1].to_pos(reading.windows[1].doc_start + 3)
    hand = WhatIf({("start", 1, at): 9.5}, (0, 0.75), 1.5)
    return made.change(what_if=hand, decode=replace(made.decode, max_answer_length=12))


def printed(code: str) -> str:
    """What a snippet prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "snippet.py", "exec"), {})
    return out.getvalue()


def numbers(text: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(text)]


def near(found: list[float], wanted: list[float], within: float = 2e-3) -> None:
    """All of them, in order; a number on screen has four decimals at most."""
    assert len(found) == len(wanted), (found, wanted)
    assert np.allclose(found, wanted, atol=within, rtol=1e-3), (found, wanted)


def selected(seen: Screen) -> tuple[int, int, int]:
    """Window, start and end position of the selection."""
    assert seen.selection is not None
    at, span = seen.shown.windows[seen.selection.window], seen.selection.span
    return at.index, at.to_pos(span.start), at.to_pos(span.end)


twice = pytest.mark.parametrize("name", ["one", "several"])


@twice
def test_chapter_1_prints_the_four_numbers(name: str) -> None:
    seen = screen(name)
    k, i, j = selected(seen)
    out = printed(MODULES["answer"].code(seen))
    s, e = seen.shown.logits(k)
    assert f"answer: {seen.prediction.answer}\n" in out
    assert seen.selection is not None
    span, warm = seen.selection.span, seen.what_if.temperature
    null = null_score(seen.shown, seen.prediction, seen.merge)
    score = float(s[i]) + float(e[j])
    share = next(r.share for r in seen.prediction.n_best if r.candidate.span == span)
    wanted = [float(s[i]), float(e[j]), score, score - null]
    near(numbers(out), [*wanted, span_prob(seen.shown, k, span, warm), share])
    words = four_numbers(seen.shown, seen.prediction, k, span, warm, seen.merge)
    assert f"{score:.2f}"[:-1] in words[0]["value"]


def test_chapter_1_gives_the_answer_of_every_merge_rule() -> None:
    for scale, nulls in COMBINES.items():
        for null in nulls:
            for copies in ("max_context", "all"):
                seen = screen("several").change(merge=MergeOptions(copies, scale, null))
                out = printed(MODULES["answer"].code(seen))
                assert f"answer: {seen.prediction.answer}\n" in out, (copies, scale, null)


@twice
def test_chapter_2_takes_both_logits_apart(name: str) -> None:
    seen = screen(name)
    k, i, j = selected(seen)
    found = numbers(printed(MODULES["scores"].code(seen)))
    heads = reader().heads()
    states = reader().hidden(seen.reading.windows[k])[-1]
    start, end = seen.reading.logits(k)
    wanted: list[float] = []
    for lane, at, row in (("start", i, start), ("end", j, end)):
        parts = anatomy(heads, states[at], lane)  # type: ignore[arg-type]
        wanted += [sum(parts.products) + parts.rest, parts.bias, float(row[at])]
        for d, product in zip(parts.dimensions, parts.products, strict=True):
            weight = float((heads.S if lane == "start" else heads.E)[d])
            wanted += [weight, float(states[at][d]), product]
    near(found, wanted)


@twice
def test_chapter_3_prints_both_distributions(name: str) -> None:
    seen = screen(name)
    k, i, j = selected(seen)
    found = numbers(printed(MODULES["start_end"].code(seen)))
    wanted: list[float] = []
    for at, row in zip((i, j), seen.shown.logits(k), strict=True):
        p = softmax(row.astype(np.float64) / seen.what_if.temperature)
        wanted += [float(p[at]), float(row[at]), *sorted(p.tolist(), reverse=True)[:5]]
    near(found, wanted)


@twice
def test_chapter_4_lists_the_spans_and_the_mass(name: str) -> None:
    seen = screen(name)
    k, i, j = selected(seen)
    out = printed(MODULES["spans"].code(seen))
    s, e = (float(x) for x in (seen.shown.logits(k)[0][i], seen.shown.logits(k)[1][j]))
    warm = replace(
        seen.shown,
        start_logits=seen.shown.start_logits / np.float32(seen.what_if.temperature),
        end_logits=seen.shown.end_logits / np.float32(seen.what_if.temperature),
    )
    mass = pair_mass(warm, k, seen.decode, seen.merge.copies)
    listed = seen.prediction.n_best
    parts = [mass.legal, mass.no_answer, mass.mixed, mass.illegal]
    near(numbers(out), [*(r.value for r in listed), s, e, s + e, *parts])
    for ranked in listed:
        assert f" {ranked.candidate.text}\n" in out


@twice
def test_chapter_5_prints_the_loss(name: str) -> None:
    seen = screen(name)
    out = numbers(printed(MODULES["loss"].code(seen)))
    golds = labels_of(seen).golds
    each = [
        term.value
        for w in range(len(seen.shown.windows))
        for term in start_end_loss(seen.shown, golds, [w])
    ]
    start, end = (term.value / 2 for term in start_end_loss(seen.shown, golds))
    near(out, [*each, start, end, start + end])


@twice
def test_chapter_6_prints_every_window_and_the_answer(name: str) -> None:
    seen = screen(name)
    for merge in (MergeOptions(), MergeOptions("all", "global_softmax", "none")):
        now = seen.change(merge=merge)
        out = printed(MODULES["windows"].code(now))
        best = now.prediction.best
        assert best is not None
        rows = re.findall(r"window \d+: from piece (\d+), (\d+) pieces, null (\S+),", out)
        windows = now.shown.windows
        assert [(int(a), int(a) + int(n)) for a, n, _ in rows] == [
            (w.doc_start, w.doc_stop) for w in windows
        ]
        near([float(null) for _, _, null in rows], null_logits(now.shown).tolist())
        near(numbers(out)[-1:], [best.value])
        assert f"answer: {now.prediction.answer}\n" in out


@twice
def test_chapter_7_prints_the_tags(name: str) -> None:
    seen = screen(name)
    rows = np.exp(owned_rows(seen.reading)[0])
    assert seen.selection is not None
    span: Span = seen.selection.span
    tagged = np.flatnonzero(rows.argmax(axis=1) != 2).tolist()
    wanted = rows[[*range(span.start, span.end + 1), *tagged]].ravel().tolist()
    near(numbers(printed(MODULES["bio"].code(seen))), wanted)


@pytest.mark.parametrize("cut", [frozenset[str](), frozenset({"left", "position"})])
def test_chapter_8_fills_the_blanks(cut: frozenset[str]) -> None:
    module, model = MODULES[KEY], load_spanbert()
    seen = screen("one")
    asked = job(seen, "load", None, reader(), infillers=ModelCache(lambda source: model))
    seen = module.receive(seen, asked, module.work(asked))
    kept = kept_of(seen)
    assert kept.lab is not None
    seen = seen.keep(KEY, replace(kept, lab=replace(kept.lab, cut=cut)))
    made = model.infill(kept.lab.masked, cut)
    wanted: list[float] = []
    for piece in made.pieces:
        for said in (piece.mlm, piece.sbo):
            if said is not None:
                wanted += [said.p, *(guess.p for guess in said.guesses[:5])]
    near(numbers(printed(module.code(seen))), [*wanted, *(term.value for term in made.code)])


@pytest.mark.parametrize(
    ("method", "kind", "name"),
    [
        ("integrated_gradients", "span_score", "one"),
        ("gradient_x_input", "start_logit", "sentence"),
        ("gradient_x_input", "span_minus_null", "several"),
        ("leave_one_out", "span_score", "sentence"),
    ],
)
def test_chapter_9_explains_the_same_number(method: str, kind: str, name: str) -> None:
    seen = screen(name)
    seen = seen.keep("why", Choice(kind=kind, method=method))  # type: ignore[arg-type]
    assert seen.selection is not None
    target = Target(kind, seen.selection.span, None, seen.selection.window)  # type: ignore[arg-type]
    made = reader().attribute(seen.reading, target, method)  # type: ignore[arg-type]
    out = printed(MODULES["why"].code(seen))
    found = numbers(out)
    assert sum(found[:2]) == pytest.approx(made.f_x, abs=1e-3)
    rows = [numbers(line) for line in out.splitlines()[-10:]]
    if method == "leave_one_out":
        total = sum(abs(a + b) for a, b in rows)
        assert total <= np.abs(made.start + made.end).sum() + 1e-2
        return
    both = made.start + made.end
    order = np.argsort(-np.abs(both), kind="stable")[:10]
    near([a + b for a, b in rows], both[order].tolist())
    if method == "integrated_gradients":
        assert made.f_baseline is not None
        near(found[2:4], [made.f_x - made.f_baseline, float(both.sum())], 5e-3)
        assert f"{made.n_steps} steps" in out
