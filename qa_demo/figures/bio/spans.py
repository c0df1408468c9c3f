"""Chapter 7, step 2, as data: tags to spans in three ways, the threshold, the glued span."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_demo.core.learning.bio import (
    DECODINGS,
    TaggedSpan,
    best_spans,
    null_log_prob,
    span_marginals,
    tag_letters,
    tag_log_probs,
)
from qa_demo.core.learning.tagging import Tagging, spans_above
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.glued_spans import LOSSES, STEPS, Glue, descend
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import decimals_for, moved, number, probability, sign_of, signed, total
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import plural, quoted, word_piece

LISTED = 0.02
"""Spans with a smaller marginal are not drawn beside the threshold."""
MOST = 12
LEVEL = 0.5
"""Scores closer than this count as level after the steps, in logits."""
NAMES = {
    "strict": "an I after O is ignored",
    "lenient": "an I after O opens a span",
    "viterbi": "the likeliest tagging without I after O",
}


def decodings_data(reading: Reading, found: dict[str, Tagging]) -> dict[str, Any]:
    """Letters of argmax and Viterbi, the illegal transitions, the spans of each decoding."""
    argmax, viterbi = found["strict"], found["viterbi"]
    return {
        "argmax": tag_letters(argmax.tags.tolist()),
        "viterbi": tag_letters(viterbi.tags.tolist()),
        "illegal": list(argmax.illegal),
        "rows": [
            {
                "name": name,
                "rule": NAMES[name],
                "spans": [[x.span.start, x.span.end] for x in found[name].spans],
            }
            for name in DECODINGS
        ],
        "says": decodings_sentence(reading, found),
    }


def decodings_sentence(reading: Reading, found: dict[str, Tagging]) -> str:
    """Whether the three decodings agree here; if not, at which token they differ."""
    spans = {name: [x.span for x in tagging.spans] for name, tagging in found.items()}
    illegal = found["strict"].illegal
    if spans["strict"] == spans["lenient"] == spans["viterbi"]:
        why = (
            "the likeliest tags of all tokens already form a legal tagging"
            if not illegal
            else "the illegal transition costs no span"
        )
        return f"All three decodings return {plural(len(spans['viterbi']), 'span')}: {why}."
    # without an illegal I among the drawn tags, one stands in a window that does not own it
    at = quoted(word_piece(reading.encoding, illegal[0])) if illegal else "a copy in another window"
    counts = ", ".join(
        f"{'Viterbi' if name == 'viterbi' else name} {len(spans[name])}" for name in DECODINGS
    )
    return f"The decodings differ at {at}, where I has no B before it. Spans: {counts}."


def threshold_data(reading: Reading, decode: DecodeOptions, threshold: float) -> dict[str, Any]:
    """Every span whose exact marginal is above .02, highest first; of those that overlap a higher
    one, which can never be returned beside it, only as many as there is room for. The slider keeps
    a beginning of those that stand apart.
    """
    apart = spans_above(reading, LISTED, decode.max_answer_length, MOST)
    others = [
        x
        for x in best_spans(reading, decode.max_answer_length, MOST)
        if x.marginal >= LISTED and x not in apart
    ]
    listed = sorted([*apart, *others[: max(0, MOST - len(apart))]], key=lambda x: -x.marginal)
    kept = [x for x in apart if x.marginal >= threshold]
    return {
        "value": threshold,
        "spans": [
            {
                "window": x.window,
                "start": x.span.start,
                "end": x.span.end,
                "text": printable(x.text),
                "marginal": x.marginal,
                "printed": probability(x.marginal),
                "beaten": x not in apart,
            }
            for x in listed
        ],
        "none": probability(float(np.exp(null_log_prob(reading)))),
        "says": f"{plural(len(kept), 'span')} returned: marginal at least {number(threshold)}, no "
        f"overlap with a higher one.",
    }


def decodings_table(reading: Reading, found: dict[str, Tagging]) -> dict[str, Any]:
    """Table twin of the rows under the text: decoding, span, exact marginal."""
    rows: list[list[str]] = []
    select: list[tuple[int, int, int] | None] = []
    for name in DECODINGS:
        for x in found[name].spans:
            window = reading.windows[x.window]
            rows.append(
                [
                    printable(x.text),
                    name,
                    f"{window.to_pos(x.span.start)} to {window.to_pos(x.span.end)}",
                    str(x.window + 1),
                    probability(x.marginal),
                ]
            )
            select.append((x.window, x.span.start, x.span.end))
        if not found[name].spans:
            rows.append(["no span", name, "–", "–", "–"])
            select.append(None)
    return table(
        "Spans of each decoding with their exact marginal",
        ["span", "decoding", "positions", "window", "marginal"],
        rows,
        select,
    )


def marginals(reading: Reading, found: Glue) -> list[float]:
    """The exact marginals of both answers and of the span over both."""
    chances = span_marginals(tag_log_probs(reading, found.window), len(found.whole))
    at = reading.windows[found.window].doc_start
    spans = (found.first, found.second, found.whole)
    return [float(chances[x.start - at, x.end - x.start]) for x in spans]


def glue_data(
    reading: Reading,
    found: Glue,
    decode: DecodeOptions,
    chances: Sequence[float],
    spans: Sequence[TaggedSpan],
) -> dict[str, Any]:
    """The four pairs of two starts and ends as sums, the tags' view, where three losses lead."""
    spans_of = {"first": found.first, "second": found.second, "glued": found.whole}
    names = {key: printable(reading.encoding.text(span)) for key, span in spans_of.items()}
    pairs = (("first", 0, 0), ("second", 1, 1), ("glued", 0, 1), ("backwards", 1, 0))
    # The four rows share their addends, and so their decimals.
    decimals = max(total([found.s[i], found.e[j]]).decimals for _, i, j in pairs)
    return {
        "rows": [
            {
                "key": key,
                "text": names.get(key, ""),
                **_added(found.s[i], found.e[j], decimals),
                "window": found.window,
                "span": [spans_of[key].start, spans_of[key].end] if key in spans_of else None,
            }
            for key, i, j in pairs
        ],
        "says": glue_sentence(reading, found),
        "tags": tags_sentence(found, spans),
        "loss": loss_now(found),
        "losses": [_leads(reading, found, decode, x) for x in LOSSES],
        "steps": STEPS,
        "marginals": [
            {"text": text, "p": probability(p)}
            for text, p in zip(names.values(), chances, strict=True)
        ],
    }


