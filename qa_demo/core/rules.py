"""Three rules by which windows are merged into one answer.

logits            score = start logit + end logit over the pairs whose start the window owns; no
                  answer is the smallest of the windows' null scores (BERT's run_squad.py)
mean_of_maxima    the window with the highest (max P(start) + max P(end)) / 2 wins, P the softmax
                  over all its positions; its best pair by score is the answer
product           P_c(start) P_c(end) within a window, P_c the softmax over its paragraph pieces;
                  the highest product over all windows is the answer
"""

from dataclasses import replace

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading

RULES = ("logits", "mean_of_maxima", "product")


def largest(reading: Reading, window: int) -> tuple[int, int, float, float]:
    """Where P(start) and P(end) of a window are largest (positions), and how large."""
    s, e = (softmax(x.astype(np.float64)) for x in reading.logits(window))
    i, j = int(s.argmax()), int(e.argmax())
    return i, j, float(s[i]), float(e[j])


def mean_of_maxima(reading: Reading) -> list[float]:
    """(max P(start) + max P(end)) / 2 of each window, [W]."""
    tops = (largest(reading, w.index) for w in reading.windows)
    return [(start + end) / 2 for _, _, start, end in tops]


def predict_by(reading: Reading, rule: str, decode: DecodeOptions) -> Prediction:
    """The prediction under one of `RULES`. Under the last two no threshold applies: the best span
    always answers. Ties go to the earlier window.
    """
    if rule == "logits":
        return predict(reading, decode)
    if rule == "product":
        return predict(reading, decode, MergeOptions("max_context", "context_product", "none"))
    chosen = int(np.argmax(np.round(mean_of_maxima(reading), 9)))
    found = predict(reading, replace(decode, n_best_size=decode.n_best_size * len(reading.windows)))
    own = [r for r in found.n_best if r.candidate.window == chosen][: decode.n_best_size]
    if not own:  # its pairs are all below the others' hundreds: ask for every pair
        found = predict(reading, replace(decode, n_best_size=reading.start_logits.size * 30))
        own = [r for r in found.n_best if r.candidate.window == chosen][: decode.n_best_size]
    ranked = tuple(replace(r, rank=k + 1) for k, r in enumerate(own))
    return replace(found, n_best=ranked, limit=None, has_threshold=False)
