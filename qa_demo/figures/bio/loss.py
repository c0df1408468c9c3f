"""Chapter 7, step 3, as data: three annotators, their mean as target, the loss by term."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.arrays import Floats
from qa_demo.core.learning.losses import TagGold, entropy, marked, tag_loss
from qa_demo.core.learning.losses import total as weighted
from qa_demo.core.learning.tagging import SoftTerms, annotator_tags, soft_terms
from qa_demo.core.types import TAGS, Reading
from qa_demo.figures.columns import above, cell, column, sign, telling
from qa_demo.figures.numbers import MAX_DECIMALS, decimals_for, number, percent, probability, total
from qa_demo.figures.pack import floats, printable
from qa_demo.figures.payload import table
from qa_demo.figures.prose import listed, place, plural, quoted, word_piece

SHOWN = 10
"""Tokens with a row of their own in the table of terms."""


def fraction(t: float, annotators: int) -> str:
    """A share of annotators as a fraction: 2/3, 1, 0."""
    return str(Fraction(round(t * annotators), annotators))


def rows_shown(terms: SoftTerms) -> list[int]:
    """The tokens that get a row: those tagged B or I, then those of highest loss; in text order."""
    begun = terms.targets[:, :2].sum(axis=1) > 0
    tagged = np.flatnonzero(terms.labelled & begun).tolist()
    costly = np.argsort(-terms.loss, kind="stable")
    others = costly[(terms.labelled & ~begun)[costly]].tolist()
    return sorted((tagged + others[: max(2, SHOWN - len(tagged))])[: 2 * SHOWN])


def loss_data(
    reading: Reading, log_rows: Floats, golds: Sequence[TagGold], named: str
) -> dict[str, Any]:
    """Targets, loss and floor of every token, packed; annotators; table of terms; totals."""
    terms = soft_terms(reading, golds)
    n = len(log_rows)
    return {
        "annotators": [_annotator(gold, n) for gold in golds],
        "named": named,
        "t": floats(terms.targets),
        "loss": floats(terms.loss),
        "floor": floats(terms.floor),
        "terms": term_rows(reading, log_rows, terms, len(golds)),
        "totals": totals(reading, log_rows, terms, golds),
        "says": loss_sentence(reading, terms, golds),
    }


def _annotator(gold: TagGold, n: int) -> dict[str, Any]:
    return {
        "spans": [[span.start, span.end] for span in marked(gold)],
        "letters": "".join(TAGS[t] for t in annotator_tags(n, gold)),
    }


def term_rows(
    reading: Reading, log_rows: Floats, terms: SoftTerms, annotators: int
) -> dict[str, Any]:
    """t_ij (-log p_ij) of the shown tokens; l_i's column adds up, the others are one row."""
    shown = rows_shown(terms)
    decimals = telling((terms.targets[shown] * -log_rows[shown]).ravel())
    rows = [
        {
            "doc": doc,
            "place": place(reading, doc),
            "token": printable(word_piece(reading.encoding, doc)),
            **_token_terms(terms, doc, -log_rows[doc], annotators, decimals),
        }
        for doc in shown
    ]
    others = int(terms.labelled.sum()) - len(shown)
    least = float(terms.floor.sum())
    loss = column(terms.loss[shown].tolist(), terms.total, decimals)
    floor = column(terms.floor[shown].tolist(), least, decimals)
    divergence = above(least, terms.total, decimals)
    return {
        "rows": rows,
        "others": others,
        "rest": loss["rest"],
        "rest_floor": floor["rest"],
        "sign": loss["sign"],
        "floor_sign": floor["sign"],
        "total": loss["total"],
        "floor": floor["total"],
        "divergence": divergence,
    }


def totals(
    reading: Reading, log_rows: Floats, terms: SoftTerms, golds: Sequence[TagGold]
) -> dict[str, str]:
    """L as the exercise sums it, as H(t) + KL, the code's mean, and the model's own entropy."""
    both = [float(terms.floor.sum()), float(terms.divergence.sum())]
    printed = total(both, terms.total, min(decimals_for([terms.total]), MAX_DECIMALS))
    count = int(terms.labelled.sum())
    code = tag_loss(reading, golds)
    own = entropy(np.exp(log_rows[terms.labelled]))
    return {
        "loss": printed.total,
        "floor": printed.addends[0],
        "divergence": printed.addends[1],
        "sign": printed.sign,
        "tokens": f"{count:,}",
        "mean": number(weighted(code), 4),
        "over": f"{int(code[0].over):,}",
        "model_entropy": number(float(own.sum()), 2),
    }


