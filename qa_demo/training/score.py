"""Measure an exported reader with both heads, fit its calibrations, choose its threshold, and write
metrics.json beside it.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz \\
        --dev-v2 squad-dev-v2.json.gz --lists multispanqa.json.gz qed-train.json.gz

Each question is read once, as the page reads it (fp32, unpadded windows); every number comes from
those readings. Of the files with lists only the questions that no training sees are read
(qa_demo.training.apart).
"""

import hashlib
import json
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.abstain import MOST_LOST, trade
from qa_demo.core.metrics import (
    Outcome,
    calibration,
    calibration_error,
    evaluate,
    expected_error,
    score,
)
from qa_demo.core.squad import read_squad
from qa_demo.core.temperature import Claim, chance, fit
from qa_demo.core.types import Calibration, Example
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.workers import set_threads
from qa_demo.training.apart import held_out
from qa_demo.training.export import write_checksums
from qa_demo.training.flags import described
from qa_demo.training.measure import (
    HEADS,
    Said,
    plain_prob,
    read_all,
    says,
    scored_lists,
    versions,
)

log = logging.getLogger("score")


def halves(examples: Sequence[Example]) -> tuple[list[int], list[int]]:
    """Indices of two halves that share no article: titles in an order fixed by a seed, dealt until
    one half holds half the questions.

    Questions of one article are alike, so a temperature fitted and measured on the same article
    would look better than it is.
    """
    titles = sorted({e.title for e in examples})
    first: set[str] = set()
    for title in (titles[k] for k in np.random.default_rng(0).permutation(len(titles))):
        if 2 * sum(e.title in first for e in examples) < len(examples):
            first.add(title)
    return [k for k, e in enumerate(examples) if e.title in first], [
        k for k, e in enumerate(examples) if e.title not in first
    ]


def reliability(
    examples: Sequence[Example], said: Sequence[Said], before: Sequence[float]
) -> dict[str, Any]:
    """A calibration fitted on all questions, and reliability by fits that did not see the article:
    fitted on each half of the articles, measured on the other.

    `before` are the probabilities without calibration, for each question. `chance_error` is the
    mean distance that perfectly calibrated probabilities would show on so many questions, by the
    draw of the outcomes alone.
    """
    asked = [k for k in range(len(examples)) if said[k].claim is not None]
    right = {k: score(examples[k], said[k].outcome.text, "1.1")[0] for k in asked}

    def fitted(of: Sequence[int]) -> Calibration:
        return fit([_claim(said[k]) for k in of], [right[k] for k in of])

    sides = [[k for k in half if k in right] for half in halves(examples)]
    fits = [fitted(side) for side in sides]
    after = {k: chance(_claim(said[k]), fits[1 - side]) for side in (0, 1) for k in sides[side]}
    outcomes = [right[k] for k in asked]
    claimed = {"before": [before[k] for k in asked], "after": [after[k] for k in asked]}
    tables = {name: calibration(probs, outcomes) for name, probs in claimed.items()}
    return (
        {**asdict(fitted(asked)), "measured_on": len(asked)}
        | {
            "halves": [
                {**asdict(found), "fitted_on": len(side)}
                for found, side in zip(fits, sides, strict=True)
            ]
        }
        | {name: [asdict(row) for row in table] for name, table in tables.items()}
        | {f"error_{name}": calibration_error(table) for name, table in tables.items()}
        | {"chance_error": expected_error(claimed["after"])}
    )


def _claim(said: Said) -> Claim:
    assert said.claim is not None
    return said.claim


