"""What the commands share: flags of text and options, the text itself, the reading, progress, and
text made safe for a terminal.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from qa_demo.core.files.report import dumps
from qa_demo.core.files.texts import read_text
from qa_demo.core.masking import MaskOptions
from qa_demo.core.predict import check_threshold
from qa_demo.core.spans import check_decode
from qa_demo.core.text import check_texts
from qa_demo.core.types import RULES, DecodeOptions, Example, Reading, WindowOptions
from qa_demo.core.windows import fitting
from qa_demo.evaluation.numbers import MINUS

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

Options = TypeVar("Options", WindowOptions, DecodeOptions, MaskOptions)
_CHOICES = {"rule": RULES}
_DEFAULTS = {"null_score_diff_threshold": "the reader's own"}


def add_text(command: argparse.ArgumentParser, name: str, what: str, required: bool = True) -> None:
    """--NAME or --NAME-file, one of the two."""
    text = command.add_mutually_exclusive_group(required=required)
    text.add_argument(f"--{name}", help=f"The {what}.")
    text.add_argument(
        f"--{name}-file",
        type=Path,
        help=f"A UTF-8 file that holds the {what}; line ends stay as they are.",
    )


def add_texts(command: argparse.ArgumentParser) -> None:
    """--question, and --context or --context-file."""
    command.add_argument("--question", required=True, help="The question.")
    add_text(command, "context", "paragraph")


def add_characters(
    command: argparse.ArgumentParser, name: str, what: str, several: bool = False
) -> None:
    """--NAME START END: a span of the text by its characters."""
    command.add_argument(
        f"--{name}",
        type=int,
        nargs=2,
        action="append" if several else "store",
        metavar=("START", "END"),
        help=f"{what} START counts from 0 and END is exclusive, as in JSON; what is printed for a "
        f"person counts from 1, both ends included.",
    )


def add_options(command: argparse.ArgumentParser, *kinds: type) -> None:
    """The reader, --json, and a flag for each field of the option records, spelled like it; by
    default of both records, and then --calibration, which concerns answers.
    """
    add_reader(command)
    command.set_defaults(calibration=None)
    if not kinds:
        command.add_argument(
            "--calibration",
            type=Path,
            help="Threshold and calibration that calibrate wrote for this reader.",
        )
    add_json(command)
    add_fields(command, *(kinds or (WindowOptions, DecodeOptions)))


def add_reader(command: argparse.ArgumentParser) -> None:
    """--reader and --base."""
    command.add_argument(
        "--reader",
        default="bundled",
        help="bundled, large, a folder, or a Hugging Face id owner/name[@revision].",
    )
    command.add_argument(
        "--base",
        type=Path,
        metavar="FOLDER",
        help="The encoder that the reader large changes; default: its revision of Hugging Face.",
    )


def add_fields(command: argparse.ArgumentParser, *kinds: type) -> None:
    """A flag for each field of option records, spelled like it."""
    for kind in kinds:
        for option in fields(kind):
            _flag(command, option)


def add_json(command: argparse.ArgumentParser) -> None:
    """--json."""
    command.add_argument("--json", action="store_true", help="Write JSON to stdout.")


def _flag(command: argparse.ArgumentParser, option: "Field[Any]") -> None:
    name, default = f"--{option.name.replace('_', '-')}", option.default
    what = option.metadata["help"]
    assert default is not MISSING
    if isinstance(default, bool):
        command.add_argument(name, action="store_true", help=what)
        return
    # What is not given is told apart from the default, which fits no reader of few positions.
    command.add_argument(
        name,
        type=type(default),
        choices=_CHOICES.get(option.name),
        help=f"{what} Default: {_DEFAULTS.get(option.name, default)}.",
    )


def options(kind: type[Options], args: argparse.Namespace) -> Options:
    """One option record from the flags."""
    given = {option.name: getattr(args, option.name, None) for option in fields(kind)}
    return kind(**{name: value for name, value in given.items() if value is not None})


def windows(args: argparse.Namespace, positions: int) -> WindowOptions:
    """The window flags; where none is given, BERT's own, shortened for a reader of fewer
    positions.
    """
    given = any(getattr(args, option.name, None) is not None for option in fields(WindowOptions))
    return options(WindowOptions, args) if given else fitting(WindowOptions(), positions)


def decoding(args: argparse.Namespace) -> DecodeOptions:
    """How spans are listed and windows merged, refused before anything is read."""
    decode = options(DecodeOptions, args)
    check_decode(decode)
    check_threshold(decode.rule, args.null_score_diff_threshold)
    return decode


def with_threshold(
    reading: Reading, decode: DecodeOptions, args: argparse.Namespace
) -> tuple[Reading, DecodeOptions]:
    """The no-answer threshold: the flag's where it is given, also for a reader without one, else
    the reader's own.
    """
    if args.null_score_diff_threshold is not None:
        return replace(reading, threshold=args.null_score_diff_threshold), decode
    return reading, replace(decode, null_score_diff_threshold=reading.threshold or 0.0)


def text_of(given: str | None, file: Path | None) -> str:
    """The text of a pair of flags made by `add_text`."""
    return read_text(file) if file is not None else given or ""


def load(args: argparse.Namespace, **more: Any) -> "BertReader":
    """The reader of --reader, on the --base that it may need; torch is imported here."""
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK

    return load_reader(args.reader, replace(LOOPBACK, base=args.base), **more)


def load_many(args: argparse.Namespace, **more: Any) -> tuple["BertReader", int]:
    """As `load`, for texts that are read side by side; and the cores that read them."""
    from qa_demo.model.workers import Workers, set_threads, usable_cores

    cores = usable_cores()
    reader = load(args, workers=Workers(cores), **more)
    set_threads(1)
    return reader, cores


def read(args: argparse.Namespace) -> tuple["BertReader", Reading]:
    """Check the texts, load the reader, read; torch is imported only when the texts can be used."""
    question, context = check_texts(args.question, text_of(args.context, args.context_file))
    reader = fitted(load(args), args)
    return reader, reader.read(
        question, context, windows(args, reader.max_seq_length), on_progress=Progress("window")
    )


def fitted(reader: "BertReader", args: argparse.Namespace) -> "BertReader":
    """The reader with what --calibration holds, where it is given."""
    if args.calibration is None:
        return reader
    from qa_demo.model.heads import with_fit

    return with_fit(reader, args.calibration)


def write(report: dict[str, Any], as_json: bool, lines: Callable[[dict[str, Any]], str]) -> None:
    """A command's result: the JSON of the API, or lines for a person."""
    sys.stdout.write((dumps(report) if as_json else lines(report)) + "\n")


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


LONG = 100
"""Windows from which on a text is reported on by itself."""


class LongTexts:
    """A line on stderr for every tenth of a text of many windows, so that a run of one long text is
    never silent; several may be read at once.
    """

    def __init__(self) -> None:
        self._tenths: dict[str, int] = {}

    def __call__(self, example: Example, done: int, total: int) -> None:
        """Say which question it is, and how many of its windows are read."""
        tenth = 10 * done // total
        if total < LONG or tenth <= self._tenths.get(example.id, 0):
            return
        self._tenths[example.id] = tenth
        sys.stderr.write(f"question {visible(example.id)}: window {done:,} of {total:,}\n")
        sys.stderr.flush()


def terminal(printed: str) -> str:
    """A number or sign of the page in letters that every terminal has: "-1.50", "~"."""
    return printed.replace(MINUS, "-").replace("\u2248", "~")


def visible(text: str) -> str:
    """The text for a terminal: characters that would move the cursor or change colours are written
    as their escapes.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
