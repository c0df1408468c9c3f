"""answer, attribute, loss, tag and infill: the calls, as JSON or as lines for a person.

A flag is a field of the call's request and is refused in the same sentence (qa_demo/api/calls.py).
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from qa_demo.api import calls
from qa_demo.api.calls import CALLS, plain
from qa_demo.cli import shared
from qa_demo.cli.shared import visible
from qa_demo.core.attribution import GAP_LIMIT
from qa_demo.core.base import BadInput
from qa_demo.core.losses import LossTerm, total
from qa_demo.core.types import Example, Reading
from qa_demo.core.windows import fitting
from qa_demo.evaluation.run import read_each
from qa_demo.files import dumps, file_name, json_lines, read_text
from qa_demo.printed import adds, percent, plural
from qa_demo.records import received

CALLED = {"answer": "read"} | {name: name for name in CALLS if name != "read"}
LISTED, OUTSIDE = 10, 0.98


def add(commands: Any) -> None:
    """A command for each call; a flag for each field of the request."""
    for name, called in CALLED.items():
        says = CALLS[called].__doc__
        command = commands.add_parser(name, help=says, description=says)
        shared.add_fields(command, called)
        if name == "infill":
            command.add_argument("--model", default="bundled", help="bundled, a folder or an id.")
            command.set_defaults(reader="bundled", base=None)
        else:
            command.add_reader()
        command.add_argument("--json", action="store_true", help="Write JSON to stdout.")
        command.set_defaults(run=run)
    many, says = commands.choices["answer"], "What calibrate wrote for this reader."
    many.add_argument("--calibration", type=Path, help=says)
    says = 'Answer every line {"question": ..., "context": ...} of a file, or of standard input '
    says += "with -; a line of JSON for each, in order. The reader is loaded once."
    many.add_argument("--jsonl", type=Path, metavar="FILE", help=says)


def run(args: argparse.Namespace) -> None:
    """Make the call and write its reply; or answer many questions."""
    name = CALLED[args.command]
    if getattr(args, "jsonl", None) is not None:
        return _many(args)
    made = shared.request(args, name).reply(shared.pictures(args))
    sys.stdout.write((dumps(plain(made)) if args.json else "\n".join(LINES[name](made))) + "\n")


def _many(args: argparse.Namespace) -> None:
    """A line for each question; one that cannot be read has `error` in place of an answer, and the
    exit code is then 2.
    """
    if {"question", "context", "context_file"} & vars(args).keys():
        raise BadInput("--jsonl brings its own questions; leave out --question and --context")
    options = shared.request(args, "read", question="", context="")
    examples = list(_asked(args.jsonl))
    reader, progress, faults = shared.load(args), shared.progress("question"), 0
    windows = fitting(options.windows, reader.max_seq_length)

    def line(example: Example, reading: Reading | str) -> dict[str, Any]:
        named = {"id": example.id} if example.id else {}
        said = {"error": reading} if isinstance(reading, str) else plain(options.answer(reading))
        return {**named, "question": example.question, **said}

    with closing(read_each(reader, examples, windows, line)) as made:
        for done, row in enumerate(made, 1):
            faults += "error" in row
            sys.stdout.write(dumps(row) + "\n")
            progress(done, len(examples))
    if faults:
        raise BadInput(f"{faults} of {len(examples)} questions were not read; their lines say why")


def _asked(path: Path) -> Iterator[Example]:
    """The questions of a file's lines. Errors: BadInput that names the line."""
    number, name = 0, file_name(path)
    for number, row in json_lines(read_text(path), name):
        found = row if isinstance(row, dict) else {}
        asked, context, key = map(found.get, ("question", "context", "id"))
        if not isinstance(asked, str) or not isinstance(context, str):
            wanted = 'an object with the texts "question" and "context"'
            raise BadInput(f"{name}, line {number} must be {wanted}, {received(row)}")
        yield Example("" if key is None else str(key), asked, context, ())
    if not number:
        raise BadInput(f"{name} holds no question")


def answer_lines(reply: calls.ReadReply) -> Iterator[str]:
    """The answer, its numbers, and the list of the best spans."""
    found, span = reply.prediction, reply.prediction.answer_span
    if span is None:
        yield "no answer" if found.n_best else "no answer: no span is allowed here"
    else:
        start, end, score = span.start_logit, span.end_logit, span.score
        d = 3 if adds((start, end), score, 3) == "=" else 4
        sign = "=" if adds((start, end), score, d) == "=" else "~"
        where = f"characters {span.char_start} to {span.char_end}"  # as --gold takes them
        yield visible(span.text)
        yield f"{where}, score {score:.{d}f} {sign} start {start:.{d}f} + end {end:.{d}f}"
    if found.best is not None:
        rule = "this rule does not compare them"
        if found.limit is not None:
            rule = f"above {found.limit:.3f} an answer is withheld"
        null, best = round(found.null_score, 3), round(found.best.candidate.score, 3)
        scores = f"no answer scores {null:.3f}, the best span {best:.3f}"
        yield f"{scores}, a lead of {null - best:.3f}; {rule}"
    if reply.sureness is not None:
        sure, what = reply.sureness, "the best span" if span is None else "the answer"
        right = percent(sure.right_if_answerable)
        if sure.claim is None or sure.answerable is None:
            yield f"{what} is {right} likely to be exactly right if the text answers"
        else:
            yield (
                f"{what} is {percent(sure.claim)} likely to be exactly right: the text answers "
                f"with {percent(sure.answerable)}, and then this is right with {right}"
            )
    yield f"{plural(len(reply.windows), 'window')}; the best spans:"
    for row in found.n_best:
        yield f"{row.rank:>4}  {row.candidate.score:>8.3f}  {visible(row.candidate.text)}"


