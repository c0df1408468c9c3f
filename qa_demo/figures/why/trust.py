"""Chapter 9, step 3, as data: the drop among random sets, and as more words are masked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qa_demo.core.explaining.attribution import Cost
from qa_demo.core.explaining.chance import N_SETS, Placed, RandomSets, Rank, Standing, band, cut
from qa_demo.core.explaining.faithfulness import BINS, Curves, alike, chance_band, ranks_along
from qa_demo.figures.numbers import decimals_for, number
from qa_demo.figures.pack import floats, ints
from qa_demo.figures.payload import table
from qa_demo.figures.prose import listed, plural, quoted

_COUNTED = ("no", "one", "two", "three")
SAYS: Mapping[Standing, str] = {
    "larger": "larger than nearly all",
    "chance": "cannot be told from chance",
    "smaller": "smaller than nearly all",
}


def _count(k: int) -> str:
    return f"{_COUNTED[k] if k < len(_COUNTED) else k} {'word' if k == 1 else 'words'}"


def of_all(rank: Rank) -> str:
    """How many random sets have a smaller drop: "98 of 100"."""
    return f"{rank.below} of {rank.n_sets}"


def verdict_sentence(placed: Placed, name: str, what: str = "the score") -> str:
    """What masking the top words does to F, its rank, and the word for it."""
    named = ", ".join(quoted(word, 24) for word in placed.top)
    k, drop, rank = len(placed.top), placed.rank.drop, placed.rank
    verb = "lowers" if drop >= 0 else "raises"
    beside = (
        f"of {rank.n_sets} random sets of {_count(k)}, {rank.below} have a smaller drop"
        if len(placed.order) > k
        else f"there is no other set of {_count(k)}"
    )
    return (
        f"Masking the {_count(k).replace(' ', ' top ', 1)} of {name} ({named}) {verb} {what} by "
        f"{number(abs(drop), decimals_for([drop]))}; {beside}: {SAYS[rank.standing]}."
    )


def rule(sets: RandomSets) -> str:
    """What the three words mean, with this measurement's counts."""
    n, c = len(sets.orders), cut(len(sets.orders))
    return (
        f"“Larger than nearly all”: at most {c - 1} of the {n} random sets drop as much, which "
        f"chance does at most once in twenty (p ≤ 0.05). “Smaller” is the same from the other "
        f"side; all between cannot be told from chance. The sets are the same for every method."
    )


def sets_data(sets: RandomSets) -> dict[str, Any]:
    """One dot a random set: its drop and its words, with the edges beyond which chance is rare."""
    low, high = band(sets.drops)
    return {
        "count": len(sets.orders),
        "size": sets.size,
        "of": len(sets.candidates),
        "drops": floats(sets.drops),
        "words": ints(sets.orders[:, : sets.size].ravel()),
        "low": float(low),
        "high": float(high),
        "rule": rule(sets),
        "title": f"Drop of F when {_count(sets.size)} are masked, in logits: one dot for each of "
        f"{len(sets.orders)} random sets",
    }


def _took(cost: Cost, seconds: float) -> str:
    """ "41 passes forward, 40 back; 2.6 s"."""
    back = f", {cost.backward:,} back" if cost.backward else ""
    spent = f"{number(seconds, 1)} s" if seconds >= 0.05 else "< 0.1 s"
    return f"{cost.forward:,} forward{back}; {spent}"


def stood_data(
    key: str, name: str, placed: Placed, cost: Cost, seconds: float, what: str
) -> dict[str, Any]:
    """One method's mark and its row beside the others."""
    rank = placed.rank
    return {
        "method": key,
        "name": name,
        "drop": rank.drop,
        "shown": number(rank.drop, decimals_for([rank.drop])),
        "standing": rank.standing,
        "rank": of_all(rank),
        "says": SAYS[rank.standing],
        "top": ", ".join(quoted(word, 24) for word in placed.top),
        "took": _took(cost, seconds),
        "verdict": verdict_sentence(placed, name, what),
    }


def stood_table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The methods side by side."""
    return table(
        "The methods side by side: the same random sets for all",
        ["method", "top words", "drop of F", "larger than", "that is", "took"],
        [
            [one["name"], one["top"], one["shown"], one["rank"], one["says"], one["took"]]
            for one in rows
        ],
    )


def sets_table(sets: RandomSets) -> dict[str, Any]:
    """The table twin of the dots, from the largest drop to the smallest."""
    digits = decimals_for(sets.drops)
    rows = [
        [
            ", ".join(quoted(sets.words.items[k].text, 24) for k in sets.orders[at][: sets.size]),
            number(float(sets.drops[at]), digits),
        ]
        for at in np.argsort(-sets.drops, kind="stable")
    ]
    return table(
        f"The {len(sets.orders)} random sets of {_count(sets.size)}", ["words", "drop of F"], rows
    )


# As more words are masked


def curves_data(
    lines: Mapping[str, Curves], random: Curves, names: Mapping[str, str], chosen: str
) -> dict[str, Any]:
    """Deletion and insertion curves of F, chosen first; the random orders' median and edges."""
    first = dict(sorted(lines.items(), key=lambda item: item[0] != chosen))
    low, high = chance_band(random)
    kept_low, kept_high = band(random.insertion_f)
    return {
        "sizes": list(random.sizes),
        "words": random.sizes[-1],
        "lines": [
            {
                "name": names[key],
                "deletion": [float(x) for x in one.deletion_f[0]],
                "insertion": [float(x) for x in one.insertion_f[0]],
            }
            for key, one in first.items()
        ],
        "bands": {
            "deletion": _band(random.deletion_f, low, high),
            "insertion": _band(random.insertion_f, kept_low, kept_high),
        },
        "says": curve_sentence(lines[chosen], random, names[chosen]),
    }


