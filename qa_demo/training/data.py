"""Training data: which paragraphs are kept apart, the soft targets of a window, and the pool of
windows that a run is trained on, drawn once before its first step.

Of the questions with lists of answers one paragraph in five is never trained on, by a hash of its
words: training and scoring agree without a file of names. Other files hold some of the same
paragraphs with other blanks and marks, so training leaves out every paragraph that shares twelve
words in a row with one kept apart.

An answer that names several things in one breath ("Ethiopia and Liberia", one span in SQuAD)
teaches start and end as one span and the tags as a list: trained on both ways, the tags join what
lists keep apart.
"""

import hashlib
import json
import logging
import random
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from qa_demo.core.base import BadInput
from qa_demo.core.losses import TagGold, marked, start_end_targets, tag_targets
from qa_demo.core.masking import merge_spans
from qa_demo.core.text import touching
from qa_demo.core.types import Answer, Encoding, Example, Span, Window, WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.evaluation.questions import read_squad
from qa_demo.model.tokenizer import encode
from qa_demo.training import exchange

log = logging.getLogger("data")
RUN = 12
"""Words in a row that two paragraphs may not share across the line."""
JOINT = re.compile(r"\s*[,;]\s*(?:and|or|&)\s+|\s+(?:and|or|&|as well as)\s+|\s*[,;]\s+")
LAST = re.compile(r"[\s,;](?:and|or|&|as well as)\s")
RANGE = re.compile(r"between|from|both|either|neither", re.IGNORECASE)
SMALL = re.compile(r"(?:the|a|an|his|her|its|their)\s+", re.IGNORECASE)
ONE_NAME = re.compile(r"\b(?:of|for)\s")
NAMED, PLAIN = 5, 3
"""Words of an item at most: of names, and of plain words (longer ones are clauses)."""


def words(context: str) -> tuple[str, ...]:
    """Lower-case words of letters and digits; blanks and marks do not count."""
    return tuple(re.findall(r"[^\W_]+", context.lower()))


