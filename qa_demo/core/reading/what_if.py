"""A reading with numbers changed by hand: what the page computes when a learner moves a logit."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading

_LARGEST = float(np.finfo(np.float32).max)


def apply_what_if(
    reading: Reading,
    logits: Mapping[tuple[str, int, int], float],
    offset: tuple[int, float] | None = None,
) -> Reading:
    """Set single logits and add a constant to every start and end logit of one window.

    `logits` maps (side, window, pos), side "start" or "end", to the new value; `offset` = (window,
    c) is added after that. The encoding and the windows are shared with the true reading, which
    stays as it is.
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
    if offset is not None:
        window, c = offset
        if not 0 <= window < len(reading.windows) or not abs(c) <= _LARGEST:
            raise BadInput(
                f"cannot add {c} to the logits of window {window}; there are "
                f"{len(reading.windows)} windows"
            )
        for rows in changed.values():
            with np.errstate(over="ignore"):
                rows[window] += np.float32(c)
            if not np.isfinite(rows[window, : len(reading.windows[window])]).all():
                raise BadInput(
                    f"with {c} added, a logit of window {window} is no longer a finite number"
                )
    return replace(reading, start_logits=changed["start"], end_logits=changed["end"])
