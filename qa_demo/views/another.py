"""Another reader on the text that stands on the screen: both readings side by side in the menu of
readers, while the reader in use stays.
"""

from dataclasses import replace
from typing import Any

from qa_demo.core.reader import check_not_typed
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading
from qa_demo.figures.opened import as_row, opened
from qa_demo.figures.pack import printable
from qa_demo.views import parse
from qa_demo.views.background import Background, Busy, Job
from qa_demo.views.frame import Frame
from qa_demo.views.state import Screen
from qa_demo.views.update import Update

EVENT = "compare"


def wire(frame: Frame, picture: str) -> None:
    """Answer `compare` {reader} of a picture: the other reader is loaded and reads what the screen
    shows; the result goes to the same picture as {"compare": ...}.
    """

    def receive(screen: Screen, job: Job, found: Reading) -> Update:
        return Update(pictures={picture: {EVENT: compared(screen, found)}})

    task = Background(
        "another reader", read_again, receive, {EVENT: Busy("another reader", "window")}, loads=True
    )
    frame.slow.wire_task(picture, EVENT, task)


def read_again(job: Job) -> Reading:
    """The reading of the screen's texts by the reader that was named. Errors: BadInput for typed
    numbers, which no text made, and whatever loading and reading refuse.
    """
    check_not_typed(job.screen.reading)
    given = job.value if isinstance(job.value, dict) else {}
    name = parse.text(given.get("reader"), "the reader", 1000)
    texts, options = job.screen.reading.encoding, job.screen.reading.options
    return job.services.read(
        name, texts.question, texts.context, options, job.progress, job.cancelled
    )


def compared(screen: Screen, other: Reading) -> dict[str, Any]:
    """Both readings as the browser draws them, each under its own threshold and the screen's other
    options; `note` says what else is not alike.
    """
    texts, windows = screen.reading.encoding, screen.reading.options
    rows, both = [], (screen.reading, other)
    for reading in both:
        decode = replace(screen.decode, null_score_diff_threshold=reading.threshold or 0.0)
        prediction = predict(reading, decode, screen.merge)
        rows.append(as_row(reading, prediction))
    readings = [
        {"name": reading.model_name} | one for reading, one in zip(both, opened(*rows), strict=True)
    ]
    names = [one["name"] for one in readings]
    if names[0] == names[1]:
        for one, letter in zip(readings, "AB", strict=True):
            one["name"] += f" ({letter})"
    note = ""
    if other.options != windows:
        note = (
            f"{names[1]} has fewer positions, so its windows hold {other.options.max_seq_length} "
            f"tokens, not {windows.max_seq_length}."
        )
    return {
        "question": printable(texts.question),
        "text": printable(texts.context),
        "gold": [[one.char_start, one.char_end] for one in screen.gold if one.char_start >= 0],
        "readings": readings,
        "note": note,
    }
