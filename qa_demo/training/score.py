"""Measure an exported reader with both heads, fit its calibration, choose its threshold, and write
metrics.json beside it; or ask it the questions that a visitor types first.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz \\
        --dev-v2 squad-dev-v2.json.gz --lists multispanqa.json.gz qed-train.json.gz
    python -m qa_demo.training.score --first assets/first_questions.json

Each question is read once, as the page reads it; every number comes from those readings. Of the
files with lists only the questions that no training sees are read (qa_demo.training.data).

First questions are short texts of everyday kinds, never trained on; the second and third file were
written without a look at those before, and before any reader was asked.
"""

import json
import math
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core import metrics
from qa_demo.core.base import BadInput
from qa_demo.core.bio import best_tagged, decode_reading, null_log_prob
from qa_demo.core.metrics import normalize
from qa_demo.core.predict import predict
from qa_demo.core.types import DecodeOptions, Example, Reading, WindowOptions
from qa_demo.evaluation.calibrate import reliability
from qa_demo.evaluation.lines import Row, best_text, line_of, under
from qa_demo.evaluation.questions import read_squad
from qa_demo.evaluation.run import read_each
from qa_demo.evaluation.table import Table
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import sha256
from qa_demo.training.data import held_out
from qa_demo.training.export import versions, write_checksums
from qa_demo.training.loop import described, exit_code, log, read_json, write_json

HEADS = ("span", "bio")
Lines = Mapping[str, Row]
"""What each head says to a question, as lines of `evaluate --out`; of the tags also all `texts`."""


# ---- what both heads say


def text_of(reading: Reading, head: str) -> str:
    """A head's best span, "" without one."""
    if head == "span":
        found = predict(reading).best
        return found.candidate.text if found else ""
    tagged = best_tagged(reading)
    return tagged.text if tagged else ""


def lines(reading: Reading, example: Example) -> Lines:
    """What both heads say to a question; the score_diff of the tags is log P(all pieces O) - log
    P(span).
    """
    row, tagged = line_of(example, reading, DecodeOptions(), "2.0"), best_tagged(reading)
    text = tagged.text if tagged else ""
    diff = null_log_prob(reading) - math.log(tagged.marginal) if tagged else None
    exact, f1 = metrics.score(example, text, "2.0")
    tags = {"n_best": [{"text": text}], "score_diff": diff, "best": {"exact": exact, "f1": f1}}
    tags["texts"] = [x.text for x in decode_reading(reading)]
    return {"span": row | {"texts": [best_text(row)]}, "bio": row | tags}


def heard(reader: BertReader, files: Mapping[str, Sequence[Example]]) -> dict[str, list[Lines]]:
    """The lines of each file's questions; a text is read once, however often it is asked. Errors:
    BadInput for one that cannot be read.
    """
    asked: dict[tuple[str, str], list[Example]] = {}
    for e in (e for examples in files.values() for e in examples):
        asked.setdefault((e.question, e.context), []).append(e)
    found: dict[int, Lines] = {}

    def made(first: Example, reading: Reading | str) -> dict[int, Lines]:
        if isinstance(reading, str):
            raise BadInput(reading)
        return {id(e): lines(reading, e) for e in asked[first.question, first.context]}

    each = [examples[0] for examples in asked.values()]
    for k, one in enumerate(read_each(reader, each, WindowOptions(), made)):
        found |= one
        if k % 200 == 0:
            log.info("%d of %d questions", k, len(each))
    return {name: [found[id(e)] for e in examples] for name, examples in files.items()}


# ---- the figures of a card


def list_scores(
    wanted: Sequence[Collection[str]], said: Sequence[Collection[str]]
) -> dict[str, Any]:
    """MultiSpanQA's exact measure on sets of normalised texts, one set a question, and how many of
    these sets are said whole, in percent. A match is a text that both sets hold:

        P = matches / max(1, texts said), R = matches / max(1, texts wanted), summed over all
        questions; F1 = 2 P R / (P + R)

    Source: Li et al. 2022, "MultiSpanQA"; src/eval_script.py.
    """
    sides = [[{normalize(x) for x in texts} for texts in side] for side in (wanted, said)]
    pairs = list(zip(*sides, strict=True))
    matches = sum(len(w & s) for w, s in pairs)
    recall, precision = (100 * matches / sum(max(1, len(x)) for x in side) for side in sides)
    f1 = 2 * precision * recall / (precision + recall) if matches else 0.0
    return {
        "total": len(pairs),
        "exact": {"precision": precision, "recall": recall, "f1": f1},
        "whole_lists": 100 * sum(w == s for w, s in pairs) / len(pairs),
    }


def squad_means(examples: Sequence[Example], said: Iterable[str]) -> dict[str, Any]:
    """Means in percent of texts that answer questions, by the rules of SQuAD 1.1. Errors: BadInput
    for no question.
    """
    each = [metrics.score(e, text, "1.1") for e, text in zip(examples, said, strict=True)]
    if not each:
        raise BadInput("there is no question to score")
    exact, f1 = (100 * np.mean(each, axis=0)).tolist()
    return {"exact": exact, "f1": f1, "total": len(each)}


