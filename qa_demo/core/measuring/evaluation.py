"""Many judged questions at once: means by group, and two readers on the same questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.errors import BadInput

DRAWS = 2000
QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")


@dataclass(frozen=True)
class Group:
    """Questions that have something in common; exact and F1 in percent."""

    name: str
    count: int
    exact: float
    f1: float


@dataclass(frozen=True)
class Difference:
    """Mean of A minus mean of B over the same questions, in points, with a 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Pair:
    """Two readers on the same questions: how many each had exactly right, and what F1 and exact
    differ by.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    f1: Difference
    exact: Difference


def grouped(
    rows: Sequence[dict[str, Any]],
    name: Callable[[dict[str, Any]], str | None],
    order: Sequence[str] = (),
) -> tuple[Group, ...]:
    """Means of each group, those of `order` first and in its order, others by falling count; rows
    whose name is None are left out.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        key = name(row)
        if key is not None:
            found.setdefault(key, []).append(row)
    names = [key for key in order if key in found]
    names += sorted(set(found) - set(names), key=lambda key: (-len(found[key]), key))
    return tuple(
        Group(
            key,
            len(found[key]),
            100 * sum(row["exact"] for row in found[key]) / len(found[key]),
            100 * sum(row["f1"] for row in found[key]) / len(found[key]),
        )
        for key in names
    )


def question_word(question: str) -> str:
    """The first question word of a question, "how many" and "how much" as one; "other" without."""
    words = [word.strip(".,;:!?\"'()").lower() for word in question.split()]
    for k, word in enumerate(words):
        if word in QUESTION_WORDS:
            counted = word == "how" and words[k + 1 : k + 2] in (["many"], ["much"])
            return "how many" if counted else {"whom": "who"}.get(word, word)
    return "other"


def in_bins(value: float | None, edges: Sequence[int]) -> str | None:
    """The bin of a count: edges (1, 2, 4) give "1", "2 to 3" and "4 or more"; None stays None.

    Errors: BadInput for a value below the first edge.
    """
    if value is None:
        return None
    at = sum(value >= edge for edge in edges) - 1
    if at < 0:
        raise BadInput(f"the bins begin with {edges[0]}, got {value}")
    if at == len(edges) - 1:
        return f"{edges[at]} or more"
    low, high = edges[at], edges[at + 1] - 1
    return str(low) if low == high else f"{low} to {high}"


def bin_names(edges: Sequence[int]) -> list[str]:
    """The names of all bins in order."""
    return [str(in_bins(edge, edges)) for edge in edges]


def paired(a: Sequence[dict[str, Any]], b: Sequence[dict[str, Any]], seed: int = 0) -> Pair:
    """Compare two readers on the same questions in the same order.

    The interval is a paired bootstrap: questions are drawn with replacement, each with both of its
    scores, `DRAWS` times; its ends are the 2.5th and 97.5th percentile of the mean difference.
    Errors: BadInput for lists of other questions.
    """
    if [row["id"] for row in a] != [row["id"] for row in b] or not a:
        raise BadInput(
            f"two readers are compared on the same questions; the files hold {len(a)} and {len(b)} "
            f"that are not the same"
        )
    right = np.array([[x["exact"] == 1, y["exact"] == 1] for x, y in zip(a, b, strict=True)])
    rng = np.random.default_rng(seed)
    differences = {
        name: np.array([100 * (x[name] - y[name]) for x, y in zip(a, b, strict=True)])
        for name in ("f1", "exact")
    }
    return Pair(
        both=int((right[:, 0] & right[:, 1]).sum()),
        only_a=int((right[:, 0] & ~right[:, 1]).sum()),
        only_b=int((~right[:, 0] & right[:, 1]).sum()),
        neither=int((~right[:, 0] & ~right[:, 1]).sum()),
        f1=_interval(differences["f1"], rng),
        exact=_interval(differences["exact"], rng),
    )


def _interval(differences: Floats, rng: np.random.Generator) -> Difference:
    n = len(differences)
    means = np.array([differences[rng.integers(0, n, n)].mean() for _ in range(DRAWS)])
    low, high = np.percentile(means, [2.5, 97.5])
    return Difference(float(differences.mean()), float(low), float(high))
