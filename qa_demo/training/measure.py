"""Read many questions, and what both heads say to each: the model card's raw material."""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from qa_demo.core.calibration import margin, pair_claim
from qa_demo.core.metrics import Outcome
from qa_demo.core.predict import predict
from qa_demo.core.spans import window_prob
from qa_demo.core.tagging import best_span, decode_reading, null_log_prob
from qa_demo.core.types import Reading, Window, WindowOptions
from qa_demo.core.windows import assemble, make_windows
from qa_demo.evaluation.calibrate import Claim, TagClaim
from qa_demo.model.reader import BertReader
from qa_demo.model.work import usable_cores

log = logging.getLogger("score")
HEADS = ("span", "bio")
Text = tuple[str, str]
"""A question and its paragraph."""
BATCH = 8
OPTIONS = WindowOptions()


def buckets(windows: Sequence[Window], size: int) -> Iterator[list[Window]]:
    """Groups of at most `size` windows of equal length, in order: nothing is padded."""
    waiting: dict[int, list[Window]] = {}
    for window in windows:
        group = waiting.setdefault(len(window), [])
        group.append(window)
        if len(group) == size:
            yield waiting.pop(len(window))
    yield from waiting.values()


def read_all(reader: BertReader, texts: Iterable[Text]) -> dict[Text, Reading]:
    """One reading of each different question and paragraph, as the page reads it (fp32, unpadded
    windows) up to rounding.

    Windows of equal length, of whatever question, go through the model together, on all cores.
    """
    encodings = {text: reader.encode(*text) for text in texts}
    plans = {text: make_windows(encoding, OPTIONS) for text, encoding in encodings.items()}
    owner = {id(w): text for text, windows in plans.items() for w in windows}
    groups = sorted(
        buckets([w for windows in plans.values() for w in windows], BATCH),
        key=lambda group: -len(group[0]),
    )
    rows: dict[tuple[Text, int], tuple[np.ndarray, np.ndarray | None]] = {}

    def run(group: list[Window]) -> None:
        span, tags = reader.forward(group)
        for b, w in enumerate(group):
            rows[owner[id(w)], w.index] = span[b], None if tags is None else tags[b]

    with ThreadPoolExecutor(usable_cores()) as pool:
        for done, _ in enumerate(pool.map(run, groups), 1):
            if done % 50 == 0:
                log.info("%d of %d batches", done, len(groups))
    about = {
        "model_name": reader.name,
        "threshold": reader.threshold,
        "checksum": reader.checksum,
        "calibrations": reader.calibrations,
    }
    return {
        text: assemble(
            encodings[text], windows, [rows[text, w.index] for w in windows], OPTIONS, **about
        )
        for text, windows in plans.items()
    }


@dataclass(frozen=True, eq=False)
class Said:
    """What a head says: its best span with score_diff, all its texts (the tags can say several),
    how sure it can be made, its probability as it stands (P_s(i) P_e(j) in its window, or the exact
    marginal of the tags; 0 without a span), and its lead over no answer (of the start/end head).
    """

    outcome: Outcome
    texts: tuple[str, ...]
    claim: Claim | None
    plain: float
    margin: float = 0.0


def says(reading: Reading, head: str) -> Said:
    """What one head says to one question."""
    if head == "span":
        prediction = predict(reading)
        if prediction.best is None:
            return Said(Outcome(""), ("",), None, 0.0)
        c = prediction.best.candidate
        home = reading.windows[c.window]
        at = home.to_pos(c.span.start), home.to_pos(c.span.end)
        found, plain = Outcome(c.text, prediction.score_diff), window_prob(reading, c.window, *at)
        return Said(found, (c.text,), pair_claim(reading, c), plain, margin(reading, c))
    tagged, texts = best_span(reading), tuple(x.text for x in decode_reading(reading))
    if tagged is None or reading.tag_logits is None:
        return Said(Outcome(""), texts, None, 0.0)
    found = Outcome(tagged.text, null_log_prob(reading) - math.log(tagged.marginal))
    w = reading.windows[tagged.window]
    tags = reading.tag_logits[w.index, : len(w)][w.is_context].astype(np.float64)
    at = tagged.span.start - w.doc_start, tagged.span.end - w.doc_start
    return Said(found, texts, TagClaim(tags, *at), tagged.marginal)
