"""Training features: one window of one question, with soft targets from all of its annotators."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from qa_demo.core.losses import TagGold, marked, start_end_targets, tag_targets
from qa_demo.core.masking import merge_spans
from qa_demo.core.text import touching
from qa_demo.core.types import Encoding, Example, Span, Window, WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.model.tokenizer import encode
from qa_demo.training import enumerations


@dataclass(frozen=True, eq=False)
class Feature:
    """One training window; `start`, `end` [n] sum to 1, `tags` [n, 3] too where `tagged` [n].
    `listed` [n] is true from the first word of a list to its last.
    """

    window: Window
    start: np.ndarray
    end: np.ndarray
    tags: np.ndarray
    tagged: np.ndarray
    listed: np.ndarray
    holds_answer: bool

    def __len__(self) -> int:
        return len(self.window)


def marks(encoding: Encoding, example: Example) -> list[TagGold]:
    """What each annotator marked: a list, else one span; None where it is in no word piece. Spans
    of a list that share a piece are joined: it can carry only one tag.
    """
    if example.spans:
        found = [[touching(encoding, a, b) for a, b in ranges] for ranges in example.spans]
        return [
            merge_spans([span for span in spans if span is not None], 0) or None for spans in found
        ]
    return [touching(encoding, a.char_start, a.char_end) for a in example.answers]


def apart_marks(encoding: Encoding, example: Example) -> list[TagGold]:
    """What the tags learn of each annotator: as `marks`, an enumeration as the list that it is."""
    if example.spans:
        return marks(encoding, example)
    lists = tuple(enumerations.places(answer) for answer in example.answers)
    return marks(encoding, replace(example, spans=lists))


def spoken(window: Window, gold: TagGold) -> Span | None:
    """The one span that start and end learn of what an annotator marked: the first that the window
    holds whole.

    Shared out over all spans of a list, starts and ends would give the same probability to a span
    glued from one's start and another's end: the product of two shares does not know which of them
    belong together. "The first" can be learnt.
    """
    return next((span for span in marked(gold) if window.holds(span)), None)


def feature(window: Window, golds: Sequence[TagGold], lists: Sequence[TagGold]) -> Feature:
    """The targets of the page's own losses (core.losses) for one window: of start and end
    from `golds`, of the tags from `lists`.
    """
    said = [spoken(window, gold) for gold in golds]
    start, end = start_end_targets(window, said)
    tags, tagged = tag_targets(window, lists)
    listed = np.zeros(len(window), bool)
    doc = np.arange(len(window)) - window.context_at + window.doc_start
    for spans in map(marked, lists):
        if len(spans) > 1:
            listed |= window.is_context & (spans[0].start <= doc) & (doc <= spans[-1].end)
    holds = any(span is not None for span in said)
    return Feature(
        window,
        start.astype(np.float32),
        end.astype(np.float32),
        tags.astype(np.float32),
        tagged,
        listed,
        holds,
    )


class Sampler:
    """Draws windows for a question: mostly one that holds its answer, sometimes one that does not.

    A question whose paragraph fits into one window gets, as its window without the answer, another
    paragraph of the same article: that teaches [CLS] on texts of the same topic.
    """

    def __init__(self, examples: Sequence[Example], tokenizer: object, negatives: float) -> None:
        self.examples, self.tokenizer, self.negatives = examples, tokenizer, negatives
        self.by_title: dict[str, list[int]] = {}
        for k, example in enumerate(examples):
            self.by_title.setdefault(example.title, []).append(k)
        self.cache: dict[tuple[str, str], Encoding] = {}

    def encoding(self, question: str, context: str) -> Encoding:
        key = (question, context)
        if key not in self.cache:
            self.cache[key] = encode(self.tokenizer, question, context)
        return self.cache[key]

    def windows(self, encoding: Encoding, max_seq_length: int) -> Sequence[Window]:
        """The windows of a text, half of each in the next; none if its question leaves no room."""
        room = max_seq_length - len(encoding.question_ids) - encoding.n_special
        if room < 16 or not len(encoding.context_ids):
            return ()
        return make_windows(
            encoding, WindowOptions(max_seq_length, max(1, room // 2), max_seq_length)
        )

    def elsewhere(self, index: int, max_seq_length: int, rng: random.Random) -> Feature | None:
        """The example's question with another, unlabelled paragraph of its article, or None."""
        example = self.examples[index]
        other = self.examples[rng.choice(self.by_title[example.title])].context
        if other == example.context:
            return None
        windows = self.windows(self.encoding(example.question, other), max_seq_length)
        return feature(rng.choice(windows), [], []) if windows else None

    def draw(self, index: int, max_seq_length: int, rng: random.Random) -> Feature | None:
        """One feature for example `index`; None when its question leaves no room."""
        example = self.examples[index]
        context = example.context
        negative = rng.random() < self.negatives
        if negative and example.answers:
            other = self.examples[rng.choice(self.by_title[example.title])].context
            if other != context and not any(
                a.text.lower() in other.lower() for a in example.answers
            ):
                context = other
        encoding = self.encoding(example.question, context)
        own = context == example.context
        golds, lists = (f(encoding, example) if own else [] for f in (marks, apart_marks))
        features = [feature(w, golds, lists) for w in self.windows(encoding, max_seq_length)]
        if not features:
            return None
        wanted = [f for f in features if f.holds_answer != negative] or features
        return rng.choice(wanted)


def batches(
    features: Sequence[Feature], batch_tokens: int, rng: random.Random, pool: int = 1024
) -> Iterator[list[Feature]]:
    """Groups of similar length whose padded size stays under `batch_tokens`, in random order."""
    groups: list[list[Feature]] = []
    for first in range(0, len(features), pool):
        group: list[Feature] = []
        for feature in sorted(features[first : first + pool], key=len):
            if group and (len(group) + 1) * len(feature) > batch_tokens:
                groups.append(group)
                group = []
            group.append(feature)
        groups.append(group)
    rng.shuffle(groups)
    yield from (g for g in groups if g)


def collate(features: Sequence[Feature], pad_id: int) -> dict[str, torch.Tensor]:
    """Pad a group to its longest window: ids, token types, mask, targets [B, L], [B, L, 3]."""
    size, length = len(features), max(len(f) for f in features)
    ids, types = np.full((size, length), pad_id), np.zeros((size, length), np.int64)
    mask, tagged = np.zeros((size, length), np.int64), np.zeros((size, length), np.float32)
    start, end = np.zeros((size, length), np.float32), np.zeros((size, length), np.float32)
    tags = np.zeros((size, length, 3), np.float32)
    for b, f in enumerate(features):
        n = len(f)
        ids[b, :n], types[b, :n], mask[b, :n] = f.window.input_ids, f.window.token_type_ids, 1
        start[b, :n], end[b, :n], tags[b, :n], tagged[b, :n] = f.start, f.end, f.tags, f.tagged
    arrays = {
        "input_ids": ids,
        "token_type_ids": types,
        "attention_mask": mask,
        "start": start,
        "end": end,
        "tags": tags,
        "tagged": tagged,
    }
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
