"""Chapter 5's sentences on steps 2 and 3: what labels cost, and where a step pulls most."""

import numpy as np

from qa_demo.core.learning.losses import Golds, cross_entropy_gradient, entropy, start_end_targets
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import decimals_for, nats, signed
from qa_demo.figures.prose import named, plural


def labels_notice(reading: Reading, golds: Golds) -> str:
    """Whether the loss can fall to 0, and if not, to what: the mean entropy of the targets."""
    targets = [t for w in reading.windows for t in start_end_targets(w, golds)]
    floor = float(np.mean([entropy(t) for t in targets]))
    if not floor:
        return "Every target is one position of 1 among zeros, so the loss can fall to 0."
    return (
        f"The target is the mean of {plural(len(golds), 'annotator')} who differ, so the loss "
        f"cannot fall below its entropy, {nats(floor)}."
    )


def pull_notice(reading: Reading, golds: Golds, window: int) -> str:
    """The logit with the largest share of the gradient, 1/2 (y - p); a head's shares sum to 0."""
    w = reading.windows[window]
    pulls = np.stack(
        [
            -cross_entropy_gradient(x, t) / 2
            for x, t in zip(reading.logits(window), start_end_targets(w, golds), strict=True)
        ]
    )
    side, at = np.unravel_index(int(np.argmax(np.abs(pulls))), pulls.shape)
    pull = float(pulls[side, at])
    here = f" of window {window + 1}" if len(reading.windows) > 1 else ""
    return (
        f"The loss pulls the {('start', 'end')[side]} logit of "
        f"{named(reading, window, int(at))}{here} hardest, {'up' if pull > 0 else 'down'}: "
        f"½ (y − p) = {signed(pull, decimals_for([pull]))}. All of a head's pulls add up to 0."
    )
