"""The name of an explanation: all it depends on, and nothing of the visitor."""

from collections.abc import Hashable
from typing import Literal

from qa_demo.core.explaining.attribution import METHODS, Method, Target
from qa_demo.core.options import DecodeOptions, MergeOptions
from qa_demo.core.types import Baseline, Reading, Window

Ranking = Method | Literal["attention"]
"""What may put words in an order: a method, or raw attention from the target's start and end."""
RANKINGS: tuple[Ranking, ...] = (*METHODS, "attention")


def attention_key(reading: Reading, window: Window) -> Hashable:
    """Where the attention of a window is kept."""
    return (reading.key, "attention", window.index)


def relevance_key(reading: Reading, window: Window, target: Target) -> Hashable:
    """Where the three summaries of attention are kept."""
    return (reading.key, "relevance", window.index, target)


def question_key(
    reading: Reading, target: Target, decode: DecodeOptions, merge: MergeOptions
) -> Hashable:
    """Where the effects of the question's words are kept."""
    return (reading.key, "question", target, decode, merge)


def attribution_key(
    reading: Reading, target: Target, method: Method, baseline: Baseline, n_steps: int | None = None
) -> Hashable:
    """Where an attribution is kept; the baseline matters to one method only."""
    used = baseline if method == "integrated_gradients" else None
    return (reading.key, "attribution", target, method, used, n_steps)


def random_key(reading: Reading, target: Target) -> Hashable:
    """Where the random sets of a target are kept."""
    return (reading.key, "random", target)


def stood_key(reading: Reading, target: Target, ranking: Ranking, baseline: Baseline) -> Hashable:
    """Where a ranking's standing is kept; the baseline matters to one method only."""
    used = baseline if ranking == "integrated_gradients" else None
    return (reading.key, "stood", target, ranking, used)


def random_curves_key(reading: Reading, target: Target) -> Hashable:
    """Where the curves of the random orders are kept."""
    return (reading.key, "random curves", target)


def curve_key(reading: Reading, target: Target, ranking: Ranking, baseline: Baseline) -> Hashable:
    """Where the curves of one ranking are kept."""
    used = baseline if ranking == "integrated_gradients" else None
    return (reading.key, "curve", target, ranking, used)
