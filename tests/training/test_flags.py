"""A command line made from a record of settings."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from safetensors import SafetensorError

from qa_demo.core.base import BadInput
from qa_demo.training import flags
from qa_demo.training.flags import exit_code, parsed, setting


@dataclass(frozen=True)
class Settings:
    files: tuple[str, ...] = field(metadata={"metavar": "FILE", "help": "what to read"})
    steps: int
    more: tuple[str, ...] = setting(())
    lengths: tuple[int, ...] = setting((96, 128), help="window sizes")
    rate: float = 0.5
    decay: str = setting("none", choices=["none", "linear"])
    head_too: bool = True


def given(flags: str) -> tuple[Settings, str | None]:
    return parsed(Settings, "About.", "toy", flags.split())


def test_every_field_is_a_flag_and_keeps_its_default() -> None:
    assert given("--files a b --steps 3") == (Settings(("a", "b"), 3), None)
    asked, resume = given(
        "--files a --steps 3 --more --lengths 8 --rate 0.1 --decay linear --no-head-too --resume r"
    )
    assert asked == Settings(("a",), 3, (), (8,), 0.1, "linear", False) and resume == "r"


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        ("--files a", "required: --steps"),
        ("--files a --steps x", "invalid int value: 'x'"),
        ("--files a --steps 1 --decay half", r"invalid choice: 'half' .*none.*linear"),
        ("--files --steps 1", "--files: expected at least one argument"),
    ],
)
def test_what_does_not_fit_is_named(
    flags: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        given(flags)
    assert re.search(complaint, capsys.readouterr().err)


def test_a_user_s_fault_is_one_sentence_and_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    def main(argv: list[str] | None = None) -> int | None:
        told = SafetensorError("no space left")
        for fault in (
            BadInput("no such text"),
            FileNotFoundError("no such file"),
            told,
            KeyError(),
        ):
            if argv == [type(fault).__name__]:
                raise fault
        return 1 if argv else None

    command = exit_code(main)
    assert command() == 0 and command(["anything"]) == 1
    assert command(["BadInput"]) == 2 and capsys.readouterr().err == "no such text\n"
    assert command(["FileNotFoundError"]) == 2 and capsys.readouterr().err == "no such file\n"
    assert command(["SafetensorError"]) == 2 and capsys.readouterr().err == "no space left\n"
    with pytest.raises(KeyError):
        command(["KeyError"])


def test_every_command_gives_its_exit_code() -> None:
    for path in Path(flags.__file__).parent.glob("*.py"):
        code = path.read_text(encoding="utf-8")
        if "\ndef main(" in code:
            assert "\n@exit_code\ndef main(" in code and "xit(main())" in code, path.name
