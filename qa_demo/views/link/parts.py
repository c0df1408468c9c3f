"""The parts of a screen that a link carries: how each is written as plain data and read back."""

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from types import MappingProxyType, ModuleType
from typing import Any

from qa_demo.core.errors import BadInput
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.scales import check_merge
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import number, signed
from qa_demo.figures.prose import plural
from qa_demo.figures.span_score import beside
from qa_demo.views import parse, selection, what_if
from qa_demo.views.options import parse as parse_options
from qa_demo.views.parse import entries, many
from qa_demo.views.state import Screen

MOST_LOGITS = 2_000
"""Changed logits that a link brings back."""
DECODE = ("max_answer_length", "n_best_size", "null_score_diff_threshold")


@dataclass(frozen=True)
class Part:
    """One part of the state. `save` gives None where the screen is as it always starts; `load`
    raises BadInput for what cannot be.

    A part that is `bound` means something for the reader alone with which it was made, since it
    counts word pieces or holds logits. One that a hand may change has `changed`, the words for what
    differs from the start, and `back`, the screen with it as it starts.
    """

    name: str
    says: str
    save: Callable[[Screen], Any]
    load: Callable[[Screen, Any], Screen]
    bound: bool = False
    changed: Callable[[Screen], str] = lambda screen: ""
    back: Callable[[Screen], Screen] | None = None


def counted(n: int, name: str) -> str:
    """As "2 logits"; nothing for none."""
    return plural(n, name) if n else ""


def save_logits(screen: Screen) -> Any:
    """[side, window, pos, logit] of each logit changed by hand."""
    return [[*key, value] for key, value in screen.what_if.logits.items()] or None


def load_logits(screen: Screen, value: Any) -> Screen:
    """The same read back: each as chapter 3 would take it."""
    for one in many(value, "the changed logits", MOST_LOGITS):
        side, window, pos, logit = entries(one, "a changed logit", 4)
        screen = what_if.change_logit(
            screen, {"side": side, "window": window, "pos": pos, "value": logit}
        )
    return screen


def save_offset(screen: Screen) -> Any:
    """[window, constant]."""
    return None if screen.what_if.offset is None else list(screen.what_if.offset)


def load_offset(screen: Screen, value: Any) -> Screen:
    """The constant that was added to one window."""
    window, c = entries(value, "a constant", 2)
    return what_if.change_offset(screen, {"window": window, "c": c})


def save_temperature(screen: Screen) -> Any:
    """The temperature, None for 1."""
    return None if screen.what_if.temperature == 1.0 else screen.what_if.temperature


def said_offset(screen: Screen) -> str:
    """As "window 2 +1.50"."""
    at = screen.what_if.offset
    return "" if at is None or not at[1] else f"window {at[0] + 1} {signed(at[1])}"


def said_temperature(screen: Screen) -> str:
    """As "temperature 0.50"."""
    t = screen.what_if.temperature
    return "" if t == 1.0 else f"temperature {number(t)}"


def start_decode(reading: Reading) -> DecodeOptions:
    """Limits and threshold as a reading starts with them."""
    return DecodeOptions(null_score_diff_threshold=reading.threshold or 0.0)


def said_decode(screen: Screen) -> str:
    """The threshold and the limits that differ, each with its value."""
    now, first = screen.decode, start_decode(screen.reading)
    said = []
    if now.null_score_diff_threshold != first.null_score_diff_threshold:
        said.append(f"threshold {beside(-now.null_score_diff_threshold)}")
    said += [
        f"{name} {getattr(now, name)}"
        for name in ("max_answer_length", "n_best_size")
        if getattr(now, name) != getattr(first, name)
    ]
    return ", ".join([*said, "BERT's grid"] if now.top_n_grid else said)


def load_decode(screen: Screen, value: Any) -> Screen:
    """Limits, threshold and search of a list; the search may be missing."""
    if not isinstance(value, list) or not 1 <= len(value) <= len(DECODE) + 1:
        raise BadInput(f"the options are {', '.join(DECODE)}, got {parse.got(value)}")
    decode = parse_options(screen.decode, **dict(zip(DECODE, value, strict=False)))
    if len(value) > len(DECODE):
        decode = replace(decode, top_n_grid=parse.flag(value[len(DECODE)], "top_n_grid"))
    return screen.change(decode=decode)


def save_merge(screen: Screen) -> Any:
    """The three choices of chapter 6, None for the first ones."""
    return None if screen.merge == MergeOptions() else list(astuple(screen.merge))


def load_merge(screen: Screen, value: Any) -> Screen:
    """The same read back."""
    copies, scale, null = (str(one) for one in entries(value, "a merge rule", 3))
    merge = MergeOptions(copies, scale, null)
    check_merge(merge)
    return screen.change(merge=merge)


def save_selection(screen: Screen) -> Any:
    """[window, start, end] of the selected span; [] for none."""
    chosen = screen.selection
    return [] if chosen is None else [chosen.window, chosen.span.start, chosen.span.end]


def load_selection(screen: Screen, value: Any) -> Screen:
    """The same read back."""
    return screen.select(None if value == [] else selection.parse(screen.reading, value))


EVERYWHERE: tuple[Part, ...] = (
    Part(
        "logits",
        "the changed logits",
        save_logits,
        load_logits,
        bound=True,
        changed=lambda screen: counted(len(screen.what_if.logits), "logit"),
        back=lambda screen: what_if.changed(screen, logits=MappingProxyType({})),
    ),
    Part(
        "offset",
        "the constant added to a window",
        save_offset,
        load_offset,
        bound=True,
        changed=said_offset,
        back=lambda screen: what_if.changed(screen, offset=None),
    ),
    Part(
        "temperature",
        "the temperature",
        save_temperature,
        what_if.change_temperature,
        changed=said_temperature,
        back=lambda screen: what_if.changed(screen, temperature=1.0),
    ),
    Part(
        "decode",
        "the limits and the threshold",
        lambda screen: list(astuple(screen.decode)),
        load_decode,
        bound=True,
        changed=said_decode,
        back=lambda screen: screen.change(decode=start_decode(screen.reading)),
    ),
    Part(
        "merge",
        "the merge rule",
        save_merge,
        load_merge,
        changed=lambda screen: "" if screen.merge == MergeOptions() else "merge rule",
        back=lambda screen: screen.change(merge=MergeOptions()),
    ),
    Part("span", "the selection", save_selection, load_selection, bound=True),
)
"""The parts that every chapter shares, in the order in which they are loaded."""


def parts_of(modules: Mapping[str, ModuleType]) -> Mapping[str, tuple[Part, ...]]:
    """The parts by the chapter that declares them; "" holds those of every screen."""
    own = {key: tuple(getattr(module, "LINKED", ())) for key, module in modules.items()}
    return MappingProxyType({"": EVERYWHERE, **own})
