"""Chapter 2, step 3 as data: the head on every layer, the winner's rank."""

from typing import Any

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.reading.lens import Lens
from qa_demo.core.types import Reading, Span
from qa_demo.figures.numbers import number, probability
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import named, piece
from qa_demo.figures.reading import of_window


def layers_data(found: Lens) -> dict[str, Any]:
    """Logits [N + 1, n] of both lanes."""
    return {
        "rows": int(found.start.shape[0]),
        "n": int(found.start.shape[1]),
        "start": floats(found.start),
        "end": floats(found.end),
    }


def settled(ranks: np.ndarray) -> int | None:
    """The first layer from which a token leads up to the last; None if it does not at the end."""
    if ranks[-1] != 1:
        return None
    behind = np.flatnonzero(ranks != 1)
    return int(behind[-1]) + 1 if len(behind) else 0


def rank_table(reading: Reading, window: int, found: Lens, best: Span) -> dict[str, Any]:
    """The rank of the window's best start and end at every layer, and who leads instead."""
    ranks = found.ranks(best.start, best.end)
    rows = []
    for layer in range(len(found.start)):
        row = ["embeddings" if layer == 0 else f"layer {layer}"]
        for logits, rank, at in (
            (found.start[layer], ranks[0][layer], best.start),
            (found.end[layer], ranks[1][layer], best.end),
        ):
            row += [
                str(int(rank)),
                number(float(logits[at])),
                probability(float(softmax(logits)[at])),
                printable(piece(reading, window, int(np.argmax(logits)))),
            ]
        rows.append(row)
    head = ["layer"]
    for side in ("start", "end"):
        head += [f"{side} rank", f"{side}_logit", f"P({side})", f"leads as {side}"]
    start, end = (named(reading, window, p) for p in (best.start, best.end))
    return table(
        f"The head as a lens on every layer: start {start} and end {end} of the best span"
        f"{of_window(reading, window)}",
        head,
        rows,
    )


def layers_notice(reading: Reading, window: int, found: Lens, best: Span) -> str:
    """From which layer on the winner leads, and whether that is before the head's own layer."""
    last = len(found.start) - 1
    said = []
    for lane, ranks, at in zip(
        ("start", "end"), found.ranks(best.start, best.end), (best.start, best.end), strict=True
    ):
        name, since = named(reading, window, at), settled(ranks)
        if since is None:
            said.append(
                f"the {lane} {name} does not lead even the last layer (rank {int(ranks[-1])} of "
                f"{found.start.shape[1]})"
            )
        elif since == last and last:
            how = f"again in layer {last}" if 1 in ranks[:-1] else f"in layer {last} only"
            said.append(f"the {lane} {name} leads {how} (rank {int(ranks[-2])} one layer before)")
        else:
            said.append(
                f"the {lane} {name} leads from "
                f"{'the embeddings' if since == 0 else f'layer {since}'} on"
            )
    return (
        f"Seen through the head, {said[0]}, and {said[1]}. The head was trained on layer {last} "
        "only, so a low rank below it does not mean that the layer does not know the answer."
    )
