"""python -m qa_demo attribute: which words a span's score rests on, as JSON or as lines."""

import argparse
from typing import Any

from qa_demo.cli import shared as cli_shared
from qa_demo.cli.shared import Progress, visible
from qa_demo.core.attribution import (
    BASELINES,
    GAP_LIMIT,
    KINDS,
    METHODS,
    STEPS,
    Attribution,
    Target,
    silence,
)
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import attribution_json
from qa_demo.core.predict import predict
from qa_demo.core.text import span_at, words
from qa_demo.core.types import Reading

_LISTED = 10


def add(commands: Any) -> None:
    """Add the command and its flags."""
    command: argparse.ArgumentParser = commands.add_parser(
        "attribute", help="say which words the score of a span rests on"
    )
    cli_shared.add_texts(command)
    command.add_argument(
        "--target",
        choices=KINDS,
        default="span_score",
        help="The number to explain. Default: span_score.",
    )
    command.add_argument(
        "--method",
        choices=METHODS,
        default="integrated_gradients",
        help="Default: integrated_gradients.",
    )
    command.add_argument(
        "--baseline",
        choices=BASELINES,
        help="What integrated gradients start from; special tokens are kept. Default: pad, or mask "
        "for a reader whose padding has no direction.",
    )
    command.add_argument(
        "--n-steps",
        type=int,
        help=f"Steps on the path. Default: {', '.join(map(str, STEPS))} until the gap is small.",
    )
    cli_shared.add_characters(
        command,
        "span",
        "Characters of the span. Default: the best span, even when the answer is none.",
    )
    cli_shared.add_characters(command, "other", "The second span of the target span_minus_other.")
    cli_shared.add_options(command)


def run(args: argparse.Namespace) -> None:
    """Read the text, explain the span, and write the JSON of the API, or a few lines."""
    decode = cli_shared.decoding(args)
    for name in ("baseline", "n_steps"):
        if getattr(args, name) is not None and args.method != METHODS[0]:
            flag = f"--{name.replace('_', '-')}"
            raise BadInput(f"{flag} belongs to {METHODS[0]}; leave it out under {args.method}")
    reader, reading = cli_shared.read(args)
    if args.span is None:
        best = predict(reading, decode).best
        if best is None:
            raise BadInput(
                "no span is legal under these options, so there is none to explain; name one "
                "with --span START END"
            )
        span, window = best.candidate.span, best.candidate.window
    else:
        span, window = span_at(reading.encoding, *args.span), None
    other = None if args.other is None else span_at(reading.encoding, *args.other)
    target = Target(args.target, span, other, None if other else window)
    found = reader.attribute(
        reading, target, args.method, args.baseline, args.n_steps, on_progress=Progress("step")
    )
    cli_shared.write(
        attribution_json(reading, found), args.json, lambda report: lines(report, reading, found)
    )


def lines(report: dict[str, Any], reading: Reading, found: Attribution) -> str:
    """The target, whether the sum is complete, and the words and special tokens with the largest
    effect, for a person.
    """
    out = [
        f"{report['target']} of {visible(report['span']['text'])!r}: {report['f_x']:+.3f}"
        + (f", against {visible(report['other']['text'])!r}" if report["other"] else ""),
        f"{report['method']}: the tokens sum to {report['sum']:+.3f}",
    ]
    if found.gap is not None and found.gap_share is not None:
        how = "complete" if found.complete else f"not under {100 * GAP_LIMIT:.0f} %"
        out.append(
            f"the baseline ({report['baseline']}) has {report['f_baseline']:+.3f}; the gap is "
            f"{found.gap:+.4f}, "
            f"{100 * found.gap_share:.1f} % of the difference, after {report['n_steps']} steps: "
            f"{how}"
        )
    said = silence(found)
    if said is not None:
        return "\n".join([*out, said])
    out.append(f"{'start':>8} {'end':>8}")
    units = words(reading.encoding, reading.windows[found.window])
    sums = zip(units.items, units.sums(found.start), units.sums(found.end), strict=True)
    rows = [(start, end, word.text, str(word.side)) for word, start, end in sums]
    special = (token for token in report["tokens"] if token["side"] == "special")
    rows += [(token["start"], token["end"], token["text"], "special") for token in special]
    ordered = sorted(rows, key=lambda row: -abs(row[0] + row[1]))[:_LISTED]
    out += [f"{s:>+8.3f} {e:>+8.3f}  {visible(text)} ({side})" for s, e, text, side in ordered]
    return "\n".join(out)
