"""The command line: flags in, JSON or plain lines out, progress on stderr, exit code 2 and one sentence for bad input."""

import argparse
import io
import sys
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from qa_demo import cli_attribute, cli_infill, cli_loss, cli_tag
from qa_demo.core.errors import BadInput, Cancelled, QADemoError
from qa_demo.core.inputs import check_texts
from qa_demo.core.predict import predict
from qa_demo.core.report import answer_json, dumps
from qa_demo.core.scales import COPIES, NULLS, SCALES
from qa_demo.core.squad import read_squad
from qa_demo.core.types import DecodeOptions, MergeOptions, Reading, WindowOptions

Options = TypeVar("Options", WindowOptions, DecodeOptions, MergeOptions)
_CHOICES = {"copies": tuple(COPIES), "scale": tuple(SCALES), "null": tuple(NULLS)}
_THRESHOLD = "null_score_diff_threshold"


class OneSentence(argparse.ArgumentParser):
    """A parser whose complaint is one sentence, without the usage block before it."""

    def error(self, message: str) -> NoReturn:
        """Write the complaint to stderr and leave with code 2."""
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help lists what is allowed\n")


def _flag(parser: argparse.ArgumentParser, option: Field) -> None:
    name, default = f"--{option.name.replace('_', '-')}", option.default
    assert default is not MISSING
    if isinstance(default, bool):
        parser.add_argument(name, action="store_true", help=option.metadata["help"])
    elif option.name == _THRESHOLD:
        parser.add_argument(name, type=float, help=f"{option.metadata['help']} Default: the reader's own.")
    else:
        parser.add_argument(name, type=type(default), default=default, choices=_CHOICES.get(option.name),
                            help=f"{option.metadata['help']} Default: {default}.")


def _options(kind: type[Options], args: argparse.Namespace) -> Options:
    given = {option.name: getattr(args, option.name) for option in fields(kind)}
    return kind(**{name: value for name, value in given.items() if value is not None})


def parser() -> argparse.ArgumentParser:
    """The commands; option flags are spelled like the fields of the option records."""
    top = OneSentence(prog="python -m qa_demo", description="Read an answer out of a paragraph, and see the numbers behind it.")
    commands = top.add_subparsers(dest="command", required=True, metavar="answer | evaluate | attribute | infill | loss | tag")
    answer = commands.add_parser("answer", help="answer one question from one paragraph")
    answer.add_argument("--question", required=True, help="The question.")
    text = answer.add_mutually_exclusive_group(required=True)
    text.add_argument("--context", help="The paragraph.")
    text.add_argument("--context-file", type=Path, help="A UTF-8 file that holds the paragraph; line ends stay as they are.")
    evaluate = commands.add_parser("evaluate", help="score a reader on a SQuAD 1.1 or 2.0 file")
    evaluate.add_argument("file", type=Path, help="The file: JSON, or JSON in .gz.")
    evaluate.add_argument("--head", choices=("span", "bio"), default="span", help="Start and end logits, or B, I, O tags. Default: span.")
    evaluate.add_argument("--limit", type=int, help="Only the first so many questions.")
    evaluate.add_argument("--bf16", action="store_true", help="Compute in bfloat16: faster on some processors, fewer digits.")
    for command in (answer, evaluate, cli_attribute.add(commands), cli_loss.add(commands), cli_tag.add(commands)):
        command.add_argument("--reader", default="bundled", help="bundled, a folder, or a Hugging Face id owner/name[@revision].")
        command.add_argument("--json", action="store_true", help="Write JSON to stdout.")
        for kind in (WindowOptions, DecodeOptions, MergeOptions):
            for option in fields(kind):
                _flag(command, option)
    cli_infill.add(commands)
    return top


