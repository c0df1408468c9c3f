"""A transformers question-answering model as a `Reader`: texts in, all windows' logits out."""

import copy
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from qa_demo.core.attention import Attention
from qa_demo.core.attribution import Attribution, Method, Target
from qa_demo.core.base import BadCheckpoint, BadInput, Cancelled, IsCancelled, OnProgress
from qa_demo.core.heads import HeadWeights
from qa_demo.core.reader import ReaderFacts
from qa_demo.core.text import check_texts
from qa_demo.core.types import Baseline, Calibrations, Encoding, Reading, Window, WindowOptions
from qa_demo.core.windows import Logits, assemble, make_windows
from qa_demo.model.attention import attention
from qa_demo.model.attribution import attribute
from qa_demo.model.config import longest_input
from qa_demo.model.forward import Loaded, inputs_of, masked_logits
from qa_demo.model.gradients import own_baseline
from qa_demo.model.hidden import head_weights, hidden
from qa_demo.model.outputs import head_states, output_layer
from qa_demo.model.tokenizer import encode, prepare
from qa_demo.model.workers import SHARED, Workers

DEFAULTS = WindowOptions()


class BertReader:
    """One loaded model, shared by every thread: read-only after it is made, without hooks and
    without gradients.

    The heads read the last hidden states T [n, d]: start and end logits are T @ [S E] + b, tag
    logits T @ W^T + b.
    """

    def __init__(
        self,
        name: str,
        model: Any,
        tokenizer: Any,
        *,
        bio: torch.nn.Linear | None = None,
        threshold: float | None = None,
        calibrations: Calibrations | None = None,
        checksum: str = "",
        workers: Workers = SHARED,
        bf16: bool = False,
    ) -> None:
        self.name = name
        """`bundled`, a folder's name, or a hub id with its commit."""
        self.checksum = checksum
        """The digest that ties a stored reading to these weights."""
        self.threshold = threshold
        """The tuned no-answer threshold in logits; None when the reader came without one."""
        self.calibrations = calibrations
        """The fitted calibrations of its heads; None without any, as in every private copy."""
        self._model, self._tokenizer, self._bio = model.eval().requires_grad_(False), tokenizer, bio
        self._workers, self._bf16 = workers, bf16
        prepare(tokenizer)

    def fitted(self, threshold: float | None, calibrations: Calibrations | None) -> "BertReader":
        """The same weights with another threshold and calibrations; this reader stays as it is."""
        other = copy.copy(self)
        other.threshold, other.calibrations = threshold, calibrations
        return other

    @property
    def facts(self) -> ReaderFacts:
        """What is known of it; a tokenizer that tells no capital apart gives "A" the ids of "a"."""
        same = self._tokenizer.tokenize("Aa") == self._tokenizer.tokenize("aa")
        return ReaderFacts(
            self.name,
            sum(parameter.numel() for parameter in self._model.parameters()),
            self.max_seq_length,
            not same,
            self._bio is not None,
            self.threshold,
        )

    @property
    def max_seq_length(self) -> int:
        """The longest window that the model can read."""
        return longest_input(self._model.config)

    def encode(self, question: str, context: str) -> Encoding:
        """The tokenizer's view of both texts; BadInput for a text that has no word piece left."""
        check_texts(question, context)
        encoding = encode(self._tokenizer, question, context)
        for name, ids in (("question", encoding.question_ids), ("paragraph", encoding.context_ids)):
            if not len(ids):
                raise BadInput(f"the {name} holds no character that this reader's tokenizer keeps")
        return encoding

    def read(
        self,
        question: str,
        context: str,
        options: WindowOptions = DEFAULTS,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Reading:
        """Run every window once and keep its logits [W, L], NaN beyond a window's length.

        Errors: BadInput for texts or options that cannot be used (before the model runs),
        Cancelled, BadCheckpoint for logits that are not finite.
        """
        began = time.perf_counter()
        if options.max_seq_length > self.max_seq_length:
            raise BadInput(
                f"max_seq_length must be at most {self.max_seq_length}, the positions of this "
                f"reader, got {options.max_seq_length}"
            )
        encoding = self.encode(question, context)
        windows = make_windows(encoding, options)
        return assemble(
            encoding,
            windows,
            self._logits(windows, on_progress, cancelled),
            options,
            model_name=self.name,
            threshold=self.threshold,
            checksum=self.checksum,
            seconds=time.perf_counter() - began,
            calibrations=self.calibrations,
            baseline=own_baseline(self.loaded),
        )

    def _logits(
        self,
        windows: Sequence[Window],
        on_progress: OnProgress | None,
        cancelled: IsCancelled | None,
    ) -> list[Logits]:
        """The logits of each window, one at a time: as fast in fp32 as several together, and it
        gives the first result sooner and cancels sooner.
        """
        rows: dict[int, Logits] = {}
        telling = threading.Lock()

        def run(window: Window) -> None:
            span, tags = self.forward([window])
            with telling:
                rows[window.index] = span[0], None if tags is None else tags[0]
                if on_progress is not None:
                    on_progress(len(rows), len(windows))

        self._workers.side_by_side(windows, run, cancelled)
        if cancelled is not None and cancelled():
            raise Cancelled("the reading was cancelled")
        return [rows[window.index] for window in windows]

    def forward(self, group: Sequence[Window]) -> tuple[np.ndarray, np.ndarray | None]:
        """Start/end logits [b, n, 2] and tag logits [b, n, 3] of windows of equal length n."""
        inputs = inputs_of(self._model, *group)
        with (
            torch.inference_mode(),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._bf16),
        ):
            hidden = head_states(self._model, self._model.base_model(**inputs)[0])
            span_logits = output_layer(self._model)(hidden).float().numpy()
            tag_logits = None if self._bio is None else self._bio(hidden).float().numpy()
        for logits in (span_logits, tag_logits):
            if logits is not None and not np.isfinite(logits).all():
                raise BadCheckpoint(
                    f"{self.name} gave logits that are not finite; its weights overflow on this "
                    f"text"
                )
        return span_logits, tag_logits

    @property
    def loaded(self) -> Loaded:
        """What explanations need; they are plain functions beside the class."""
        return Loaded(self._model, self._tokenizer, self._workers, self.name, self.checksum)

    def heads(self) -> HeadWeights:
        """Copies of S, E, their biases, W and b of the BIO head: nobody changes the reader."""
        return head_weights(self.loaded, self._bio)

    def hidden(self, window: Window) -> np.ndarray:
        """Hidden states [N + 1, n, d] of one window."""
        return hidden(self.loaded, window)

    def attention(self, window: Window) -> Attention:
        """Attention [N, A, n, n] of one window."""
        return attention(self.loaded, window)

    def masked(
        self,
        window: Window,
        masks: np.ndarray,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Logits [b, n] of a window with some positions replaced by the mask token."""
        return masked_logits(self.loaded, window, masks, on_progress, cancelled)

    def attribute(
        self,
        reading: Reading,
        target: Target,
        method: Method = "integrated_gradients",
        baseline: Baseline | None = None,
        n_steps: int | None = None,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> Attribution:
        """What the target rested on, by one of three methods."""
        return attribute(
            self.loaded, reading, target, method, baseline, n_steps, on_progress, cancelled
        )
