"""Two merge rules against each other: winner minus rival under both, and what differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.merge_rules import SEPARATE_MAXIMA, Margin, RuleResult, margin
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import MAX_DECIMALS, MIN_DECIMALS, MINUS, adds_up, number, probability
from qa_demo.figures.prose import quoted


@dataclass(frozen=True)
class Label:
    """A rule on the page: column head, whether windows compare, its window's constant."""

    short: str
    said: str
    verdict: str
    constant: str = ""
    sound: bool = True


_MASS_ONE = (
    "Not comparable: every window gives its own words mass 1, however little it knows, so one odd "
    "word in an irrelevant window can win."
)
LABELS = {
    "logit": Label(
        "logit sum",
        "the logit sum",
        "Comparable only by habit: a constant added to all logits of a window changes no "
        "probability and no loss, but it changes this number.",
    ),
    "log_odds": Label(
        "log-odds",
        "log-odds",
        "Comparable: each score is measured from its own window's [CLS], so a constant cancels.",
        "the null score",
    ),
    "window_product": Label(
        "product, [CLS] in",
        "the product with [CLS]",
        "Comparable, if training sent windows without the answer to "
        "[CLS]: then a window that knows nothing keeps its mass there.",
        "log Z, [CLS] included,",
    ),
    "context_product": Label(
        "product, words only",
        "the context-only product",
        _MASS_ONE,
        "log Z over the words alone",
        sound=False,
    ),
    "context_mean": Label(
        "mean, words only",
        "the context-only mean",
        f"{_MASS_ONE} And a mean of two probabilities is the probability of nothing.",
        sound=False,
    ),
    "global_softmax": Label(
        "softmax of all",
        "the softmax of all spans",
        "The logit sum again, as shares of all legal spans: the same order, numbers that sum to 1.",
    ),
    SEPARATE_MAXIMA: Label(
        "two maxima",
        "the two separate maxima",
        f"{_MASS_ONE} The two maxima need not even form a legal span.",
        sound=False,
    ),
}


WHY = {
    "outside the paragraph": "one lies outside the paragraph",
    "end before start": "the end lies before the start",
    "too long": "they lie too far apart",
    "not owned": "another window owns the start",
}
"""Why a pair of maxima is no legal span, in words."""


def scale_of(result: RuleResult) -> str:
    """The key of a rule's column: its scale, or the textbook's own name."""
    return SEPARATE_MAXIMA if result.merge is None else result.merge.scale


def counts_all(result: RuleResult) -> bool:
    """Whether a rule counts every copy of a span, not only that of the window owning its start."""
    return result.merge is not None and result.merge.copies == "all"


def printed_value(scale: str, value: float) -> str:
    """A value on its scale: logits with two decimals, probabilities with three and never 0."""
    return number(value) if scale in ("logit", "log_odds") else probability(value)


def winner_text(result: RuleResult) -> str:
    """The winner of a rule in quotes, or why there is none."""
    if result.prediction is None:
        return (
            f"a pair in window {result.winner.window + 1}"
            if result.winner is not None
            else "nothing"
        )
    best = result.prediction.best
    return "nothing" if best is None else quoted(best.candidate.text, 44)


def margin_terms(found: Margin, scale: str) -> list[tuple[str, str, float]]:
    """Name, role, value of each addend: start + end − the winner's constant + the rival's."""
    half = "half the {} probability" if scale == "context_mean" else "{}"
    terms = [(half.format("start"), "start", found.start), (half.format("end"), "end", found.end)]
    if scale in ("logit", "context_mean"):
        return terms
    constant = LABELS[scale].constant.rstrip(",") or "the same constant"
    return [
        *terms,
        (f"− {constant}, winner's window", "ink", found.winner_shift),
        (f"+ {constant}, rival's window", "ink", -found.rival_shift),
    ]


def margin_rows(found: Sequence[tuple[str, Margin]]) -> list[dict[str, Any]]:
    """winner minus rival under each rule, all rows with as many decimals (2 to 4) as they need to
    add up as printed.

    A row that does not add up even with four carries an "about equal" sign.
    """
    terms = [(margin_terms(m, scale), m.total) for scale, m in found]
    adding = {
        d: [adds_up([value for *_, value in of], whole, d) for of, whole in terms]
        for d in range(MIN_DECIMALS, MAX_DECIMALS + 1)
    }
    decimals = next((d for d, rows in adding.items() if all(rows)), MAX_DECIMALS)
    return [
        {
            "scale": scale,
            "label": LABELS[scale].short,
            "sign": "=" if adds else "≈",
            "total": number(m.total, decimals),
            "ahead": m.total > 0,
            "parts": [
                {"name": name, "role": role, "value": number(value, decimals)}
                for name, role, value in margin_terms(m, scale)
            ],
        }
        for adds, (scale, m) in zip(adding[decimals], found, strict=True)
    ]


