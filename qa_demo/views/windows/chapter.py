"""Chapter 6, Long text: the windows, what each of them finds, and how they are merged."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from qa_demo.core.files.words import fixed_words
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.merge_rules import SEPARATE_MAXIMA, RuleResult
from qa_demo.core.reading.scales import COMBINES, check_merge
from qa_demo.core.reading.what_if import apply_what_if
from qa_demo.core.reading.windows import check_options
from qa_demo.core.types import Reading, Span
from qa_demo.figures.payload import page_data
from qa_demo.figures.reading import in_own_words, simplified
from qa_demo.figures.windows.candidates import candidates_data, window_tables
from qa_demo.figures.windows.code import windows_code
from qa_demo.figures.windows.counterexample import counterexample
from qa_demo.figures.windows.merge import merge_data, merge_tables, rule_results
from qa_demo.figures.windows.offset import offset_data
from qa_demo.figures.windows.picture import (
    limits,
    preview_sentence,
    try_plan,
    window_formula,
    window_notice,
)
from qa_demo.figures.windows.steps import steps_sentence
from qa_demo.views import options, parse
from qa_demo.views.code import printed
from qa_demo.views.examples import load_examples
from qa_demo.views.frame import Frame
from qa_demo.views.link.parts import Part
from qa_demo.views.measured import measured
from qa_demo.views.options import help_text
from qa_demo.views.state import Chapter, Screen
from qa_demo.views.what_if import change_offset

CHAPTER = Chapter(
    "windows",
    6,
    "Long text",
    "Long text",
    "A text longer than one window: how is it split, and which window's answer counts?",
)
code = printed(windows_code)
WRONG = ("context_product", "context_mean", SEPARATE_MAXIMA)


@dataclass(frozen=True)
class Seen:
    """What the slow parts depend on: the stamp stands for the logits, changed by hand or not."""

    stamp: int
    decode: DecodeOptions
    screen: Screen = field(compare=False)


@lru_cache(maxsize=16)
def slow_parts(seen: Seen) -> tuple[dict[str, Any], tuple[RuleResult, ...], dict[str, Any]]:
    """Candidates, every rule's outcome, the constant: alike while plans and rules are tried."""
    screen = seen.screen
    before = apply_what_if(screen.reading, screen.what_if.logits)
    return (
        candidates_data(screen.shown, seen.decode),
        rule_results(screen.shown, seen.decode),
        offset_data(before, screen.shown, seen.decode, screen.what_if.offset),
    )


@dataclass(frozen=True, eq=False)
class Tried:
    """The windows that the sliders ask for; `of` is the reading they were tried on."""

    of: Reading
    options: WindowOptions


def tried_windows(screen: Screen) -> WindowOptions | None:
    """The windows that are drawn and were not read: those of the sliders, else, where one window
    holds the whole text, some that overlap by half, so that there is a split to see.
    """
    reading, asked = screen.reading, chosen(screen)
    if asked is not None:
        return None if asked == reading.options else asked
    small = limits(reading)["small"]
    if small is None:
        return None
    return replace(
        reading.options, max_seq_length=small["max_seq_length"], doc_stride=small["doc_stride"]
    )


def preview(screen: Screen, tried: WindowOptions, listed: list[Span]) -> dict[str, Any]:
    """The windows that are tried; what a split for show puts out of reach is not hatched."""
    drawn = try_plan(screen.reading, tried, screen.decode, listed)
    return drawn if chosen(screen) else {**drawn, "layout": {**drawn["layout"], "lost": []}}


def chosen(screen: Screen) -> WindowOptions | None:
    """The windows of the sliders, once one was moved on this text."""
    kept = screen.own.get(CHAPTER.key)
    return kept.options if isinstance(kept, Tried) and kept.of is screen.reading else None


def try_windows(screen: Screen, value: Any) -> Screen:
    """A slider was moved: other windows are drawn, nothing is read. Errors: BadInput."""
    options = window_options(screen, value)
    check_options(screen.reading.encoding, options)
    return screen.keep(CHAPTER.key, Tried(screen.reading, options))


def save_tried(screen: Screen) -> Any:
    """[max_seq_length, doc_stride] of the sliders, once one was moved."""
    asked = chosen(screen)
    return None if asked is None else [asked.max_seq_length, asked.doc_stride]


