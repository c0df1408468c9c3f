"""Parse at the door: what controls, links and calls send becomes options, or a sentence."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import MAX_STEPS
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.views.parse import number
from qa_demo.views.state import Screen

Options = TypeVar("Options", WindowOptions, DecodeOptions)

LIMITS: dict[str, tuple[float, float]] = {
    "max_seq_length": (16, 512),
    "doc_stride": (1, 512),
    "max_query_length": (1, 256),
    "max_answer_length": (1, 200),
    "n_best_size": (1, 100),
    "null_score_diff_threshold": (-100.0, 100.0),
    "n_steps": (1, MAX_STEPS),
}
"""What a control may send, ends included; core.reading.windows decides whether it fits."""


def help_text(kind: type, name: str) -> str:
    """The sentence that explains an option: the field's own."""
    return next(str(f.metadata["help"]) for f in fields(kind) if f.name == name)


def value(name: str, raw: Any) -> float:
    """A finite number within the limits of an option."""
    low, high = LIMITS[name]
    return number(raw, name, float(low), float(high))


def setting(options: Options, name: str, top: int) -> dict[str, Any]:
    """What the control of a whole number needs: its slider ends at `top`, its box at the limit."""
    low, high = LIMITS[name]
    return {
        "name": name,
        "help": help_text(type(options), name),
        "low": int(low),
        "high": int(high),
        "top": top,
        "value": int(getattr(options, name)),
    }


def change(name: str) -> Callable[[Screen, Any], Screen]:
    """The handler of a control for one field of `DecodeOptions`."""
    return lambda screen, raw: screen.change(decode=parse(screen.decode, **{name: raw}))


def parse(options: Options, **raw: Any) -> Options:
    """The options with some fields replaced by checked values; whole where the field is."""
    current = {f.name: getattr(options, f.name) for f in fields(options)}
    for name, given in raw.items():
        found = value(name, given)
        if isinstance(current[name], int) and found != int(found):
            raise BadInput(f"{name} must be a whole number, got {found:g}")
        current[name] = int(found) if isinstance(current[name], int) else found
    return type(options)(**current)
