"""Chapter 9, step 3, as data: how far an explanation may be trusted, the verdict first."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from qa_demo.core.faithfulness import BINS, Curve, Faithfulness, Verdict
from qa_demo.figures.methods import ALIKE
from qa_demo.figures.numbers import decimals_for, number
from qa_demo.figures.payload import table
from qa_demo.figures.prose import quoted

_COUNTED = ("no", "one", "two", "three")


def verdict_sentence(verdict: Verdict, what: str = "the score") -> str:
    """What masking the top words does to F, beside random words."""
    k = len(verdict.top)
    count, noun = _COUNTED[k] if k < len(_COUNTED) else str(k), "word" if k == 1 else "words"
    named = ", ".join(quoted(word, 24) for word in verdict.top)
    least = min(abs(verdict.drop), abs(verdict.random))
    digits = 1 if least >= 0.05 else 2 if least >= 0.005 else 4
    other = "" if _verb(verdict.drop) == _verb(verdict.random) else f"{_verb(verdict.random)} it "
    return (
        f"Masking the {count} top {noun} ({named}) {_verb(verdict.drop)} {what} by "
        f"{number(abs(verdict.drop), digits)}; "
        f"masking {count} random {noun} {other}by {number(abs(verdict.random), digits)} ± "
        f"{number(verdict.spread, digits)}."
    )


def _verb(drop: float) -> str:
    return "lowers" if drop >= 0 else "raises"


def summary(verdict: Verdict, name: str, names: Mapping[str, str]) -> list[str]:
    """What the three checks say, one sentence each."""
    said = [
        f"That is more than two spreads above chance: {name} names words this reader rests on here."
        if verdict.beyond_chance
        else f"That is not more than two spreads above chance: here {name} names no words that "
        f"matter more than others."
    ]
    if verdict.shuffled is None:
        said.append(
            "The random-weights check says nothing here: one of the two rankings is constant."
        )
    else:
        moved = abs(verdict.shuffled) < ALIKE
        similar = (
            "changes, as it must"
            if moved
            else "hardly changes, so it says little about this reader"
        )
        said.append(
            f"With shuffled weights the picture {similar} (rank correlation "
            f"{number(verdict.shuffled)})."
        )
    known = {key: rho for key, rho in verdict.agreement.items() if rho is not None}
    if known:
        closest, farthest = (
            max(known, key=lambda key: known[key]),
            min(known, key=lambda key: known[key]),
        )
        said.append(
            f"Of the other methods {names[closest]} agrees most (rank correlation "
            f"{number(known[closest])})"
            + (
                f", {names[farthest]} least ({number(known[farthest])})."
                if closest != farthest
                else "."
            )
        )
    return said


def _line(name: str, curve: Curve) -> dict[str, Any]:
    return {
        "name": name,
        "deletion": [float(x) for x in curve.deletion_f],
        "insertion": [float(x) for x in curve.insertion_f],
    }


def curves_data(spared: Faithfulness, names: Mapping[str, str]) -> dict[str, Any]:
    """Deletion and insertion curves of F with the random band; sizes as counts of words and as
    shares.
    """
    bands = {}
    for what in ("deletion", "insertion"):
        mean, spread = spared.band(f"{what}_f")
        bands[what] = {"mean": [float(x) for x in mean], "spread": [float(x) for x in spread]}
    return {
        "sizes": list(next(iter(spared.curves.values())).sizes),
        "words": len(spared.candidates),
        "random": len(spared.random),
        "shares": ["0", *(f"{100 * share:.0f} %" for share in BINS), "all"],
        "lines": [_line(names[key], curve) for key, curve in spared.curves.items()],
        "bands": bands,
    }


def _spread(mean: float, spread: float, digits: int) -> str:
    return f"{number(mean, digits)} ± {number(spread, digits)}"


def trust_tables(
    spared: Faithfulness, full: Faithfulness, verdict: Verdict, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Comprehensiveness and sufficiency with and without the answer's own words, the curves as
    numbers, and agreement.
    """
    return [
        _eraser_table(spared, full, names),
        _curves_table(spared, names),
        _agreement_table(verdict, names),
    ]


def _eraser_table(
    spared: Faithfulness, full: Faithfulness, names: Mapping[str, str]
) -> dict[str, Any]:
    wanted = [(f, what) for f in (spared, full) for what in ("comprehensiveness", "sufficiency")]
    chance = [f.spread(what) for f, what in wanted]
    every = [
        *(getattr(f.curves[key], what) for f, what in wanted for key in f.curves),
        *chain(*chance),
    ]
    digits = decimals_for(every, 3)
    rows = [
        [names[key], *(number(getattr(f.curves[key], what), digits) for f, what in wanted)]
        for key in spared.curves
    ]
    rows.append(
        [
            f"random orders ({len(spared.random)} and {len(full.random)})",
            *(_spread(*two, digits) for two in chance),
        ]
    )
    return table(
        "Comprehensiveness (high is good) and sufficiency (low is good), in probability; mean "
        "over the five shares of words",
        [
            "order",
            "comprehensiveness, answer's words kept",
            "sufficiency, answer's words kept",
            "comprehensiveness, all words",
            "sufficiency, all words",
        ],
        rows,
    )


def _curves_table(spared: Faithfulness, names: Mapping[str, str]) -> dict[str, Any]:
    sizes = next(iter(spared.curves.values())).sizes
    bands = [spared.band("deletion_f"), spared.band("insertion_f")]
    by_size = [
        [
            str(k),
            *(
                number(float(x), 3)
                for c in spared.curves.values()
                for x in (c.deletion_f[at], c.insertion_f[at])
            ),
            *(_spread(float(mean[at]), float(spread[at]), 3) for mean, spread in bands),
        ]
        for at, k in enumerate(sizes)
    ]
    kinds = ("deletion", "insertion")
    head = [
        "words",
        *(f"{names[key]}: {kind}" for key in spared.curves for kind in kinds),
        *(f"random: {kind}" for kind in kinds),
    ]
    return table(
        "The curves: F after masking (deletion) or keeping (insertion) that many words",
        head,
        by_size,
    )


def _agreement_table(verdict: Verdict, names: Mapping[str, str]) -> dict[str, Any]:
    agree = [
        [names[key], "constant" if rho is None else number(rho)]
        for key, rho in verdict.agreement.items()
    ]
    agree.append(
        [
            "itself, with shuffled weights",
            "constant" if verdict.shuffled is None else number(verdict.shuffled),
        ]
    )
    return table(
        "Rank correlation with the chosen method, over words, by size of effect",
        ["method", "rank correlation"],
        agree,
    )
