"""Integrated gradients of this project against the usual captum recipe, in one run on one model.

    python -m tests.benchmarks.attribution_cost [--tokens 128] [--repeats 3]

The usual recipe (captum's BERT tutorial): LayerIntegratedGradients on the embedding layer, 50
Gauss-Legendre steps in one batch, once for the start logit and once for the end logit, each with
its convergence delta, on a model whose weights take gradients. Ours: 20 midpoints on the word
embeddings, once for the sum of both logits (captum asked once for the sum would take half of the
recipe's time), with the gap. Both sides use one thread and the same text and weights.
"""

import argparse
import time
from typing import Any

import numpy as np
import torch

from qa_demo.core.attribution import Target, window_of
from qa_demo.core.store import READERS
from qa_demo.core.text import special_positions
from qa_demo.core.types import Reading, Span, WindowOptions
from qa_demo.model.forward import inputs_of
from qa_demo.model.loading import load_reader, pretrained
from qa_demo.model.reader import BertReader
from qa_demo.model.work import Passes

QUESTION = "Who designed the towers of the bridge?"
SENTENCES = (
    "The bridge over the river was designed by George Rotne, and its towers by Ingeborg Hansen. "
    "It opened in 1998 after seven years of work, and the towers were painted twice since then. "
)


def usual(model: Any, reader: BertReader, reading: Reading, target: Target) -> tuple[Any, float]:
    """captum's tutorial recipe with a fixed target, on a private model (its hook): [n], the gap."""
    from captum.attr import LayerIntegratedGradients

    window = window_of(reading, target)
    kept = special_positions(reading.encoding, window)
    ids, pad = torch.tensor(window.input_ids)[None], reader.tokenizer.pad_token_id
    base = torch.tensor(np.where(kept, window.input_ids, pad))[None]
    types = inputs_of(model, window)["token_type_ids"]
    rows, gap = [], 0.0
    for name, at in zip(("start_logits", "end_logits"), window.positions(target.span), strict=True):

        def forward(x: torch.Tensor, name: str = name, at: int = at) -> torch.Tensor:
            kinds = types.expand(len(x), -1)
            out = model(input_ids=x, attention_mask=torch.ones_like(x), token_type_ids=kinds)
            return getattr(out, name)[:, at]

        method = LayerIntegratedGradients(forward, model.base_model.embeddings)
        found, delta = method.attribute(ids, base, n_steps=50, return_convergence_delta=True)
        rows.append(found.sum(-1)[0].detach().numpy())
        gap += float(delta[0])
    return np.sum(rows, axis=0), gap


def main() -> None:
    """Run both sides in turn, and print the medians of times and ratio, and agreement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    reader = load_reader("bundled")
    reader.passes = Passes(1)
    options = WindowOptions(max_seq_length=args.tokens, doc_stride=args.tokens // 2)
    reading = reader.read(QUESTION, SENTENCES * (1 + args.tokens // 20), options)
    target = Target("span_score", Span(8, 9), window=0)  # George Rotne
    private = pretrained(READERS["bundled"], "question-answering")[0].eval().requires_grad_(True)
    ours, recipe = list[float](), list[float]()
    for _ in range(args.repeats):  # in turn, so that a busy minute falls on both sides
        began = time.process_time()
        found = reader.attribute(reading, target, baseline="pad", n_steps=20)
        middle = time.process_time()
        values, gap = usual(private, reader, reading, target)
        ours.append(middle - began)
        recipe.append(time.process_time() - middle)
    rank = np.corrcoef(*(np.argsort(np.argsort(x)) for x in (found.values, values)))[0, 1]
    print(f"{args.tokens} tokens, 20 steps: {np.median(ours):.2f} s, gap {found.gap:+.4f} logits")
    print(f"usual recipe, 2 x 50 steps: {np.median(recipe):.2f} s, gap {gap:+.4f} logits")
    print(f"{np.median(np.divide(recipe, ours)):.2f} times faster, rank correlation {rank:.3f}")


if __name__ == "__main__":
    main()
