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
from qa_demo.core.types import RULES, DecodeOptions, Example, WindowOptions
from qa_demo.core.windows import fitting

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader
    from qa_demo.pictures import Pictures

Options = TypeVar("Options", WindowOptions, DecodeOptions, MaskOptions)
_CHOICES = {"rule": RULES}
_DEFAULTS = {"null_score_diff_threshold": "the reader's own"}


def add_text(command: argparse.ArgumentParser, name: str, what: str) -> None:
    """--NAME or --NAME-file."""
    text = command.add_mutually_exclusive_group()
    text.add_argument(f"--{name}", help=f"The {what}.")
    text.add_argument(
        f"--{name}-file", type=Path, help="The same from a UTF-8 file; line ends stay as they are."
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


def text_of(given: str | None, file: Path | None) -> str:
    """The text of a pair of flags made by `add_text`."""
    return read_text(file) if file is not None else given or ""


def load(args: argparse.Namespace) -> "BertReader":
    """The reader of --reader, on the --base that it may need; torch is imported here."""
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK

    return load_reader(args.reader, replace(LOOPBACK, base=args.base))


def pictures(args: argparse.Namespace) -> "Pictures":
    """What draws pictures here, by the reader of --reader on its --base."""
    from qa_demo.core.examples import load_menu
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK
    from qa_demo.model.spanbert import load_spanbert
    from qa_demo.pictures import Pictures

    limits = replace(LOOPBACK, base=args.base)
    return Pictures.serving(
        load_menu(),
        lambda source: load_reader(source, limits),
        lambda source: load_spanbert(source, limits),
        lambda example: None,
        (args.reader,),
    )


def load_many(args: argparse.Namespace, **more: Any) -> tuple["BertReader", int]:
    """As `load`, for texts that are read side by side; and the cores that read them."""
    from qa_demo.model.work import usable_cores

    return load(args), usable_cores()


def fitted(reader: "BertReader", args: argparse.Namespace) -> "BertReader":
    """The reader with what --calibration holds, where it is given."""
    if getattr(args, "calibration", None) is None:
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


def visible(text: str) -> str:
    """The text for a terminal: characters that would move the cursor or change colours are written
    as their escapes.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
