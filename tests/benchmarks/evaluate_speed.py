"""How many questions a second `evaluate` judges, against plain torch on the same ones:

    .venv/bin/python -m tests.benchmarks.evaluate_speed FILE [--questions 200] [--rounds 3]

Plain torch is the recipe of a script: the tokenizer pads each batch of 32 to one length, the model
answers it with all threads, and the best pair of start and end is the argmax of the legal sums.
Both take turns on the same questions, so that a busy machine is busy for both; the median of the
rounds counts. Ends with 1 where `evaluate` is slower.
"""

import argparse
import statistics
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch

from qa_demo.core.metrics import exact_match, rules_of
from qa_demo.core.types import Example
from qa_demo.evaluation.questions import read_questions
from qa_demo.evaluation.run import lines, setup_of
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.work import Workers, set_threads, usable_cores

BATCH, LONGEST = 32, 30


def plain(model: Any, tokenizer: Any, examples: list[Example]) -> list[str]:
    """The best span of each question, padded batches on all threads."""
    torch.set_num_threads(usable_cores())
    answers = []
    for first in range(0, len(examples), BATCH):
        part = examples[first : first + BATCH]
        texts = [e.question for e in part], [e.context for e in part]
        lengths = {"padding": "longest", "truncation": "only_second", "max_length": 384}
        made = tokenizer(*texts, **lengths, return_offsets_mapping=True, return_tensors="pt")
        inside = np.array([[s == 1 for s in made.sequence_ids(k)] for k in range(len(part))])
        offsets = made.pop("offset_mapping").numpy()
        with torch.inference_mode():
            out = model(**made)
        for k, example in enumerate(part):
            s, e = out.start_logits[k].numpy(), out.end_logits[k].numpy()
            pairs = np.triu(s[:, None] + e[None, :])
            long = np.triu(np.ones_like(pairs, dtype=bool), LONGEST)
            legal = np.triu(np.outer(inside[k], inside[k])) & ~long
            i, j = np.unravel_index(np.where(legal, pairs, -np.inf).argmax(), pairs.shape)
            answers.append(example.context[offsets[k, i, 0] : offsets[k, j, 1]])
    return answers


def ours(reader: BertReader, examples: list[Example]) -> list[str]:
    """The best span of each question's line."""
    set_threads(1)
    setup = setup_of(reader, rules_of(examples))
    with closing(lines(reader, examples, setup, usable_cores())) as rows:
        return [row["n_best"][0]["text"] for row in rows]


def main() -> int:
    """Time both and print questions a second."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("file", type=Path)
    command.add_argument("--questions", type=int, default=200)
    command.add_argument("--rounds", type=int, default=3)
    args = command.parse_args()
    examples = read_questions(args.file).examples[: args.questions]
    reader = load_reader("bundled", workers=Workers(usable_cores()))
    loaded = reader.loaded
    runs = {
        "plain torch": lambda: plain(loaded.model, loaded.tokenizer, examples),
        "evaluate": lambda: ours(reader, examples),
    }
    for run in runs.values():  # warm
        run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    said: dict[str, list[str]] = {}
    for _ in range(args.rounds):
        for name, run in runs.items():
            began = time.perf_counter()
            said[name] = run()
            seconds[name].append(time.perf_counter() - began)
    same = sum(exact_match(a, b) for a, b in zip(*said.values(), strict=True))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        sys.stdout.write(f"{name}: {len(examples) / median:.2f} questions a second\n")
    ratio = medians["plain torch"] / medians["evaluate"]
    sys.stdout.write(f"evaluate is {ratio:.2f} times as fast; {same:.0f} best spans are the same\n")
    return 0 if ratio >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
