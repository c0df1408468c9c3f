"""The sentence of chapter 5: where training would push, and whether the prediction is gold."""

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.learning.losses import Golds, start_end_loss, start_end_targets
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.labels import Labels
from qa_demo.figures.loss.picture import distinct, is_right
from qa_demo.figures.numbers import mean, percent
from qa_demo.figures.prose import named, quoted


def loss_notice(reading: Reading, labels: Labels, prediction: Prediction, window: int) -> str:
    """The window's larger half, where its probability went, and whether the answer is the label."""
    golds, w = labels.golds, reading.windows[window]
    terms = start_end_loss(reading, golds, [window])
    printed = mean([t.value for t in terms]).addends
    alike = printed[0] == printed[1]
    worse = 0 if alike or terms[0].value >= terms[1].value else 1
    target, p = start_end_targets(w, golds)[worse], softmax(reading.logits(window)[worse])
    rival, share = int(np.argmax(np.where(target > 0, -1.0, p))), float(p[target > 0].sum())
    here = f" in window {window + 1}" if len(reading.windows) > 1 else ""
    name = terms[worse].name
    other = named(reading, window, rival)
    theirs = percent(float(p[rival]))
    if _both_lead(reading, window, golds):
        larger = "which costs as much as the end" if alike else "with the larger loss of the two"
        said = [
            f"Both labels lead: the {name}, {larger}, has "
            f"{percent(share)} of the probability{here}; "
            f"{other} follows with {theirs}."
        ]
    else:
        costs = "Both cost the same: the start's" if alike else f"The {name} costs more: its"
        said = [
            f"{costs} label has {percent(share)} of the probability{here}, "
            f"while the wrong {other} has {theirs}."
        ]
    answer = "no answer" if prediction.answer is None else quoted(prediction.answer)
    if is_right(golds, prediction):
        said.append(
            f"Prediction says {answer}, which is "
            f"{'one label' if len(distinct(golds)) > 1 else 'the label'}."
        )
    else:
        said.append(
            f"Prediction says {answer}, which is not the label; the loss knows nothing of that, "
            f"it reads the probability at the "
            "label."
        )
    return " ".join(said)


def _both_lead(reading: Reading, window: int, golds: Golds) -> bool:
    pairs = zip(
        reading.logits(window), start_end_targets(reading.windows[window], golds), strict=True
    )
    return all(t[int(np.argmax(x))] > 0 for x, t in pairs)
