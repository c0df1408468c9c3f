"""The JSON of `bench`: what follows from logits or probabilities typed by hand."""

from typing import Any

from qa_demo.core.arrays import softmax
from qa_demo.core.course.bench import Bench
from qa_demo.core.files.report import answer_json, finite, loss_json
from qa_demo.core.files.report_tag import tag_json
from qa_demo.core.learning.losses import cross_entropy_gradient, start_end_targets
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading


def bench_json(bench: Bench) -> dict[str, Any]:
    """Every position with its logits, softmax, target t and slope p - t; the answer, the loss (null
    where nothing is marked as right) and the tags (null where none are typed), as the commands of
    these names print them.
    """
    reading, golds = bench.reading(), bench.spans()
    return finite(
        {
            "positions": _positions(bench, reading),
            "read": answer_json(reading, predict(reading)),
            "loss": loss_json(reading, golds) if golds else None,
            "tag": None if reading.tag_logits is None else tag_json(reading),
        }
    )


def _positions(bench: Bench, reading: Reading) -> list[dict[str, Any]]:
    """One row for each position of each window; without golds there is no target."""
    golds, rows = bench.spans(), []
    for window in reading.windows:
        logits = reading.logits(window.index)
        targets = start_end_targets(window, golds)
        p = [softmax(x) for x in logits]
        slopes = [cross_entropy_gradient(x, t) for x, t in zip(logits, targets, strict=True)]
        for pos, token in enumerate(reading.tokens(window.index)):
            row: dict[str, Any] = {"window": window.index, "position": pos, "token": token}
            for side, name in enumerate(("start", "end")):
                row |= {
                    f"{name}_logit": float(logits[side][pos]),
                    f"{name}_p": float(p[side][pos]),
                    f"{name}_t": float(targets[side][pos]) if golds else None,
                    f"{name}_slope": float(slopes[side][pos]) if golds else None,
                }
            rows.append(row)
    return rows
