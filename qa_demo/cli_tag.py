"""python -m qa_demo tag: B, I, O of every token, and the spans they spell, as JSON or as lines."""

import argparse
import sys
from pathlib import Path
from typing import Any

from qa_demo.core.bio import DECODINGS

_OUTSIDE = 0.98


def add(commands: Any) -> argparse.ArgumentParser:
    """Add the command's own flags; those it shares with the other commands are added with theirs."""
    command: argparse.ArgumentParser = commands.add_parser("tag", help="tag every token B, I or O and read the answers off the tags")
    command.add_argument("--question", required=True, help="The question.")
    text = command.add_mutually_exclusive_group(required=True)
    text.add_argument("--context", help="The paragraph.")
    text.add_argument("--context-file", type=Path, help="A UTF-8 file that holds the paragraph; line ends stay as they are.")
    command.add_argument("--decoding", choices=DECODINGS, default="viterbi",
                         help="Likeliest tags with an I after O ignored (strict) or opening a span (lenient), or the likeliest legal one.")
    return command


def run(args: argparse.Namespace) -> None:
    """Read the text, tag it, and write the JSON of the API, or a few lines."""
    from qa_demo.cli import Progress, read_context
    from qa_demo.cli import _options as options
    from qa_demo.core.inputs import check_texts
    from qa_demo.core.report import dumps
    from qa_demo.core.report_tag import tag_json
    from qa_demo.core.types import WindowOptions

    context = args.context if args.context_file is None else read_context(args.context_file)
    question, context = check_texts(args.question, context)
    from qa_demo.model.loading import load_reader

    reading = load_reader(args.reader).read(question, context, options(WindowOptions, args), on_progress=Progress("window"))
    report = tag_json(reading, args.decoding)
    sys.stdout.write((dumps(report) if args.json else lines(report)) + "\n")


def lines(report: dict[str, Any]) -> str:
    """The spans with their marginals, then the tokens that are not plainly outside, for a person."""
    from qa_demo.cli import visible

    spans = [f"{s['marginal']:.3f}  {visible(s['text'])}  (characters {s['char_start']} to {s['char_end']})" for s in report["spans"]]
    counted = f"{len(spans)} span{'' if len(spans) == 1 else 's'}"
    out = [f"{report['decoding']}: {counted}, with exact marginals", *spans, f"{'B':>6} {'I':>6} {'O':>6}"]
    out += [f"{t['B']:>6.3f} {t['I']:>6.3f} {t['O']:>6.3f}  {visible(t['text'])}" for t in report["tokens"] if t["O"] < _OUTSIDE]
    return "\n".join(out)
