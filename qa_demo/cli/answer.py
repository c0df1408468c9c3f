"""python -m qa_demo answer: one question, or with --jsonl a line of JSON for each."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from qa_demo.cli import shared
from qa_demo.cli.shared import LongTexts, Progress, terminal, visible, with_threshold
from qa_demo.core.base import BadInput
from qa_demo.core.files.report import answer_json, dumps
from qa_demo.core.files.texts import decoded, json_lines, read_text
from qa_demo.core.predict import predict
from qa_demo.core.types import Example, Reading
from qa_demo.evaluation.numbers import total
from qa_demo.evaluation.prose import characters


def add(commands: Any) -> None:
    """The flags of `answer`."""
    command = commands.add_parser("answer", help="answer a question from a paragraph, or many")
    command.add_argument("--question", help="The question.")
    shared.add_text(command, "context", "paragraph", required=False)
    command.add_argument(
        "--jsonl",
        metavar="FILE",
        help='Answer every line {"question": ..., "context": ...} of a file, or of standard input '
        "with -; a line of JSON for each, in order. The reader is loaded once.",
    )
    shared.add_options(command)


def run(args: argparse.Namespace) -> None:
    """Answer one question and write the JSON of the API, or a few lines; or many."""
    decode = shared.decoding(args)
    text = args.context is not None or args.context_file is not None
    if args.jsonl is not None:
        if args.question is not None or text:
            raise BadInput("--jsonl brings its own questions; leave out --question and --context")
        return _many(args)
    if args.question is None or not text:
        raise BadInput("answer needs --question and --context (or --context-file), or --jsonl FILE")
    _, reading = shared.read(args)
    reading, decode = with_threshold(reading, decode, args)
    return shared.write(answer_json(reading, predict(reading, decode)), args.json, lines)


def _many(args: argparse.Namespace) -> None:
    """A line for each question; one that cannot be read has `error` in place of an answer, and the
    exit code is then 2.
    """
    decode = shared.decoding(args)
    examples = list(_asked(args.jsonl))
    if not examples:
        raise BadInput(f"{args.jsonl} holds no question")
    from qa_demo.model.scoring import read_each

    loaded, cores = shared.load_many(args)
    reader = shared.fitted(loaded, args)

    def made(_: Example, reading: Reading) -> dict[str, Any]:
        known, limits = with_threshold(reading, decode, args)
        return answer_json(known, predict(known, limits))

    windows, progress, faults = shared.windows(args, reader.max_seq_length), Progress("question"), 0
    with closing(read_each(reader, examples, windows, made, cores, LongTexts())) as results:
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
    said = "standard input" if name == "-" else Path(name).name
    # bytes: the machine's code page must not decode what is UTF-8
    text = decoded(sys.stdin.buffer.read(), said) if name == "-" else read_text(Path(name))
    for number, row in json_lines(text, said):
        asked, context = (
            row.get(key) if isinstance(row, dict) else None for key in ("question", "context")
        )
        if not isinstance(asked, str) or not isinstance(context, str):
            raise BadInput(
                f'{said}, line {number} must be an object with the texts "question" and "context"'
            )
        yield Example(str(row.get("id") or ""), asked, context, ())


def _sure(report: dict[str, Any]) -> list[str]:
    """How likely the best span is exactly right, for a reader that was fitted."""
    right, claim = report["right_if_answerable"], report["claim"]
    if right is None:
        return []
    span = "the answer" if report["answer"] is not None else "the best span"
    if claim is None:
        return [f"{span} is {100 * right:.0f} % likely to be exactly right if the text answers"]
    return [
        f"{span} is {100 * claim:.0f} % likely to be exactly right: the text answers with "
        f"{100 * report['answerable']:.0f} %, and then this is right with {100 * right:.0f} %"
    ]


def lines(report: dict[str, Any]) -> str:
    """The answer, its numbers, and the list of the best spans, for a person."""
    if report["answer"] is None:
        found = ["no answer"]
    else:
        printed = total([report["start_logit"], report["end_logit"]], report["score"], at_least=3)
        start, end, score, sign = map(terminal, (*printed.addends, printed.total, printed.sign))
        found = [
            visible(report["answer"]),
            f"{characters(report['char_start'], report['char_end'])}, score {score} "
            f"{sign} start {start} + end {end}",
        ]
    if report["score_diff"] is not None:
        diff, null, limit = (report[key] for key in ("score_diff", "null_score", "limit"))
        sums = total([diff, null - diff], null, at_least=3)
        diff, best, null = map(terminal, (*sums.addends, sums.total))
        rule = (
            "this rule does not compare them"
            if limit is None
            else f"above {limit:.3f} an answer is withheld"
        )
        found.append(
            f"no answer scores {null}, the best span {best}, a difference of {diff}; {rule}"
        )
    found += _sure(report)
    count = len(report["windows"])
    found.append(f"{count} window{'s' if count > 1 else ''}; the best spans:")
    found += [
        f"{rank:>4}  {row['score']:>8.3f}  {visible(row['text'])}"
        for rank, row in enumerate(report["n_best"], 1)
    ]
    return "\n".join(found)
