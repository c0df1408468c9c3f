"""Measure an exported reader with both heads, tune its no-answer threshold, and write metrics.json beside it.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz --dev-v2 squad-dev-v2.json.gz

Each question is read once, as the page reads it (fp32, unpadded windows); every number comes from those readings.
"""

import argparse
import hashlib
import json
import logging
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qa_demo.core.metrics import Outcome, calibration, calibration_error, evaluate, score
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import window_prob
from qa_demo.core.squad import read_squad
from qa_demo.core.types import Example
from qa_demo.model.loading import load_reader
from qa_demo.model.scoring import Setup, outcome
from qa_demo.model.workers import set_threads, usable_cores
from qa_demo.training.export import write_checksums

log = logging.getLogger("score")
HEADS = ("span", "bio")


def measure(reader: Reader, examples: Sequence[Example]) -> tuple[dict[str, dict[str, Outcome]], dict[str, float]]:
    """Per head the outcome of every question, and the start/end head's in-window probability of its best span."""
    said: dict[str, dict[str, Outcome]] = {head: {} for head in HEADS}
    sure: dict[str, float] = {}

    def read(example: Example) -> tuple[Example, list[Outcome], float]:
        reading = reader.read(example.question, example.context)
        best, prob = predict(reading).best, 0.0
        if best is not None:
            w, span = best.candidate.window, best.candidate.span
            prob = window_prob(reading, w, reading.windows[w].to_pos(span.start), reading.windows[w].to_pos(span.end))
        return example, [outcome(reading, Setup(head)) for head in HEADS], prob

    with ThreadPoolExecutor(usable_cores()) as pool:
        for done, (example, outcomes, prob) in enumerate(pool.map(read, examples), 1):
            for head, result in zip(HEADS, outcomes, strict=True):
                said[head][example.id] = result
            sure[example.id] = prob
            if done % 200 == 0:
                log.info("%d of %d", done, len(examples))
    return said, sure


def accuracy(examples: Sequence[Example], said: dict[str, Outcome], threshold: float) -> float:
    """Percent of questions for which "answer" or "no answer" is the right choice at a threshold."""
    right = sum((said[e.id].score_diff > threshold) != bool(e.answers) for e in examples if said[e.id].score_diff is not None)
    return 100 * right / len(examples)


def best_accuracy(examples: Sequence[Example], said: dict[str, Outcome]) -> tuple[float, float]:
    """(percent, threshold) of the best choice between answering and not; tuned on these questions, so an upper bound."""
    cuts = sorted({d for o in said.values() if (d := o.score_diff) is not None})
    return max((accuracy(examples, said, cut), cut) for cut in cuts)


def metrics(reader: Reader, dev: Path, dev_v2: Path, command: str) -> dict[str, Any]:
    """All figures of the model card, with what they were measured on and by which versions."""
    answerable, mixed = read_squad(dev), read_squad(dev_v2)
    said, sure = measure(reader, answerable)
    said_v2, _ = measure(reader, mixed)
    table = calibration([sure[e.id] for e in answerable], [score(e, said["span"][e.id].text, "1.1")[0] for e in answerable])
    result: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(), "command": command,
        "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers", "numpy", "safetensors")} | {
            "python": platform.python_version()},
        "data": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (dev, dev_v2)},
        "squad_dev": {head: evaluate(answerable, said[head]) for head in HEADS},
        "squad_dev_v2": {}, "calibration": [asdict(row) for row in table], "calibration_error": calibration_error(table)}
    for head in HEADS:
        # The threshold is the one that decides best between answering and not. The one with the best F1 withholds half of
        # the right answers of this reader (F1 42 on the answerable ones), since "" scores 1 on every unanswerable question.
        percent, cut = best_accuracy(mixed, said_v2[head])
        answered = [e for e in mixed if e.answers]
        result["squad_dev_v2"][head] = evaluate(mixed, said_v2[head], cut) | {
            "threshold": cut, "answerable_f1_without_threshold": evaluate(answered, said_v2[head])["f1"],
            "best_answer_or_not_accuracy": percent}
    return result


def main(argv: list[str] | None = None) -> None:
    """Parse the command line, measure, and write metrics.json, the threshold and the checksums."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    p.add_argument("--dev", type=Path, required=True)
    p.add_argument("--dev-v2", type=Path, required=True)
    a = p.parse_args(argv)
    set_threads(1)
    shown = f"python -m qa_demo.training.score --dev {a.dev.name} --dev-v2 {a.dev_v2.name}"
    result = metrics(load_reader(str(a.reader)), a.dev, a.dev_v2, shown)
    (a.reader / "metrics.json").write_text(json.dumps(result, indent=1) + "\n")
    card = json.loads((a.reader / "reader.json").read_text())
    card["threshold"] = result["squad_dev_v2"]["span"]["threshold"]
    (a.reader / "reader.json").write_text(json.dumps(card, indent=1) + "\n")
    write_checksums(a.reader)
    sys.stdout.write(json.dumps({k: result[k] for k in ("squad_dev", "squad_dev_v2", "calibration_error")}, indent=1) + "\n")


if __name__ == "__main__":
    main()
