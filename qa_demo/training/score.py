"""Measure an exported reader with both heads, fit its calibrations, choose its threshold, and write
metrics.json beside it; or ask it the questions that a visitor types first.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz \\
        --dev-v2 squad-dev-v2.json.gz --lists multispanqa.json.gz qed-train.json.gz
    python -m qa_demo.training.score --first assets/first_questions.json

Each question is read once, as the page reads it; every number comes from those readings. Of the
files with lists only the questions that no training sees are read (qa_demo.training.data).

First questions are short texts of everyday kinds, never trained on, all accepted answers listed;
`assets/first_questions_second.json` has sixty more and `assets/first_questions_third.json` forty,
each written without a look at the files before it and before any reader was asked. Prints each one
that the page would not answer exactly (SQuAD's comparison), then the figures by kind; exit code 0
when at least 97 % are exact, else 1.
"""

import argparse
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import Outcome, evaluate
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.types import Example, WindowOptions
from qa_demo.evaluation.calibrate import claim_reliability, reliability
from qa_demo.evaluation.questions import read_squad
from qa_demo.evaluation.run import read_each
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.model.loading import load_reader
from qa_demo.model.source import LOOPBACK, sha256
from qa_demo.training.command import described, exit_code, read_json, versions, write_json
from qa_demo.training.data import held_out
from qa_demo.training.export import write_checksums
from qa_demo.training.said import KINDS, Said, is_right, kind, list_scores, says, table

log = logging.getLogger("score")
HEADS = ("span", "bio")
Heard = Mapping[tuple[str, str], Mapping[str, Said]]
"""What each head says to each question and paragraph."""
Reply = tuple[Example, str | None, str]
"""A first question, what the page answers (None: withheld), and the best span."""
WANTED = 97.0
"""Percent of the first questions."""


def heard(reader: Reader, examples: Iterable[Example]) -> Heard:
    """What both heads say to each different question and paragraph, several read at once. Errors:
    BadInput for one that cannot be read.
    """
    each = {(e.question, e.context): e for e in examples}
    found = read_each(
        reader,
        list(each.values()),
        WindowOptions(),
        lambda _, reading: {head: says(reading, head) for head in HEADS},
    )
    said: dict[tuple[str, str], Mapping[str, Said]] = {}
    for text, one in zip(each, found, strict=True):
        if isinstance(one, BadInput):
            raise one
        said[text] = one
        if len(said) % 200 == 0:
            log.info("%d questions", len(said))
    return said


def claimed(examples: Sequence[Example], said: Sequence[Said]) -> dict[str, Any]:
    """{"claim": ...} of the start/end head, fitted and measured on questions of which some have no
    answer; nothing, and a line in the log, where they are too few.
    """
    try:
        return {"claim": claim_reliability(table(examples, said).claims)}
    except BadInput as fault:
        log.warning("no claim for texts that may be silent: %s", fault)
        return {}


def outcomes(examples: Sequence[Example], said: Sequence[Said]) -> dict[str, Outcome]:
    """What is said to each question, by its id."""
    return {e.id: s.outcome for e, s in zip(examples, said, strict=True)}


