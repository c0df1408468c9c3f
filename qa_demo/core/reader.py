"""What a page may ask of a reader; the real one lives in `model`, a fake one in the tests."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qa_demo.core.attribution import Attribution, Method, Target
from qa_demo.core.base import BadInput, Bools, IsCancelled, OnProgress
from qa_demo.core.heads import HeadWeights
from qa_demo.core.predict import predict
from qa_demo.core.types import Baseline, Reading, Span, Window, WindowOptions


class Reader(Protocol):
    """A reader answers questions from text by giving every position logits: records of `core` in,
    records of `core` out, so that no view needs torch.

    `name`: what the page prints, `bundled`, a folder's name or a hub id. `checksum`: a digest of
    the weights, which ties a reading to the reader that made it; empty where none was computed.
    `threshold`: the tuned no-answer threshold in logits; None where none is stored, and 0 is used.
    """

    name: str
    checksum: str
    threshold: float | None

    @property
    def max_seq_length(self) -> int:
        """The longest window that it can read, in positions."""

    def read(
        self,
        question: str,
        context: str,
        options: WindowOptions = ...,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Reading:
        """Run every window of the context and keep its logits.

        Errors: BadInput for text or options that cannot be used, Cancelled when `cancelled()`
        turned true.
        """

    def heads(self) -> HeadWeights:
        """S, E and their biases."""

    def hidden(self, window: Window) -> NDArray[np.float32]:
        """Hidden states [N + 1, n, d] of a window; the last layer's are T, which the heads read."""

    def attention(self, window: Window) -> NDArray[np.float32]:
        """Every layer and head of a window, [N, A, n, n]; a row is what one token reads of all."""

    def masked(
        self,
        window: Window,
        masks: Bools,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Start and end logits [b, n] with each mask's positions [b, n] replaced by [MASK]."""

    def attribute(
        self,
        reading: Reading,
        target: Target,
        method: Method = ...,
        baseline: Baseline | None = ...,
        n_steps: int | None = None,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Attribution:
        """Explain the target; with n_steps None the steps grow until the gap is small.

        Errors: BadInput for unknown choices or a reading of another reader, Cancelled.
        """


def check_made_by(reading: Reading, reader: Reader) -> None:
    """BadInput unless these weights made the reading: what else they compute does not belong to its
    logits. Without a checksum the reader's name stands for its weights.
    """
    if (reading.checksum or reading.model_name) != (reader.checksum or reader.name):
        raise BadInput(
            f"this reading was made by other weights than those of the reader in use, "
            f"{reader.name}; read the text again (on the page: press Ask)"
        )


def explain(
    reader: Reader, reading: Reading, method: Method = "gradient_x_input", span: Span | None = None
) -> Attribution:
    """The score of a span (doc), by default the best one's, attributed to the tokens of its window,
    in logits.

    Errors: BadInput without a legal span, or for a reading of another reader.
    """
    if span is None:
        best = predict(reading).best
        if best is None:
            raise BadInput("no span of this paragraph is legal, so there is none to explain")
        span = best.candidate.span  # whose window owns its start, as a target's does
    return reader.attribute(reading, Target("span_score", span), method)
