"""A transformers question-answering model as a reader: texts in, all windows' logits out."""

from typing import Any

import numpy as np
import torch

from qa_demo.core.base import BadCheckpoint, BadInput, IsCancelled, OnProgress
from qa_demo.core.heads import HeadWeights
from qa_demo.core.text import check_texts
from qa_demo.core.types import Calibrations, Encoding, Reading, Window, WindowOptions
from qa_demo.core.windows import WindowLogits, assemble, fitting, make_windows
from qa_demo.model import forward, gradients
from qa_demo.model.products import pack
from qa_demo.model.tokenizer import encode, prepare
from qa_demo.model.work import SHARED

DEFAULTS = WindowOptions()


class BertReader:
    """One loaded model, shared by every thread, read-only after it is made, without hooks and
    without gradients.

    The heads read the last hidden states h [n, d]: start and end logits are h @ [S E] + b, tag
    logits h @ W^T + b.
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
    ) -> None:
        self.name, self.checksum, self.threshold = name, checksum, threshold
        self.calibrations, self.passes, self.bio = calibrations, SHARED, bio
        self.model, self.tokenizer = model.eval().requires_grad_(False), tokenizer
        pack(model.base_model)
        self.twin = forward.eager_twin(model)
        model.bare = forward.bare_layers(model)
        prepare(tokenizer)
        self.baseline = gradients.own_baseline(self)

    @property
    def max_seq_length(self) -> int:
        """The longest window that the model can read."""
        return forward.longest_input(self.model.config)

    def encode(self, question: str, context: str) -> Encoding:
        """The tokenizer's view of both texts; BadInput for a text that has no token left."""
        check_texts(question=question, paragraph=context)
        encoding = encode(self.tokenizer, question, context)
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
        """Run every window once, alone and unpadded, and keep its logits [W, L], NaN beyond a
        window's length.

        Errors: BadInput for texts or options that cannot be used (before the model runs),
        Cancelled, BadCheckpoint for logits that are not finite.
        """
        options = fitting(options, self.max_seq_length)
        encoding = self.encode(question, context)
        windows = make_windows(encoding, options)
        rows = list[WindowLogits]()
        for row in self.passes.each(self.forward, windows, cancelled):
            rows.append(row)
            if on_progress is not None:
                on_progress(len(rows), len(windows))
        about: dict[str, Any] = {"model_name": self.name, "checksum": self.checksum}
        about |= {"threshold": self.threshold, "calibrations": self.calibrations}
        return assemble(encoding, windows, rows, options, baseline=self.baseline, **about)

    def forward(self, window: Window) -> WindowLogits:
        """Start and end logits [n, 2] of a window and its tag logits [n, 3]."""
        with torch.inference_mode():
            states = forward.encoded(self.model, forward.inputs_of(self.model, window))[0]
            span = forward.output_layer(self.model)(states).numpy()
            tags = None if self.bio is None else self.bio(states).numpy()
        return self._finite(span), None if tags is None else self._finite(tags)

    def _finite(self, found: np.ndarray) -> np.ndarray:
        if not np.isfinite(found).all():
            raise BadCheckpoint(
                f"{self.name} gave logits that are not finite; its weights overflow on this text"
            )
        return found

    def heads(self) -> HeadWeights:
        """Copies of S, E and their biases: nobody changes the reader."""
        layer = forward.output_layer(self.model)
        (s, e), (b_s, b_e) = layer.weight.numpy(), layer.bias.tolist()
        return HeadWeights(s, e, b_s, b_e)

    def _inside(self, window: Window, **wanted: bool) -> Any:
        run = torch.inference_mode()(self.twin.base_model)
        return self.passes.run(lambda: run(**forward.inputs_of(self.twin, window), **wanted))

    def hidden_states(self, window: Window) -> np.ndarray:
        """Hidden states [N + 1, n, d] of one window: the embedding output, then every layer's; the
        last is h, which the heads read (in ModernBERT one more layer on the encoder's last).
        """
        out = self._inside(window, output_hidden_states=True)
        with torch.inference_mode():
            last = forward.head_states(self.model, out[0])
        return torch.cat((*out.hidden_states[:-1], last)).numpy()

    def attention(self, window: Window) -> np.ndarray:
        """Every layer and head of one window, [N, A, n, n]; each row sums to 1."""
        return torch.cat(tuple(self._inside(window, output_attentions=True).attentions)).numpy()

    attribute = gradients.attribute

    def masked(
        self,
        window: Window,
        masks: np.ndarray,
        on_progress: OnProgress | None = None,
        cancelled: IsCancelled | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Start and end logits [b, n] of a window with the positions of each mask [b, n] replaced
        by the mask token; positions and types stay. Errors: BadInput, Cancelled, BadCheckpoint.
        """
        ids = torch.from_numpy(np.where(masks, self.tokenizer.mask_token_id, window.input_ids))
        out, whole = np.empty((2, *masks.shape), np.float32), forward.inputs_of(self.model, window)

        def run(rows: slice) -> int:
            inputs = {k: x.expand_as(ids[rows]) for k, x in whole.items()}
            with torch.inference_mode():
                states = forward.encoded(self.model, inputs | {"input_ids": ids[rows]})
                out[:, rows] = forward.output_layer(self.model)(states).permute(2, 0, 1).numpy()
            return min(rows.stop, len(masks))

        size = max(1, forward.TOKENS_AT_ONCE // len(window))
        parts = [slice(k, k + size) for k in range(0, len(masks), size)]
        for done in self.passes.each(run, parts, cancelled):
            if on_progress is not None:
                on_progress(done, len(masks))
        return self._finite(out[0]), self._finite(out[1])