def withheld(
    examples: Sequence[Example], heads: Sequence[Said]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Scores at the chosen threshold, and the curve: the best choice between answering and not that
    costs the answerable questions at most MOST_LOST points of F1. The threshold with the best F1 of
    all would withhold half of the right answers of a weak reader, since "" scores 1 on every
    unanswerable question.
    """
    said = outcomes(examples, heads)
    line = table(examples, heads, claims=False)
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
        "chosen": asdict(chosen),
    }


def lists(files: Mapping[str, Sequence[Example]], said: Heard) -> dict[str, Any]:
    """`lists`, MultiSpanQA's two measures of both heads for each file and for all together, and
    `list_kinds`, how many lists were found whole, merged and so on.
    """
    parts = {**files, "all": [e for examples in files.values() for e in examples]}
    found: dict[str, Any] = {"lists": {}, "list_kinds": {}}
    for name, examples in parts.items():
        wanted = [[e.context[a:b] for a, b in e.spans[0]] for e in examples]
        for head in HEADS if examples else ():
            texts = [said[e.question, e.context][head].texts for e in examples]
            counts = Counter(map(kind, wanted, texts))
            found["lists"].setdefault(name, {})[head] = list_scores(wanted, texts)
            found["list_kinds"].setdefault(name, {})[head] = {one: counts[one] for one in KINDS}
    return found


def metrics(
    reader: Reader, dev: Path, dev_v2: Path, list_files: Sequence[Path], command: str
) -> dict[str, Any]:
    """All figures of the model card, with what they were measured on and by which versions."""
    answerable, mixed = read_squad(dev), read_squad(dev_v2)
    kept = {path.name: held_out(read_squad(path)) for path in list_files}
    began = time.perf_counter()
    said = heard(reader, [*answerable, *mixed, *(e for part in kept.values() for e in part)])
    taken = time.perf_counter() - began

    def of(head: str, examples: Sequence[Example]) -> list[Said]:
        return [said[e.question, e.context][head] for e in examples]

    chosen = {head: withheld(mixed, of(head, mixed)) for head in HEADS}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "versions": versions("torch", "transformers", "tokenizers", "numpy", "safetensors"),
        "data": {path.name: sha256(path) for path in (dev, dev_v2, *list_files)},
        "speed": {
            "questions": len(said),
            "seconds": round(taken, 1),
            "questions_per_second": round(len(said) / taken, 1),
        },
        "squad_dev": {
            head: evaluate(answerable, outcomes(answerable, of(head, answerable))) for head in HEADS
        },
        "squad_dev_v2": {head: scores for head, (scores, _) in chosen.items()},
        "threshold_curve": {head: curve for head, (_, curve) in chosen.items()},
        "reliability": {
            head: reliability(table(answerable, of(head, answerable)).claims) for head in HEADS
        },
        **claimed(mixed, of("span", mixed)),
        **(lists(kept, said) if kept else {}),
    }


def replies(reader: Reader, questions: Iterable[Example]) -> list[Reply]:
    """Ask as the page does: exact search, logit sum, the reader's own threshold."""
    said = [(e, predict(reader.read(e.question, e.context))) for e in questions]
    return [(e, p.answer, "" if p.best is None else p.best.candidate.text) for e, p in said]


def report(found: Sequence[Reply]) -> tuple[str, float]:
    """Every miss with what was said instead, then how many are exact, by kind and in all; and the
    percentage of these.
    """
    lines, exact = [], Counter[str]()
    for e, answer, best in found:
        if answer is not None and is_right(e, answer):
            exact[e.title] += 1
            continue
        said = f"withheld {best!r}" if answer is None else f"said {answer!r}"
        accepted = " | ".join(a.text for a in e.answers)
        lines.append(f"{said}, accepted {accepted}: {e.question} {e.context}")
    every = Counter(e.title for e, _, _ in found)
    lines += [f"{title}: {exact[title]} of {n}" for title, n in every.items()]
    percent = 100 * exact.total() / len(found)
    lines.append(
        f"all: {exact.total()} of {len(found)} exact ({percent:.1f} %), "
        f"{sum(is_right(e, best) for e, _, best in found)} with nothing withheld"
    )
    return "\n".join(lines) + "\n", percent


def noted(a: argparse.Namespace) -> str:
    """The command that measures the same again, by the names of files and folders."""
    shown = f"python -m qa_demo.training.score --dev {a.dev.name} --dev-v2 {a.dev_v2.name}"
    if Path(a.reader).resolve() != Path("assets/reader").resolve():
        shown += f" --reader {Path(a.reader).name}"
    shown += " --base ENCODER" if a.base else ""
    return shown + (f" --lists {' '.join(path.name for path in a.lists)}" if a.lists else "")


def keep(folder: Path, result: dict[str, Any]) -> None:
    """Write metrics.json, and threshold and calibrations into reader.json."""
    card = read_json(folder / "reader.json")
    card["threshold"] = result["squad_dev_v2"]["span"]["threshold"]
    card["calibration"] = {
        head: {name: result["reliability"][head][name] for name in ("temperature", "bias")}
        for head in HEADS
    }
    if "claim" in result:
        names = ("slope", "intercept")
        card["calibration"]["answerable"] = {name: result["claim"][name] for name in names}
    write_json(folder / "metrics.json", result)
    write_json(folder / "reader.json", card)
    write_checksums(folder)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Parse, then measure and keep, or ask; 2 on a reader or file that cannot be used."""
    p = described(__doc__, "score")
    p.add_argument("--reader", default="assets/reader", help="a folder")
    p.add_argument("--base", type=Path, help="the encoder that an adapter changes")
    p.add_argument("--dev", type=Path, help="answerable questions")
    p.add_argument("--dev-v2", type=Path, help="answerable and unanswerable ones")
    p.add_argument("--lists", type=Path, nargs="*", default=[], help="files with lists of answers")
    p.add_argument("--first", type=Path, metavar="FILE", help="a file of first questions to ask")
    a = p.parse_args(argv)
    limits = replace(LOOPBACK, base=a.base)
    if a.first is not None:
        questions = read_squad(a.first)  # before the reader: its faults are told at once
        text, percent = report(replies(load_reader(a.reader, limits), questions))
        sys.stdout.write(text)
        return 0 if percent >= WANTED else 1
    if a.dev is None or a.dev_v2 is None:
        raise BadInput("score takes --dev and --dev-v2, or --first")
    result = metrics(load_reader(a.reader, limits), a.dev, a.dev_v2, a.lists, noted(a))
    keep(Path(a.reader), result)
    shown = ("speed", "squad_dev", "squad_dev_v2", "lists")
    sys.stdout.write(json.dumps({k: result[k] for k in shown if k in result}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
