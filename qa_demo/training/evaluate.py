"""Quick dev scores while training: exact and F1 of both heads, decoded as on the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import exact_match, f1
from qa_demo.core.measuring.squad import read_squad
from qa_demo.core.predict import predict
from qa_demo.core.tagging import best_span
from qa_demo.core.types import Example, Reading, WindowOptions
from qa_demo.core.windows import assemble, make_windows
from qa_demo.model.tokenizer import encode

OPTIONS = WindowOptions()


def answerable(path: str | Path) -> list[Example]:
    """A file's questions that have an answer: of no other can the best span be right. Errors:
    BadInput for a file without any.
    """
    found = [example for example in read_squad(path) if example.answers]
    if not found:
        raise BadInput(f"{Path(path).name} holds no question with an answer to score")
    return found


@torch.no_grad()
def readings(model: Any, tokenizer: Any, examples: Sequence[Example]) -> list[Reading]:
    """Run a two-headed model over examples, equal windows together; the same logits as alone."""
    device = next(model.parameters()).device
    encodings = [encode(tokenizer, x.question, x.context) for x in examples]
    plans = [make_windows(e, OPTIONS) for e in encodings]
    jobs = sorted(
        ((len(w), k, w) for k, ws in enumerate(plans) for w in ws), key=lambda job: job[:2]
    )
    logits: dict[tuple[int, int], tuple[np.ndarray, np.ndarray | None]] = {}
    model.eval()
    for first in range(0, len(jobs), 8):
        group = jobs[first : first + 8]
        longest = group[-1][0]
        ids, types, mask = (torch.zeros(len(group), longest, dtype=torch.long) for _ in range(3))
        for b, (n, _, w) in enumerate(group):
            ids[b, :n], types[b, :n], mask[b, :n] = (
                torch.tensor(w.input_ids),
                torch.tensor(w.token_type_ids),
                1,
            )
        s, e, t = (
            x.float().cpu().numpy()
            for x in model(ids.to(device), mask.to(device), types.to(device))
        )
        for b, (n, k, w) in enumerate(group):
            logits[k, w.index] = np.stack([s[b, :n], e[b, :n]], axis=-1), t[b, :n]
    return [
        assemble(e, ws, [logits[k, w.index] for w in ws], OPTIONS, model_name="training")
        for k, (e, ws) in enumerate(zip(encodings, plans, strict=True))
    ]


def quick_scores(model: Any, tokenizer: Any, examples: Sequence[Example]) -> dict[str, float]:
    """Exact and F1 (percent) of the best span and the best tagged span, SQuAD 1.1 rules."""
    sums = dict.fromkeys(("exact", "f1", "bio_exact", "bio_f1"), 0.0)
    for example, reading in zip(examples, readings(model, tokenizer, examples), strict=True):
        golds = [a.text for a in example.answers]
        best = predict(reading).best
        tagged = best_span(reading)
        for prefix, text in (
            ("", best.candidate.text if best else ""),
            ("bio_", tagged.text if tagged else ""),
        ):
            sums[prefix + "exact"] += max(exact_match(g, text) for g in golds)
            sums[prefix + "f1"] += max(f1(g, text) for g in golds)
    model.train()
    return {k: round(100 * v / len(examples), 2) for k, v in sums.items()}
