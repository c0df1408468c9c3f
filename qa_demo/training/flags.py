"""What the command lines of the training commands share: the parser, a flag for each field of a
record of settings, and the exit code.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields
from functools import wraps
from typing import Any, TypeVar, get_args, get_origin

from safetensors import SafetensorError

from qa_demo.core.base import QADemoError

Settings = TypeVar("Settings")


def described(doc: str | None, name: str) -> argparse.ArgumentParser:
    """A parser whose help is a module's docstring; `name` is the module's."""
    return argparse.ArgumentParser(
        prog=f"python -m qa_demo.training.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def setting(default: Any, **about: Any) -> Any:
    """A field of a record of settings with what its flag should say: `help`, `choices`,
    `metavar`, and `flag` where it is spelled otherwise than the field.
    """
    return field(default=default, metadata=about)


def settings_parser(
    kind: type, doc: str | None, name: str, resumes: bool = True
) -> argparse.ArgumentParser:
    """A flag for each field of a record of settings, spelled like it, and --resume."""
    p = described(doc, name)
    for option in fields(kind):
        _flag(p, option)
    if resumes:
        p.add_argument(
            "--resume",
            help="a run folder; the same as --out goes on with it, another one starts a new phase "
            "from its weights",
        )
    return p


def _flag(p: argparse.ArgumentParser, option: "Field[Any]") -> None:
    about: dict[str, Any] = dict(option.metadata)
    if option.type is bool:
        about["action"] = argparse.BooleanOptionalAction
    elif get_origin(option.type) is tuple:
        about |= {"type": get_args(option.type)[0], "nargs": "+" if option.default else "*"}
    else:
        about["type"] = option.type
    if option.default is MISSING:
        about["required"] = True
    else:
        about["default"] = (
            list(option.default) if isinstance(option.default, tuple) else option.default
        )
    flag = about.pop("flag", option.name)
    p.add_argument(f"--{flag.replace('_', '-')}", dest=option.name, **about)


def parsed(
    kind: type[Settings], doc: str | None, name: str, argv: list[str] | None, resumes: bool = True
) -> tuple[Settings, str | None]:
    """The settings that a command line of `settings_parser` asks for, and the run to resume."""
    given = vars(settings_parser(kind, doc, name, resumes).parse_args(argv))
    resume = given.pop("resume", None)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    return kind(**values), resume


def exit_code(main: Callable[[list[str] | None], int | None]) -> Callable[..., int]:
    """A command's `main` that gives an exit code: its own, or 2, and one sentence, for what its
    user can mend.
    """

    @wraps(main)
    def run(argv: list[str] | None = None) -> int:
        try:
            return main(argv) or 0
        except (QADemoError, OSError, SafetensorError) as fault:
            sys.stderr.write(f"{fault}\n")
            return 2

    return run