def load_tried(screen: Screen, value: Any) -> Screen:
    """The same read back."""
    pair = parse.pair(value, "the windows that were tried")
    return try_windows(screen, {"max_seq_length": pair[0], "doc_stride": pair[1]})


LINKED = (Part("tried", "the windows that were tried", save_tried, load_tried),)
"""What of this chapter travels in a link, beside the merge rule and the constant."""


def present(screen: Screen, broken: dict[str, Any] | None = None) -> dict[str, Any]:
    """The three steps; `broken` is the outcome of a search for a counterexample."""
    reading, shown, decode = screen.reading, screen.shown, screen.decode
    listed = [r.candidate.span for r in screen.prediction.n_best]
    candidates, named, offset = slow_parts(Seen(screen.stamp, decode, screen))
    merged = merge_data(shown, decode, screen.merge, named)
    now, tried = try_plan(reading, reading.options, decode, listed), tried_windows(screen)
    says = now["said"][0] if tried is None else preview_sentence(reading, tried)
    words = fixed_words(CHAPTER.key)
    null_key, truths = in_own_words([words["null_key"], words["truths"]], reading.encoding)
    steps = [
        {"key": "windows", "title": "windows", "says": says},
        {"key": "candidates", "title": "candidates", "says": candidates["says"]},
        {"key": "merge", "title": "merge", "says": merged["says"]},
    ]
    picture = {
        "steps": steps,
        "help": {n: help_text(WindowOptions, n) for n in ("max_seq_length", "doc_stride")},
        "limits": limits(reading),
        "now": {**now, "said": now["said"][1:]},
        "tried": None if tried is None else preview(screen, tried, listed),
        "candidates": candidates | {"null_key": null_key},
        "merge": merged | {"truths": truths},
        "offset": offset,
        "broken": broken,
    }
    return page_data(
        CHAPTER.question,
        picture,
        window_notice(reading, merged, tried),
        simplified(CHAPTER.key, reading.encoding, *steps_sentence(measured(screen.source))),
        [*window_tables(shown, decode, candidates), *merge_tables(merged)],
    )


def formula(screen: Screen) -> list[dict[str, str]]:
    """Capacity, number of windows, and the owner of the selected start."""
    selected = None if screen.selection is None else screen.selection.span
    return window_formula(screen.reading, selected, tried_windows(screen))


def window_options(screen: Screen, value: Any) -> WindowOptions:
    """What the two sliders say, with a step no longer than the capacity that is left."""
    given = parse.record(value, "the window plan", "max_seq_length", "doc_stride")
    return options.parse(
        screen.reading.options,
        max_seq_length=given.get("max_seq_length"),
        doc_stride=given.get("doc_stride"),
    )


def change_merge(screen: Screen, value: Any) -> Screen:
    """One of three radio groups was set; a null that no longer fits the scale makes way."""
    given = parse.record(value, "the merge rule", "copies", "scale", "null")
    merge = MergeOptions(*(str(given.get(name)) for name in ("copies", "scale", "null")))
    if merge.scale in COMBINES and merge.null not in COMBINES[merge.scale]:
        merge = MergeOptions(merge.copies, merge.scale, COMBINES[merge.scale][0])
    check_merge(merge)
    return screen.change(merge=merge)


def break_rule(screen: Screen, value: Any) -> dict[str, Any]:
    """Search this reading and the stored ones for one where a wrong rule names another span."""
    parse.choice(value, "the rule to break", WRONG)
    examples = [e for e in load_examples().values() if e.id != screen.example]
    stored = {e.title: (e.id, e.stored(screen.reading.checksum)) for e in examples}
    readings = [(title, reading) for title, (_, reading) in stored.items() if reading is not None]
    found = counterexample([("this reading", screen.shown), *readings], value, screen.decode)
    return {**found, "example": stored[found["title"]][0] if found["title"] in stored else None}


def build(frame: Frame) -> None:
    """The controls stand in the picture; a plan is tried here and read again on request."""
    frame.browser_input(CHAPTER, "merge", change_merge)
    frame.browser_input(CHAPTER, "offset", change_offset)
    frame.browser_input(CHAPTER, "tried", try_windows)
    frame.browser_show(
        CHAPTER, "break", lambda screen, value: present(screen, broken=break_rule(screen, value))
    )
    frame.browser_reread(CHAPTER, "rerun", window_options)
