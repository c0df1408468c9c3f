"""What a run over many questions was made with: by it a stopped run knows whether it can go on, a
comparison whether two runs were made alike, and a report what it shows.
"""

import hashlib
from dataclasses import asdict
from typing import Any

from qa_demo.model.reader import BertReader
from qa_demo.model.scoring import Setup, no_answer_limit

STORED = "stored with the reader"


def about(
    questions: tuple[str, bytes],
    reader: BertReader,
    setup: Setup,
    rules: str,
    *,
    fit: str | None = None,
    given: str = "--null-score-diff-threshold",
    bf16: bool = False,
) -> dict[str, Any]:
    """What the lines depend on: all of it is the same where they can be gone on with.

    `questions` are the name and the bytes of what was asked, `fit` is the file that the calibration
    comes from where it is not the reader's own, `given` the name of a threshold that was given.
    """
    name, raw = questions
    return {
        "file": name,
        "sha256": hashlib.sha256(raw).hexdigest(),
        "rules": rules,
        "reader": reader.name,
        "weights": reader.checksum,
        "threshold": no_answer_limit(reader, setup) if rules == "2.0" else None,
        "threshold_from": _threshold_from(reader, setup, fit, given),
        "calibration": _calibration(reader, fit),
        "options": {
            key: value
            for part in (setup.windows, setup.decode)
            for key, value in asdict(part).items()
            if key != "null_score_diff_threshold"
        },
        "bf16": bf16,
        "attribute": None
        if setup.explain is None
        else {"method": setup.explain.method, "kinds": list(setup.explain.kinds)},
    }


def _threshold_from(reader: BertReader, setup: Setup, fit: str | None, given: str) -> str:
    if setup.threshold is not None:
        return given
    return "0, as none is stored" if reader.threshold is None else fit or STORED


def _calibration(reader: BertReader, fit: str | None) -> str:
    """The fits of start and end, and of whether the text answers, and from where they come."""
    found = reader.calibrations
    if found is None:
        return "none"
    said = []
    if found.span is not None:
        said.append(f"temperature {found.span.temperature:.3f}, bias {found.span.bias:.3f}")
    if found.answerable is not None:
        line = found.answerable
        said.append(f"slope {line.slope:.3f}, intercept {line.intercept:.3f}")
    return f"{'; '.join(said) or 'none'} ({fit or STORED})"
