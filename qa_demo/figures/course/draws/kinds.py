"""All kinds of exercises by their names."""

from collections.abc import Callable, Mapping
from random import Random

from qa_demo.figures.course.draws import learning, reading
from qa_demo.figures.course.draws.drawn import Drawn, until

DRAWS: Mapping[str, Callable[[Random], Drawn | None]] = {
    "best-pair": reading.best_pair,
    "count-pairs": reading.count_pairs,
    "softmax": reading.softmax_share,
    "null-score": reading.null_score,
    "loss": learning.label_loss,
    "pulls": learning.pulls,
    "windows": reading.window_count,
    "merge": reading.window_merge,
    "tag-floor": learning.tag_floor,
    "boundary": learning.boundary,
}
"""By the name of the kind, as the file of the texts has it."""


def drawn(kind: str, seed: str) -> Drawn:
    """The numbers of one exercise; the same for the same kind and seed. Errors: KeyError."""
    return until(Random(f"{seed}/{kind}"), DRAWS[kind])
