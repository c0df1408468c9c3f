"""The slow half of chapter 7: what needs the reader itself."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.losses import tag_targets
from qa_demo.core.learning.tag_fit import STEPS, fit_tags
from qa_demo.core.learning.tagging import with_tags
from qa_demo.core.learning.teach import Course, begin, lesson, read_with, take
from qa_demo.core.reading.words import span_at
from qa_demo.core.types import Reading
from qa_demo.views import parse
from qa_demo.views.background import Job
from qa_demo.views.bio.bench import KEY, Bench, Marked, OwnHead, Teaching, annotators, bench_of
from qa_demo.views.bio.lesson import lesson_place, teaching_of, with_teaching
from qa_demo.views.hidden_states import fetch, fetch_heads

MOST_UNDONE = 10
"""Actions on taught heads that can be taken back one by one."""
MOST_WINDOWS = 8
"""Windows of the current text that a trained head tags at most in one go."""


def material(job: Job, marked: Marked) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """States and soft targets of the labelled tokens of one marked text, [m, d] and [m, 3]."""
    reading = job.reader.read(
        marked.question, marked.context, job.screen.reading.options, None, job.cancelled
    )
    golds = [tuple(span_at(reading.encoding, *chars) for chars in spans) for spans in marked.spans]
    parts = [
        (fetch(job, reading, w), *tag_targets(w, golds)) for w in reading.windows[:MOST_WINDOWS]
    ]
    return (
        np.concatenate([h[on] for h, _, on in parts]).astype(np.float64),
        np.concatenate([t[on] for _, t, on in parts]),
    )


def train(job: Job) -> Bench:
    """Fit a head to the marked texts, then tag the current text with it."""
    bench = bench_of(job.screen)
    if not bench.marked:
        raise BadInput("no text is marked yet: mark spans with the annotators, then add this text")
    job.maker()
    found = [material(job, m) for m in bench.marked]
    fit = fit_tags(
        np.concatenate([h for h, _ in found]),
        np.concatenate([t for _, t in found]),
        STEPS,
        on_progress=job.progress,
        cancelled=job.cancelled,
    )
    head = OwnHead(fit, job.screen.reading.weights, len(bench.marked))
    return tag(
        replace(
            job, screen=job.screen.keep(KEY, replace(bench, head=head, use_own=True, teaching=None))
        )
    )


def teach(job: Job) -> Bench:
    """{"steps", "rate", "loss"}: steps on both heads with the annotators' marks."""
    given = parse.record(job.value, "a lesson", "steps", "rate", "loss")
    course = Course(**{name: given[name] for name in ("steps", "rate", "loss") if name in given})
    screen = job.screen
    found, reading, marks = lesson_place(screen), screen.reading, annotators(screen)[0]
    if found is None:
        raise BadInput(
            "two answers that stand apart in one window are needed: let the annotators mark them "
            "first"
        )
    few_windows(reading, "heads are taught on texts")
    heads = fetch_heads(job)
    hidden = [fetch(job, reading, w) for w in reading.windows]
    of = lesson(reading, found[1], marks, hidden[found[1]], screen.decode)
    teaching = teaching_of(screen)
    if teaching is None:
        first, bench = begin(of, heads), bench_of(screen)
        earlier = (
            (bench.head, bench.tagged, bench.tagged_at)
            if bench.teaching is None
            else bench.teaching.earlier
        )
        teaching = Teaching(
            reading.key,
            marks,
            found[1],
            of.floor,
            ((first, read_with(reading, first.heads, hidden)),),
            earlier,
        )
    taught = take(of, teaching.path[-1][0], course)
    path = (*teaching.path, (taught, read_with(reading, taught.heads, hidden)))
    return with_teaching(
        bench_of(screen), replace(teaching, path=(path[0], *path[1:][-MOST_UNDONE:]))
    )


def tag(job: Job) -> Bench:
    """Tag the current text with the trained head."""
    bench, reading = bench_of(job.screen), job.screen.reading
    if bench.head is None:
        raise BadInput("no head was trained on this page yet")
    if bench.head.reader != reading.weights:
        raise BadInput(
            f"the head was trained on another reader's hidden states; train one on "
            f"{reading.model_name}"
        )
    few_windows(reading, "a head trained here tags texts")
    job.maker()
    hidden = [fetch(job, reading, w) for w in reading.windows]
    return replace(
        bench,
        tagged=with_tags(reading, bench.head.fit.W, bench.head.fit.b, hidden),
        tagged_at=reading.key,
    )


def few_windows(reading: Reading, what: str) -> None:
    """Refuse a text whose windows would take seconds."""
    if len(reading.windows) > MOST_WINDOWS:
        raise BadInput(
            f"{what} of at most {MOST_WINDOWS} windows, this one has {len(reading.windows)}"
        )
