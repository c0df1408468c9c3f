"""The command line: flags in, JSON or plain lines out, progress on stderr, exit code 2 and one
sentence for bad input.
"""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qa_demo import __version__
from qa_demo.arguments import OneSentence
from qa_demo.cli import attribute as cli_attribute
from qa_demo.cli import infill as cli_infill
from qa_demo.cli import loss as cli_loss
from qa_demo.cli import shared as cli_shared
from qa_demo.cli import tag as cli_tag
from qa_demo.cli.shared import Progress, options, visible, with_threshold
from qa_demo.core.errors import BadInput, Cancelled, QADemoError
from qa_demo.core.predict import predict
from qa_demo.core.report import answer_json, dumps
from qa_demo.core.squad import read_squad
from qa_demo.core.types import WindowOptions


def parser() -> argparse.ArgumentParser:
    """The commands; option flags are spelled like the fields of the option records."""
    top = OneSentence(
        prog="python -m qa_demo",
        description="Read an answer out of a paragraph, and see the numbers behind it.",
    )
    top.add_argument("--version", action="version", version=f"spanlight {__version__}")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="answer | evaluate | attribute | infill | loss | tag"
    )
    answer = commands.add_parser("answer", help="answer one question from one paragraph")
    cli_shared.add_texts(answer)
    cli_shared.add_options(answer)
    evaluate = commands.add_parser("evaluate", help="score a reader on a SQuAD 1.1 or 2.0 file")
    evaluate.add_argument("file", type=Path, help="The file: JSON, or JSON in .gz.")
    evaluate.add_argument(
        "--head",
        choices=("span", "bio"),
        default="span",
        help="Start and end logits, or B, I, O tags. Default: span.",
    )
    evaluate.add_argument("--limit", type=int, help="Only the first so many questions.")
    evaluate.add_argument(
        "--bf16",
        action="store_true",
        help="Compute in bfloat16: faster on some processors, fewer digits.",
    )
    cli_shared.add_options(evaluate)
    for module in (cli_attribute, cli_infill, cli_loss, cli_tag):
        module.add(commands)
    return top


def run_answer(args: argparse.Namespace) -> None:
    """Answer one question and write the JSON of the API, or a few lines."""
    decode, merge = cli_shared.decoding(args)
    _, reading = cli_shared.read(args)
    reading, decode = with_threshold(reading, decode, args)
    cli_shared.write(answer_json(reading, predict(reading, decode, merge)), args.json, answer_lines)


def answer_lines(report: dict[str, Any]) -> str:
    """The answer, its numbers, and the list of the best spans, for a person."""
    if report["answer"] is None:
        lines = ["no answer"]
    else:
        lines = [
            visible(report["answer"]),
            f"characters {report['char_start']} to {report['char_end']}, score "
            f"{report['score']:.3f} "
            f"= start {report['start_logit']:.3f} + end {report['end_logit']:.3f}",
        ]
    if report["score_diff"] is not None:
        lines.append(
            f"no answer scores {report['null_score']:.3f}, {report['score_diff']:+.3f} against "
            f"the best span"
        )
    lines.append(
        f"{len(report['windows'])} window{'s' if len(report['windows']) > 1 else ''}; the best "
        f"spans:"
    )
    lines += [
        f"{rank:>4}  {row['score']:>8.3f}  {visible(row['text'])}"
        for rank, row in enumerate(report["n_best"], 1)
    ]
    return "\n".join(lines)


def run_evaluate(args: argparse.Namespace) -> None:
    """Score a reader on a file and write the official scripts' numbers."""
    if args.limit is not None and args.limit < 1:
        raise BadInput(f"--limit must be at least 1, got {args.limit}")
    decode, merge = cli_shared.decoding(args)
    examples = read_squad(args.file, check_offsets=False)[: args.limit]
    if not examples:
        raise BadInput(f"{args.file.name} holds no question")
    from qa_demo.model.loading import load_reader
    from qa_demo.model.scoring import Setup, score_reader
    from qa_demo.model.workers import Workers, set_threads, usable_cores

    cores = usable_cores()
    reader = load_reader(args.reader, workers=Workers(cores), bf16=args.bf16)
    set_threads(1)
    setup = Setup(
        args.head,
        options(WindowOptions, args),
        decode,
        merge,
        threshold=args.null_score_diff_threshold,
    )
    result, skipped = score_reader(reader, examples, setup, Progress("question"), threads=cores)
    for example, cause in skipped:
        sys.stderr.write(f"question {visible(example.id)} counts as unanswered: {visible(cause)}\n")
    if args.json:
        sys.stdout.write(dumps(result) + "\n")
    else:
        width = max(len(name) for name in result)
        sys.stdout.write(
            "".join(
                f"{name:<{width}}  {value:.2f}\n"
                if isinstance(value, float)
                else f"{name:<{width}}  {value}\n"
                for name, value in result.items()
            )
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, 2 for bad input or an unusable reader, 130 when
    interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a console that has no Greek must not end the program
    args = parser().parse_args(argv)
    try:
        {
            "answer": run_answer,
            "evaluate": run_evaluate,
            "attribute": cli_attribute.run,
            "infill": cli_infill.run,
            "loss": cli_loss.run,
            "tag": cli_tag.run,
        }[args.command](args)
    except Cancelled:
        return 130
    except QADemoError as fault:
        sys.stderr.write(f"python -m qa_demo {args.command}: {visible(str(fault))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130
    return 0
