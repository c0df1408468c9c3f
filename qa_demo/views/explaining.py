"""Explanations of a reading, for chapters 2 and 9: asked of the reader that made it, run once,
kept for whoever asks again.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_demo.core.attention import RELEVANCE, Attention, Relevance, RelevanceKind
from qa_demo.core.attribution import METHODS, Attribution, Baseline, Method, Target, silence
from qa_demo.core.errors import BadInput
from qa_demo.core.faithfulness import Faithfulness, Verdict, measure, verdict
from qa_demo.core.occlusion import QuestionEffect, question_effects
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader, check_made_by
from qa_demo.core.types import DecodeOptions, MergeOptions, Reading, Window
from qa_demo.core.words import words
from qa_demo.views.session.recent import RecentValues, held_bytes

SEED = 0
AGREEMENT_STEPS = 20
"""Steps of integrated gradients where it only serves to compare methods."""
FEW_RANDOM = 3
"""Random orders of the second measurement, in which the answer's own words may be masked too."""
STAGES = 7


ATTENTION: RecentValues[Attention] = RecentValues(170_000_000, held_bytes)
"""Two windows of 384 positions; a hundred short ones."""
FOUND: RecentValues[Any] = RecentValues(24_000_000, held_bytes)


@dataclass(frozen=True, eq=False)
class Trust:
    """Everything step 3 says of one method."""

    verdict: Verdict
    spared: Faithfulness
    full: Faithfulness


@dataclass(frozen=True, eq=False)
class Work:
    """One request of one visitor: the reading, the reader that made it, and how to tell and be
    told.
    """

    reader: Reader
    reading: Reading
    on_progress: OnProgress | None = None
    cancelled: IsCancelled | None = None

    def __post_init__(self) -> None:
        check_made_by(self.reading, self.reader)

    def attention(self, window: Window) -> Attention:
        """Every head of one window."""
        return ATTENTION.find(
            attention_key(self.reading, window), lambda: self.reader.attention(window)
        )

    def relevance(self, window: Window, target: Target) -> dict[RelevanceKind, Relevance]:
        """The three summaries for the target's start and end."""
        return FOUND.find(
            relevance_key(self.reading, window, target),
            lambda: {kind: self.reader.relevance(window, target, kind) for kind in RELEVANCE},
        )

    def attribution(
        self,
        target: Target,
        method: Method,
        baseline: Baseline,
        n_steps: int | None = None,
        on_progress: OnProgress | None = None,
        shuffle: int | None = None,
    ) -> Attribution:
        """One attribution; `shuffle` seeds the random-weights check."""
        return FOUND.find(
            attribution_key(self.reading, target, method, baseline, n_steps, shuffle),
            lambda: self.reader.attribute(
                self.reading,
                target,
                method,
                baseline,
                n_steps,
                on_progress or self.on_progress,
                self.cancelled,
                shuffle,
            ),
        )

    def question(
        self, target: Target, decode: DecodeOptions, merge: MergeOptions
    ) -> tuple[QuestionEffect, ...]:
        """Each question word masked in every window."""
        count, done = len(self.reading.windows), iter(range(len(self.reading.windows)))

        def masked(window: Window, masks: Any) -> Any:
            return self.reader.masked(window, masks, self.stage(next(done), count), self.cancelled)

        return FOUND.find(
            question_key(self.reading, target, decode, merge),
            lambda: question_effects(self.reading, target, masked, decode, merge),
        )

    def trust(self, target: Target, method: Method, baseline: Baseline) -> Trust:
        """Curves, random baseline, random weights and agreement, in seven stages."""
        return FOUND.find(
            trust_key(self.reading, target, method, baseline),
            lambda: self._trust(target, method, baseline),
        )

    def _trust(self, target: Target, method: Method, baseline: Baseline) -> Trust:
        window = self.reading.windows[target.window or 0]
        units = words(self.reading.encoding, window)
        found = self.attribution(target, method, baseline, None, self.stage(0, STAGES))
        said = silence(found)
        if said is not None:
            raise BadInput(f"{said} There are no top words to mask.")
        rankings: dict[str, Any] = {method: units.sums(found.total)}
        for stage, other in enumerate((m for m in METHODS if m != method), start=1):
            steps = AGREEMENT_STEPS if other == "integrated_gradients" else None
            rankings[other] = units.sums(
                self.attribution(target, other, baseline, steps, self.stage(stage, STAGES)).total
            )
        seen = {
            **rankings,
            "attention": units.sums(self.relevance(window, target)["attention"].total),
        }
        steps = AGREEMENT_STEPS if method == "integrated_gradients" else None
        shuffled = units.sums(
            self.attribution(target, method, baseline, steps, self.stage(3, STAGES), SEED).total
        )
        drawn = {name: seen[name] for name in (method, "attention")}
        scorers = [self._scorer(window, stage) for stage in (4, 5, 6)]
        drawing = [np.random.default_rng(SEED) for _ in scorers]
        asked = self.reading, target
        return Trust(
            verdict(*asked, seen, method, scorers[0], drawing[0], shuffled),
            measure(*asked, drawn, scorers[1], drawing[1], spare_answer=True),
            measure(*asked, drawn, scorers[2], drawing[2], n_random=FEW_RANDOM),
        )

    def _scorer(self, window: Window, stage: int) -> Callable[[Any], Any]:
        return lambda masks: self.reader.masked(
            window, masks, self.stage(stage, STAGES), self.cancelled
        )

    def stage(self, at: int, of: int) -> OnProgress:
        """Progress within one of several stages, as percent of all."""

        def tell(done: int, total: int) -> None:
            if self.on_progress is not None:
                self.on_progress(round(100 * (at + done / max(total, 1)) / of), 100)

        return tell


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
    reading: Reading,
    target: Target,
    method: Method,
    baseline: Baseline,
    n_steps: int | None = None,
    shuffle: int | None = None,
) -> Hashable:
    """Where an attribution is kept; the baseline matters to one method only."""
    used = baseline if method == "integrated_gradients" else None
    return (reading.key, "attribution", target, method, used, n_steps, shuffle)


def trust_key(reading: Reading, target: Target, method: Method, baseline: Baseline) -> Hashable:
    """Where step 3 is kept."""
    return (reading.key, "trust", target, method, baseline)