def glue_sentence(reading: Reading, found: Glue) -> str:
    """Which of the three legal pairs wins here, and the identity behind it."""
    texts = [quoted(reading.encoding.text(x)) for x in (found.first, found.second, found.whole)]
    s = found.scores
    better = texts[0] if s["first"] >= s["second"] else texts[1]
    margin = number(abs(found.margin), decimals_for([found.margin]))
    if found.margin > 0:
        return (
            f"The glue wins: {texts[2]} scores {margin} more than {better}. Its start is the first "
            "answer's, its end the second's; no single number of it is wrong."
        )
    return (
        f"Here the glue does not win: {better} scores {margin} more than {texts[2]}. The identity "
        "still holds: the crossed pairs sum to what the true pairs sum to."
    )


def tags_sentence(found: Glue, spans: Sequence[TaggedSpan]) -> str:
    """What the tags make of the two answers: both, one, one span over both, or neither."""
    over = next(
        (x for x in spans if x.span.start <= found.first.end and x.span.end >= found.second.start),
        None,
    )
    if over is not None:
        return (
            f"The tags glue here too: {quoted(over.text)} is one span of their likeliest legal "
            "tagging. They can say two spans at once, which a start and an end cannot; whether "
            "they do is learned."
        )
    met = [
        any(x.span.start <= a.end and a.start <= x.span.end for x in spans)
        for a in (found.first, found.second)
    ]
    if all(met):
        return (
            "The tags return both: their likeliest legal tagging has one span at each answer "
            "and an O between them."
        )
    if not any(met):
        return "The tags mark neither of the two answers."
    return (
        f"The tags mark only the {'first' if met[0] else 'second'} answer: of the other they "
        f"are less sure than of O."
    )


def loss_now(found: Glue) -> dict[str, str]:
    """The loss over legal pairs: log of their sum minus log of the two answers' sum."""
    s = found.scores
    gold = float(np.logaddexp(s["first"], s["second"]))
    printed = total([found.log_legal, -gold])
    return {
        "legal": printed.addends[0],
        "gold": number(gold, printed.decimals),
        "sign": printed.sign,
        "loss": printed.total,
        "answers": probability(float(np.exp(gold - found.log_legal))),
        "glued": probability(float(np.exp(s["glued"] - found.log_legal))),
    }


def _leads(reading: Reading, found: Glue, decode: DecodeOptions, loss: str) -> dict[str, str]:
    after = descend(reading, found, decode, loss)
    s = after.scores
    verdict = (
        "level with the glue"
        if abs(after.margin) <= LEVEL
        else "the glue wins"
        if after.margin > 0
        else "both answers beat the glue"
        if min(s["first"], s["second"]) > s["glued"]
        else "one answer beats the glue, the other was given up"
    )
    return {
        "loss": loss,
        **{pair: number(s[pair]) for pair in ("first", "second", "glued", "backwards")},
        "margin": signed(moved(max(s["first"], s["second"]), s["glued"])),
        "verdict": verdict,
    }


def _added(s: float, e: float, decimals: int) -> dict[str, str]:
    """s + e as printed, and whether the printed addends give the printed sum."""
    return {
        "s": number(s, decimals),
        "e": number(e, decimals),
        "sign": sign_of((s, e), s + e, decimals),
        "score": number(s + e, decimals),
    }
