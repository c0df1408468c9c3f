"""What a run of `evaluate` was made with, for the file beside its lines: by it a stopped run knows
whether it can go on, and a comparison whether two runs were made alike.
"""

import argparse
import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from qa_demo import __version__

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader
    from qa_demo.model.scoring import Setup


def about(
    args: argparse.Namespace, reader: "BertReader", setup: "Setup", rules: str
) -> dict[str, Any]:
    """What the lines depend on: all of it is the same where they can be gone on with."""
    from qa_demo.model.scoring import no_answer_limit

    return {
        "spanlight": __version__,
        "file": args.file.name,
        "sha256": hashlib.sha256(args.file.read_bytes()).hexdigest(),
        "rules": rules,
        "reader": reader.name,
        "weights": reader.checksum,
        "threshold": no_answer_limit(reader, setup) if rules == "2.0" else None,
        "threshold_from": _threshold_from(args, reader),
        "calibration": _calibration(args, reader),
        "options": {
            key: value
            for part in (setup.windows, setup.decode, setup.merge)
            for key, value in asdict(part).items()
            if key != "null_score_diff_threshold"
        },
        "bf16": args.bf16,
    }


def _threshold_from(args: argparse.Namespace, reader: "BertReader") -> str:
    if args.null_score_diff_threshold is not None:
        return "--null-score-diff-threshold"
    if reader.threshold is None:
        return "0, as none is stored"
    return "stored with the reader" if args.calibration is None else args.calibration.name


def _calibration(args: argparse.Namespace, reader: "BertReader") -> str:
    """The fits of start and end, and of whether the text answers, and from where they come."""
    found = reader.calibrations
    if found is None:
        return "none"
    said = []
    if found.span is not None:
        said.append(f"temperature {found.span.temperature:.3f}, bias {found.span.bias:.3f}")
    if found.answerable is not None:
        fit = found.answerable
        said.append(f"slope {fit.slope:.3f}, intercept {fit.intercept:.3f}")
    origin = "stored with the reader" if args.calibration is None else args.calibration.name
    return f"{'; '.join(said) or 'none'} ({origin})"