def loss_sentence(reading: Reading, terms: SoftTerms, golds: Sequence[TagGold]) -> str:
    """Where annotators disagree, what that costs at least, whether the model is as unsure."""
    parted = np.flatnonzero(terms.floor > 1e-9)
    if not len(parted):
        agreed = f"All {len(golds)} annotators agree on every token"
        if not any(map(marked, golds)):
            agreed = f"None of the {len(golds)} annotators marks an answer"
        return (
            f"{agreed}, so H(t) = 0 and the loss could fall to 0. The formula then collapses to "
            f"one term a token: see the one-hot case."
        )
    share = float(terms.floor.sum()) / terms.total if terms.total else 0.0
    return (
        f"The annotators part at {plural(len(parted), 'token')}{most(reading, terms, parted)}. No "
        f"model can get below the entropy of their mean, "
        f"H(t) = {number(float(terms.floor.sum()))}, which is {percent(share)} of this loss. "
        "The rest is what the model could still learn."
    )


def most(reading: Reading, terms: SoftTerms, parted: NDArray[np.intp]) -> str:
    """Where annotators part the most, with every token that ties; nothing when all of them do."""
    floor = terms.floor[parted]
    worst = parted[floor > floor.max() - 1e-9]
    if len(worst) == len(parted):
        return "" if len(parted) == 1 else ", at each of them alike"
    if len(worst) > 3:
        return f", most at {len(worst)} of them"
    names = listed([quoted(word_piece(reading.encoding, int(doc))) for doc in worst])
    return f", most at {names}"


def one_hot_data(
    reading: Reading, log_rows: Floats, gold: TagGold, annotator: int
) -> dict[str, Any]:
    """One annotator's double sum in three stages: every term, zeros gone, t = 1 dropped."""
    n = len(log_rows)
    tags = annotator_tags(n, gold)
    cost = -log_rows[np.arange(n), tags]
    likelihood = -float(cost.sum())
    terms = soft_terms(reading, (gold,))
    shown = rows_shown(terms)
    decimals = telling(cost[shown])
    rows = [
        {
            "doc": d,
            "token": printable(word_piece(reading.encoding, d)),
            "gold": int(tags[d]),
            "tag": TAGS[tags[d]],
            "costs": [cell(float(-log_rows[d, k]), decimals) for k in range(3)],
            "p": probability(float(np.exp(log_rows[d, tags[d]]))),
        }
        for d in shown
    ]
    value = number(-likelihood, decimals)
    return {
        "annotator": annotator,
        "rows": rows,
        "others": n - len(shown),
        "rest": column(cost[shown].tolist(), -likelihood, decimals)["rest"],
        "loss": value,
        "likelihood": number(likelihood, decimals),
        "product": chance(likelihood),
        "value": -likelihood,
        "stages": _stages(n, value),
    }


def _stages(n: int, value: str) -> list[dict[str, str]]:
    """The double sum over n tokens, thinned out in three stages."""
    return [
        {
            "name": "every term",
            "says": f"Σ over {plural(n, 'token')} and 3 tags: {3 * n:,} terms t · (−log p). Two "
            f"in three of them are 0.",
        },
        {
            "name": "the zeros gone",
            "says": f"{2 * n:,} terms had t = 0. One term is left for each token, the one of "
            f"its gold tag r(i).",
        },
        {
            "name": "t = 1 dropped",
            "says": f"1 · (−log p) is −log p: {plural(n, 'term')}, one for each token, sum "
            f"to {value}.",
        },
    ]


def chance(log_p: float) -> str:
    """exp(log_p) as printed, in powers of ten below 0.001."""
    if log_p > np.log(1e-3):
        return probability(float(np.exp(log_p)))
    power = int(np.floor(log_p / np.log(10)))
    return f"{number(float(np.exp(log_p - power * np.log(10))), 1)} · 10^{number(power, 0)}"


def terms_table(found: dict[str, Any]) -> dict[str, Any]:
    """Table twin of the terms."""
    head = ["position", "token", *(f"t({tag}) · −log p" for tag in TAGS), "loss", "H(t)", "KL"]
    rows = [
        [
            r["place"],
            r["token"],
            *(f"{c['t']} · {c['cost']}" for c in r["cells"]),
            r["loss"],
            r["floor"],
            r["divergence"],
        ]
        for r in found["rows"]
    ]
    if found["others"]:
        rows.append(
            ["–", f"the other {found['others']:,} tokens", *["–"] * 3]
            + [found["rest"], found["rest_floor"], "–"]
        )
    rows.append(["–", "sum", "–", "–", "–", found["total"], found["floor"], found["divergence"]])
    return table("The loss of the annotators' mean, token by token", head, rows)


def _token_terms(
    terms: SoftTerms, doc: int, cost: Floats, annotators: int, decimals: int
) -> dict[str, Any]:
    """The three terms of one token, with their sum, its floor and what is above it."""
    t = terms.targets[doc]
    return {
        "cells": [
            {
                "t": fraction(t[k], annotators),
                "cost": cell(cost[k], decimals),
                "value": cell(t[k] * cost[k], decimals),
            }
            for k in range(3)
        ],
        "loss": cell(terms.loss[doc], decimals),
        "floor": cell(terms.floor[doc], decimals),
        "divergence": above(float(terms.floor[doc]), float(terms.loss[doc]), decimals),
        "sign": sign([t[k] * cost[k] for k in range(3)], float(terms.loss[doc]), decimals),
    }
