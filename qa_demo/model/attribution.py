"""Attribution over word embeddings, by three methods."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from qa_demo.core.attribution import (
    BASELINES,
    GAP_LIMIT,
    MAX_STEPS,
    METHODS,
    STEPS,
    Attribution,
    Method,
    Target,
    gap_share,
    leave_one_out,
    parts,
    window_of,
)
from qa_demo.core.base import BadCheckpoint, BadInput, Cancelled, IsCancelled, OnProgress, one_of
from qa_demo.core.reader import check_made_by
from qa_demo.core.types import Baseline, Reading, Window
from qa_demo.model.forward import Loaded, masked_logits, word_embeddings
from qa_demo.model.gradients import (
    Pass,
    baseline_embeddings,
    both_gradients,
    integrate,
    make_pass,
    summed,
)


def attribute(
    loaded: Loaded,
    reading: Reading,
    target: Target,
    method: Method = "integrated_gradients",
    baseline: Baseline | None = None,
    n_steps: int | None = None,
    on_progress: OnProgress | None = None,
    cancelled: IsCancelled | None = None,
) -> Attribution:
    """Explain the target in its window. Without a baseline it is the reading's own. With n_steps
    None the steps grow (20, 50, 100) until the gap is under 2 %. The reading holds the model's own
    logits, so F(x) needs no pass.

    Errors: BadInput for unknown choices, a reading of another reader or a span no window holds;
    Cancelled; BadCheckpoint for numbers that are not finite.
    """
    baseline = baseline or reading.baseline
    _check(loaded, reading, method, baseline, n_steps)
    if method == "leave_one_out":
        masked = partial(masked_logits, loaded, on_progress=on_progress, cancelled=cancelled)
        return leave_one_out(reading, target, masked)
    window = window_of(reading, target)
    run = make_pass(loaded.model, window, target)
    embeds = word_embeddings(loaded.model, window.input_ids)[None]
    f_x = float(sum(parts(target, window, *reading.logits(window.index))))
    if method == "gradient_x_input":
        with loaded.workers.slot(cancelled):
            grads = both_gradients(run, embeds)
        return _record(target, method, window, summed(grads * embeds[None]), f_x=f_x)
    path = baseline_embeddings(loaded, reading, window, baseline)
    f_baseline = _value(loaded, run, path, cancelled)
    difference, budget = f_x - f_baseline, STEPS if n_steps is None else (n_steps,)
    integral = partial(integrate, run, embeds, path)
    values, tried = _integrated(loaded, integral, difference, budget, on_progress, cancelled)
    about = {"f_x": f_x, "f_baseline": f_baseline, "baseline": baseline}
    return _record(target, method, window, values, **about, n_steps=tried[-1][0], tried=tried)


def _check(
    loaded: Loaded, reading: Reading, method: str, baseline: str, n_steps: int | None
) -> None:
    one_of("the method", method, METHODS)
    one_of("the baseline", baseline, BASELINES)
    if n_steps is not None and not 1 <= n_steps <= MAX_STEPS:
        raise BadInput(f"n_steps must be between 1 and {MAX_STEPS}, got {n_steps}")
    check_made_by(reading, loaded)


def _integrated(
    loaded: Loaded,
    integral: Callable[..., torch.Tensor],
    difference: float,
    budget: Sequence[int],
    on_progress: OnProgress | None,
    cancelled: IsCancelled | None,
) -> tuple[torch.Tensor, tuple[tuple[int, float], ...]]:
    """Integrated gradients with more steps until within GAP_LIMIT; (steps, gap) of every try."""
    done = total = 0

    def between(work: Callable[[], torch.Tensor], points: int) -> torch.Tensor:
        """A chunk of the path: wait for a free slot, report progress, stop when cancelled."""
        nonlocal done
        with loaded.workers.slot(cancelled):
            found = work()
        done += points
        if on_progress is not None:
            on_progress(done, total)
        if cancelled is not None and cancelled():
            raise Cancelled("the attribution was cancelled")
        return found

    tried: list[tuple[int, float]] = []
    for steps in budget:
        total = done + steps
        values = integral(steps, between)
        tried.append((steps, float(values.double().sum()) - difference))
        if gap_share(tried[-1][1], difference) < GAP_LIMIT:
            break
    return values, tuple(tried)


def _record(
    target: Target, method: Method, window: Window, values: torch.Tensor, **about: Any
) -> Attribution:
    if not bool(torch.isfinite(values).all()):
        raise BadCheckpoint(
            "the gradients of this reader are not finite on this text, so nothing can be attributed"
        )
    start, end = values.double().numpy()
    return Attribution(target, method, window.index, start, end, **about)


def _value(loaded: Loaded, run: Pass, embeds: torch.Tensor, cancelled: IsCancelled | None) -> float:
    with loaded.workers.slot(cancelled), torch.inference_mode():
        start, end = run(embeds)
    return float(start.double() + end.double())
