"""What closer windows cost and buy: a sentence computed from what was measured beside a reader."""

from qa_demo.core.measuring.measured import Measured
from qa_demo.figures.numbers import number
from qa_demo.figures.prose import listed


def steps_sentence(figures: Measured | None) -> tuple[str, ...]:
    """The sentence, or nothing for a reader that came without such figures."""
    found = None if figures is None else figures.window_steps
    if found is None or len(found.steps) < 2:
        return ()
    by_step = sorted(found.steps, key=lambda row: row.doc_stride)
    closest, widest = by_step[0], by_step[-1]
    best = max(by_step, key=lambda row: row.f1)
    steps, marks, windows = (
        listed(texts)
        for texts in (
            [f"{row.doc_stride}" for row in by_step],
            [number(row.f1, 1) for row in by_step],
            [number(row.windows, 1) for row in by_step],
        )
    )
    buys = "the highest F1" if best is closest else "no higher F1"
    return (
        f"Measured with this reader on {found.questions:,} questions, texts of {found.words:,} "
        f"words on average: with a step of {steps} the F1 is {marks}, at {windows} windows a text. "
        f"The closest windows bring {buys} and cost {number(closest.windows / widest.windows, 1)} "
        f"times the windows of the widest step.",
    )