def is_apart(context: str) -> bool:
    """Whether a paragraph with a list is one of the fifth that is never trained on."""
    digest = hashlib.sha256(" ".join(words(context)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 5 == 0


def runs(context: str) -> set[tuple[str, ...]]:
    """All runs of twelve words; of a shorter text the whole of it."""
    found = words(context)
    return {found[i : i + RUN] for i in range(max(1, len(found) - RUN + 1))}


def held_out(examples: Iterable[Example]) -> list[Example]:
    """The questions with lists that are kept apart."""
    return [e for e in examples if e.spans and is_apart(e.context)]


def trained(files: Sequence[Sequence[Example]]) -> list[list[Example]]:
    """Each file without questions whose paragraph shares a run with one kept apart in any file."""
    kept: set[tuple[str, ...]] = set()
    for examples in files:
        for example in held_out(examples):
            kept |= runs(example.context)
    clear = (
        {c: kept.isdisjoint(runs(c)) for c in {e.context for examples in files for e in examples}}
        if kept
        else {}
    )
    return [[e for e in examples if clear.get(e.context, True)] for examples in files]


def items(text: str) -> tuple[tuple[int, int], ...]:
    """The half-open character ranges of an enumeration's items; none where a text is none.

    It needs an "and", an "or" or an "&". Two items are an enumeration only where both begin with a
    capital or a digit ("rock and roll" is one thing), and where the first holds no "of" or "for"
    ("College of Arts and Letters"); three may be plain words of at most three words each.
    """
    if not LAST.search(text) or RANGE.match(text):
        return ()
    cuts = [(0, 0), *(found.span() for found in JOINT.finditer(text)), (len(text), len(text))]
    ranges = tuple((a, b) for (_, a), (b, _) in pairwise(cuts))
    bare = [SMALL.sub("", text[a:b], count=1).strip() for a, b in ranges]
    if any(not re.search(r"\w", item) or len(item.split()) > NAMED for item in bare):
        return ()
    if all(item[0].isupper() or item[0].isdigit() for item in bare):
        return () if len(bare) == 2 and ONE_NAME.search(bare[0]) else ranges
    return ranges if len(bare) > 2 and all(len(item.split()) <= PLAIN for item in bare) else ()


def places(answer: Answer) -> tuple[tuple[int, int], ...]:
    """The character ranges of the paragraph that an answer's tags mark: its items, or itself."""
    at = answer.char_start
    return tuple((at + a, at + b) for a, b in items(answer.text)) or (
        (answer.char_start, answer.char_end),
    )


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


def marks(encoding: Encoding, example: Example, parted: bool = False) -> list[TagGold]:
    """What each annotator marked: a list, else one span, and if `parted` an enumeration as the list
    that it is; None where it is in no word piece. Spans of a list that share a piece are joined: it
    can carry only one tag.
    """
    whole = [((a.char_start, a.char_end),) for a in example.answers]
    lists = example.spans or ([*map(places, example.answers)] if parted else whole)
    found = [[touching(encoding, a, b) for a, b in ranges] for ranges in lists]
    return [merge_spans([s for s in spans if s is not None], 0) or None for spans in found]


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

    def unlabelled(
        self, question: str, context: str, max_seq_length: int, rng: random.Random
    ) -> Feature | None:
        """A window of a question and a paragraph of which nobody says anything, or None."""
        windows = self.windows(self.encoding(question, context), max_seq_length)
        return feature(rng.choice(windows), [], []) if windows else None

    def elsewhere(self, index: int, max_seq_length: int, rng: random.Random) -> Feature | None:
        """The example's question with another, unlabelled paragraph of its article, or None."""
        example = self.examples[index]
        other = self.examples[rng.choice(self.by_title[example.title])].context
        if other == example.context:
            return None
        return self.unlabelled(example.question, other, max_seq_length, rng)

    def exchanged(self, index: int, max_seq_length: int, rng: random.Random) -> Feature | None:
        """The example's paragraph with its question, one word of it exchanged, or None."""
        example = self.examples[index]
        asked = exchange.exchanged(example.question, example.context, rng)
        if asked is None or not example.answers:
            return None
        return self.unlabelled(asked, example.context, max_seq_length, rng)

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
        golds, lists = (marks(encoding, example, parted) if own else [] for parted in (False, True))
        features = [feature(w, golds, lists) for w in self.windows(encoding, max_seq_length)]
        if not features:
            return None
        wanted = [f for f in features if f.holds_answer != negative] or features
        return rng.choice(wanted)


SHARES = 60
"""Targets are stored as whole parts of 60, which one to six annotators share exactly."""
PASSAGE, TYPE, TAGGED, LISTED = 1, 2, 4, 8
"""Bits of `Pool.marks`: a piece of the passage, of token type 1, with a loss of tags, in a list."""


@dataclass(frozen=True, eq=False)
class Pool:
    """N windows one after the other in flat arrays of T pieces; window k holds the pieces
    offsets[k] to offsets[k + 1]. `ids`, `start`, `end`, `marks` [T], `tags` [T, 3]; `labelled` [N]
    is false where nobody but a teacher says anything.
    """

    ids: np.ndarray
    start: np.ndarray
    end: np.ndarray
    tags: np.ndarray
    marks: np.ndarray
    offsets: np.ndarray
    labelled: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Pieces of each window [N]."""
        return np.diff(self.offsets)

    @property
    def digest(self) -> str:
        """SHA-256 of all windows' pieces."""
        return hashlib.sha256(self.offsets.tobytes() + self.ids.tobytes()).hexdigest()


def pool_of(features: Sequence[Feature], labelled: Sequence[bool]) -> Pool:
    """The flat arrays of windows."""
    bits = ((PASSAGE, "is_context"), (TYPE, "token_type_ids"))
    marks = [
        sum(bit * np.asarray(getattr(f.window, name), np.uint8) for bit, name in bits)
        + TAGGED * f.tagged.astype(np.uint8)
        + LISTED * f.listed.astype(np.uint8)
        for f in features
    ]
    shares = {
        name: np.concatenate([np.rint(getattr(f, name) * SHARES) for f in features])
        for name in ("start", "end", "tags")
    }
    return Pool(
        np.concatenate([f.window.input_ids for f in features]).astype(np.int32),
        **{name: rows.astype(np.uint8) for name, rows in shares.items()},
        marks=np.concatenate(marks).astype(np.uint8),
        offsets=np.cumsum([0, *map(len, features)]),
        labelled=np.asarray(labelled, bool),
    )


def share_of(item: str) -> tuple[str, float]:
    """The file and the share of FILE:K. Errors: BadInput for another form."""
    name, _, share = item.rpartition(":")
    try:
        if name and 0 < float(share) < float("inf"):
            return name, float(share)
    except ValueError:
        pass
    raise BadInput(f"--train takes FILE:K with K above 0, as squad.json.gz:1.5, got {item!r}")


def draw(
    train: Sequence[str],
    tokenizer: Any,
    lengths: Sequence[int],
    negatives: float,
    unlabelled: float,
    exchanged: float,
    seed: int,
) -> Pool:
    """K windows of each question of FILE:K, a fraction of K by chance, each of a size drawn from
    `lengths`; the same for the same arguments. For the shares `unlabelled` and `exchanged` of them
    the question with another paragraph of its article too, and one with a word exchanged. Errors:
    BadInput where there are none.
    """
    named = [share_of(item) for item in train]
    files = trained([read_squad(name) for name, _ in named])
    rng, found, labels = random.Random(f"{seed}/pool"), list[Feature](), list[bool]()
    for (name, share), examples in zip(named, files, strict=True):
        sampler = Sampler(examples, tokenizer, negatives)
        for index in range(len(examples)):
            for _ in range(int(share) + (rng.random() < share % 1)):
                length = rng.choice(lengths)
                drawn = [(sampler.draw(index, length, rng), True)]
                if rng.random() < unlabelled:
                    drawn.append((sampler.elsewhere(index, length, rng), False))
                if rng.random() < exchanged:
                    drawn.append((sampler.exchanged(index, length, rng), False))
                for feature, labelled in drawn:
                    if feature is not None:
                        found.append(feature)
                        labels.append(labelled)
        log.info("%s: %s windows so far", Path(name).name, f"{len(found):,}")
    if not any(labels):
        raise BadInput(
            "no window can be drawn: too few questions, or --lengths leaves no room beside one"
        )
    return pool_of(found, labels)


def stored(path: Path, wanted: Mapping[str, Any]) -> Pool:
    """The pool of a file. Errors: BadInput for a file that holds none, or one that was drawn
    otherwise than `wanted`.
    """
    try:
        with np.load(path, allow_pickle=False) as held:
            made = json.loads(str(held["made"]))
            pool = Pool(**{f.name: held[f.name] for f in fields(Pool)})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise BadInput(f"{path.name} is no pool of windows: {fault}") from fault
    for name, value in wanted.items():
        if made.get(name) != value:
            raise BadInput(f"{path.name} was drawn with another {name}; name another --pool")
    return pool


def pool_at(path: Path, train: Sequence[str], tokenizer: Any, **drawn: Any) -> Pool:
    """The pool that lies at `path`, or else a new one, drawn and kept there. `drawn`: as `draw`
    takes it. Errors: BadInput as `stored` and `draw`.
    """
    pieces = hashlib.sha256(json.dumps(sorted(tokenizer.get_vocab().items())).encode()).hexdigest()
    files = [f"{Path(name).name}:{share:g}" for name, share in map(share_of, train)]
    wanted = json.loads(json.dumps({"files": files, "word pieces": pieces, **drawn}))
    if path.is_file():
        return stored(path, wanted)
    pool = draw(train, tokenizer, **drawn)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        arrays = {f.name: getattr(pool, f.name) for f in fields(Pool)}
        np.savez_compressed(file, made=json.dumps(wanted), **arrays)
    new.replace(path)
    return pool


def groups(
    sizes: np.ndarray, batch_tokens: int, rng: np.random.Generator, near: int = 1024
) -> list[np.ndarray]:
    """All windows once, in groups of like length whose padded size stays under `batch_tokens`, in
    random order.
    """
    near = max(near, 16 * batch_tokens // max(1, int(sizes.mean())))
    order, found = rng.permutation(len(sizes)), list[np.ndarray]()
    for first in range(0, len(order), near):
        part = order[first : first + near]
        part = part[np.argsort(sizes[part], kind="stable")]
        while len(part):
            padded = sizes[part] * np.arange(1, len(part) + 1)  # grows with both
            size = max(1, int(np.searchsorted(padded, batch_tokens, side="right")))
            found.append(part[:size])
            part = part[size:]
    return [found[k] for k in rng.permutation(len(found))]


class Windows:
    """A pool on the device that trains: batches are gathered there, with no loop of Python.

    `said` [T, 5]: a teacher's logits of start, end, B, I, O, in half precision.
    """

    def __init__(
        self, pool: Pool, pad: int, device: torch.device, said: np.ndarray | None = None
    ) -> None:
        self.pool, self.pad, self.device, self.sizes = pool, pad, device, pool.sizes
        names = [f.name for f in fields(Pool)]
        self.held = {n: torch.from_numpy(getattr(pool, n)).to(device) for n in names}
        self.said = None if said is None else torch.from_numpy(said).to(device)

    def batch(self, rows: np.ndarray) -> dict[str, Tensor]:
        """input_ids, attention_mask, token_type_ids, start, end, tagged, passage, listed [B, L],
        tags [B, L, 3], labelled [B], and `said` [B, L, 5], padded to the longest of the rows.
        """
        length = int(self.sizes[rows].max())  # of the host's copy: asking a GPU would wait for it
        at = torch.from_numpy(rows).to(self.device)
        first, after = self.held["offsets"][at, None], self.held["offsets"][at + 1, None]
        flat = first + torch.arange(length, device=self.device)
        real = flat < after
        flat = torch.where(real, flat, first)
        marks = self.held["marks"][flat] * real
        found = {
            "input_ids": torch.where(real, self.held["ids"][flat].long(), self.pad),
            "attention_mask": real.long(),
            "token_type_ids": (marks & TYPE > 0).long(),
            "tagged": (marks & TAGGED > 0).float(),
            "passage": marks & PASSAGE > 0,
            "listed": marks & LISTED > 0,
            "labelled": self.held["labelled"][at].float(),
        }
        for name in ("start", "end"):
            parts = (self.held[name][flat] * real).float()
            found[name] = parts / parts.sum(-1, keepdim=True)
        tags = (self.held["tags"][flat] * real[..., None]).float()
        found["tags"] = tags / tags.sum(-1, keepdim=True).clamp(min=1)
        return found if self.said is None else found | {"said": self.said[flat].float()}


def batches(
    windows: Windows, batch_tokens: int, seed: int, place: Mapping[str, int], part: slice
) -> Iterator[tuple[dict[str, int], dict[str, Tensor], int]]:
    """Batches behind a place, epoch after epoch, each in an order of its own; of every group this
    host takes `part`, at least one row.
    """
    epoch = place["epoch"]
    while True:
        rng = np.random.default_rng([seed, epoch])
        for number, rows in enumerate(groups(windows.sizes, batch_tokens, rng)):
            if (epoch, number) > (place["epoch"], place["batch"]):
                mine = rows[part] if len(rows[part]) else rows[:1]
                there = {"epoch": epoch, "batch": number}
                yield there, windows.batch(mine), int(windows.sizes[rows].sum())
        epoch += 1