class Progress:
    """A counter on stderr: one line that changes on a terminal, every tenth part elsewhere."""

    def __init__(self, unit: str) -> None:
        self._unit, self._tenth, self._live = unit, 0, sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show `done` of `total`."""
        tenth = 10 * done // total
        if self._live:
            sys.stderr.write(f"\r{self._unit} {done} of {total}" + ("\n" if done == total else ""))
        elif tenth > self._tenth:
            sys.stderr.write(f"{self._unit} {done} of {total}\n")
        self._tenth = max(tenth, self._tenth)
        sys.stderr.flush()


def read_context(path: Path) -> str:
    """A file's text exactly as it stands: UTF-8, line ends and byte-order mark kept, so that offsets fit the file."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as fault:
        raise BadInput(f"{path.name} is not UTF-8: byte {fault.start} cannot be decoded") from fault
    except (OSError, ValueError) as fault:
        raise BadInput(f"{path.name} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def visible(text: str) -> str:
    """The text for a terminal: characters that would move the cursor or change colours are written as their escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def with_threshold(reading: Reading, args: argparse.Namespace) -> tuple[Reading, DecodeOptions]:
    """The no-answer threshold: the flag's where it is given, else the reader's own; a given flag always lets it abstain."""
    decode = _options(DecodeOptions, args)
    if args.null_score_diff_threshold is not None:
        return replace(reading, threshold=args.null_score_diff_threshold), decode
    return reading, replace(decode, null_score_diff_threshold=reading.threshold or 0.0)


def run_answer(args: argparse.Namespace) -> None:
    """Answer one question and write the JSON of the API, or a few lines."""
    context = args.context if args.context_file is None else read_context(args.context_file)
    question, context = check_texts(args.question, context)
    windows, merge = _options(WindowOptions, args), _options(MergeOptions, args)
    from qa_demo.model.loading import load_reader

    reading = load_reader(args.reader).read(question, context, windows, on_progress=Progress("window"))
    reading, decode = with_threshold(reading, args)
    report = answer_json(reading, predict(reading, decode, merge))
    if args.json:
        sys.stdout.write(dumps(report) + "\n")
    else:
        sys.stdout.write(answer_lines(report) + "\n")


def answer_lines(report: dict[str, Any]) -> str:
    """The answer, its numbers, and the list of the best spans, for a person."""
    if report["answer"] is None:
        lines = ["no answer"]
    else:
        lines = [visible(report["answer"]),
                 f"characters {report['char_start']} to {report['char_end']}, score {report['score']:.3f} "
                 f"= start {report['start_logit']:.3f} + end {report['end_logit']:.3f}"]
    if report["score_diff"] is not None:
        lines.append(f"no answer scores {report['null_score']:.3f}, {report['score_diff']:+.3f} against the best span")
    lines.append(f"{len(report['windows'])} window{'s' if len(report['windows']) > 1 else ''}; the best spans:")
    lines += [f"{rank:>4}  {row['score']:>8.3f}  {visible(row['text'])}" for rank, row in enumerate(report["n_best"], 1)]
    return "\n".join(lines)


def run_evaluate(args: argparse.Namespace) -> None:
    """Score a reader on a file and write the official scripts' numbers."""
    if args.limit is not None and args.limit < 1:
        raise BadInput(f"--limit must be at least 1, got {args.limit}")
    examples = read_squad(args.file, check_offsets=False)[:args.limit]
    if not examples:
        raise BadInput(f"{args.file.name} holds no question")
    from qa_demo.model.loading import load_reader
    from qa_demo.model.scoring import Setup, score_reader
    from qa_demo.model.workers import Workers, set_threads, usable_cores

    cores = usable_cores()
    reader = load_reader(args.reader, workers=Workers(cores), bf16=args.bf16)
    set_threads(1)
    setup = Setup(args.head, _options(WindowOptions, args), _options(DecodeOptions, args), _options(MergeOptions, args),
                  threshold=args.null_score_diff_threshold)
    result, skipped = score_reader(reader, examples, setup, Progress("question"), threads=cores)
    for example, cause in skipped:
        sys.stderr.write(f"question {visible(example.id)} counts as unanswered: {visible(cause)}\n")
    if args.json:
        sys.stdout.write(dumps(result) + "\n")
    else:
        width = max(len(name) for name in result)
        sys.stdout.write("".join(f"{name:<{width}}  {value:.2f}\n" if isinstance(value, float) else f"{name:<{width}}  {value}\n"
                                 for name, value in result.items()))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, 2 for bad input or an unusable reader, 130 when interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a console that has no Greek must not end the program
    args = parser().parse_args(argv)
    try:
        {"answer": run_answer, "evaluate": run_evaluate, "attribute": cli_attribute.run,
         "infill": cli_infill.run, "loss": cli_loss.run, "tag": cli_tag.run}[args.command](args)
    except Cancelled:
        return 130
    except QADemoError as fault:
        sys.stderr.write(f"python -m qa_demo {args.command}: {visible(str(fault))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130
    return 0
