"""What windows that follow each other more closely cost and buy: exact match, F1 and windows
of questions on long texts, for several steps. Writes window_steps.json beside the weights,
out of their list, which it names: with other weights it is not shown.

A long text is the question's paragraph between its neighbours of the same article, at a place drawn
by the seed. The answers are those of the file, and one is always given (SQuAD 1.1). Differences are
paired, question by question.
"""

import json
import logging
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.measured import STEPS, WindowStep, weights_of
from qa_demo.core.measuring.metrics import score
from qa_demo.core.measuring.squad import read_squad
from qa_demo.core.predict import predict
from qa_demo.core.types import Answer, Example, WindowOptions
from qa_demo.model.loading import load_reader
from qa_demo.training.flags import described, exit_code

log = logging.getLogger(__name__)
JOINT = "\n\n"


def lengthened(example: Example, article: Sequence[str], words: int, rng: random.Random) -> Example:
    """The example with neighbours of its paragraph around it, until it has so many words."""
    at = article.index(example.context)
    first, last = at, at + 1
    while sum(len(p.split()) for p in article[first:last]) < words:
        sides = [side for side, there in ((0, first > 0), (1, last < len(article))) if there]
        if not sides:
            break
        first, last = (first - 1, last) if rng.choice(sides) == 0 else (first, last + 1)
    shift = sum(len(p) + len(JOINT) for p in article[first:at])
    answers = tuple(Answer(a.text, a.char_start + shift) for a in example.answers)
    return replace(example, context=JOINT.join(article[first:last]), answers=answers)


def long_texts(examples: Sequence[Example], words: int, limit: int, seed: int) -> list[Example]:
    """So many answerable questions on long texts, drawn by the seed. Errors: BadInput where there
    are fewer.
    """
    asked = [e for e in examples if e.answers]
    if len(asked) < limit:
        raise BadInput(f"--limit is {limit} questions, --dev has {len(asked)} with an answer")
    articles: dict[str, dict[str, None]] = {}
    for example in examples:
        articles.setdefault(example.title, {})[example.context] = None
    rng = random.Random(seed)
    drawn = rng.sample(asked, limit)
    return [lengthened(e, list(articles[e.title]), words, rng) for e in drawn]


def measure(reader: Any, examples: Sequence[Example], steps: Sequence[int]) -> list[WindowStep]:
    """One row a step; `better` and `worse` count questions against the first step, by F1."""
    found: list[WindowStep] = []
    first: list[float] = []
    n = len(examples)
    for step in steps:
        windows = 0
        marks: list[tuple[float, float]] = []
        for example in examples:
            options = WindowOptions(doc_stride=step)
            reading = reader.read(example.question, example.context, options)
            best = predict(reading).best
            marks.append(score(example, "" if best is None else best.candidate.text, "1.1"))
            windows += len(reading.windows)
        f1 = [mark for _, mark in marks]
        first = first or f1
        found.append(
            WindowStep(
                step,
                round(100 * sum(mark for mark, _ in marks) / n, 2),
                round(100 * sum(f1) / n, 2),
                sum(a > b for a, b in zip(f1, first, strict=True)),
                sum(a < b for a, b in zip(f1, first, strict=True)),
                round(windows / n, 2),
            )
        )
        log.info("%s", asdict(found[-1]))
    return found


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line, measure, and write window_steps.json."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "window_steps")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    p.add_argument("--dev", type=Path, required=True, help="questions on whole articles")
    p.add_argument("--words", type=int, default=700, help="of a long text, at least")
    p.add_argument("--limit", type=int, default=300, help="questions")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, nargs="+", default=[128, 192, 256])
    a = p.parse_args(argv)
    examples = long_texts(read_squad(a.dev), a.words, a.limit, a.seed)
    rows = measure(load_reader(str(a.reader)), examples, a.steps)
    weights = weights_of(a.reader)
    if weights is None:
        raise BadInput(f"{a.reader.name} has no checksums.json that names its weights")
    result = {
        "weights": weights,
        "date": datetime.now(UTC).date().isoformat(),
        "data": a.dev.name,
        "seed": a.seed,
        "questions": len(examples),
        "words": round(sum(len(e.context.split()) for e in examples) / len(examples)),
        "steps": [asdict(row) for row in rows],
    }
    (a.reader / STEPS).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
