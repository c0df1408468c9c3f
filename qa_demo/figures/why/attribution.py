"""Chapter 9, step 2, as data: the target in numbers, the two lanes, and whether the sum adds up."""

from collections.abc import Sequence
from typing import Any

from qa_demo.core.explaining.attribution import GAP_LIMIT, Attribution, Target, lanes, silence
from qa_demo.core.explaining.occlusion import QuestionEffect
from qa_demo.core.reading.words import words
from qa_demo.core.types import Baseline, Reading, TargetKind, Window
from qa_demo.figures.methods import METHOD_NAMES
from qa_demo.figures.numbers import MINUS, bracketed, decimals_for, effect, number, total, units
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import Role, columns, part, table
from qa_demo.figures.prose import quoted
from qa_demo.figures.reading import context_places, null_token

KIND_NAMES: dict[TargetKind, str] = {
    "start_logit": "start logit",
    "end_logit": "end logit",
    "span_score": "score of the span (both)",
    "span_minus_null": "log-odds against no answer",
    "span_minus_other": "difference to another span",
}
BASELINE_NAMES: dict[Baseline, str] = {
    "pad": "padding token",
    "mask": "mask token",
    "zero": "zero vector",
}


def addends(reading: Reading, target: Target, window: Window) -> list[tuple[str, str, Role, float]]:
    """The terms of F as (letter, index, role, signed value): what the formula prints and adds."""
    s, e = (row.astype(float) for row in reading.logits(window.index))
    i, j = window.to_pos(target.span.start), window.to_pos(target.span.end)
    terms: list[tuple[str, str, Role, float]] = []
    if target.kind != "end_logit":
        terms.append(("s", "i", "start", s[i]))
    if target.kind != "start_logit":
        terms.append(("e", "j", "end", e[j]))
    if target.kind == "span_minus_null":
        null = null_token(reading.encoding)
        terms += [("s", null, "start", -s[window.cls_at]), ("e", null, "end", -e[window.cls_at])]
    if target.other is not None:
        k, m = window.to_pos(target.other.start), window.to_pos(target.other.end)
        terms += [("s", "k", "start", -s[k]), ("e", "l", "end", -e[m])]
    return terms


def target_formula(reading: Reading, target: Target, window: Window) -> list[dict[str, str]]:
    """F in letters, then in this reading's numbers; the printed addends give the printed total."""
    terms = addends(reading, target, window)
    printed = total([value for *_, value in terms])
    known = 1 if target.kind in ("start_logit", "end_logit") else 2
    parts = [part("F = ", "quiet")]
    for at, (letter, index, role, _) in enumerate(terms):
        sign = "" if at == 0 else " + " if at < known else f" {MINUS} "
        parts += [part(sign, "quiet"), part(letter, role), part(index, "sub")]
    if len(terms) == 1:
        return [*parts, part(" = "), part(printed.total, "strong")]
    parts.append(part(" = "))
    for at, ((_, _, role, _), shown) in enumerate(zip(terms, printed.addends, strict=True)):
        negative = shown.startswith(MINUS)
        sign = "" if at == 0 else f" {MINUS} " if negative else " + "
        parts += [part(sign), part(shown.removeprefix(MINUS) if at and negative else shown, role)]
    return [*parts, part(f" {printed.sign} "), part(printed.total, "strong")]


def value_of(reading: Reading, target: Target, window: Window) -> float:
    """F(x) from the reading's own logits."""
    a, b = lanes(target, window)
    s, e = reading.logits(window.index)
    return float(a @ s.astype(float) + b @ e.astype(float))


def lanes_data(found: Attribution) -> dict[str, Any]:
    """The two lanes [n], the steps of their path (0 without one), and whether they add up."""
    return {
        "start": floats(found.start),
        "end": floats(found.end),
        "sums": sums(found),
        "steps": found.n_steps,
    }


