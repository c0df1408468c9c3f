"""The ten lines of docs/api.md against the same work with transformers and captum by hand: lines,
time, and that both find the same spans and shares.

    python -m tests.benchmarks.ten_lines [--questions 200]
"""

import argparse
import contextlib
import os
import tempfile
import time
from itertools import cycle, islice
from typing import Any

from qa_demo.examples import load_menu
from tests.documents import PYTHON, ROOT

BY_HAND = """
import numpy as np
import pandas as pd
import torch
from captum.attr import LayerIntegratedGradients
from transformers import AutoModelForQuestionAnswering, AutoTokenizer
folder = "assets/reader"
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForQuestionAnswering.from_pretrained(folder, dtype=torch.float32).eval()
logits, spans, windows, first = [], [], [], None
for n, (question, context) in enumerate(asked):
    used = len(tokenizer(question, add_special_tokens=False, max_length=64, truncation=True)["input_ids"])
    room = 384 - used - 3
    made = tokenizer(question, context, max_length=384, truncation="only_second", stride=room - 128,
        return_overflowing_tokens=True, return_offsets_mapping=True)
    found = []
    for k in range(len(made["input_ids"])):
        given = {n: torch.tensor([made[n][k]]) for n in ("input_ids", "token_type_ids", "attention_mask")}
        with torch.no_grad():
            out = model(**given)
        start, end = out.start_logits[0].numpy(), out.end_logits[0].numpy()
        logits.append(np.stack([start, end]))
        inside = [p for p, side in enumerate(made.sequence_ids(k)) if side == 1]
        windows.append((n, 128 * k, 128 * k + len(inside)))
        offsets = made["offset_mapping"][k]
        for s in inside:
            nearest = [min(128 * j + n - 1 - d, d - 128 * j) + 0.01 * n for j, n, d in (
                (j, sum(x == 1 for x in made.sequence_ids(j)), 128 * k + s - inside[0])
                for j in range(len(made["input_ids"]))) if 128 * j <= d < 128 * j + n]
            if min(s - inside[0], inside[-1] - s) + 0.01 * len(inside) < max(nearest):
                continue
            for e in range(s, min(s + 30, inside[-1] + 1)):
                found.append((start[s] + end[e], start[s], end[e], offsets[s][0], offsets[e][1], k))
        if first is None:
            first = given, question
    for score, start, end, begins, ends, k in sorted(found, reverse=True)[:20]:
        spans.append({"asked": n, "text": context[begins:ends], "score": score, "window": k})
spans, windows = pd.DataFrame(spans), pd.DataFrame(windows)
given = first[0]
out = model(**given)
s, e = logits[0].argmax(1)
def score(ids, kinds, mask):
    out = model(input_ids=ids, token_type_ids=kinds, attention_mask=mask)
    start, end = out.start_logits, out.end_logits
    return start[:, s] + end[:, e]
ids = given["input_ids"]
special = torch.isin(ids, torch.tensor([tokenizer.cls_token_id, tokenizer.sep_token_id]))
empty = torch.where(special, ids, tokenizer.pad_token_id)
explain = LayerIntegratedGradients(score, model.bert.embeddings.word_embeddings)
steps, gap = 20, 1.0
while gap > 0.02 and steps <= 640:
    shares, delta = explain.attribute(ids, empty, additional_forward_args=(given["token_type_ids"],
        given["attention_mask"]), n_steps=steps, method="riemann_middle", internal_batch_size=20,
        return_convergence_delta=True)
    shares = shares.sum(-1)[0].detach()
    gap, steps = float(abs(delta) / abs(shares.sum())), 2 * steps
shares = pd.Series(shares.numpy(), tokenizer.convert_ids_to_tokens(ids[0]))
grid = logits[0][0][:, None] + logits[0][1][None]
import plotly.express as px
px.imshow(grid).write_html("square.html")
"""


def both(asked: list[tuple[str, str]], folder: str) -> list[tuple[dict[str, Any], int, float]]:
    """What the two find of the same texts, their lines without imports, and their seconds."""
    runs = []
    for code in (PYTHON[1], BY_HAND):
        found, began = {"asked": asked}, time.perf_counter()
        exec(code.replace("square.html", f"{folder}/{len(runs)}.html"), found)
        count = sum("import" not in line for line in code.splitlines() if line.strip())
        runs.append((found, count, time.perf_counter() - began))
    (ours, *_), (hand, *_) = runs
    for x, y in zip(ours["logits"], hand["logits"], strict=True):
        assert abs(x - y).max() < 1e-3
    assert ours["spans"]["text"][0] == hand["spans"]["text"][0]
    assert (ours["windows"] == hand["windows"]).all(axis=None)
    assert abs(ours["shares"].to_numpy() - hand["shares"].to_numpy()).max() < 0.1
    return runs


def main() -> None:
    """Run both, and tell how they differ."""
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--questions", type=int, default=200)
    a = p.parse_args()
    texts = [(q, e.context) for e in load_menu().values() for q in (e.question, *e.others)]
    asked = list(islice(cycle(texts), a.questions))
    with contextlib.chdir(ROOT), tempfile.TemporaryDirectory() as folder:
        for name, (_, count, seconds) in zip(("ours", "by hand"), both(asked, folder), strict=True):
            print(f"{name}: {count} lines, {seconds:.1f} s")
    print(f"the same logits, spans and shares; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