def withheld(
    examples: Sequence[Example], said: Mapping[str, Outcome]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scores at the chosen threshold, and the curve: the best choice between answering and not that
    costs the answerable questions at most MOST_LOST points of F1. The threshold with the best F1 of
    all would withhold half of the right answers of a weak reader, since "" scores 1 on every
    unanswerable question.
    """
    line = trade(examples, said)
    chosen, best = line.choose(MOST_LOST), line.choose(100.0)
    answered = [e for e in examples if e.answers]
    scores = evaluate(examples, said, chosen.threshold) | {
        "threshold": chosen.threshold,
        "answerable_f1_without_threshold": evaluate(answered, said)["f1"],
        "answer_or_not_accuracy": chosen.accuracy,
        "best_answer_or_not_accuracy": best.accuracy,
        "best_answer_or_not_threshold": best.threshold,
    }
    return scores, {
        "answerable": len(answered),
        "unanswerable": len(examples) - len(answered),
        "points": [asdict(p) for p in line.curve()],
        "chosen": asdict(chosen),
    }


def lists(
    files: Mapping[str, Sequence[Example]], said: Mapping[tuple[str, str], Mapping[str, Said]]
) -> dict[str, Any]:
    """MultiSpanQA's two measures of both heads, for each file and for all together."""
    parts = {**files, "all": [e for examples in files.values() for e in examples]}
    return {
        name: {
            head: asdict(
                scored_lists(examples, [said[e.question, e.context][head] for e in examples])
            )
            for head in HEADS
        }
        for name, examples in parts.items()
        if examples
    }


def digests(*files: Path) -> dict[str, str]:
    """The SHA-256 of files, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def speed(questions: int, seconds: float) -> dict[str, float]:
    """How fast questions were read."""
    return {
        "questions": questions,
        "seconds": round(seconds, 1),
        "questions_per_second": round(questions / seconds, 1),
    }


def metrics(
    reader: BertReader, dev: Path, dev_v2: Path, list_files: Sequence[Path], command: str
) -> dict[str, Any]:
    """All figures of the model card, with what they were measured on and by which versions."""
    answerable, mixed = read_squad(dev), read_squad(dev_v2)
    kept = {path.name: held_out(read_squad(path)) for path in list_files}
    every = [*answerable, *mixed, *(e for examples in kept.values() for e in examples)]
    began = time.perf_counter()
    readings = read_all(reader, dict.fromkeys((e.question, e.context) for e in every))
    taken = time.perf_counter() - began
    said = {
        text: {head: says(reading, head) for head in HEADS} for text, reading in readings.items()
    }
    decoded = time.perf_counter() - began - taken
    log.info("%d questions read in %.0f s, decoded in %.0f s", len(readings), taken, decoded)

    def of(head: str, examples: Sequence[Example]) -> dict[str, Outcome]:
        return {e.id: said[e.question, e.context][head].outcome for e in examples}

    result: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "versions": versions("torch", "transformers", "tokenizers", "numpy", "safetensors"),
        "data": digests(dev, dev_v2, *list_files),
        "speed": speed(len(readings), taken),
        "squad_dev": {head: evaluate(answerable, of(head, answerable)) for head in HEADS},
        "squad_dev_v2": {},
        "threshold_curve": {},
        "reliability": {
            head: reliability(
                answerable,
                [said[e.question, e.context][head] for e in answerable],
                [plain_prob(readings[e.question, e.context], head) for e in answerable],
            )
            for head in HEADS
        },
    }
    for head in HEADS:
        result["squad_dev_v2"][head], result["threshold_curve"][head] = withheld(
            mixed, of(head, mixed)
        )
    return result | ({"lists": lists(kept, said)} if kept else {})


def main(argv: list[str] | None = None) -> None:
    """Parse the command line, measure, and write metrics.json, threshold, calibrations and
    checksums.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "score")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    p.add_argument("--dev", type=Path, required=True, help="answerable questions")
    p.add_argument("--dev-v2", type=Path, required=True, help="answerable and unanswerable ones")
    p.add_argument("--lists", type=Path, nargs="*", default=[], help="files with lists of answers")
    a = p.parse_args(argv)
    set_threads(1)
    shown = f"python -m qa_demo.training.score --dev {a.dev.name} --dev-v2 {a.dev_v2.name}"
    shown += f" --lists {' '.join(path.name for path in a.lists)}" if a.lists else ""
    result = metrics(load_reader(str(a.reader)), a.dev, a.dev_v2, a.lists, shown)
    (a.reader / "metrics.json").write_text(json.dumps(result, indent=1) + "\n")
    card = json.loads((a.reader / "reader.json").read_text())
    card["threshold"] = result["squad_dev_v2"]["span"]["threshold"]
    card.pop("temperatures", None)  # of readers that were measured before there were biases
    card["calibration"] = {
        head: {name: result["reliability"][head][name] for name in ("temperature", "bias")}
        for head in HEADS
    }
    (a.reader / "reader.json").write_text(json.dumps(card, indent=1) + "\n")
    write_checksums(a.reader)
    sys.stdout.write(
        json.dumps(
            {k: result[k] for k in ("speed", "squad_dev", "squad_dev_v2", "lists") if k in result},
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