def at_threshold(rows: Sequence[Row]) -> dict[str, Any]:
    """Scores at the chosen threshold, and what it does: the best choice between answering and not
    that costs the answerable questions at most MOST_LOST points of F1. The best F1 of all would
    withhold half of a weak reader's right answers, since "" scores 1 on the unanswerable ones.
    """
    table = Table(rows)
    chosen, best = table.choose(), table.choose(100.0)
    found = dict(table.official(chosen["threshold"], "2.0"))
    for name in ("threshold", "withheld_right", "wrongly_answered"):
        found[name] = chosen[name]
    found["answerable_f1_without_threshold"] = 100 * float(table.f1[table.answerable].mean())
    found["answer_or_not_accuracy"] = chosen["accuracy"]
    found["best_answer_or_not_accuracy"] = best["accuracy"]
    return found


def measured(
    reader: BertReader, dev: Path, dev_v2: Path, list_files: Sequence[Path], command: str
) -> dict[str, Any]:
    """All figures of the model card, with what they were measured on and by which versions."""
    of_lists = {path.name: held_out(read_squad(path)) for path in list_files}
    of_lists["all"] = [e for examples in of_lists.values() for e in examples]
    files = {"dev": read_squad(dev), "v2": read_squad(dev_v2), **of_lists}
    began = time.perf_counter()
    said = heard(reader, files)
    taken = time.perf_counter() - began
    count = len({(e.question, e.context) for examples in files.values() for e in examples})

    def of(head: str, name: str) -> list[Row]:
        return [both[head] for both in said[name]]

    spans = Table(of("span", "dev"))
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "command": command,
        "versions": versions("torch", "transformers", "tokenizers", "numpy", "safetensors"),
        "data": {path.name: sha256(path) for path in (dev, dev_v2, *list_files)},
        "speed": {"questions": count, "questions_per_second": round(count / taken, 1)},
        "squad_dev": {h: squad_means(files["dev"], map(best_text, of(h, "dev"))) for h in HEADS},
        "squad_dev_v2": {head: at_threshold(of(head, "v2")) for head in HEADS},
        "reliability": {"span": reliability(spans.claims)},
        "lists": {},
    }
    try:
        found["claim"] = reliability(Table(of("span", "v2")).claims, claim=True)
    except BadInput as fault:
        log.warning("no claim for texts that may be silent: %s", fault)
    for name, examples in of_lists.items():
        wanted = [[e.context[a:b] for a, b in e.spans[0]] for e in examples]
        if examples:
            each = {h: list_scores(wanted, [row["texts"] for row in of(h, name)]) for h in HEADS}
            found["lists"][name] = each
    return found


def keep(folder: Path, result: dict[str, Any]) -> None:
    """Write metrics.json, and threshold and calibration into reader.json."""
    card, fit = read_json(folder / "reader.json"), result["reliability"]["span"]
    card["threshold"] = result["squad_dev_v2"]["span"]["threshold"]
    card["calibration"] = {"span": {name: fit[name] for name in ("temperature", "bias")}}
    if claim := result.get("claim"):
        card["calibration"]["answerable"] = {n: claim[n] for n in ("slope", "intercept")}
    write_json(folder / "metrics.json", result)
    write_json(folder / "reader.json", card)
    write_checksums(folder)


def first(reader: BertReader, examples: Sequence[Example]) -> str:
    """Each question that the page would not answer exactly, and how many it would."""
    texts = list[str]()
    for row in (both["span"] for both in heard(reader, {"": examples})[""]):
        found, best = under(row, reader.threshold or 0.0), best_text(row)
        if found["exact"] < 1:
            said = f"withheld {best!r}" if found["answer"] is None else f"said {best!r}"
            texts.append(f"{said}: {row['question']} {row['context']}")
    return "\n".join([*texts, f"{len(examples) - len(texts)} of {len(examples)} are exact\n"])


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse, then measure and keep; 2 on a reader or file that cannot be used."""
    p = described(__doc__, "score")
    p.add_argument("--reader", default="assets/reader", help="a folder")
    p.add_argument("--base", type=Path, help="the encoder that an adapter changes")
    p.add_argument("--dev", type=Path, help="answerable questions")
    p.add_argument("--dev-v2", type=Path, help="answerable and unanswerable ones")
    p.add_argument("--lists", type=Path, nargs="*", default=[], help="files with lists of answers")
    p.add_argument("--first", type=Path, metavar="FILE", help="first questions to ask instead")
    a = p.parse_args(argv)
    if not a.first and not (a.dev and a.dev_v2):
        raise BadInput("score takes --dev and --dev-v2, or --first")
    asked = read_squad(a.first or a.dev_v2)  # a fault in a file is told at once
    if not a.first:
        read_json(Path(a.reader) / "reader.json")  # into which its threshold is written
        if len({bool(e.answers) for e in asked}) < 2:
            raise BadInput(f"{a.dev_v2.name} must ask with and without an answer, got one kind")
    reader = load_reader(a.reader, base=a.base)
    if a.first:
        sys.stdout.write(first(reader, asked))
        return
    given = sys.argv[1:] if argv is None else argv
    words = [word if word.startswith("-") else Path(word).name for word in given]
    command = " ".join(["python -m qa_demo.training.score", *words])
    result = measured(reader, a.dev, a.dev_v2, a.lists, command)
    keep(Path(a.reader), result)
    shown = ("speed", "squad_dev", "squad_dev_v2", "lists")
    sys.stdout.write(json.dumps({k: result[k] for k in shown}, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
