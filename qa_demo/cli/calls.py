"""answer, attribute, loss, tag and infill: the five calls, as JSON or as lines for a person.

A flag is a field of the call's request and is refused in the same sentence (qa_demo/api/calls.py).
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from qa_demo.api.calls import CALLS, Host, answer, reply
from qa_demo.api.replies import Answer, Attributed, Filled, Lost, Tagged
from qa_demo.cli import shared
from qa_demo.cli.shared import LongTexts, Progress, visible
from qa_demo.core.attribution import GAP_LIMIT, gap_share
from qa_demo.core.base import BadInput
from qa_demo.core.types import Example, Reading
from qa_demo.files import dumps, json_lines

CALLED = {"answer": "read"} | {name: name for name in ("attribute", "loss", "tag", "infill")}
HELP = {
    "answer": "answer a question from a paragraph, or many",
    "attribute": "say which words the score of a span rests on",
    "loss": "say what the training loss of an answer is, term by term",
    "tag": "tag every token B, I or O and read the answers off the tags",
    "infill": "hide words of a text and guess them from inside and from the boundary",
}
LISTED, GUESSES, OUTSIDE = 10, 5, 0.98


def add(commands: Any) -> None:
    """The five commands; a flag for each field of the request."""
    for name, called in CALLED.items():
        command = commands.add_parser(name, help=HELP[name], description=CALLS[called].says)
        shared.add_fields(command, called)
        if name == "infill":
            command.add_argument("--model", default="bundled", help="bundled, a folder or an id.")
        else:
            shared.add_reader(command)
        shared.add_json(command)
    many = commands.choices["answer"]
    many.add_argument(
        "--jsonl",
        metavar="FILE",
        help='Answer every line {"question": ..., "context": ...} of a file, or of standard input '
        "with -; a line of JSON for each, in order. The reader is loaded once.",
    )
    many.add_argument(
        "--calibration",
        type=Path,
        help="Threshold and calibration that calibrate wrote for this reader.",
    )


def run(args: argparse.Namespace) -> None:
    """Make the call and write its reply; or answer many questions."""
    name = CALLED[args.command]
    if args.command == "answer" and args.jsonl is not None:
        return _many(args)
    asked = shared.request(args, name)
    made = reply(_host(args), name, asked)
    lines = LINES[name](made, asked)
    shared.write(made.model_dump(mode="json"), args.json, lambda _: "\n".join(lines))
    return None


def _host(args: argparse.Namespace) -> Host:
    """Models of this process, and progress on stderr."""

    @cache
    def reader(_: Any) -> Any:
        return shared.load(args)

    def filler() -> Any:
        from qa_demo.model.spanbert import load_spanbert

        return load_spanbert(args.model)

    def wait(key: Any, make: Callable[..., Any], slow: bool = False) -> Any:
        return make(Progress("step" if slow else "window"), None)

    return Host(reader, filler, wait)


def _many(args: argparse.Namespace) -> None:
    """A line for each question; one that cannot be read has `error` in place of an answer, and the
    exit code is then 2.
    """
    if {"question", "context", "context_file"} & vars(args).keys():
        raise BadInput("--jsonl brings its own questions; leave out --question and --context")
    options = shared.request(args, "read", question="", context="")
    examples = list(_asked(args.jsonl))
    if not examples:
        raise BadInput(f"{args.jsonl} holds no question")
    from qa_demo.evaluation.run import read_each

    reader = shared.load(args)

    def made(_: Example, reading: Reading) -> dict[str, Any]:
        found: dict[str, Any] = answer(reading, options).model_dump()
        return found

    windows, progress, faults = options.windows(reader.max_seq_length), Progress("question"), 0
    reading = read_each(reader, examples, windows, made, LongTexts())
    with closing(reading) as results:
        for done, (example, result) in enumerate(zip(examples, results, strict=True), 1):
            if isinstance(result, BadInput):
                faults += 1
                result = {"question": example.question, "error": str(result)}
            sys.stdout.write(dumps(result | ({"id": example.id} if example.id else {})) + "\n")
            progress(done, len(examples))
    if faults:
        raise BadInput(
            f"{faults} of {len(examples)} questions could not be read; their lines say why"
        )


def _asked(name: str) -> Iterator[Example]:
    """The lines of a file, or of standard input, as questions. Errors: BadInput that names the
    line.
    """
    text, said = shared.text_of(name)
    for number, row in json_lines(text, said):
        asked, context = (
            row.get(key) if isinstance(row, dict) else None for key in ("question", "context")
        )
        if not isinstance(asked, str) or not isinstance(context, str):
            raise BadInput(
                f'{said}, line {number} must be an object with the texts "question" and "context"'
            )
        number_of = row.get("id")
        yield Example("" if number_of is None else str(number_of), asked, context, ())


def characters(span: Any) -> str:
    """Where a span stands, for people: counted from 1, both ends inside."""
    start, end = span.char_start, span.char_end
    return f"characters {start + 1:,} to {end:,}" if end > start + 1 else f"character {end:,}"


def _printed(parts: list[float], whole: float) -> tuple[str, str, list[str]]:
    """A sum, "=" or "~", and its parts, with three decimals, or four where only they add up."""
    for d in (3, 4):
        same = f"{sum(round(part, d) for part in parts):.{d}f}" == f"{whole:.{d}f}"
        if same:
            break
    return f"{whole:.{d}f}", "=" if same else "~", [f"{part:.{d}f}" for part in parts]


def answer_lines(said: Answer, _: Any) -> Iterator[str]:
    """The answer, its numbers, and the list of the best spans."""
    if said.answer is None:
        yield "no answer"
    else:
        logits = [said.start_logit or 0.0, said.end_logit or 0.0]
        score, sign, (start, end) = _printed(logits, said.score or 0.0)
        yield visible(said.answer)
        yield f"{characters(said)}, score {score} {sign} start {start} + end {end}"
    if said.score_diff is not None:
        rule = "this rule does not compare them"
        if said.limit is not None:
            rule = f"above {said.limit:.3f} an answer is withheld"
        best = said.null_score - said.score_diff
        yield (
            f"no answer scores {said.null_score:.3f}, the best span {best:.3f}, a difference of "
            f"{round(said.null_score, 3) - round(best, 3):.3f}; {rule}"
        )
    if said.right_if_answerable is not None:
        right, answers = 100 * said.right_if_answerable, "the text answers"
        span = "the answer" if said.answer is not None else "the best span"
        if said.claim is None or said.answerable is None:
            yield f"{span} is {right:.0f} % likely to be exactly right if {answers}"
        else:
            yield (
                f"{span} is {100 * said.claim:.0f} % likely to be exactly right: {answers} with "
                f"{100 * said.answerable:.0f} %, and then this is right with {right:.0f} %"
            )
    count = len(said.windows)
    yield f"{count} window{'s' if count > 1 else ''}; the best spans:"
    for rank, row in enumerate(said.n_best, 1):
        yield f"{rank:>4}  {row.score:>8.3f}  {visible(row.text)}"


def attribute_lines(said: Attributed, asked: Any) -> Iterator[str]:
    """The target, whether the sum is complete, and the words with the largest effect."""
    against = f", against {visible(said.other.text)!r}" if said.other else ""
    yield f"{said.target} of {visible(said.span.text)!r}: {said.f_x:+.3f}{against}"
    yield f"{said.method}: the tokens sum to {said.sum:+.3f}"
    if said.gap is not None and said.f_baseline is not None:
        share = gap_share(said.gap, said.f_x - said.f_baseline)
        how = "complete" if share < GAP_LIMIT else f"not under {100 * GAP_LIMIT:.0f} %"
        yield (
            f"the baseline ({said.baseline}) has {said.f_baseline:+.3f}; the gap is "
            f"{said.gap:+.4f}, {100 * share:.1f} % of the difference, after {said.n_steps} steps: "
            f"{how}"
        )
    if not any(token.value for token in said.tokens):
        yield "this method gives every token exactly nothing here; another one can say more"
        return
    rows = sorted(_words(said, asked), key=lambda row: -abs(row[0]))[:LISTED]
    for value, text, side in rows:
        yield f"{value:>+8.3f}  {visible(text)} ({side})"


def _words(said: Attributed, asked: Any) -> list[tuple[float, str, str]]:
    """The sum of each word between blanks, and of each special token: value, text, side."""
    found: list[tuple[float, str, str]] = []
    texts, first, before, last = {"question": asked.question, "context": asked.context}, 0, 0, ""
    for t in said.tokens:
        if t.char_start is None or t.char_end is None:
            found.append((t.value, t.text, t.side))
        elif last == t.side and not re.search(r"\s", texts[last][before : t.char_start]):
            value, _, _ = found.pop()
            found.append((value + t.value, texts[last][first : t.char_end], t.side))
        else:
            first = t.char_start
            found.append((t.value, texts[t.side][first : t.char_end], t.side))
        last, before = t.side, t.char_end or 0
    return found


def loss_lines(said: Lost, _: Any) -> Iterator[str]:
    """Labels, terms and total."""
    windows = len(said.windows)
    for gold in said.gold:
        line = f"label: {visible(gold.text) if gold else 'no answer'}"
        if gold and gold.whole_in != windows and said.normaliser == "window":
            line += f" (whole in {gold.whole_in} of {windows} windows; "
            line += "the others count it as no answer)"
        yield line
    yield f"{'term':<8} {'value':>9} {'weight':>7} {'over':>5}"
    for term in said.terms:
        yield f"{term.name:<8} {term.value:>9.4f} {term.weight:>7g} {term.over:>5g}"
    yield f"{'total':<8} {said.total:>9.4f} nats, the sum of weight times value"


def tag_lines(said: Tagged, _: Any) -> Iterator[str]:
    """The spans with their marginals, then the tokens that are not plainly outside."""
    count = len(said.spans)
    yield f"{said.decoding}: {count} span{'' if count == 1 else 's'}, with exact marginals"
    for span in said.spans:
        yield f"{span.marginal:.3f}  {visible(span.text)}  ({characters(span)})"
    yield f"{'B':>6} {'I':>6} {'O':>6}"
    for t in said.tokens:
        if t.O < OUTSIDE:
            yield f"{t.B:>6.3f} {t.I:>6.3f} {t.O:>6.3f}  {visible(t.text)}"


def infill_lines(said: Filled, asked: Any) -> Iterator[str]:
    """Each blank with the heads' best guesses and the true piece's rank, and the loss."""
    for blank in said.pieces:
        hides = visible(blank.text) if said.known else "[MASK]"
        yield f"{hides}  ({blank.fate}, {characters(blank)})"
        for name in ("mlm", "sbo", "both"):
            head = getattr(blank, name)
            if head is not None:
                best = [f"{visible(g.piece)} {_percent(g.p)}" for g in head.guesses[:GUESSES]]
                rank = f"rank {head.rank:>6,}: " if said.known else ""
                yield f"  {name:<4} {rank}{', '.join(best)}"
        if blank.no_sbo:
            yield f"  no SBO term: {blank.no_sbo}"
    if not said.known:
        yield "no loss: nobody has said which word a typed [MASK] hides"
        return
    mlm, sbo = said.terms
    whole, sign, (inside, _) = _printed([mlm.value, sbo.weight * sbo.value], said.total)
    d = len(whole.partition(".")[2])
    yield (
        f"loss {whole} {sign} MLM {inside} (mean over {mlm.over:g}) + {sbo.weight:g} x SBO "
        f"{sbo.value:.{d}f} (a sum of {sbo.over - 1:g}, divided by {sbo.over:g}); the paper's "
        f"plain sum is {said.paper_total:.{d}f}"
    )


def _percent(p: float) -> str:
    return "< 0.1 %" if p < 0.001 else "> 99.9 %" if 0.999 < p < 1 else f"{100 * p:.1f} %"


LINES: dict[str, Callable[[Any, Any], Iterator[str]]] = {
    "read": answer_lines,
    "attribute": attribute_lines,
    "loss": loss_lines,
    "tag": tag_lines,
    "infill": infill_lines,
}
