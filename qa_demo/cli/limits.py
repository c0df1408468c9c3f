"""What a run of `evaluate` is held to, and how its result is handed on: a lowest score for a CI,
and the block of a model card.
"""

import argparse
import math
import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qa_demo.cli.files import write_file
from qa_demo.core.base import BadInput
from qa_demo.core.types import Example

SCORE = re.compile(r"((HasAns|NoAns|best)_)?(exact|f1)")
BELOW = 1
"""The exit code where a score is below its limit."""


def add(command: argparse.ArgumentParser) -> None:
    """The flags."""
    command.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="NAME=PERCENT",
        help="End with exit code 1 where a score of --reader is lower, such as f1=80 or "
        "HasAns_exact=70; may stand several times.",
    )
    command.add_argument(
        "--eval-results",
        type=Path,
        metavar="FILE",
        help="Write the scores of --reader as the model-index of a model card (YAML).",
    )


def limits(given: Sequence[str]) -> dict[str, float]:
    """The lowest percent for each named score. Errors: BadInput."""
    found = {}
    for one in given:
        name, _, text = one.partition("=")
        try:
            least = float(text)
        except ValueError:
            least = math.nan
        if not SCORE.fullmatch(name) or not 0 <= least <= 100:
            raise BadInput(
                f"--fail-under needs a score's name and a percent from 0 to 100, such as f1=80, "
                f"got {one[:60]!r}"
            )
        if name in found:
            raise BadInput(f"--fail-under names {name} twice; give each score one limit")
        found[name] = least
    return found


def check_names(least: Mapping[str, float], examples: Sequence[Example], rules: str) -> None:
    """Refuse, before anything is read, a limit on a score that the run will not have. Errors:
    BadInput.
    """
    kinds = {"HasAns_": bool, "NoAns_": operator.not_}
    parts = [name for name, has in kinds.items() if any(has(e.answers) for e in examples)]
    heads = ["", *parts, "best_"] if rules == "2.0" else [""]
    known = [f"{head}{name}" for head in heads for name in ("exact", "f1")]
    for name in least:
        if name not in known:
            raise BadInput(
                f"--fail-under names {name!r}; the scores of this run are {', '.join(known)}"
            )


def below(scores: Mapping[str, Any], least: Mapping[str, float]) -> list[str]:
    """A sentence for each score that is below its limit."""
    return [
        f"{name} is {scores[name]:.2f}, below {limit:g}"
        for name, limit in least.items()
        if scores[name] < limit
    ]


def write_model_index(path: Path, reader: str, file: Path, result: Mapping[str, Any]) -> None:
    """The scores as Hugging Face's model-index, to stand in the head of a model card. Errors:
    BadInput where the file cannot be written.
    """
    from huggingface_hub import EvalResult, ModelCardData

    names = {"exact": ("exact_match", "Exact match"), "f1": ("f1", "F1")}
    results = [
        EvalResult(
            task_type="question-answering",
            task_name="Question answering",
            dataset_type=file.name.split(".")[0],
            dataset_name=file.name,
            metric_type=kind,
            metric_name=f"{title} ({result['rules']})",
            metric_value=round(float(result[name]), 2),
        )
        for name, (kind, title) in names.items()
    ]
    write_file(path, ModelCardData(model_name=reader, eval_results=results).to_yaml() + "\n")
