"""What the commands share: flags made from a request's fields, models, progress, and text made safe
for a terminal.
"""

import argparse
import sys
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qa_demo.api import calls
from qa_demo.core.base import BadInput, OnProgress
from qa_demo.examples import PoolExample, load_menu
from qa_demo.files import read_text
from qa_demo.model.work import AtOnce
from qa_demo.pictures import Pictures, filler
from qa_demo.records import read, refuse_idle

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader


def add_fields(command: argparse.ArgumentParser, call: str, without: Container[str] = ()) -> None:
    """A flag for each field of a call's request, spelled like it; one that is not given is no
    attribute afterwards. A long text may come from a file.
    """
    for field, about in calls.fields(call).items():
        if field in without or field == "reader":
            continue
        says = about.get("description", about["title"]).rstrip(".")
        items, default = about.get("items", {}), about.get("default")
        how: dict[str, Any] = {"metavar": field.upper().rpartition("_")[2]}
        if names := about.get("enum") or items.get("enum"):
            says += f": {', '.join(names)}"
            how |= {"nargs": "+", "action": "extend"} if items else {}
        elif items:
            how = {"metavar": "N", "nargs": "+", "action": "append", "type": number}
            says += "; may stand several times" + ("; none for null" if field == "gold" else "")
        elif about["type"] != "string":
            how["type"] = number
        says = f"{says[0].upper()}{says[1:]}."
        says += "" if default is None else f" Default: {default}."
        group, flag = command.add_mutually_exclusive_group(), f"--{field.replace('_', '-')}"
        group.add_argument(flag, default=argparse.SUPPRESS, help=says, **how)
        if field in ("context", "text"):
            says, unset = "The same from a UTF-8 file; line ends stay.", argparse.SUPPRESS
            group.add_argument(f"{flag}-file", type=Path, default=unset, help=says)


def number(text: str) -> Any:
    """A flag's word as a number, None for none or null; else a text, which its field refuses."""
    if text in ("none", "null"):
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def given(args: argparse.Namespace, names: Container[str]) -> dict[str, Any]:
    """The fields of these names that flags or their files set."""
    found = {n: v for n, v in vars(args).items() if n in names and n != "reader"}
    files = {n.removesuffix("_file"): v for n, v in vars(args).items() if n.endswith("_file")}
    return found | {n: read_text(path) for n, path in files.items()}


def request(args: argparse.Namespace, name: str, **texts: str) -> Any:
    """The request that the flags make. A host limits the length of a text, this command does not.
    Errors: BadInput.
    """
    found = given(args, calls.CALLS[name].model_fields) | texts
    for field in found.keys() & {"gold", "spans"}:
        found[field] = [None if one == [None] else one for one in found[field]]
    if name == "infill" and "text" not in found:
        raise BadInput("infill needs --text or --text-file")
    if name != "infill" and not {"question", "context"} <= found.keys():
        more = ", or --jsonl FILE" if args.command == "answer" else ""
        raise BadInput(f"{args.command} needs --question and --context (or --context-file){more}")
    whole = {field: found[field] for field in ("question", "context", "text") if field in found}
    short = {field: text[:1000] for field, text in whole.items()}
    return read(calls.CALLS[name], found | short).model_copy(update=whole)


def load(args: argparse.Namespace, source: str | None = None) -> "BertReader":
    """The reader of --reader, or another, on the --base that it may need, with what --calibration
    holds where it is given; torch is imported here.
    """
    from qa_demo.model.card import with_fit
    from qa_demo.model.loading import load_reader

    if (source or args.reader) == "bundled":
        refuse_idle(args, "with the reader bundled", "base")
    if args.command == "answer" and getattr(args, "rule", "logits") != "logits":
        refuse_idle(args, f"under the rule {args.rule}", "calibration")
    reader = load_reader(source or args.reader, base=args.base)
    fit = getattr(args, "calibration", None)
    return reader if fit is None else with_fit(reader, fit)


def pictures(args: argparse.Namespace) -> Pictures:
    """What draws pictures and makes calls here, by the reader of --reader; it tells its progress on
    stderr.
    """
    return Pictures(
        load_menu(),
        lambda name: load(args, name),
        lambda: filler(getattr(args, "model", "bundled")),
        PoolExample.stored,  # needs no torch
        AtOnce(lambda: progress("part")),
        (args.reader,),
    )


def tell(said: str) -> None:
    """A line on stderr."""
    write_error(f"{visible(said)}\n")


def write_error(text: str) -> None:
    """Write to stderr; where its disk is full the command goes on and keeps its exit code."""
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def progress(unit: str) -> OnProgress:
    """A counter on stderr: one line that changes on a terminal, every tenth part elsewhere."""
    last, live = 0, sys.stderr.isatty()

    def show(done: int, total: int) -> None:
        nonlocal last
        tenth, said = 10 * done // total, f"{unit} {done:,} of {total:,}"
        if live:
            write_error(f"\r{said}" + ("\n" if done == total else ""))
        elif tenth > last:
            write_error(f"{said}\n")
        last = max(tenth, last)

    return show


def visible(text: str) -> str:
    """The text for a terminal: characters that would move the cursor or change colours are written
    as their escapes.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
