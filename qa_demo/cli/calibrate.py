"""python -m qa_demo calibrate FILE --reader R --out F: fit the no-answer threshold and the
chance of being right on a file of questions, for any reader.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qa_demo.cli import shared
from qa_demo.cli.files import load_questions, write_file
from qa_demo.cli.shared import LongTexts, Progress, visible
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import dumps
from qa_demo.core.files.report_evaluate import in_window
from qa_demo.core.measuring.abstain import MOST_LOST, OBJECTIVES, Costs, Objective, trade
from qa_demo.core.measuring.claims import margin
from qa_demo.core.measuring.metrics import Outcome, score
from qa_demo.core.measuring.reliability import Asked, claim_reliability, reliability
from qa_demo.core.measuring.temperature import Claim, pair_claim
from qa_demo.core.predict import predict
from qa_demo.core.types import Example, Reading, WindowOptions

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader


class Said(NamedTuple):
    """What the reader says to one question: outcome, claim, plain probability and lead over no
    answer of its best span; no claim without one.
    """

    outcome: Outcome
    claim: Claim | None
    plain: float
    margin: float = 0.0


def add(commands: Any) -> None:
    """The flags of `calibrate`."""
    command = commands.add_parser(
        "calibrate", help="fit a reader's threshold and probabilities on a file of questions"
    )
    command.add_argument("file", type=Path, help="Questions, in the layouts of evaluate.")
    command.add_argument(
        "--out", type=Path, required=True, help="Where threshold and calibration are written."
    )
    command.add_argument("--limit", type=int, help="Only the first so many questions.")
    command.add_argument(
        "--objective",
        choices=tuple(OBJECTIVES),
        help="What the threshold is chosen for: "
        + "; ".join(f"{name}, {what}" for name, what in OBJECTIVES.items())
        + ". Default: answer-or-not.",
    )
    command.add_argument(
        "--most-lost",
        type=float,
        help="For answer-or-not: points of F1 on answerable questions that the threshold may cost. "
        f"Default: {MOST_LOST:g}.",
    )
    command.add_argument(
        "--costs",
        type=float,
        nargs=3,
        metavar=("WITHHELD", "WRONG", "UNANSWERABLE"),
        help="For cost: of no answer where the text has one, of a wrong answer, and of an answer "
        "where the text has none.",
    )
    shared.add_reader(command)
    shared.add_json(command)
    shared.add_fields(command, WindowOptions)


def run(args: argparse.Namespace) -> None:
    """Read, fit, write, and say what was fitted and how well it does."""
    if args.limit is not None and args.limit < 1:
        raise BadInput(f"--limit must be at least 1, got {args.limit}")
    objective = _objective(args)
    examples = load_questions(args.file)[: args.limit]
    if not any(example.answers for example in examples):
        raise BadInput(f"{args.file.name} holds no question with an answer")
    if args.objective is not None and all(example.answers for example in examples):
        raise BadInput(
            f"--objective chooses a threshold, which needs questions without an answer; "
            f"{args.file.name} holds none"
        )
    reader, cores = shared.load_many(args)
    said = _ask(reader, examples, shared.windows(args, reader.max_seq_length), cores)
    result = {"reader": reader.name, "weights": reader.checksum, "file": args.file.name}
    result |= _threshold(examples, said, objective) | _calibration(examples, said)
    write_file(args.out, dumps(result) + "\n")
    shared.write(result, args.json, _lines)


def _objective(args: argparse.Namespace) -> Objective:
    """What the threshold is chosen for; a flag of another one is refused. Errors: BadInput."""
    name = args.objective or Objective().name
    for flag, owner in (("most_lost", "answer-or-not"), ("costs", "cost")):
        if getattr(args, flag) is not None and name != owner:
            raise BadInput(
                f"--{flag.replace('_', '-')} belongs to --objective {owner}, and the "
                f"objective is {name}"
            )
    if name == "cost" and args.costs is None:
        raise BadInput("--objective cost needs --costs WITHHELD WRONG UNANSWERABLE")
    costs = None if args.costs is None else Costs(*args.costs)
    return Objective(name, MOST_LOST if args.most_lost is None else args.most_lost, costs)


def _ask(
    reader: "BertReader", examples: Sequence[Example], windows: WindowOptions, cores: int
) -> list[Said]:
    from qa_demo.model.scoring import read_each

    def make(_: Example, reading: Reading) -> Said:
        prediction = predict(reading)
        if prediction.best is None:
            return Said(Outcome(""), None, 0.0)
        best = prediction.best.candidate
        outcome = Outcome(best.text, prediction.score_diff)
        claim, plain = pair_claim(reading, best), in_window(reading, best)
        return Said(outcome, claim, plain, margin(reading, best))

    found, progress = [], Progress("question")
    with closing(read_each(reader, examples, windows, make, cores, LongTexts())) as results:
        for example, result in zip(examples, results, strict=True):
            if isinstance(result, BadInput):
                sys.stderr.write(
                    f"question {visible(example.id)} is left out: {visible(str(result))}\n"
                )
                result = Said(Outcome(""), None, 0.0)
            found.append(result)
            progress(len(found), len(examples))
    return found


def _threshold(
    examples: Sequence[Example], said: Sequence[Said], objective: Objective
) -> dict[str, Any]:
    """The threshold that serves the objective best; null without questions of both kinds."""
    if all(example.answers for example in examples):
        return {"threshold": None, "objective": None}
    line = trade(examples, {e.id: s.outcome for e, s in zip(examples, said, strict=True)})
    chosen = line.best(objective)
    named = {"name": objective.name, "meaning": objective.sentence(), "value": chosen.value}
    if objective.name == "answer-or-not":
        named["most_lost"] = objective.most_lost
    if objective.costs is not None:
        named["costs"] = objective.costs._asdict()
    by_f1, at = Objective("f1"), chosen.point.threshold
    highest = line.best(by_f1)
    f1 = {
        "at_threshold": line.value(by_f1, at),
        "highest": highest.value,
        "highest_at": highest.point.threshold,
    }
    return {
        "threshold": at,
        "objective": named,
        "at_threshold": asdict(chosen.point),
        "f1_of_all": f1,
    }


def _calibration(examples: Sequence[Example], said: Sequence[Said]) -> dict[str, Any]:
    """Fitted on the questions with an answer; a file without titles, or of one article, is split by
    paragraphs.
    """
    kept = [
        (e, s.claim, s)
        for e, s in zip(examples, said, strict=True)
        if e.answers and s.claim is not None
    ]
    articles = len({e.title for e, _, _ in kept}) > 1

    def title(e: Example) -> str:
        return e.title if articles and e.title else e.context

    found = reliability(
        [title(e) for e, _, _ in kept],
        [claim for _, claim, _ in kept],
        [score(e, s.outcome.text, "1.1")[0] for e, _, s in kept],
        [s.plain for _, _, s in kept],
    )
    fits: dict[str, Any] = {"span": {"temperature": found.temperature, "bias": found.bias}}
    result = {"calibration": fits, "reliability": asdict(found)}
    if all(e.answers for e in examples):
        return result
    asked = [
        Asked(title(e), bool(e.answers), s.claim, s.margin, is_right(e, s))
        for e, s in zip(examples, said, strict=True)
        if s.claim is not None
    ]
    try:
        claim = claim_reliability(asked)
    except BadInput as fault:
        return result | {"claim": None, "claim_because": str(fault)}
    fits["answerable"] = {"slope": claim.slope, "intercept": claim.intercept}
    return result | {"claim": asdict(claim)}


def is_right(example: Example, said: Said) -> bool:
    """Whether the best span is exactly right; never where the text does not answer."""
    return bool(example.answers) and score(example, said.outcome.text, "1.1")[0] == 1


def _claim_line(result: dict[str, Any]) -> str:
    claim = result["claim"]
    if claim is None:
        return f"how likely a text answers at all is not fitted: {result['claim_because']}"
    fitted = result["calibration"]["answerable"]
    return (
        f"slope {fitted['slope']:.3f}, intercept {fitted['intercept']:.3f}: whether the text "
        f"answers at all, fitted on {claim['measured_on']:,} questions, {claim['unanswerable']:,} "
        f"without an answer; the product of both chances misses the share of right answers among "
        f"them by {claim['error']:.3f}, the first alone by {claim['error_conditional']:.3f}"
    )


def _lines(result: dict[str, Any]) -> str:
    found, at = result["reliability"], result.get("at_threshold")
    lines = [
        f"temperature {found['temperature']:.3f}, bias {found['bias']:.3f}, fitted on "
        f"{found['measured_on']:,} questions with an answer",
        f"a probability misses the share of right answers by {found['error_before']:.3f} before "
        f"and {found['error_after']:.3f} after, on articles that the fit did not see "
        f"({found['chance_error']:.3f} would be the draw of outcomes alone)",
    ]
    if "claim" in result:
        lines.append(_claim_line(result))
    if at is None:
        lines.append("no threshold: every question of the file has an answer")
    else:
        lines.append(
            f"threshold {at['threshold']:.3f}: answering or not is right for {at['accuracy']:.1f} "
            f"% of the questions, F1 where there is an answer {at['answerable_f1']:.1f}"
        )
        chosen = result["objective"]
        unit = "" if chosen["name"] == "cost" else " %"
        lines.append(f"chosen so that {chosen['meaning']}: {chosen['value']:.3f}{unit}")
        f1 = result["f1_of_all"]
        lines.append(
            f"F1 of all questions {f1['at_threshold']:.1f}; its highest, {f1['highest']:.1f}, is "
            f"at threshold {f1['highest_at']:.3f} (--objective f1)"
        )
    return "\n".join(lines)
