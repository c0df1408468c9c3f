"""What the sentence under an example says, stated again from numbers: `training.promises`."""

import re
from collections.abc import Callable
from typing import Any

from qa_demo.core.base import softmax
from qa_demo.core.spans import separate_argmaxes, top_spans
from qa_demo.core.types import DecodeOptions
from qa_demo.training.promise_check import unless
from qa_demo.training.shown import Shown


def _peaks(shown: Shown, least: float) -> str | None:
    """In the winner's window the highest P(start) and P(end) are at least this."""
    start, end = (float(softmax(row).max()) for row in shown.reading.logits(shown.best.window))
    return unless(min(start, end) >= least, f"the highest are {start:.2f} and {end:.2f}")


def _share(shown: Shown, least: float) -> str | None:
    """The winner has at least this share of the listed spans."""
    share = shown.prediction.n_best[0].share
    return unless(share >= least, f"the winner has {share:.2f} of the list")


def _runners_share_end(shown: Shown, least: int) -> str | None:
    """Of the next four listed spans at least so many end where the winner ends."""
    ends = [r.candidate.char_end for r in shown.prediction.n_best[1:5]]
    found = ends.count(shown.best.char_end)
    return unless(found >= least, f"{found} of the next {len(ends)} end there")


def _argmaxes_at(shown: Shown, words: list[str]) -> str | None:
    """In the winner's window the context's highest start and end stand in these words."""
    window = shown.reading.windows[shown.best.window]
    highest = separate_argmaxes(shown.reading, window.index, DecodeOptions())[:2]
    offsets, text = shown.reading.encoding.offset_mapping, shown.example.context
    for pos, word in zip(highest, words, strict=True):
        if not window.is_context[pos]:
            return f"position {pos} is no word of the paragraph"
        first, last = offsets[window.to_doc(pos)]
        places = [m.span() for m in re.finditer(re.escape(word), text)]
        if not any(a <= first and last <= b for a, b in places):
            return f"{text[first:last]!r} does not stand in {word!r}"
    return None


def _counted(shown: Shown, wanted: list[tuple[str, int]]) -> str | None:
    """Each pattern is found so many times in the paragraph."""
    found = [len(re.findall(pattern, shown.example.context)) for pattern, _ in wanted]
    return unless(found == [n for _, n in wanted], f"found {found} times")


def _silent_windows(shown: Shown, least: float) -> str | None:
    """In at least this share of the windows no answer scores above every span of the paragraph."""
    silent = []
    for window in shown.reading.windows:
        start, end = shown.reading.logits(window.index)
        best = top_spans(start, end, window, DecodeOptions(), owned=False, n=1)
        null = start[0] + end[0]
        silent.append(all(start[i] + end[j] < null for i, j in best))
    share = sum(silent) / len(silent)
    return unless(share >= least, f"{sum(silent)} of {len(silent)} windows say so")


CAPTIONS: dict[str, Callable[[Shown, Any], str | None]] = {
    "peaks": _peaks,
    "share": _share,
    "runners_share_end": _runners_share_end,
    "argmaxes_at": _argmaxes_at,
    "counted": _counted,
    "silent_windows": _silent_windows,
}
