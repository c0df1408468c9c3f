"""python -m qa_demo tag: B, I, O of every token, and the spans they spell, as JSON or as lines."""

import argparse
from typing import Any

from qa_demo.cli import shared as cli_shared
from qa_demo.cli.shared import visible
from qa_demo.core.bio import DECODINGS
from qa_demo.core.files.report_tag import tag_json
from qa_demo.core.types import WindowOptions
from qa_demo.evaluation.prose import characters

_OUTSIDE = 0.98


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "tag", help="tag every token B, I or O and read the answers off the tags"
    )
    cli_shared.add_texts(command)
    command.add_argument(
        "--decoding",
        choices=DECODINGS,
        default="viterbi",
        help="Likeliest tags with an I after O ignored (strict) or opening a span (lenient), or "
        "the likeliest legal one.",
    )
    cli_shared.add_options(command, WindowOptions)


def run(args: argparse.Namespace) -> None:
    """Read the text, tag it, and write the JSON of the API, or a few lines."""
    _, reading = cli_shared.read(args)
    cli_shared.write(tag_json(reading, args.decoding), args.json, lines)


def lines(report: dict[str, Any]) -> str:
    """The spans with their marginals, then the tokens that are not plainly outside, for a
    person.
    """
    spans = [
        f"{s['marginal']:.3f}  {visible(s['text'])}  ({characters(s['char_start'], s['char_end'])})"
        for s in report["spans"]
    ]
    counted = f"{len(spans)} span{'' if len(spans) == 1 else 's'}"
    out = [
        f"{report['decoding']}: {counted}, with exact marginals",
        *spans,
        f"{'B':>6} {'I':>6} {'O':>6}",
    ]
    out += [
        f"{t['B']:>6.3f} {t['I']:>6.3f} {t['O']:>6.3f}  {visible(t['text'])}"
        for t in report["tokens"]
        if t["O"] < _OUTSIDE
    ]
    return "\n".join(out)
