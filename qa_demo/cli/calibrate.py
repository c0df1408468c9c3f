"""python -m qa_demo calibrate LINES --out F: fit the no-answer threshold and the chance of being
right from the lines that `evaluate --out` wrote; no model runs.
"""

import argparse
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.cli.report import lines_of
from qa_demo.evaluation.calibrate import calibrated
from qa_demo.evaluation.table import AIMS
from qa_demo.files import dumps, write_file


def add(commands: Any) -> None:
    """The flags of `calibrate`."""
    command = commands.add_parser(
        "calibrate", help="fit a reader's threshold and probabilities on its lines"
    )
    command.add_argument("lines", type=Path, help="What evaluate --out wrote.")
    command.add_argument(
        "--out", type=Path, required=True, help="Where threshold and calibration are written."
    )
    command.add_argument(
        "--aim",
        choices=tuple(AIMS),
        default="answer-or-not",
        help="What the threshold is chosen for: "
        + "; ".join(f"{name}, {what.replace('%', '%%')}" for name, what in AIMS.items())
        + ". Default: answer-or-not.",
    )
    shared.add_json(command)


def run(args: argparse.Namespace) -> None:
    """Fit, write, and say what was fitted and how well it does. Errors: BadInput."""
    rows, made = lines_of(args.lines)
    result = {name: made.get(name) for name in ("reader", "weights", "file")}
    result |= calibrated(rows, args.aim)
    write_file(args.out, dumps(result) + "\n")
    shared.write(result, args.json, _lines)


def _lines(result: dict[str, Any]) -> str:
    found, at = result["reliability"], result.get("at_threshold")
    lines = [
        f"temperature {found['temperature']:.3f}, bias {found['bias']:.3f}, fitted on "
        f"{found['measured_on']:,} questions with an answer",
        f"a chance misses the share of right answers by {found['error_before']:.3f} before and "
        f"{found['error_after']:.3f} after, on articles that the fit did not see "
        f"({found['chance_error']:.3f} would be the draw of outcomes alone)",
    ]
    claim = result.get("claim")
    if claim is not None:
        lines.append(
            f"slope {claim['slope']:.3f}, intercept {claim['intercept']:.3f}: whether the text "
            f"answers at all; the claim, of both, misses by {claim['error']:.3f}"
        )
    elif "claim_because" in result:
        lines.append(f"whether a text answers at all is not fitted: {result['claim_because']}")
    if at is None:
        return "\n".join([*lines, "no threshold: every question of these lines has an answer"])
    lines += [
        f"threshold {one['threshold']:.3f}"
        f"{' (written)' if name == result['aim']['name'] else ''}: {AIMS[name]} "
        f"({one['value']:.1f} %) (--aim {name})"
        for name, one in result["aims"].items()
    ]
    return "\n".join(lines)