def exact(printed: str) -> Decimal:
    """A printed number as an exact decimal: sums of these have no rounding error."""
    return Decimal(printed.replace(MINUS, "-"))


def compare(
    reading: Reading, decode: DecodeOptions, chosen: RuleResult, other: RuleResult
) -> dict[str, Any]:
    """The page's winner minus the other rule's (the runner-up when both agree), by both rules."""
    listed = [] if chosen.prediction is None else [r.candidate for r in chosen.prediction.n_best]
    if not listed or chosen.merge is None:
        return {"rows": [], "says": "No span is legal."}
    if other.merge is None or other.prediction is None:
        return {"rows": [], "says": textbook_sentence(chosen, other)}
    agree = chosen.agrees_with(other)
    rivals = listed[1:] if agree else [r.candidate for r in other.prediction.n_best]
    if not rivals:
        return {"rows": [], "says": "Only one span is legal, so it has no rival."}
    rival = rivals[0]
    rules = [chosen.merge] if scale_of(other) == scale_of(chosen) else [chosen.merge, other.merge]
    found = [(m.scale, margin(reading, decode, m, listed[0], rival)) for m in rules]
    head = f"winner {quoted(listed[0].text, 44)} minus rival {quoted(rival.text, 44)}"
    rows = margin_rows(found)
    if len(found) == 1 and not agree:
        more = (
            "all copies of a span"
            if counts_all(chosen)
            else "a span only in the window that owns its start"
        )
        return {
            "rows": rows,
            "head": head,
            "says": f"Both rules rank by the same number. This one counts {more}, the other does "
            f"not; the "
            "sum is the lead of this one's winner over the other's.",
        }
    return {"rows": rows, "head": head, "says": cause(found, rows, agree, listed[0], rival)}


def textbook_sentence(chosen: RuleResult, other: RuleResult) -> str:
    """What the two separate maxima do here."""
    cell = other.winner
    if cell is None:
        return "There is nothing to take maxima of."
    said = (
        f"The highest start and the highest end of window {cell.window + 1} average "
        f"{probability(other.value or 0.0)}, the most of all windows"
    )
    if cell.reason is not None:
        return f"{said}, and form no legal span: {WHY[cell.reason]}."
    same = "the same span as" if other.agrees_with(chosen) else "another span than"
    names = f"{same} {LABELS[scale_of(chosen)].said} names"
    return f"{said}; this time they form a legal span, {names}."


def cause(
    found: Sequence[tuple[str, Margin]],
    rows: Sequence[dict[str, Any]],
    agree: bool,
    winner: Candidate,
    rival: Candidate,
) -> str:
    """Which number made two rules disagree, or that none did; taken from the printed rows."""
    (scale, first), (other, second) = found[0], found[-1]
    if agree or len(found) == 1:
        return (
            f"{'Both rules name' if len(found) > 1 else 'This rule names'} the winner; the "
            f"sum is its lead over the runner-up."
        )
    here, there = f"window {winner.window + 1}", f"window {rival.window + 1}"
    if "context_mean" in (scale, other):
        mean = (here, first.total) if scale == "context_mean" else (there, second.total)
        return (
            f"The mean adds probabilities among each window's own words, not logits: there "
            f"{mean[0]} leads by "
            f"{number(abs(mean[1]), 3)}, since each window's own words share a mass of 1."
        )
    if winner.window == rival.window:
        return f"Both spans stand in {here}, so no window's constant separates them."
    named = [
        f"{LABELS[s].constant} is {minus(-exact(row['parts'][2]['value']))} in {here} and "
        f"{row['parts'][3]['value']} in {there}"
        for (s, _), row in zip(found, rows, strict=True)
        if LABELS[s].constant
    ]
    apart = exact(rows[0]["parts"][0]["value"]) + exact(rows[0]["parts"][1]["value"])
    taken = exact(rows[0]["total"]) - exact(rows[-1]["total"])
    about = "" if all(row["sign"] == "=" for row in rows) else "about "
    return (
        f"Start and end differ by {minus(apart)} under both rules. What turns it is one number of "
        f"each window: {'; '.join(named)}. It takes {about}{minus(taken)} from the winner's lead."
    )


def minus(value: Decimal) -> str:
    """A decimal with a real minus sign."""
    return str(value).replace("-", MINUS)
