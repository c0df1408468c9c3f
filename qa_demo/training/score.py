"""Measure an exported reader with both heads, fit its calibrations, choose its threshold, and write
metrics.json beside it.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz \\
        --dev-v2 squad-dev-v2.json.gz --lists multispanqa.json.gz qed-train.json.gz

Each question is read once, as the page reads it (fp32, unpadded windows); every number comes from
those readings. Of the files with lists only the questions that no training sees are read
(qa_demo.training.data). What `pace` puts into metrics.json stays.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import Outcome, evaluate, score
from qa_demo.core.types import Example
from qa_demo.evaluation.calibrate import Asked, claim_reliability, reliability
from qa_demo.evaluation.questions import read_squad
from qa_demo.evaluation.threshold import MOST_LOST, trade
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import LOOPBACK, sha256
from qa_demo.training.data import held_out
from qa_demo.training.export import write_checksums
from qa_demo.training.lists import summary
from qa_demo.training.loop import described, exit_code, versions
from qa_demo.training.measure import HEADS, Said, read_all, says

log = logging.getLogger("score")


def asked(examples: Sequence[Example], said: Sequence[Said]) -> list[Asked]:
    """The questions to which a head names a span, as the calibration asks for them."""
    return [
        Asked(e.title, bool(e.answers), s.claim, s.plain, s.margin, is_right(e, s.outcome.text))
        for e, s in zip(examples, said, strict=True)
        if s.claim is not None
    ]


def claimed(examples: Sequence[Example], said: Sequence[Said]) -> dict[str, Any]:
    """{"claim": ...} of the start/end head, fitted and measured on questions of which some have no
    answer; nothing, and a line in the log, where they are too few.
    """
    try:
        return {"claim": claim_reliability(asked(examples, said))}
    except BadInput as fault:
        log.warning("no claim for texts that may be silent: %s", fault)
        return {}


def is_right(example: Example, text: str) -> bool:
    """Whether a text is exactly right; never where the paragraph does not answer."""
    return bool(example.answers) and score(example, text, "1.1")[0] == 1


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
    """`lists`, MultiSpanQA's two measures of both heads for each file and for all together, and
    `list_kinds`, how many lists were found whole, merged and so on.
    """
    parts = {**files, "all": [e for examples in files.values() for e in examples]}
    found = {
        name: summary(
            [
                {"wanted": [e.context[a:b] for a, b in e.spans[0]]}
                | {head: list(said[e.question, e.context][head].texts) for head in HEADS}
                for e in examples
            ]
        )
        for name, examples in parts.items()
        if examples
    }
    return {
        "lists": {n: {h: asdict(one.scores) for h, one in x.items()} for n, x in found.items()},
        "list_kinds": {n: {h: dict(one.kinds) for h, one in x.items()} for n, x in found.items()},
    }


def speed(questions: int, seconds: float) -> dict[str, float]:
    """How fast questions were read."""
    return {
        "questions": questions,
        "seconds": round(seconds, 1),
        "questions_per_second": round(questions / seconds, 1),
    }


def beside(result: dict[str, Any], path: Path) -> dict[str, Any]:
    """The new figures and what `pace` put into the file of the old ones."""
    old = json.loads(path.read_text()) if path.is_file() else {}
    pace = {k: v for k, v in old.get("speed", {}).items() if k == "times_as_long"}
    others = {k: old[k] for k in ("parameters",) if k in old}
    return result | others | {"speed": result["speed"] | pace}


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
        "data": {path.name: sha256(path) for path in (dev, dev_v2, *list_files)},
        "speed": speed(len(readings), taken),
        "squad_dev": {head: evaluate(answerable, of(head, answerable)) for head in HEADS},
        "squad_dev_v2": {},
        "threshold_curve": {},
        "reliability": {
            head: reliability(
                asked(answerable, [said[e.question, e.context][head] for e in answerable])
            )
            for head in HEADS
        },
    }
    for head in HEADS:
        result["squad_dev_v2"][head], result["threshold_curve"][head] = withheld(
            mixed, of(head, mixed)
        )
    result |= claimed(mixed, [said[e.question, e.context]["span"] for e in mixed])
    return result | (lists(kept, said) if kept else {})


def noted(a: argparse.Namespace) -> str:
    """The command that measures the same again, by the names of files and folders."""
    shown = f"python -m qa_demo.training.score --dev {a.dev.name} --dev-v2 {a.dev_v2.name}"
    if a.reader.resolve() != Path("assets/reader").resolve():
        shown += f" --reader {a.reader.name}"
    shown += " --base ENCODER" if a.base else ""
    return shown + (f" --lists {' '.join(path.name for path in a.lists)}" if a.lists else "")


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse, measure, and write metrics.json, threshold, calibrations and checksums."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "score")
    p.add_argument("--reader", type=Path, default=Path("assets/reader"))
    p.add_argument("--base", type=Path, help="the encoder that an adapter changes")
    p.add_argument("--dev", type=Path, required=True, help="answerable questions")
    p.add_argument("--dev-v2", type=Path, required=True, help="answerable and unanswerable ones")
    p.add_argument("--lists", type=Path, nargs="*", default=[], help="files with lists of answers")
    a = p.parse_args(argv)
    torch.set_num_threads(1)
    result = metrics(
        load_reader(str(a.reader), replace(LOOPBACK, base=a.base)),
        a.dev,
        a.dev_v2,
        a.lists,
        noted(a),
    )
    path = a.reader / "metrics.json"
    result = beside(result, path)
    path.write_text(json.dumps(result, indent=1) + "\n")
    card = json.loads((a.reader / "reader.json").read_text())
    card["threshold"] = result["squad_dev_v2"]["span"]["threshold"]
    card.pop("temperatures", None)  # of readers that were measured before there were biases
    card["calibration"] = {
        head: {name: result["reliability"][head][name] for name in ("temperature", "bias")}
        for head in HEADS
    }
    if "claim" in result:
        names = ("slope", "intercept")
        card["calibration"]["answerable"] = {name: result["claim"][name] for name in names}
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
    raise SystemExit(main())
