"""Measure an exported reader with both heads, fit its calibrations, choose its threshold, and write
metrics.json beside it; or ask it the questions that a visitor types first.

    python -m qa_demo.training.score --reader assets/reader --dev squad-dev.json.gz \\
        --dev-v2 squad-dev-v2.json.gz --lists multispanqa.json.gz qed-train.json.gz
    python -m qa_demo.training.score --first assets/first_questions.json

Each question is read once, as the page reads it (fp32, unpadded windows); every number comes from
those readings. Of the files with lists only the questions that no training sees are read
(qa_demo.training.data). Of an adapter it is measured too how much longer it takes than the bundled
reader.

First questions are short texts of everyday kinds, never trained on, all accepted answers listed;
`assets/first_questions_second.json` has sixty more and `assets/first_questions_third.json` forty,
each written without a look at the files before it and before any reader was asked. Prints each one
that the page would not answer exactly (SQuAD's comparison), then the figures by kind; exit code 0
when at least 97 % are exact, else 1.
"""

import argparse
import json
import logging
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain, groupby, islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadInput, Floats, log_softmax
from qa_demo.core.bio import best_span, decode_reading, null_log_prob, span_marginals
from qa_demo.core.calibration import PairClaim, margin, pair_claim
from qa_demo.core.metrics import Outcome, evaluate, score
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import window_prob
from qa_demo.core.types import Answer, Example, Reading, Window, WindowOptions
from qa_demo.core.windows import assemble, make_windows
from qa_demo.evaluation.calibrate import TEMPERATURES, Asked, claim_reliability, reliability
from qa_demo.evaluation.questions import read_squad
from qa_demo.evaluation.threshold import MOST_LOST, trade
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.source import LOOPBACK, sha256
from qa_demo.model.work import usable_cores
from qa_demo.training.command import described, exit_code, read_json, versions, write_json
from qa_demo.training.data import held_out
from qa_demo.training.export import write_checksums
from qa_demo.training.lists import KINDS, kind, list_scores

log = logging.getLogger("score")
HEADS = ("span", "bio")
Text = tuple[str, str]
"""A question and its paragraph."""
Reply = tuple[Example, str | None, str]
"""A first question, what the page answers (None: withheld), and the best span."""
BATCH = 8
OPTIONS = WindowOptions()
PACED = 60
"""Questions by which the pace is measured."""
WANTED = 97.0
"""Percent of the first questions."""


def buckets(windows: Iterable[Window], size: int) -> Iterator[list[Window]]:
    """Groups of at most `size` windows of equal length, the longest first: nothing is padded."""
    for _, same in groupby(sorted(windows, key=len, reverse=True), key=len):
        while group := list(islice(same, size)):
            yield group


def read_all(reader: BertReader, texts: Iterable[Text]) -> dict[Text, Reading]:
    """One reading of each different question and paragraph, as the page reads it (fp32, unpadded
    windows) up to rounding.

    Windows of equal length, of whatever question, go through the model together, on all cores.
    """
    encodings = {text: reader.encode(*text) for text in texts}
    plans = {text: make_windows(encoding, OPTIONS) for text, encoding in encodings.items()}
    owner = {id(w): text for text, windows in plans.items() for w in windows}
    groups = buckets(chain.from_iterable(plans.values()), BATCH)
    rows: dict[tuple[Text, int], tuple[np.ndarray, np.ndarray | None]] = {}

    def run(group: list[Window]) -> None:
        span, tags = reader.forward(group)
        for b, w in enumerate(group):
            rows[owner[id(w)], w.index] = span[b], None if tags is None else tags[b]

    with ThreadPoolExecutor(usable_cores()) as pool:
        for done, _ in enumerate(pool.map(run, groups), 1):
            if done % 50 == 0:
                log.info("%d batches", done)
    about = {
        "model_name": reader.name,
        "threshold": reader.threshold,
        "checksum": reader.checksum,
        "calibrations": reader.calibrations,
    }
    return {
        text: assemble(
            encodings[text], windows, [rows[text, w.index] for w in windows], OPTIONS, **about
        )
        for text, windows in plans.items()
    }


@dataclass(frozen=True, eq=False)
class TagClaim:
    """The best span of the tags: logits [n, 3] of its window's paragraph tokens, and its first and
    last one.
    """

    tags: Floats
    i: int
    j: int

    def prob(self, temperature: float) -> float:
        """The span's exact marginal among the legal taggings at a temperature."""
        more = self.j - self.i
        return float(span_marginals(log_softmax(self.tags / temperature), more + 1)[self.i, more])


@dataclass(frozen=True, eq=False)
class Said:
    """What a head says: its best span with score_diff, all its texts (the tags can say several),
    how sure it can be made, its probability as it stands (P_s(i) P_e(j) in its window, or the exact
    marginal of the tags; 0 without a span), and its lead over no answer (of the start/end head).
    """

    outcome: Outcome
    texts: tuple[str, ...]
    claim: PairClaim | TagClaim | None
    plain: float
    margin: float = 0.0


