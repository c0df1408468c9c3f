"""A reading with numbers changed by hand: what the page computes when a learner moves a logit."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading

_LARGEST = float(np.finfo(np.float32).max)


def apply_what_if(reading: Reading, logits: Mapping[tuple[str, int, int], float]) -> Reading:
    """Set single logits: `logits` maps (side, window, pos), side "start" or "end", to the new
    value. The encoding and the windows are shared with the true reading, which stays as it is.
    """
    changed = {"start": reading.start_logits.copy(), "end": reading.end_logits.copy()}
    for (side, window, pos), value in logits.items():
        if (
            side not in changed
            or not 0 <= window < len(reading.windows)
            or not 0 <= pos < len(reading.windows[window])
        ):
            raise BadInput(f"there is no {side} logit at position {pos} of window {window}")
        if not abs(value) <= _LARGEST:
            raise BadInput(f"a logit must be a finite number in single precision, got {value}")
        changed[side][window, pos] = value
    return replace(reading, start_logits=changed["start"], end_logits=changed["end"])
