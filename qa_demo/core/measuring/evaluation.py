"""Many judged questions at once: means by group, with intervals, and what two readers differ by."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.bootstrap import Difference, Draws, Estimate

QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")


@dataclass(frozen=True)
class Group:
    """Questions that have something in common; exact and F1 in percent. `difference` is the F1 of
    this reader minus that of another one on them, None without another.
    """

    name: str
    count: int
    exact: Estimate
    f1: Estimate
    difference: Difference | None = None


def grouped(
    rows: Sequence[dict[str, Any]],
    names: Sequence[str | None],
    draws: Draws,
    order: Sequence[str] = (),
    other: Sequence[dict[str, Any]] = (),
) -> tuple[Group, ...]:
    """Means of the rows that share a name, names of `order` first and in its order, others by
    falling count; rows whose name is None are left out. `other` holds the same questions of
    another reader.
    """
    exact, f1 = (np.array([100 * row[name] for row in rows]) for name in ("exact", "f1"))
    less = f1 - np.array([100 * row["f1"] for row in other]) if other else None
    counts = Counter(name for name in names if name is not None)
    found = [name for name in order if name in counts]
    found += sorted(set(counts) - set(found), key=lambda name: (-counts[name], name))
    groups = []
    for name in found:
        part = np.array([one == name for one in names])
        difference = None if less is None else draws.paired(less, part)
        groups.append(
            Group(name, counts[name], draws.mean(exact, part), draws.mean(f1, part), difference)
        )
    return tuple(groups)


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