def says(reading: Reading, head: str) -> Said:
    """What one head says to one question."""
    if head == "span":
        prediction = predict(reading)
        if prediction.best is None:
            return Said(Outcome(""), ("",), None, 0.0)
        c = prediction.best.candidate
        home = reading.windows[c.window]
        at = home.to_pos(c.span.start), home.to_pos(c.span.end)
        found, plain = Outcome(c.text, prediction.score_diff), window_prob(reading, c.window, *at)
        return Said(found, (c.text,), pair_claim(reading, c), plain, margin(reading, c))
    tagged, texts = best_span(reading), tuple(x.text for x in decode_reading(reading))
    if tagged is None or reading.tag_logits is None:
        return Said(Outcome(""), texts, None, 0.0)
    found = Outcome(tagged.text, null_log_prob(reading) - math.log(tagged.marginal))
    w = reading.windows[tagged.window]
    tags = reading.tag_logits[w.index, : len(w)][w.is_context].astype(np.float64)
    at = tagged.span.start - w.doc_start, tagged.span.end - w.doc_start
    return Said(found, texts, TagClaim(tags, *at), tagged.marginal)


def asked(examples: Sequence[Example], said: Sequence[Said]) -> Asked:
    """The questions to which a head names a span, as the calibration asks for them."""
    found = [(e, s) for e, s in zip(examples, said, strict=True) if s.claim is not None]
    return Asked(
        [e.title for e, _ in found],
        np.array([bool(e.answers) for e, _ in found]),
        np.array([is_right(e, s.outcome.text) for e, s in found]),
        np.array([s.plain for _, s in found]),
        np.array([s.margin for _, s in found]),
        np.array([[s.claim.prob(t) for t in TEMPERATURES] for _, s in found]),
    )


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
        "chosen": asdict(chosen),
    }


def lists(
    files: Mapping[str, Sequence[Example]], said: Mapping[tuple[str, str], Mapping[str, Said]]
) -> dict[str, Any]:
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
            found["lists"].setdefault(name, {})[head] = asdict(list_scores(wanted, texts))
            found["list_kinds"].setdefault(name, {})[head] = {one: counts[one] for one in KINDS}
    return found


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
        "speed": {
            "questions": len(readings),
            "seconds": round(taken, 1),
            "questions_per_second": round(len(readings) / taken, 1),
        },
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


def times_as_long(reader: Reader, other: Reader, examples: Sequence[Example]) -> float:
    """The median over some questions of seconds(reader) / seconds(other), one at a time as the page
    reads, in turn, so that other work on the machine falls on both.
    """

    def seconds(one: Reader, example: Example) -> float:
        began = time.perf_counter()
        one.read(example.question, example.context)
        return time.perf_counter() - began

    chosen = examples[:: max(1, len(examples) // PACED)][:PACED]
    return median(seconds(reader, e) / seconds(other, e) for e in chosen)


def load_questions(path: Path) -> list[Example]:
    """The first questions of a file; `title` is their kind, `answers` all that a person accepts.
    Errors: BadInput for another form, or an answer its text does not hold.
    """
    try:
        found = [
            Example(
                "",
                qa["question"],
                text["context"],
                tuple(Answer(a, text["context"].find(a)) for a in qa["answers"]),
                title=text["kind"],
            )
            for text in json.loads(path.read_text(encoding="utf-8"))
            for qa in text["qas"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadInput(f"{path.name} is no file of first questions: {fault}") from fault
    for e in found:
        missing = [a.text for a in e.answers if not a.text or a.char_start < 0]
        if missing:
            raise BadInput(f"{e.question!r}: its text does not hold {missing[0]!r}")
        if not e.answers:
            raise BadInput(f"{e.question!r} has no accepted answer")
    return found


def replies(reader: Reader, questions: Iterable[Example]) -> list[Reply]:
    """Ask as the page does: exact search, logit sum, the reader's own threshold."""
    found = []
    for e in questions:
        said = predict(reader.read(e.question, e.context))
        found.append((e, said.answer, "" if said.best is None else said.best.candidate.text))
    return found


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
    limits, folder = replace(LOOPBACK, base=a.base), Path(a.reader)
    if a.first is not None:
        questions = load_questions(a.first)  # before the reader: its faults are told at once
        text, percent = report(replies(load_reader(a.reader, limits), questions))
        sys.stdout.write(text)
        return 0 if percent >= WANTED else 1
    if a.dev is None or a.dev_v2 is None:
        raise BadInput("score takes --dev and --dev-v2, or --first")
    torch.set_num_threads(1)
    reader = load_reader(a.reader, limits)
    result = metrics(reader, a.dev, a.dev_v2, a.lists, noted(a))
    if "base" in read_json(folder / "reader.json"):
        ratio = times_as_long(reader, load_reader(), read_squad(a.dev))
        result["speed"]["times_as_long"] = round(ratio, 1)
        result["parameters"] = reader.facts.parameters
    keep(folder, result)
    shown = ("speed", "squad_dev", "squad_dev_v2", "lists")
    sys.stdout.write(json.dumps({k: result[k] for k in shown if k in result}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
