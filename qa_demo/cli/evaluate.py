"""python -m qa_demo evaluate FILE: the official numbers, and with --out a line of JSON for every
question, which `report` turns into a page.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo import __version__
from qa_demo.cli import limits, shared
from qa_demo.cli import report as cli_report
from qa_demo.cli.evaluate_flags import add as add
from qa_demo.cli.evaluate_flags import check_flags
from qa_demo.cli.files import load_questions
from qa_demo.cli.predictions import Predictions, beside, read_run
from qa_demo.cli.scores import print_scores
from qa_demo.cli.shared import LongTexts, Progress, visible
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import evaluate_json
from qa_demo.core.files.report_evaluate import beside_scores, outcome_of
from qa_demo.core.measuring.attributed import ALL, explain_by
from qa_demo.core.measuring.comparison import check_same
from qa_demo.core.measuring.metrics import check_threshold, chosen_rules, evaluate
from qa_demo.core.measuring.perturb import rule_of
from qa_demo.core.types import Example
from qa_demo.evaluation.own_slices import own_slice

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader
    from qa_demo.model.scoring import Setup


def run(args: argparse.Namespace) -> int:
    """Score one reader, or two, and write the official scripts' numbers; 1 where one is too low."""
    decode = shared.decoding(args)
    least = limits.limits(args.fail_under)
    slices = [own_slice(text) for text in args.slices]
    check_flags(args)
    explain = None if args.attribute is None else explain_by(args.attribute, args.kinds or ALL)
    everything = load_questions(args.file)
    if not everything:
        raise BadInput(f"{args.file.name} holds no question")
    rules, why = chosen_rules(everything, args.rules)
    _check_rules(args, rules, why)
    examples = everything[: args.limit]
    limits.check_names(least, examples, rules)
    if args.out is None and any(rule_of(e.id) for e in examples):
        sys.stderr.write("changed twins stand in this file; --out says how many answers survive\n")
    readers = [args.reader, *([args.against] if args.against is not None else [])]
    out: Path | None = args.out
    outs = [] if out is None else [out, beside(out, "against")][: len(readers)]
    from qa_demo.model.scoring import Setup

    setup = Setup(args.head, decode=decode, explain=explain)
    files: list[Path | None] = [*outs] or [None]
    fits = (args.calibration, args.against_calibration)
    results = []
    for source, fit, lines in zip(readers, fits, files, strict=False):
        one = argparse.Namespace(**vars(args) | {"reader": source, "calibration": fit})
        like = outs[0] if lines is not None and lines != outs[0] else None
        result = {"rules": f"SQuAD {rules}", "questions_in_file": len(everything)}
        result |= _one(one, examples, setup, rules, lines, like)
        print_scores(result, args.json)
        results.append(result)
    if args.report is not None:
        page = args.page or cli_report.PAGE
        cli_report.write_report(args.report, outs, page, args.allow_different, slices)
    return _handed_on(args, results[0], least)


def _handed_on(args: argparse.Namespace, result: dict[str, Any], least: dict[str, float]) -> int:
    """Write what a model card takes, and hold the scores against their limits."""
    if args.eval_results is not None:
        limits.write_model_index(args.eval_results, result["reader"], args.file, result)
    low = limits.below(result, least)
    sys.stderr.write("".join(f"{one}\n" for one in low))
    return limits.BELOW if low else 0


def _check_rules(args: argparse.Namespace, rules: str, why: str) -> None:
    """Say which rules count and why; refuse a threshold that they do not ask for. Errors:
    BadInput.
    """
    if args.head == "span":
        limit, flag = args.null_score_diff_threshold, "--null-score-diff-threshold"
        check_threshold(limit, rules, why, flag, "--rules squad2")
    sys.stderr.write(f"scored by the rules of SQuAD {rules}: {why}\n")


def _one(
    args: argparse.Namespace,
    examples: Sequence[Example],
    setup: "Setup",
    rules: str,
    out: Path | None,
    like: Path | None,
) -> dict[str, Any]:
    """Load one reader and score it; the questions that it refuses are named on stderr. `like` are
    the lines of another reader, from which no setting may differ unless it is allowed.
    """
    from qa_demo.model.scoring import check_setup, no_threshold, score_reader

    loaded, cores = shared.load_many(args)
    reader = shared.fitted(loaded, args)
    check_setup(reader, setup)
    setup = replace(
        setup,
        windows=shared.windows(args, reader.max_seq_length),
        threshold=args.null_score_diff_threshold,
    )
    unknown = no_threshold(reader, setup, rules)
    sys.stderr.write("" if unknown is None else visible(unknown) + "\n")
    if out is None:
        result, skipped = score_reader(
            reader, examples, setup, Progress("question"), cores, rules, LongTexts()
        )
    else:
        if like is not None and not args.allow_different:
            check_same(read_run(like), _about(args, reader, setup, rules))
        result, skipped = _predictions(args, reader, examples, setup, rules, out, cores)
    for example, cause in skipped:
        sys.stderr.write(f"question {visible(example.id)} counts as unanswered: {visible(cause)}\n")
    return {"reader": reader.name, **result}


def _about(
    args: argparse.Namespace, reader: "BertReader", setup: "Setup", rules: str
) -> dict[str, Any]:
    from qa_demo.model.run_settings import about

    fit = None if args.calibration is None else args.calibration.name
    asked = args.file.name, args.file.read_bytes()
    made = about(asked, reader, setup, rules, fit=fit)
    return {"spanlight": __version__, **made}


def _predictions(
    args: argparse.Namespace,
    reader: "BertReader",
    examples: Sequence[Example],
    setup: "Setup",
    rules: str,
    out: Path,
    cores: int,
) -> tuple[dict[str, Any], list[tuple[Example, str]]]:
    """Every question as a line of `out`, as soon as it is known; those that stand there already
    are left as they are.
    """
    from qa_demo.model.evaluating import judged_rows
    from qa_demo.model.scoring import no_answer_limit

    began = time.perf_counter()
    file = Predictions(out, _about(args, reader, setup, rules))
    done = file.begin([example.id for example in examples])
    if done:
        sys.stderr.write(f"{out.name} holds {done} of {len(examples)} questions; going on\n")
    progress, left = Progress("question"), examples[done:]
    with file, closing(judged_rows(reader, left, setup, rules, cores, LongTexts())) as lines:
        for k, row in enumerate(lines, done + 1):
            file.write(row)
            progress(k, len(examples))
    rows = file.rows()[: len(examples)]
    refused = [(e, r["because"]) for e, r in zip(examples, rows, strict=True) if not r["windows"]]
    if len(refused) == len(examples):
        raise BadInput(refused[0][1])
    said = {row["id"]: outcome_of(row) for row in rows}
    scores = evaluate(examples, said, no_answer_limit(reader, setup), rules)
    seconds = round(time.perf_counter() - began, 2)
    result = evaluate_json(scores, seconds) | beside_scores(rows)
    file.finish(result)
    return result, refused
