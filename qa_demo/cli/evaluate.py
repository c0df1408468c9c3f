"""Files of questions: evaluate gives the official numbers, and with --out a line of JSON for every
question, from which report and calibrate work without the model.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from qa_demo import __version__
from qa_demo.cli import shared
from qa_demo.cli.shared import tell, visible
from qa_demo.core.base import BadInput, one_of
from qa_demo.core.types import Example
from qa_demo.evaluation import run as running
from qa_demo.evaluation.calibrate import calibrated
from qa_demo.evaluation.compare import not_worse, paired
from qa_demo.evaluation.lines import Evaluation, Row, read_lines
from qa_demo.evaluation.questions import read_questions
from qa_demo.evaluation.report import PAGE, report
from qa_demo.evaluation.table import MOST_LOST
from qa_demo.files import dumps, file_name, read_bytes, write_file
from qa_demo.printed import plural
from qa_demo.records import refuse_idle

WROTE = "What evaluate --out wrote."


def add(commands: Any) -> None:
    """The flags of all three."""
    command = commands.add_parser("evaluate", help="score a reader on a file of questions")
    flag = command.add_argument
    says = "Questions: SQuAD 1.1 or 2.0 (JSON), the same in flat rows (JSON lines), or CSV or TSV "
    says += "with the columns question, context, answer; gzip is unpacked. No id stands twice. "
    flag("file", type=Path, help=f"{says}- reads JSON from standard input.")
    flag("--limit", type=int, help="Only the first so many questions.")
    flag("--sample", type=int, help="Only so many questions, drawn over all articles by --seed.")
    flag("--seed", type=int, help="Of --sample. Default: 0.")
    out = "Write every question as a line of JSON: n-best, scores, gold, kind of error. A file"
    flag("--out", type=Path, metavar="NAME.jsonl", help=f"{out} that is there is gone on with.")
    fail = "End with exit code 1 where"
    lower = f"{fail} a score is lower, such as f1=80 or HasAns_exact=70; may stand several times."
    flag("--fail-under", action="append", default=[], metavar="NAME=PERCENT", help=lower)
    worse = f"{fail} F1 is lower by more than --by than that of these lines, on the questions that "
    flag("--not-worse-than", type=Path, metavar="LINES", help=f"{worse}both have.")
    flag("--by", type=float, help="Points for --not-worse-than. Default: 0.")
    index = "Write the scores as the model-index of a model card (YAML)."
    flag("--eval-results", type=Path, metavar="FILE", help=index)
    command.add_reader()
    flag("--calibration", type=Path, help="What calibrate wrote for this reader.")
    flag("--json", action="store_true", help="Write JSON to stdout.")
    shared.add_fields(command, "read", without=("question", "context"))
    command.set_defaults(run=evaluate)
    page = commands.add_parser("report", help="make a page of a reader's lines")
    flag = page.add_argument
    flag("lines", type=Path, help=WROTE)
    flag("--against", type=Path, help="The lines of a second reader.")
    limit = "Judge the first reader's lines by this no-answer threshold."
    flag("--threshold", type=float, help=limit)
    flag("--out", type=Path, default=Path("report.html"), help="Default: report.html.")
    flag("--page", default=PAGE, help=f"Where Spanlight runs, for the links. Default: {PAGE}")
    page.set_defaults(run=write_report)
    says = "fit a reader's threshold and probabilities on its lines"
    fit = commands.add_parser("calibrate", help=says)
    fit.add_argument("lines", type=Path, help=WROTE)
    says = "Where threshold and calibration are written."
    fit.add_argument("--out", type=Path, required=True, help=says)
    fit.set_defaults(run=calibrate)


def evaluate(args: argparse.Namespace) -> int:
    """Score a reader, write what was asked for; 1 where a score is too low. Errors: BadInput."""
    asked = shared.request(args, "read", question="", context="")
    check_flags(args)
    other = None if args.not_worse_than is None else read_lines(args.not_worse_than)
    raw, file = read_bytes(args.file), file_name(args.file)  # once: a pipe has them no second time
    found = read_questions(raw, file)
    for remark in found.remarks:
        tell(f"{file}: {remark}")
    if not found.examples:
        raise BadInput(f"{file} holds no question")
    given = asked.null_score_diff_threshold
    rules, why = running.rules_for(found.examples, given)
    tell(f"scored by the rules of SQuAD {rules}: {why}")
    examples = running.sampled(found.examples, args.limit, args.sample, args.seed or 0)
    if len(examples) < len(found.examples):
        how = "the first" if args.sample is None else f"drawn by seed {args.seed or 0}"
        said = f"{len(examples):,} of {len(found.examples):,} questions, {how}"
        articles, all_of = (len({e.title for e in some}) for some in (examples, found.examples))
        tell(f"{said}, from {articles:,} of {all_of:,} articles" if all_of > 1 else said)
    floors = list(floors_of(args.fail_under, examples, rules))
    if other is not None:
        check_shared(examples, other, args.not_worse_than.name)
    reader = shared.load(args)
    if rules == "2.0" and given is None and reader.threshold is None:
        tell(
            f"no threshold is stored with the reader {reader.name}, so no answer is given where it "
            "scores higher than the best span (threshold 0); python -m qa_demo calibrate fits one"
        )
    about = {"spanlight": __version__, "file": file, "sha256": hashlib.sha256(raw).hexdigest()}
    about["calibration"] = repr(reader.calibrations)  # of it come the claims in the lines
    done, progress = count(1), shared.progress("question")

    def told(row: Row) -> None:
        progress(next(done), len(examples))
        if row["kind"] == "not read":
            tell(f"question {row['id']} counts as unanswered: {row['because']}")

    decode = asked.options(asked.rule, given, reader.threshold)
    run = running.judge(reader, examples, rules, about, asked.windows, decode, told, args.out)
    if run.run["seconds"] is None:
        tell(f"{args.out.name} was there: its lines were kept and gone on with")
    result: dict[str, Any] = {"rules": f"SQuAD {rules}", "questions_in_file": len(found.examples)}
    result |= {"reader": reader.name, **run.scores, "seconds": run.run["seconds"]}
    sys.stdout.write((dumps(result) if args.json else printed(result)) + "\n")
    if args.eval_results is not None:
        write_file(args.eval_results, model_index(reader.name, file, result))
    shown = [(name, round(result[name], 2), floor) for name, floor in floors]  # as it is printed
    low = [f"{name} is {at:.2f}, below {floor}" for name, at, floor in shown if at < floor]
    if other is not None:
        holds, said = not_worse(run, other, args.by or 0.0)
        tell(said)
        low += [] if holds else [f"F1 is worse than that of {args.not_worse_than.name}"]
    for one in low:
        tell(one)
    return int(bool(low))


def check_flags(args: argparse.Namespace) -> None:
    """Refuse what is out of range and what would change nothing. Errors: BadInput."""
    for name, least in (("limit", 1), ("sample", 1), ("seed", 0)):
        if getattr(args, name) is not None and getattr(args, name) < least:
            raise BadInput(f"--{name} must be at least {least}, got {getattr(args, name)}")
    if args.out is not None and args.out.suffix != ".jsonl":  # another's run file has its name
        raise BadInput(f"--out holds lines of JSON and is called NAME.jsonl, got {args.out.name}")
    idle = ("without --sample", "seed") if args.sample is None else ("beside --sample", "limit")
    refuse_idle(args, *idle)
    if args.not_worse_than is None:
        refuse_idle(args, "without --not-worse-than", "by")
    elif args.by is not None and not 0 <= args.by <= 100:
        raise BadInput(f"--by must be from 0 to 100 points, got {args.by}")


def check_shared(examples: Sequence[Example], other: Evaluation, name: str) -> None:
    """Refuse lines that share no question before an hour is spent. Errors: BadInput."""
    rows = tuple(vars(e) | {"gold": [{"text": x.text} for x in e.answers]} for e in examples)
    paired(Evaluation(rows, other.run), other, ("this run", f"{name} (--not-worse-than)"))


def floors_of(
    given: Sequence[str], examples: Sequence[Example], rules: str
) -> Iterator[tuple[str, float]]:
    """Scores and their lowest percent, each one that the run will have. Errors: BadInput."""
    kinds = {"HasAns_" if e.answers else "NoAns_" for e in examples}
    heads = ["", *sorted(kinds), "best_"] if rules == "2.0" else [""]
    known = [f"{head}{name}" for head in heads for name in ("exact", "f1")]
    for one in given:
        name, _, text = one[:60].partition("=")
        floor = shared.number(text)
        one_of("--fail-under", name, known)
        if not isinstance(floor, int | float) or not (floor == 0 or 1 <= floor <= 100):
            said = f"needs a percent from 1 to 100 (0.8 of all is {name}=80), got {text!r}"
            raise BadInput(f"--fail-under {name} {said}")
        yield name, float(floor)


def printed(result: Mapping[str, Any]) -> str:
    """A line for each score."""
    known = {name: value for name, value in result.items() if value is not None}
    width = max(len(name) for name in known)
    said = {n: f"{v:.2f}" if isinstance(v, float) else visible(str(v)) for n, v in known.items()}
    return "\n".join(f"{name:<{width}}  {value}" for name, value in said.items())


def model_index(reader: str, file: str, result: Mapping[str, Any]) -> str:
    """The scores as Hugging Face's model-index (YAML), to stand in the head of a model card."""
    from huggingface_hub import EvalResult, ModelCardData

    asked, all_of = result["total"], result["questions_in_file"]
    part = "" if asked == all_of else f" ({asked:,} of {all_of:,} questions)"
    names = {"exact": ("exact_match", "Exact match"), "f1": ("f1", "F1")}
    results = [
        EvalResult(
            task_type="question-answering",
            task_name="Question answering",
            dataset_type=file.split(".")[0],
            dataset_name=f"{file}{part}",
            metric_type=kind,
            metric_name=f"{title} ({result['rules']})",
            metric_value=round(float(result[name]), 2),
        )
        for name, (kind, title) in names.items()
    ]
    return f"{ModelCardData(model_name=reader, eval_results=results).to_yaml()}\n"


