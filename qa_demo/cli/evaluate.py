"""python -m qa_demo evaluate FILE: the official numbers, and with --out a line of JSON for every
question, from which `report` and `calibrate` work without the model.
"""

import argparse
import math
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo import __version__
from qa_demo.cli import shared
from qa_demo.cli.report import add_page, check_page, lines_of
from qa_demo.cli.shared import LongTexts, Progress, visible
from qa_demo.core.base import BadInput
from qa_demo.core.types import Example
from qa_demo.evaluation import run as running
from qa_demo.evaluation.compare import not_worse
from qa_demo.evaluation.lines import LinesFile, Row, run_file
from qa_demo.evaluation.questions import read_questions
from qa_demo.evaluation.report import write_report
from qa_demo.files import write_file
from qa_demo.model.work import usable_cores

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

BELOW = 1
"""The exit code where a score is below its limit."""
LIMIT = "--null-score-diff-threshold"


def add(commands: Any) -> None:
    """The flags of `evaluate`."""
    command = commands.add_parser("evaluate", help="score a reader on a file of questions")
    command.add_argument(
        "file",
        type=Path,
        help="Questions: SQuAD 1.1 or 2.0 (JSON), the same in flat rows (JSON lines), or "
        "CSV or TSV with the columns question, context, answer; gzip is unpacked. No id stands "
        "twice.",
    )
    command.add_argument(
        "--rules",
        choices=("auto", *running.RULES),
        default="auto",
        help="The official script that counts: by 1.1 the best span always does, by 2.0 no answer "
        "may. auto: 2.0 where a question of the file has no answer. Default: auto.",
    )
    command.add_argument("--limit", type=int, help="Only the first so many questions.")
    command.add_argument(
        "--sample", type=int, help="Only so many questions, drawn over all articles by --seed."
    )
    command.add_argument("--seed", type=int, default=0, help="Of --sample. Default: 0.")
    command.add_argument(
        "--out",
        type=Path,
        help="Write every question as a line of JSON: n-best, scores, gold, kind of error. A file "
        "that is there is gone on with.",
    )
    command.add_argument("--report", type=Path, help="Also write the report, one HTML file.")
    add_page(command)
    command.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="NAME=PERCENT",
        help="End with exit code 1 where a score is lower, such as f1=80 or HasAns_exact=70; may "
        "stand several times.",
    )
    command.add_argument(
        "--not-worse-than",
        type=Path,
        metavar="LINES",
        help="End with exit code 1 where F1 is lower by more than --by than that of these lines, "
        "on the questions that both have.",
    )
    command.add_argument("--by", type=float, help="Points for --not-worse-than. Default: 0.")
    command.add_argument(
        "--eval-results",
        type=Path,
        metavar="FILE",
        help="Write the scores as the model-index of a model card (YAML).",
    )
    shared.add_reader(command)
    command.add_argument("--calibration", type=Path, help="What calibrate wrote for this reader.")
    shared.add_json(command)
    shared.add_fields(command, "read", without=("question", "context"))


def run(args: argparse.Namespace) -> int:
    """Score a reader, write what was asked for; 1 where a score is too low."""
    asked = shared.request(args, "read", question="", context="")
    _check_flags(args)
    other = None if args.not_worse_than is None else lines_of(args.not_worse_than)
    found = read_questions(args.file)
    sys.stderr.write("".join(f"{args.file.name}: {visible(one)}\n" for one in found.remarks))
    if not found.examples:
        raise BadInput(f"{args.file.name} holds no question")
    given = asked.null_score_diff_threshold
    rules, why = running.chosen_rules(found.examples, args.rules, given, LIMIT)
    sys.stderr.write(f"scored by the rules of SQuAD {rules}: {why}\n")
    examples = running.sampled(found.examples, args.limit, args.sample, args.seed)
    sys.stderr.write(_part(args, examples, found.examples))
    least = _limits(args.fail_under, examples, rules)
    reader = shared.load(args)
    fit = None if args.calibration is None else args.calibration.name
    windows = asked.windows(reader.max_seq_length)
    setup = running.setup_of(reader, rules, windows, asked.decode(None), given, fit, LIMIT)
    if rules == "2.0" and given is None and reader.threshold is None:
        sys.stderr.write(
            f"no threshold is stored with the reader {visible(reader.name)}, so no answer is given "
            "where it scores higher than the best span (threshold 0); python -m qa_demo calibrate "
            "fits one\n"
        )
    about = {"spanlight": __version__}
    about |= running.about(args.file.name, args.file.read_bytes(), reader, setup)
    began = time.perf_counter()
    rows = _lines(args.out, about, reader, examples, setup, usable_cores())
    for row in rows:
        if row["kind"] == "not read":
            cause = visible(row["because"])
            sys.stderr.write(f"question {visible(row['id'])} counts as unanswered: {cause}\n")
    scores = running.scores_of(examples, rows, setup)
    scores |= {"seconds": round(time.perf_counter() - began, 2)}
    if args.out is not None:
        LinesFile(args.out, about).finish(scores)
    result: dict[str, Any] = {"rules": f"SQuAD {rules}", "questions_in_file": len(found.examples)}
    result |= {"reader": reader.name, **scores}
    shared.write(result, args.json, _printed)
    run = about | {"scores": scores}
    if args.report is not None:
        write_report(args.report, (rows, run), None, args.page)
    if args.eval_results is not None:
        _write_model_index(args.eval_results, reader.name, args.file, result)
    low = [
        f"{name} is {result[name]:.2f}, below {limit:g}"
        for name, limit in least.items()
        if result[name] < limit
    ]
    if other is not None:
        holds, said = not_worse((rows, run), other, args.by or 0.0)
        sys.stderr.write(f"{visible(said)}\n")
        low += [] if holds else [f"F1 is worse than that of {args.not_worse_than.name}"]
    sys.stderr.write("".join(f"{one}\n" for one in low))
    return BELOW if low else 0


