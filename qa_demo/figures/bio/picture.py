"""Chapter 7, step 1, as data: three probabilities a token, one token apart, notice, twin."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats, logsumexp
from qa_demo.core.learning.bio import O, TaggedSpan
from qa_demo.core.learning.tag_head import tag_anatomy
from qa_demo.core.learning.tagging import Tagging
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import TAGS, Reading, Span
from qa_demo.figures.columns import telling
from qa_demo.figures.numbers import adds_up, exponential, number, probability, rest, total
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import formula, part, table
from qa_demo.figures.prose import listed, place, plural, quoted, word_piece
from qa_demo.figures.reading import joined

SURE = 0.98
"""A run of tokens whose p(O) is above this is drawn as one line."""


def open_runs(log_rows: Floats, keep: Sequence[Span]) -> NDArray[np.bool_]:
    """Which tokens [D] are drawn: p(O) at most .98, or inside a span to be kept."""
    shown: NDArray[np.bool_] = np.asarray(np.exp(log_rows[:, O]) <= SURE)
    for span in keep:
        shown[span.start : span.end + 1] = True
    return shown


def bars_data(reading: Reading, log_rows: Floats, keep: Sequence[Span] = ()) -> dict[str, Any]:
    """p of B, I, O for each token, packed [D, 3]; which are drawn though surely outside."""
    return {
        "p": floats(np.exp(log_rows)),
        "joined": joined(reading.encoding),
        "sure": SURE,
        "keep": [[span.start, span.end] for span in keep],
    }


def tag_sum(p: Floats) -> str:
    """B + I + O of a token as printed; the sign is = only if the printed numbers add up to 1."""
    shown = [probability(float(x)) for x in p]
    exact = not any(x[0] in "<>" for x in shown) and adds_up(p.tolist(), 1.0, 3)
    return (
        f"{' + '.join(f'{tag} {x}' for tag, x in zip(TAGS, shown, strict=True))} "
        f"{'=' if exact else '≈'} 1"
    )


def bio_formula(p: Floats | None, pos: int | None, d: int | None) -> list[dict[str, str]]:
    """p_i = softmax(W h_i + b) with the loaded reader's dimensions, and a token's three numbers."""
    parts = formula("p_{i} = softmax(W h_{i} + b)   ")
    if d is not None:
        parts.append(part(f"W: 3 × {d}, h: {d}, b: 3   "))
    if p is not None and pos is not None:
        each = ", ".join(f"{t} {probability(float(x))}" for t, x in zip(TAGS, p, strict=True))
        parts += [*formula(f"p_{{{pos}}} = ("), part(each, "strong"), part(")")]
    return parts


def token_data(
    reading: Reading, log_rows: Floats, owner: NDArray[np.int64], doc: int
) -> dict[str, Any]:
    """One token: its place, its three logits, its three probabilities, which sum to 1; the divisor
    is "≈" where the exponentials miss it as printed.
    """
    window = reading.windows[int(owner[doc])]
    pos = window.to_pos(doc)
    assert reading.tag_logits is not None
    logits, p = reading.tag_logits[window.index, pos].astype(np.float64), np.exp(log_rows[doc])
    z, decimals, about = float(logsumexp(logits)), 3, ""
    if z < math.log(1e6):  # else powers of ten
        exps = total(np.exp(logits).tolist(), at_least=decimals)
        decimals, about = exps.decimals, "" if exps.sign == "=" else f"{exps.sign} "
    return {
        "pos": pos,
        "window": window.index,
        "windows": len(reading.windows),
        "piece": printable(word_piece(reading.encoding, doc)),
        "logits": [number(x, 3) for x in logits],
        "exps": [exponential(float(x), decimals) for x in logits],
        "z": f"{about}{exponential(z, decimals)}",
        "p": [probability(float(x)) for x in p],
        "sum": tag_sum(p),
    }


def products_data(weight: Floats, bias: Floats, hidden: Floats, top: int = 8) -> dict[str, Any]:
    """W_k h_k of one token for B, I, O on the dimensions that part its two likeliest tags."""
    dimensions, rows = tag_anatomy(weight, bias, hidden, top)
    decimals = telling(x for row in rows for x in (*row.products, row.bias))
    out = []
    for row in rows:
        shown = [*row.products, row.bias]
        out.append(
            {
                "tag": TAGS[row.tag],
                "products": [number(x, decimals) for x in row.products],
                "rest": rest(shown, row.logit, decimals),
                "bias": number(row.bias, decimals),
                "logit": number(row.logit, decimals),
            }
        )
    return {
        "dimensions": list(dimensions),
        "others": len(np.asarray(hidden)) - len(dimensions),
        "rows": out,
        "h": [number(float(np.asarray(hidden)[k]), 3) for k in dimensions],
    }


LONGEST = 40
"""Letters of a span in the finding, which has room for thirty words."""


def said_spans(spans: Sequence[TaggedSpan], most: int = 4) -> str:
    """Texts with their marginals: “blue” (0.91) and “yellow” (0.88)."""
    names = [f"{quoted(x.text, LONGEST)} ({probability(x.marginal)})" for x in spans[:most]]
    if len(spans) > most:
        names.append(f"{len(spans) - most} more")
    return listed(names)


def compare_sentence(prediction: Prediction, spans: Sequence[TaggedSpan]) -> str:
    """The start/end answer beside the tags' answer, and where they differ."""
    answer = prediction.answered
    one = "no answer" if answer is None else quoted(answer.text, LONGEST)
    if not spans:
        tags = "the tags mark no span"
        return (
            f"The two heads differ: start and end return {one}, {tags}."
            if answer is not None
            else f"Both heads find no answer: {tags}."
        )
    if answer is not None and [x.span for x in spans] == [answer.span]:
        return f"Both heads return the same span, {said_spans(spans)}."
    said = f"start and end return {one}. The tags return {plural(len(spans), 'span')}: "
    said += said_spans(spans)
    if answer is not None:
        at = answer.span
        held = [x for x in spans if at.start <= x.span.start and x.span.end <= at.end]
        if len(held) > 1:
            said += (
                f"; the one span of the start/end head holds "
                f"{'both' if len(held) == 2 else f'{len(held)} of them'} and what stands between"
            )
    return f"The two heads differ: {said}."


