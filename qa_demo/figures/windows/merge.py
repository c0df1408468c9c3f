"""Chapter 6, step 3, as data: merge rules as a rank chart, and why two name different spans."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.reading.merge_rules import RULES, Rule, RuleResult, run_all, run_rule
from qa_demo.core.reading.predicted import Candidate
from qa_demo.core.reading.scales import COMBINES, COPIES, NULLS, SCALES
from qa_demo.core.types import Reading
from qa_demo.figures.payload import table
from qa_demo.figures.prose import listed, shorten
from qa_demo.figures.windows.compare import (
    LABELS,
    WHY,
    compare,
    counts_all,
    printed_value,
    scale_of,
    winner_text,
)

SHOWN = 8
ALL_COPIES = ", all copies"
DEEP = 20
"""Ranks are looked up among this many spans of each rule; what ranks lower is drawn below."""


def deep(decode: DecodeOptions) -> DecodeOptions:
    """The same limits with a list long enough for ranks; BERT's grid keeps its n."""
    return (
        decode if decode.top_n_grid else replace(decode, n_best_size=max(DEEP, decode.n_best_size))
    )


def with_own(
    named: tuple[RuleResult, ...], reading: Reading, decode: DecodeOptions, merge: MergeOptions
) -> tuple[tuple[RuleResult, ...], RuleResult]:
    """Every named rule, and the page's own: one of them, or a column if it counts all copies."""
    if merge.copies == RULES[0].merge.copies:
        return named, next(r for r in named if scale_of(r) == merge.scale)
    own = run_rule(reading, decode, Rule(LABELS[merge.scale].short + ALL_COPIES, merge))
    return (own, *named), own


def chart_spans(results: Sequence[RuleResult], lead: str) -> list[Candidate]:
    """The chart's eight distinct spans: the leading rule's best, and every rule's winner."""
    ranked = {
        r.name: [x.candidate for x in r.prediction.n_best]
        for r in results
        if r.prediction is not None
    }
    order = sorted(ranked, key=lambda key: key != lead)
    winners = [ranked[key][0] for key in order if ranked[key]]
    kept: dict[tuple[int, int], Candidate] = {}
    for candidate in [*winners, *ranked.get(lead, []), *(c for key in order for c in ranked[key])]:
        if len(kept) < SHOWN:
            kept.setdefault((candidate.char_start, candidate.char_end), candidate)
    places = {(c.char_start, c.char_end): k for k, c in enumerate(ranked.get(lead, []))}
    return sorted(kept.values(), key=lambda c: places.get((c.char_start, c.char_end), DEEP))


def column(result: RuleResult, spans: Sequence[Candidate]) -> dict[str, Any]:
    """One rule: rank and printed value of each span (None if not listed), label, winner."""
    scale = scale_of(result)
    label = LABELS[scale]
    listed = result.prediction.n_best if result.prediction is not None else ()
    found = {(r.candidate.char_start, r.candidate.char_end): r for r in listed}
    rows = [found.get((c.char_start, c.char_end)) for c in spans]
    return {
        "short": result.name if result.name.endswith(ALL_COPIES) else label.short,
        "name": result.name,
        "verdict": label.verdict,
        "sound": label.sound,
        "breaks": None if label.sound else scale,
        "unit": SCALES[scale].unit if scale in SCALES else "mean of two probabilities",
        "ranks": [None if r is None else r.rank for r in rows],
        "values": [None if r is None else printed_value(scale, r.value) for r in rows],
        "pair": textbook_pair(result),
    }


def textbook_pair(result: RuleResult) -> dict[str, Any] | None:
    """The separate maxima rank no span: only their pair is marked, with the reason if illegal."""
    if result.prediction is not None or result.winner is None:
        return None
    why = result.winner.reason
    return {"legal": why is None, "reason": why and WHY[why]}


def rule_results(reading: Reading, decode: DecodeOptions) -> tuple[RuleResult, ...]:
    """Every named rule on a reading, ranked deep enough for the chart; this step's slow part."""
    return run_all(reading, deep(decode))


