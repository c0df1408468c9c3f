"""The slow half of chapter 7: steps on both heads."""

from dataclasses import replace

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.teach import Course, begin, lesson, read_with, take
from qa_demo.views import parse
from qa_demo.views.background import Job
from qa_demo.views.bio.bench import Teaching, annotators
from qa_demo.views.bio.lesson import lesson_place, teaching_of
from qa_demo.views.hidden_states import fetch, fetch_heads

MOST_UNDONE = 10
"""Actions on taught heads that can be taken back one by one."""
MOST_WINDOWS = 8
"""Windows of a text whose hidden states a lesson needs, at most."""


def teach(job: Job) -> Teaching:
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
    if len(reading.windows) > MOST_WINDOWS:
        raise BadInput(
            f"heads are taught on texts of at most {MOST_WINDOWS} windows, this one has "
            f"{len(reading.windows)}"
        )
    heads = fetch_heads(job)
    hidden = [fetch(job, reading, w) for w in reading.windows]
    of = lesson(reading, found[1], marks, hidden[found[1]], screen.decode)
    teaching = teaching_of(screen)
    if teaching is None:
        first = begin(of, heads)
        teaching = Teaching(
            reading.key,
            marks,
            found[1],
            of.floor,
            ((first, read_with(reading, first.heads, hidden)),),
        )
    taught = take(of, teaching.path[-1][0], course)
    path = (*teaching.path, (taught, read_with(reading, taught.heads, hidden)))
    return replace(teaching, path=(path[0], *path[1:][-MOST_UNDONE:]))
