"""python -m qa_demo infill: hide words, and see what MLM, SBO and both say about each, as JSON or
as lines.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_demo.cli import shared as cli_shared
from qa_demo.cli.shared import terminal, visible
from qa_demo.core.base import BadInput
from qa_demo.core.files.report_infill import infill_json
from qa_demo.core.infill import NO_HEAD, WIRES, Infiller
from qa_demo.core.masking import Masked, MaskOptions, hide
from qa_demo.core.text import span_at
from qa_demo.evaluation.numbers import percent, total
from qa_demo.evaluation.prose import characters

_LISTED = 5


def add(commands: Any) -> None:
    """Add the command with all of its flags; options are spelled like the fields of the masking
    record.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        "infill", help="hide words of a text and guess them from inside and from the boundary"
    )
    cli_shared.add_text(command, "text", "text")
    cli_shared.add_characters(
        command,
        "span",
        "Characters to hide; may be given several times. Default: spans drawn by the law.",
        several=True,
    )
    command.add_argument(
        "--masking",
        choices=("span", "token"),
        default="span",
        help="Draw SpanBERT's spans or BERT's pieces. Default: span.",
    )
    command.add_argument("--seed", type=int, default=1, help="Seed of the draw. Default: 1.")
    _add_how(command)
    cli_shared.add_json(command)
    cli_shared.add_fields(command, MaskOptions)


def _add_how(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cut",
        nargs="+",
        choices=WIRES,
        default=[],
        help="Wires of the boundary head to replace by their means.",
    )
    command.add_argument(
        "--swap",
        type=int,
        nargs=2,
        action="append",
        metavar=("PIECE", "ROW"),
        default=[],
        help="Feed one blank, by the number of its piece, another row of the position table; may "
        "be given several times.",
    )
    command.add_argument(
        "--top", type=int, default=10, help="Guesses listed for each head. Default: 10."
    )
    command.add_argument(
        "--model",
        default="bundled",
        help="bundled, a folder, or a Hugging Face id of a masked-language model.",
    )


def run(args: argparse.Namespace) -> None:
    """Hide, guess, and write the JSON of the API, or a few lines."""
    text = cli_shared.text_of(args.text, args.text_file)
    if not text.strip():
        raise BadInput("the text is empty; type at least one word")
    if args.seed < 0:
        raise BadInput(f"--seed must be 0 or more, got {args.seed}")
    options = cli_shared.options(MaskOptions, args)
    from qa_demo.model.spanbert_loading import load_spanbert

    model = load_spanbert(args.model)
    encoding = model.encode(text)
    masked: Masked
    if args.span:
        masked = hide(
            encoding.context_ids, [span_at(encoding, *span) for span in args.span], model.mask_id
        )
    else:
        masked = model.sample(encoding, np.random.default_rng(args.seed), options, args.masking)
    check_changes(model, masked, args.cut, dict(args.swap))
    found = model.infill(masked, frozenset(args.cut), dict(args.swap), args.top)
    cli_shared.write(infill_json(encoding, found), args.json, lines)


def check_changes(
    model: Infiller, masked: Masked, cut: Sequence[str], swap: Mapping[int, int]
) -> None:
    """Refuse a cut or a swap that would change nothing, since no hidden piece it concerns has an
    SBO term.
    """
    if (cut or swap) and not model.positions:
        raise BadInput(f"{NO_HEAD}, so there is no wire to cut and no row to swap")
    if cut and not len(masked.pairs(model.positions)):
        raise BadInput(
            "--cut changes the boundary head's guesses, and no hidden piece has any: each lacks "
            "an observed neighbour or a row"
        )
    for at in swap:
        why = masked.why_no_sbo(at, model.positions)
        if why is not None:
            raise BadInput(
                f"--swap changes the boundary head's guess of a piece, and piece {at} has none: "
                f"{why}"
            )


def lines(report: dict[str, Any]) -> str:
    """Each blank with the heads' best guesses and the true piece's rank, and the loss with both
    ways to add it up.
    """
    out: list[str] = []
    for piece in report["pieces"]:
        out.append(
            f"{visible(piece['text'])}  ({piece['fate']}, "
            f"{characters(piece['char_start'], piece['char_end'])})"
        )
        for name in ("mlm", "sbo", "both"):
            if piece[name] is not None:
                guesses = ", ".join(
                    f"{visible(g['piece'])} {percent(g['p'], 1)}" for g in piece[name][:_LISTED]
                )
                out.append(f"  {name:<4} rank {piece[f'true_rank_{name}']:>6,}: {guesses}")
        if piece["no_sbo"]:
            out.append(f"  no SBO term: {piece['no_sbo']}")
    mlm, sbo = report["terms"]
    sums = total([mlm["value"], sbo["weight"] * sbo["value"]], report["total"], at_least=3)
    d = sums.decimals
    out.append(
        f"loss {report['total']:.{d}f} {terminal(sums.sign)} MLM {mlm['value']:.{d}f} (mean over "
        f"{mlm['over']}) + {sbo['weight']:g} x SBO {sbo['value']:.{d}f} (a sum of "
        f"{sbo['over'] - 1}, divided by {sbo['over']}); the paper's plain sum is "
        f"{report['paper_total']:.{d}f}"
    )
    return "\n".join(out)