def _band(f: Any, low: Any, high: Any) -> dict[str, Any]:
    return {
        "orders": len(f),
        "middle": [float(x) for x in np.median(f, axis=0)],
        "low": [float(x) for x in low],
        "high": [float(x) for x in high],
    }


def curve_sentence(one: Curves, random: Curves, name: str) -> str:
    """At which sizes the deletion curve is beyond chance, by the rule of the verdict."""
    by: dict[Standing, list[str]] = {"larger": [], "chance": [], "smaller": []}
    for size, rank in list(zip(one.sizes, ranks_along(one, random), strict=True))[1:-1]:
        by[rank.standing].append(str(size))
    said = [f"{SAYS[key]} at {listed(sizes)}" for key, sizes in by.items() if sizes]
    return f"Words masked in the order of {name}, the drop of F is: {'; '.join(said)} words."


def eraser_table(
    lines: Mapping[str, Curves], random: Curves, names: Mapping[str, str]
) -> dict[str, Any]:
    """Comprehensiveness and sufficiency in probability, and what lies within chance's edges."""
    wanted = ("comprehensiveness", "sufficiency")
    chance = [band(getattr(random, what)) for what in wanted]
    every = [float(getattr(one, what)[0]) for one in lines.values() for what in wanted]
    digits = decimals_for([*every, *(float(edge) for both in chance for edge in both)], 3)
    rows = [
        [names[key], *(number(float(getattr(one, what)[0]), digits) for what in wanted)]
        for key, one in lines.items()
    ]
    between = (
        f"{number(float(low), digits)} to {number(float(high), digits)}" for low, high in chance
    )
    counts = f"{len(random.orders)} and {len(random.insertion_f)}"
    rows.append([f"random orders ({counts}), between the edges of chance", *between])
    shares = ", ".join(f"{number(100 * share, 0)}" for share in BINS)
    return table(
        f"Comprehensiveness (high is good) and sufficiency (low is good), in probability; mean "
        f"over {shares} % of the words, the span's own words kept",
        ["order", *wanted],
        rows,
    )


def curves_table(
    lines: Mapping[str, Curves], random: Curves, names: Mapping[str, str]
) -> dict[str, Any]:
    """The table twin of both charts, with the rank at every size."""
    low, high = chance_band(random)
    kept = band(random.insertion_f)
    ranked = {key: ranks_along(one, random) for key, one in lines.items()}
    rows = [
        [
            str(size),
            *(
                text
                for key, one in lines.items()
                for text in (
                    number(float(one.deletion_f[0, at]), 3),
                    of_all(ranked[key][at]),
                    number(float(one.insertion_f[0, at]), 3),
                )
            ),
            f"{number(float(low[at]), 3)} to {number(float(high[at]), 3)}",
            f"{number(float(kept[0][at]), 3)} to {number(float(kept[1][at]), 3)}",
        ]
        for at, size in enumerate(random.sizes)
    ]
    per_line = ("deletion", "drop larger than", "insertion")
    head = [
        "words",
        *(f"{names[key]}: {what}" for key in lines for what in per_line),
        "chance: deletion",
        "chance: insertion",
    ]
    return table(
        "The curves: F after masking (deletion) or keeping (insertion) that many words", head, rows
    )


def agreement_table(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rank correlations of every two rankings over words."""
    keys = list(values)
    pairs = [(a, b) for k, a in enumerate(keys) for b in keys[k + 1 :]]
    found = [(names[a], names[b], alike(values[a], values[b])) for a, b in pairs]
    return table(
        "Rank correlation of two explanations, over words, by size of effect",
        ["explanation", "with", "rank correlation"],
        [[a, b, "constant" if rho is None else number(rho)] for a, b, rho in found],
    )


def wait_sentence(n_words: int, n_tokens: int, size: int, seconds: float | None) -> str:
    """What the test will run, before it is begun; `seconds` as this machine does of late."""
    return (
        f"It reads this window of {plural(n_tokens, 'token')} {N_SETS + 1} times for the random "
        f"sets of {_count(size)}{_about(seconds)}; then the methods run, the slowest with a "
        f"pass for each of {plural(n_words, 'word')}."
    )


def curves_wait(passes: int, seconds: float | None) -> str:
    """What the curves will run."""
    return f"This reads the window up to {passes:,} times{_about(seconds)}."


def _about(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f", about {plural(max(1, round(seconds)), 'second')} at the present pace"
    return f", about {plural(round(seconds / 60), 'minute')} at the present pace"