def attribute_lines(reply: calls.AttributeReply) -> Iterator[str]:
    """The target, whether the sum is complete, and the words with the largest effect."""
    found, special = reply.attribution, reply.words.of < 0
    against = f", against {visible(reply.other.text)!r}" if reply.other else ""
    yield f"{found.target.kind} of {visible(reply.span.text)!r}: {found.f_x:+.3f}{against}"
    yield f"{found.method}: the tokens sum to {found.sum:+.3f}"
    if found.gap is not None and found.gap_share is not None:
        how = "complete" if found.complete else f"not under {100 * GAP_LIMIT:.0f} %"
        yield (
            f"the baseline ({found.baseline}) has {found.f_baseline:+.3f}; the gap is "
            f"{found.gap:+.4f}, {100 * found.gap_share:.1f} % of the difference, after "
            f"{found.n_steps} steps: {how}"
        )
    rows = [(found.values[k], f"{reply.tokens[k]} (special)") for k in special.nonzero()[0]]
    names = [f"{word.text} ({word.side})" for word in reply.words.items]
    rows += zip(reply.words.sums(found.values), names, strict=True)
    for value, name in sorted(rows, key=lambda row: -abs(row[0]))[:LISTED]:
        yield f"{value:>+8.3f}  {visible(name)}"


def loss_lines(reply: calls.LossReply) -> Iterator[str]:
    """Labels, terms and total."""
    for gold, whole in zip(reply.gold, reply.whole_in, strict=True):
        line = f"label: {visible(gold.text) if gold else 'no answer'}"
        if gold and whole != (windows := reply.terms[0].over):
            line += f" (whole in {whole} of {windows} windows; the others count it as no answer)"
        yield line
    yield from terms(reply.terms)


def terms(found: Sequence[LossTerm]) -> Iterator[str]:
    """A loss term by term."""
    yield f"{'term':<8} {'value':>9} {'weight':>7} {'over':>5}"
    for term in found:
        yield f"{term.name:<8} {term.value:>9.4f} {term.weight:>7g} {term.over:>5g}"
    yield f"{'total':<8} {total(found):>9.4f} nats, the sum of weight times value"


def tag_lines(reply: calls.TagReply) -> Iterator[str]:
    """The spans with their marginals, then the tokens that are not plainly outside."""
    yield f"{plural(len(reply.spans), 'span')}, with exact marginals"
    for x in reply.spans:
        yield f"{x.marginal:.3f}  {visible(x.text)}  (characters {x.char_start} to {x.char_end})"
    yield f"{'B':>6} {'I':>6} {'O':>6}"
    for token, (b, i, o) in zip(reply.tokens, reply.p.tolist(), strict=True):
        if o < OUTSIDE:
            yield f"{b:>6.3f} {i:>6.3f} {o:>6.3f}  {visible(token)}"


def infill_lines(reply: calls.InfillReply) -> Iterator[str]:
    """Each blank with the heads' best guesses and the true piece's rank, and the loss."""
    for blank in reply.infill.pieces:
        start, end = reply.offset_mapping[blank.at].tolist()
        hides = visible(reply.text[start:end]) if reply.known else "[MASK]"
        # a typed [MASK] was read as "it": its characters are those of the changed text
        where = f", characters {start} to {end}" if reply.known else ""
        yield f"{hides}  ({blank.fate}{where})"
        for name, head in (("mlm", blank.mlm), ("sbo", blank.sbo), ("both", blank.both)):
            if head is not None:
                best = [f"{visible(g.piece)} {percent(g.p)}" for g in head.guesses]
                rank = f"rank {head.rank:>6,}: " if reply.known else ""
                yield f"  {name:<4} {rank}{', '.join(best)}"
        if blank.no_sbo:
            yield f"  no SBO term: {blank.no_sbo}"
    if not reply.known:
        yield "no loss: nobody has said which word a typed [MASK] hides"
        return
    yield from terms(reply.infill.code)
    yield f"the paper's plain sum is {total(reply.infill.paper):.4f}"


LINES: dict[str, Callable[[Any], Iterator[str]]] = {"read": answer_lines, "loss": loss_lines}
LINES |= {"attribute": attribute_lines, "tag": tag_lines, "infill": infill_lines}
