"""python -m qa_demo loss: what training would lower on one text, gold spans in, terms out."""

import argparse
from typing import Any

from qa_demo.cli import shared as cli_shared
from qa_demo.cli.shared import visible
from qa_demo.core.files.report import NORMALISERS, loss_json
from qa_demo.core.text import span_at
from qa_demo.core.types import WindowOptions


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "loss", help="say what the training loss of an answer is, term by term"
    )
    cli_shared.add_texts(command)
    cli_shared.add_characters(
        command,
        "gold",
        "Characters of a right answer; repeat it for each annotator. Without it no "
        "answer is right.",
        several=True,
    )
    command.add_argument(
        "--none",
        type=_count,
        default=0,
        metavar="N",
        help="Annotators who found no answer, beside those of --gold.",
    )
    command.add_argument(
        "--normaliser",
        choices=NORMALISERS,
        default="window",
        help="A softmax in each window, or one over the paragraph's tokens of all windows. "
        "Default: window.",
    )
    cli_shared.add_options(command, WindowOptions)


def run(args: argparse.Namespace) -> None:
    """Read the text and write the terms as JSON, or as lines."""
    _, reading = cli_shared.read(args)
    golds = tuple(span_at(reading.encoding, *chars) for chars in args.gold or ()) + (
        None,
    ) * args.none or (None,)
    cli_shared.write(loss_json(reading, golds, args.normaliser), args.json, lines)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 100:
        raise argparse.ArgumentTypeError(f"a number from 0 to 100 is needed, got {text[:20]!r}")
    return int(text)


def _held(count: int, report: dict[str, Any]) -> str:
    """Said only where it changes the loss: a window without the whole label counts it as no
    answer.
    """
    windows = len(report["windows"])
    if count == windows or report["normaliser"] != "window":
        return ""
    return f" (whole in {count} of {windows} windows; the others count it as no answer)"


def lines(report: dict[str, Any]) -> str:
    """Labels, terms and total, for a person."""
    out = [
        f"label: {visible(gold['text'])}{_held(gold['whole_in'], report)}"
        if gold
        else "label: no answer"
        for gold in report["gold"]
    ]
    out.append(f"{'term':<8} {'value':>9} {'weight':>7} {'over':>5}")
    out += [
        f"{t['name']:<8} {t['value']:>9.4f} {t['weight']:>7g} {t['over']:>5g}"
        for t in report["terms"]
    ]
    return "\n".join(
        [*out, f"{'total':<8} {report['total']:>9.4f} nats, the sum of weight times value"]
    )
