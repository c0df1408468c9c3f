"""python -m qa_demo loss: what training would lower on one text, gold spans in, terms out."""

import argparse
import sys
from pathlib import Path
from typing import Any

from qa_demo.core.report import NORMALISERS


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command's own flags; those it shares with the other commands are added with theirs."""
    command: argparse.ArgumentParser = commands.add_parser("loss", help="say what the training loss of an answer is, term by term")
    command.add_argument("--question", required=True, help="The question.")
    text = command.add_mutually_exclusive_group(required=True)
    text.add_argument("--context", help="The paragraph.")
    text.add_argument("--context-file", type=Path, help="A UTF-8 file that holds the paragraph; line ends stay as they are.")
    command.add_argument("--gold", type=int, nargs=2, action="append", metavar=("START", "END"),
                         help="Characters of a right answer, end exclusive; repeat it for each annotator. Without it no answer is right.")
    command.add_argument("--normaliser", choices=NORMALISERS, default="window",
                         help="A softmax in each window, or one over the paragraph's tokens of all windows. Default: window.")
    return command


def run(args: argparse.Namespace) -> None:
    """Read the text and write the terms as JSON, or as lines."""
    from qa_demo.cli import Progress, read_context
    from qa_demo.cli import _options as options
    from qa_demo.core.inputs import check_texts
    from qa_demo.core.report import dumps, loss_json
    from qa_demo.core.types import WindowOptions
    from qa_demo.core.words import span_at

    context = args.context if args.context_file is None else read_context(args.context_file)
    question, context = check_texts(args.question, context)
    from qa_demo.model.loading import load_reader

    reading = load_reader(args.reader).read(question, context, options(WindowOptions, args), on_progress=Progress("window"))
    golds = tuple(span_at(reading.encoding, *chars) for chars in args.gold or ()) or (None,)
    report = loss_json(reading, golds, args.normaliser)
    sys.stdout.write((dumps(report) if args.json else lines(report)) + "\n")


def lines(report: dict[str, Any]) -> str:
    """Labels, terms and total, for a person."""
    from qa_demo.cli import visible

    out = [f"label: {visible(gold['text'])}" if gold else "label: no answer" for gold in report["gold"]]
    out.append(f"{'term':<8} {'value':>9} {'weight':>7} {'over':>5}")
    out += [f"{t['name']:<8} {t['value']:>9.4f} {t['weight']:>7g} {t['over']:>5g}" for t in report["terms"]]
    return "\n".join([*out, f"{'total':<8} {report['total']:>9.4f} nats, the sum of weight times value"])