def merge_data(
    reading: Reading,
    decode: DecodeOptions,
    merge: MergeOptions,
    named: tuple[RuleResult, ...] | None = None,
) -> dict[str, Any]:
    """The whole step: columns, spans, comparisons, controls; `named` = `rule_results`."""
    limits = deep(decode)
    results, chosen = with_own(named or rule_results(reading, decode), reading, limits, merge)
    spans = chart_spans(results, chosen.name)
    return {
        "spans": [
            {
                "text": shorten(c.text, 44),
                "window": c.window,
                "start": c.span.start,
                "end": c.span.end,
            }
            for c in spans
        ],
        "columns": [column(r, spans) for r in results],
        "deep": limits.n_best_size,
        "chosen": chosen.name,
        "rival": rival_rule(results, chosen),
        "compare": {r.name: compare(reading, limits, chosen, r) for r in results},
        "says": disagreement(results, chosen),
        "options": options_data(merge),
    }


def rival_rule(results: Sequence[RuleResult], chosen: RuleResult) -> str:
    """The rule to compare with first: a sound one with another span, then any, then the next."""
    others = [r for r in results if r.name != chosen.name and r.prediction is not None]
    return min(others, key=lambda r: (r.agrees_with(chosen), not LABELS[scale_of(r)].sound)).name


def options_data(merge: MergeOptions) -> list[dict[str, Any]]:
    """Three radio groups that set MergeOptions for all; a null that does not fit is disabled."""
    nulls = {
        "min_logit": "the smallest null score of all windows",
        "min_product": "the smallest P(0) P(0) of all windows",
        "own_window": "the null score of the best span's own window",
        "none": "no null: the best span is always the answer",
    }
    groups = (
        ("copies", COPIES, merge.copies, tuple(COPIES)),
        ("scale", {k: s.unit for k, s in SCALES.items()}, merge.scale, tuple(SCALES)),
        ("null", {k: nulls[k] for k in NULLS}, merge.null, COMBINES[merge.scale]),
    )
    return [
        {
            "name": name,
            "value": value,
            "choices": [{"value": k, "help": text, "fits": k in fit} for k, text in known.items()],
        }
        for name, known, value, fit in groups
    ]


def disagreement(results: Sequence[RuleResult], chosen: RuleResult) -> str:
    """How many rules name the page's span, and which name another, gathered by that span."""
    if chosen.winner_doc is None:
        return "No span is legal, so there is nothing to merge."
    ranking = [r for r in results if r.prediction is not None]
    maxima = next((r.winner for r in results if r.prediction is None), None)
    tail = ""
    if maxima is not None and maxima.reason is not None:
        tail = f" The two separate maxima form no legal span here: {WHY[maxima.reason]}."
    named: dict[str, list[str]] = {}
    for result in ranking:
        if not result.agrees_with(chosen):
            named.setdefault(winner_text(result), []).append(LABELS[scale_of(result)].said)
    if not named:
        return f"All {len(ranking)} rules that rank spans name {winner_text(chosen)}.{tail}"
    said = LABELS[scale_of(chosen)].said + (" over all copies" if counts_all(chosen) else "")
    others = "; ".join(f"{text} wins by {listed(rules)}" for text, rules in named.items())
    agree = len(ranking) - sum(map(len, named.values()))
    counted = (  # one that counts all copies may be alone
        f"{agree} of {len(ranking)} rules name {winner_text(chosen)}, the "
        f"{'other' if len(ranking) - agree == 1 else 'others'} "
        f"{listed(list(named))}. "
        if agree
        else ""
    )
    return f"{counted}{said[0].upper()}{said[1:]} names {winner_text(chosen)}, but {others}.{tail}"


def merge_tables(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Table twins: rank and value of each span under each rule, and what combines with what."""
    columns = [c for c in data["columns"] if c["pair"] is None]
    rows = [
        [
            s["text"],
            *(
                f"{c['ranks'][k]}: {c['values'][k]}" if c["ranks"][k] else f"below {data['deep']}"
                for c in columns
            ),
        ]
        for k, s in enumerate(data["spans"])
    ]
    combine = [
        [scale, SCALES[scale].unit, *("yes" if null in COMBINES[scale] else "no" for null in NULLS)]
        for scale in SCALES
    ]
    return [
        table(
            "Merge rules: rank and value of each span",
            ["span", *(c["name"] for c in columns)],
            rows,
            select=[(s["window"], s["start"], s["end"]) for s in data["spans"]],
        ),
        table(
            "What may be said of each rule",
            ["rule", "its number", "comparable between windows?"],
            [[c["name"], c["unit"], c["verdict"]] for c in data["columns"]],
        ),
        table(
            "What combines: copies (max_context or all) with every scale; a scale with these nulls",
            ["scale", "its number", *NULLS],
            combine,
        ),
    ]