def _lines(
    out: Path | None,
    about: Row,
    reader: "BertReader",
    examples: Sequence[Example],
    setup: running.Setup,
    cores: int,
) -> list[Row]:
    """A line of every question, written as soon as it is known; those that stand in the file
    already are left as they are.
    """
    file = None if out is None else LinesFile(out, about)
    rows = [] if file is None else file.begin([example.id for example in examples])
    if rows and out is not None:
        sys.stderr.write(f"{out.name} holds {len(rows)} of {len(examples)} questions; going on\n")
    progress, left = Progress("question"), examples[len(rows) :]
    with closing(running.lines(reader, left, setup, cores, LongTexts())) as made:
        for row in made:
            if file is not None:
                file.write(row)
            rows.append(row)
            progress(len(rows), len(examples))
    return rows


def _check_flags(args: argparse.Namespace) -> None:
    """Refuse what is out of range, what would change nothing, and what would overwrite an input.
    Errors: BadInput.
    """
    for name in ("limit", "sample"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            raise BadInput(f"--{name} must be at least 1, got {getattr(args, name)}")
    if args.limit is not None and args.sample is not None:
        raise BadInput("--limit takes the first questions and --sample draws some; give one")
    if args.by is not None and (args.not_worse_than is None or not 0 <= args.by <= 100):
        raise BadInput(f"--by is 0 to 100 points and belongs to --not-worse-than, got {args.by}")
    if args.page is not None:
        check_page(args.page)
        if args.report is None:
            raise BadInput("--page is where the links of a report lead; give --report too")
    outs = [args.report, args.eval_results, args.out, args.out and run_file(args.out)]
    for path in outs:
        if path is not None and not path.parent.is_dir():
            raise BadInput(f"{path.name} cannot be written: there is no folder {path.parent}")


def _part(args: argparse.Namespace, taken: Sequence[Example], every: Sequence[Example]) -> str:
    """Which part of the file is asked, and of how many articles it is."""
    if len(taken) == len(every):
        return ""
    how = f"drawn by seed {args.seed}" if args.sample is not None else "the first"
    said = f"{len(taken):,} of {len(every):,} questions, {how}"
    articles, all_of = (len({e.title for e in some}) for some in (taken, every))
    return f"{said}, from {articles:,} of {all_of:,} articles\n" if all_of > 1 else f"{said}\n"


def _limits(given: Sequence[str], examples: Sequence[Example], rules: str) -> dict[str, float]:
    """The lowest percent for each named score, one that the run will have. Errors: BadInput."""
    kinds = {"HasAns_" if e.answers else "NoAns_" for e in examples}
    heads = ["", *sorted(kinds), "best_"] if rules == "2.0" else [""]
    known = [f"{head}{name}" for head in heads for name in ("exact", "f1")]
    found: dict[str, float] = {}
    for one in given:
        name, _, text = one.partition("=")
        try:
            least = float(text)
        except ValueError:
            least = math.nan
        if not 0 <= least <= 100:
            raise BadInput(
                f"--fail-under needs a score's name and a percent from 0 to 100, such as f1=80, "
                f"got {one[:60]!r}"
            )
        if 0 < least < 1:
            raise BadInput(
                f"--fail-under {one[:60]} would mean {least:g} percent, which none fails; scores "
                f"are percents: {name}={100 * least:g}"
            )
        if name not in known:
            raise BadInput(
                f"--fail-under names {name[:60]!r}; the scores of this run are {', '.join(known)}"
            )
        if name in found:
            raise BadInput(f"--fail-under names {name} twice; give each score one limit")
        found[name] = least
    return found


def _printed(result: Mapping[str, Any]) -> str:
    width = max(len(name) for name in result)
    return "\n".join(
        f"{name:<{width}}  {value:.2f}"
        if isinstance(value, float)
        else f"{name:<{width}}  {visible(str(value))}"
        for name, value in result.items()
    )


def _write_model_index(path: Path, reader: str, file: Path, result: Mapping[str, Any]) -> None:
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