def notices(
    prediction: Prediction, viterbi: Tagging, argmax: Tagging, log_rows: Floats
) -> dict[str, str]:
    """The first two steps' sentences: what the tags mark, how sure they are and whether the argmax
    tagging is legal; how the two heads compare.
    """
    sure = int((np.exp(log_rows[:, O]) > SURE).sum())
    marked = said_spans(viterbi.spans, 2) if viterbi.spans else "no span"
    said = [
        f"The tags mark {marked}; of {plural(len(log_rows), 'token')}, {sure:,} "
        f"{'is' if sure == 1 else 'are'} outside with more than {number(SURE)}."
    ]
    if viterbi.spans:
        said.append("A span's number is its probability over all legal taggings.")
    if argmax.illegal:
        said.append(
            f"Each token's likeliest tag gives "
            f"{plural(len(argmax.illegal), 'illegal transition')}: an I that follows O or "
            f"stands first."
        )
    return {"tags": " ".join(said), "spans": compare_sentence(prediction, viterbi.spans)}


def tag_table(
    reading: Reading,
    log_rows: Floats,
    owner: NDArray[np.int64],
    tags: Sequence[int],
    shown: NDArray[np.bool_],
) -> dict[str, Any]:
    """The table twin: the drawn tokens; each run that is not is a row with its smallest p(O)."""
    rows: list[list[str]] = []
    select: list[tuple[int, int, int] | None] = []
    p = np.exp(log_rows)
    doc = 0
    while doc < len(p):
        if shown[doc]:
            shares = [probability(float(x)) for x in p[doc]]
            rows.append(
                [
                    place(reading, doc),
                    printable(word_piece(reading.encoding, doc)),
                    *shares,
                    TAGS[tags[doc]],
                ]
            )
            select.append((int(owner[doc]), doc, doc))
            doc += 1
            continue
        stop = doc + int(np.argmax(np.append(shown[doc:], True)))
        rows.append(_run_row(reading, doc, stop, float(p[doc:stop, O].min())))
        select.append(None)
        doc = stop
    return table(
        "p(B), p(I), p(O) of each token; every row sums to 1. Tag: the likeliest legal tagging "
        "(Viterbi).",
        ["position", "token", "p(B)", "p(I)", "p(O)", "tag"],
        rows,
        select,
    )


def _run_row(reading: Reading, doc: int, stop: int, least: float) -> list[str]:
    """One row for the tokens from doc to stop - 1, of which each is O with at least this p."""
    return [
        place(reading, doc) + (f" to {place(reading, stop - 1)}" if stop - doc > 1 else ""),
        f"… {plural(stop - doc, 'token')}",
        "–",
        "–",
        f"at least {probability(least)}",
        "O",
    ]
