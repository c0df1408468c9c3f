"""report and calibrate: what the lines that `evaluate --out` wrote show; no model runs."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.core.base import BadInput
from qa_demo.evaluation.calibrate import calibrated
from qa_demo.evaluation.lines import Evaluation, read_lines
from qa_demo.evaluation.report import PAGE, report
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.files import dumps, write_file
from qa_demo.printed import plural
from qa_demo.records import refuse_idle

WROTE = "What evaluate --out wrote."


def add(commands: Any) -> None:
    """The flags of both."""
    page = commands.add_parser("report", help="make a page of a reader's lines")
    flag = page.add_argument
    flag("lines", type=Path, help=WROTE)
    flag("--against", type=Path, help="The lines of a second reader.")
    limit = "Judge the first reader's lines by this no-answer threshold."
    flag("--threshold", type=float, help=limit)
    flag("--out", type=Path, default=Path("report.html"), help="Default: report.html.")
    flag("--page", default=PAGE, help=f"Where Spanlight runs, for the links. Default: {PAGE}")
    says = "fit a reader's threshold and probabilities on its lines"
    calibrate = commands.add_parser("calibrate", help=says)
    calibrate.add_argument("lines", type=Path, help=WROTE)
    says = "Where threshold and calibration are written."
    calibrate.add_argument("--out", type=Path, required=True, help=says)
    shared.add_json(calibrate)


def run(args: argparse.Namespace) -> None:
    """Write the report, or what was fitted. Errors: BadInput."""
    if args.command == "calibrate":
        return calibrate(args)
    if args.threshold is not None and not abs(args.threshold) <= 1000:
        raise BadInput(f"--threshold must be from -1000 to 1000, got {args.threshold}")
    found, rule = lines_of(args.lines)
    if found.run["rules"] == "1.1" or rule != "logits":
        refuse_idle(args, "by the rules of SQuAD 1.1 or a merge rule but logits", "threshold")
    if args.threshold is not None:
        found = replace(found, run=found.run | {"threshold": args.threshold})
    other = None if args.against is None else lines_of(args.against)[0]
    report(found, args.out, other, page=args.page)
    return shared.tell(f"{args.out} is written")


def lines_of(path: Path) -> tuple[Evaluation, str]:
    """The lines of a file and their merge rule; it is said where their run was stopped."""
    found = read_lines(path)
    if "scores" not in found.run:
        many = plural(len(found.rows), "line")
        shared.tell(f"{path.name} is of a run that was stopped: it holds the first {many}")
    return found, found.run.get("options", {}).get("rule", "logits")


def calibrate(args: argparse.Namespace) -> None:
    """Fit, write, and say what was fitted and how well it does. Errors: BadInput."""
    found, rule = lines_of(args.lines)
    if rule != "logits":
        said = f"{args.lines.name} was made under the merge rule {rule}"
        raise BadInput(f"{said}; threshold and chances are fitted for logits and hold there alone")
    result = {name: found.run.get(name) for name in ("reader", "weights", "file")}
    result |= calibrated(found.rows)
    write_file(args.out, dumps(result) + "\n")
    shared.write(result, args.json, fitted)


def fitted(result: dict[str, Any]) -> str:
    """What was fitted, for a person."""
    found, claim = result["reliability"], result.get("claim")
    lines = [
        f"temperature {found['temperature']:.3f}, bias {found['bias']:.3f}, fitted on "
        f"{found['measured_on']:,} questions with an answer",
        f"a chance misses the share of right answers by {found['error_before']:.3f} before and "
        f"{found['error_after']:.3f} after, on articles that the fit did not see",
    ]
    if claim is not None:
        lines.append(
            f"slope {claim['slope']:.3f}, intercept {claim['intercept']:.3f}: whether the text "
            f"answers at all; the claim, of both, misses by {claim['error']:.3f}"
        )
    elif "claim_because" in result:
        lines.append(f"whether a text answers at all is not fitted: {result['claim_because']}")
    if chosen := result.get("at_threshold"):
        lines.append(
            f"threshold {chosen['threshold']:.3f}: answering or not is the right choice most often "
            f"({chosen['accuracy']:.1f} %), at a loss of at most {MOST_LOST:g} points of F1 where "
            "there is an answer"
        )
    else:
        lines.append("no threshold: not both questions with and without an answer")
    return "\n".join(lines)