# ---- from the lines


def write_report(args: argparse.Namespace) -> None:
    """Write the report of the lines. Errors: BadInput."""
    if args.threshold is not None and not abs(args.threshold) <= 1000:
        raise BadInput(f"--threshold must be from -1000 to 1000, got {args.threshold}")
    found, rule = lines_of(args.lines)
    if found.run["rules"] == "1.1" or rule != "logits":
        refuse_idle(args, "by the rules of SQuAD 1.1 or a merge rule but logits", "threshold")
    if args.threshold is not None:
        found = replace(found, run=found.run | {"threshold": args.threshold, "given": True})
    other = None if args.against is None else lines_of(args.against)[0]
    report(found, args.out, other, page=args.page)
    tell(f"{args.out} is written")


def lines_of(path: Path) -> tuple[Evaluation, str]:
    """The lines of a file and their merge rule; it is said where their run was stopped."""
    found = read_lines(path)
    if "scores" not in found.run:
        many = plural(len(found.rows), "line")
        tell(f"{path.name} is of a run that was stopped: it holds the first {many}")
    return found, found.run.get("options", {}).get("rule", "logits")


def calibrate(args: argparse.Namespace) -> None:
    """Fit, write, and say what was fitted and how well it does. Errors: BadInput."""
    found, rule = lines_of(args.lines)
    if rule != "logits":
        said = f"{args.lines.name} was made under the merge rule {rule}"
        raise BadInput(f"{said}; threshold and chances are fitted for logits and hold there alone")
    result = {n: found.run.get(n) for n in ("reader", "weights", "file")} | calibrated(found.rows)
    write_file(args.out, dumps(result) + "\n")
    sys.stdout.write(fitted(result) + "\n")


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
