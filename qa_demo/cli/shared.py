"""What the commands share: flags of text and options, the text itself, the reading, progress, and
text made safe for a terminal.
"""

import argparse
import sys
from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo.api import calls
from qa_demo.api.calls import fields
from qa_demo.core.base import BadInput
from qa_demo.core.types import Example
from qa_demo.files import dumps, read_text

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader
    from qa_demo.pictures import Pictures


def add_text(command: argparse.ArgumentParser, name: str, what: str) -> None:
    """--NAME or --NAME-file."""
    text = command.add_mutually_exclusive_group()
    text.add_argument(f"--{name}", help=f"The {what}.")
    text.add_argument(
        f"--{name}-file", type=Path, help="The same from a UTF-8 file; line ends stay as they are."
    )


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


def add_json(command: argparse.ArgumentParser) -> None:
    """--json."""
    command.add_argument("--json", action="store_true", help="Write JSON to stdout.")


def add_fields(command: argparse.ArgumentParser, call: str, without: Container[str] = ()) -> None:
    """A flag for each field of a call's request, spelled like it."""
    for field, about in fields(call).items():
        if field in ("context", "text"):
            if field not in without:
                add_text(command, field, about["title"].removeprefix("the "))
        elif field != "reader" and field not in without:
            _flag(command, field, about)


def _flag(command: argparse.ArgumentParser, field: str, about: dict[str, Any]) -> None:
    says, default = about.get("description", about["title"]).rstrip("."), about.get("default")
    says = f"{says[0].upper()}{says[1:]}."
    if "enum" in about:
        says += f" One of {', '.join(about['enum'])}."
    if default is not None:
        says += f" Default: {default}."
    word = field.upper().rpartition("_")[2]
    more: dict[str, Any] = {}
    if about["type"] == "array":
        more = {"nargs": "+", "action": "append"}
        if "enum" in about["items"]:
            says += f" Any of {', '.join(about['items']['enum'])}."
        else:
            word = "N"
            says += " May stand several times" + ("; none for null." if field == "gold" else ".")
    command.add_argument(f"--{field.replace('_', '-')}", metavar=word, help=says, **more)


def request(args: argparse.Namespace, name: str, **texts: str) -> Any:
    """The request that the flags make. A host limits the length of a text, this command does not.
    Errors: BadInput.
    """
    known = fields(name)
    given = {
        field: _value(about, getattr(args, field))
        for field, about in known.items()
        if getattr(args, field, None) is not None and field != "reader"
    }
    for field in ("context", "text"):
        file = getattr(args, f"{field}_file", None)
        if file is not None:
            given[field] = read_text(file)
    given |= texts
    if "context" in known and not {"question", "context"} <= set(given):
        more = ", or --jsonl FILE" if args.command == "answer" else ""
        raise BadInput(f"{args.command} needs --question and --context (or --context-file){more}")
    if "text" in known and "text" not in given:
        raise BadInput("infill needs --text or --text-file")
    whole = {field: given[field] for field in ("question", "context", "text") if field in given}
    short = {field: text[:1000] for field, text in whole.items()}
    return calls.request(name, given | short).model_copy(update=whole)


def _value(about: dict[str, Any], given: Any) -> Any:
    """What a flag's words say in JSON; what is no number stays a text, which its field refuses."""
    if about["type"] == "string":
        return given
    if about["type"] != "array":
        return _number(given)
    if "enum" in about["items"]:
        return [word for words in given for word in words]
    return [None if words == ["none"] else [_number(word) for word in words] for words in given]


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def text_of(given: str | None, file: Path | None) -> str:
    """The text of a pair of flags made by `add_text`."""
    return read_text(file) if file is not None else given or ""


def load(args: argparse.Namespace) -> "BertReader":
    """The reader of --reader, on the --base that it may need, with what --calibration holds where
    it is given; torch is imported here.
    """
    from qa_demo.model.card import with_fit
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK

    reader = load_reader(args.reader, replace(LOOPBACK, base=args.base))
    fit = getattr(args, "calibration", None)
    return reader if fit is None else with_fit(reader, fit)


def pictures(args: argparse.Namespace) -> "Pictures":
    """What draws pictures here, by the reader of --reader on its --base."""
    from qa_demo.examples import load_menu
    from qa_demo.model.loading import load_reader
    from qa_demo.model.source import LOOPBACK
    from qa_demo.model.spanbert import load_spanbert
    from qa_demo.pictures import Pictures

    limits = replace(LOOPBACK, base=args.base)
    return Pictures(
        load_menu(),
        lambda source: load_reader(source, limits),
        lambda source: load_spanbert(source, limits),
        readers=(args.reader,),
    )


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