def sums(found: Attribution) -> list[str]:
    """The signed sum, F(x), F(x') and the gap, as printed; or what is not promised."""
    if found.f_baseline is None or found.gap is None or found.gap_share is None:
        return [silence(found) or _no_promise(found)]
    small = units(found.gap, 4) == 0
    printed = total(
        [found.f_x, -found.f_baseline, *(() if small else (found.gap,))],
        found.sum,
        2 if abs(found.gap) >= 0.005 else 4,
    )
    f_x, _, *gap = printed.addends
    tail = (
        f" + gap {bracketed(gap[0])}."
        if gap
        else f"; the gap is under {number(10.0**-printed.decimals, printed.decimals)}."
    )
    first = (
        f"Sum of all tokens {printed.total} {printed.sign} F(x) {f_x} {MINUS} F(x′) "
        f"{bracketed(number(found.f_baseline, printed.decimals))}{tail}"
    )
    shown = [f"{steps} steps: {_share(gap, found)}" for steps, gap in found.tried]
    missed, doubt = "not ", ": read single tokens with that much doubt"
    if found.complete:
        missed = doubt = ""
    return [
        first,
        f"The gap is {_share(found.gap, found)} of F(x) {MINUS} F(x′), {missed}under "
        f"{number(100 * GAP_LIMIT, 0)} % ({'; '.join(shown)}){doubt}.",
    ]


def _no_promise(found: Attribution) -> str:
    """The sum of a method that has no baseline on a path."""
    promise = (
        "Effects of single words need not add up to F(x)."
        if found.method == "leave_one_out"
        else "This method promises no sum: a gradient is a slope at one point."
    )
    f_x = number(found.f_x, decimals_for([found.f_x]))
    return (
        f"Sum of all tokens {effect(found.sum, decimals_for([found.sum]))}; F(x) = {f_x}. {promise}"
    )


def _share(gap: float, found: Attribution) -> str:
    difference = found.f_x - (found.f_baseline or 0.0)
    if difference == 0.0:
        return "0 %" if gap == 0.0 else "infinitely many %"
    share = abs(gap / difference)
    decimals = 1 if number(100 * share, 1) != number(100 * GAP_LIMIT, 1) else 3
    return "< 0.1 %" if share < 0.001 else f"{number(100 * share, decimals)} %"


def lanes_table(reading: Reading, found: Attribution) -> dict[str, Any]:
    """The table twin: every token of the window with both lanes; context can be selected."""
    tokens, places = reading.tokens(found.window), context_places(reading, found.window)
    digits = decimals_for([*found.start, *found.end], 3)
    return columns(
        f"Every token of window {found.window + 1} by {METHOD_NAMES[found.method]}, in logits",
        range(len(tokens)),
        {
            "token": lambda pos: printable(tokens[pos]),
            "position": str,
            "start part": lambda pos: effect(found.start[pos], digits),
            "end part": lambda pos: effect(found.end[pos], digits),
        },
        lambda pos: places[pos],
    )


def attribution_notice(reading: Reading, found: Attribution) -> str:
    """The words with the largest support and the largest opposition."""
    said = silence(found)
    if said is not None:
        return said
    units = words(reading.encoding, reading.windows[found.window])
    values = units.sums(found.total)
    best, worst = int(values.argmax()), int(values.argmin())
    digits = decimals_for(values)
    said = (
        f"By {METHOD_NAMES[found.method]} the largest support comes from "
        f"{quoted(units.items[best].text, 40)} "
        f"in the {units.items[best].where} ({effect(values[best], digits)})"
    )
    if values[worst] < 0:
        rival = units.items[worst]
        said += (
            f". The largest opposition comes from {quoted(rival.text, 40)} in the "
            f"{rival.where} ({effect(values[worst], digits)})"
        )
    asked = sum(values[k] for k, word in enumerate(units.items) if word.side == "question")
    whole = (
        "" if found.f_baseline is None else f" of {effect(found.sum, digits)}"
    )  # other methods promise no sum to be a part of
    return f"{said}. The question's words together carry {effect(asked, digits)}{whole}."


def question_data(effects: Sequence[QuestionEffect]) -> dict[str, Any]:
    """Each question word masked in every window: what F loses, and whether another answer wins."""
    digits = decimals_for(one.total for one in effects)
    rows = [
        [
            printable(one.word.text),
            effect(-one.total, digits),
            "no answer" if one.answer is None else printable(one.answer),
            "the same words elsewhere"
            if one.elsewhere
            else "changed"
            if one.changed
            else "the same",
        ]
        for one in effects
    ]
    head = ["question word", "F changes by", "the answer would be", "answer"]
    return {"table": table("Each question word masked in every window", head, rows)}
