"""Pre-training text: paragraphs, 5 % kept apart, cut at words, packed, masked anew each time."""

import hashlib
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import Dataset

from qa_demo import files
from qa_demo.core.base import BadInput
from qa_demo.core.masking import POSITIONS, Fate, mask
from qa_demo.model.tokenizer import prepare

HELD = 20  # one paragraph in 20 is kept apart
MIN_PIECES = 8
FATES: tuple[Fate, ...] = ("mask", "random", "keep")


def held_out(paragraph: str) -> bool:
    """Whether a paragraph is kept apart: its text's hash decides, so copies land alike."""
    digest = hashlib.blake2b(" ".join(paragraph.split()).encode(), digest_size=8).digest()
    return int.from_bytes(digest) % HELD == 0


def read_lines(names: Iterable[str]) -> dict[str, None]:
    """The paragraphs of plain files, one a line, also .gz, in order; repeated ones once."""
    seen: dict[str, None] = {}
    for name in names:
        lines = files.read_text(Path(name)).split("\n")
        seen.update(dict.fromkeys(line for raw in lines if (line := " ".join(raw.split()))))
    return seen


def read_text(names: Sequence[str], more: Iterable[str] = ()) -> tuple[list[str], list[str]]:
    """(training, held-out) paragraphs; of the files in `more` none is held out."""
    sides: tuple[list[str], list[str]] = ([], [])
    for paragraph in (found := read_lines(names)):
        sides[held_out(paragraph)].append(paragraph)
    sides[0].extend(paragraph for paragraph in read_lines(more) if paragraph not in found)
    if not sides[0]:
        raise BadInput(f"the files hold no paragraph to train on: {', '.join(names)}")
    return sides


class Excerpt(NamedTuple):
    """A paragraph, or a part of a long one that begins with a word: ids and word numbers [T]."""

    ids: np.ndarray
    words: np.ndarray


def cut(ids: np.ndarray, words: np.ndarray, capacity: int) -> list[Excerpt]:
    """Nearly equal parts of at most `capacity` pieces, cut at words where these are short."""
    parts, first = [], 0
    while (left := len(ids) - first) > 0:
        stop = first + -(-left // -(-left // capacity))
        back = stop
        while back < len(ids) and back > first + 1 and words[back] == words[back - 1]:
            back -= 1
        stop = back if back > first + 1 else stop
        parts.append(Excerpt(ids[first:stop], words[first:stop]))
        first = stop
    return [part for part in parts if len(part.ids) >= MIN_PIECES]


def tokenize(tokenizer: Any, paragraphs: Sequence[str], capacity: int) -> list[Excerpt]:
    """The parts of all paragraphs, in order."""
    if capacity < MIN_PIECES:
        raise BadInput(f"--length must be at least {MIN_PIECES + 2}, got {capacity + 2}")
    backend, parts = prepare(tokenizer), []
    for first in range(0, len(paragraphs), 1024):
        some = list(paragraphs[first : first + 1024])
        for found in backend.encode_batch(some, add_special_tokens=False):
            parts += cut(np.array(found.ids), np.array(found.word_ids, dtype=np.int64), capacity)
    return parts


def pack(parts: Sequence[Excerpt], room: int, seed: int) -> list[list[int]]:
    """Parts put together, each with [SEP], into sequences of `room` pieces, fullest first."""
    done, open_ = list[list[int]](), list[list[int]]()
    for index in np.random.default_rng(seed).permutation(len(parts)).tolist():
        size = len(parts[index].ids) + 1
        fits = [one for one in open_ if one[0] + size <= room]  # pieces, then the parts
        if not fits:
            open_.append([0])
        best = max(fits or open_[-1:], key=itemgetter(0))
        best[0] += size
        best.append(index)
        if len(open_) > 64:
            done.append(open_.pop(max(range(len(open_)), key=lambda k: open_[k][0])))
    return [members for _, *members in done + open_]


class Batches(Dataset):
    """Endless batches by number: batch k is the same whenever and wherever it is drawn, so a
    resumed run repeats nothing.

    Sequence [CLS] part [SEP] part [SEP] ..., each part masked apart, so that no span and no
    boundary pair crosses a [SEP]. Round r shuffles the sequences by (seed, r); batch k is masked by
    (seed, k), anew in every round. Text that is measured is read part by part, not `packed`.
    """

    def __init__(
        self,
        parts: Sequence[Excerpt],
        tokenizer: Any,
        length: int,
        rows: int = 1,
        seed: int = 0,
        packed: bool = True,
    ) -> None:
        self.parts, self.length, self.rows = parts, length, rows
        self.seed, self.packed = seed, packed
        self.cls, self.sep, self.mask, self.pad = (
            int(getattr(tokenizer, f"{n}_token_id")) for n in ("cls", "sep", "mask", "pad")
        )
        self.stream = np.concatenate([part.ids for part in parts])
        alone = [[k] for k in range(len(parts))]
        self.sequences = pack(parts, length - 1, seed) if packed else alone
        if len(self.sequences) < rows:
            raise BadInput(
                f"a batch takes {rows} sequences of {length} pieces, the text fills only "
                f"{len(self.sequences)}"
            )
        self._round: tuple[int, np.ndarray] = (-1, np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        """Batches in one round; what is left over waits for another round's shuffle."""
        return len(self.sequences) // self.rows

    def __getitem__(self, k: int) -> dict[str, torch.Tensor]:
        r, b = divmod(k, len(self))
        if self._round[0] != r:
            rng = np.random.default_rng([self.seed, 0, r])
            self._round = (r, rng.permutation(len(self.sequences)))
        members = self._round[1][b * self.rows : (b + 1) * self.rows].tolist()
        return self.batch(members, np.random.default_rng([self.seed, 1, k]))

    def random_piece(self, rng: np.random.Generator) -> int:
        """A piece of the training text, so frequent ones come often."""
        return int(self.stream[rng.integers(len(self.stream))])

    def batch(self, sequences: Sequence[int], rng: np.random.Generator) -> dict[str, torch.Tensor]:
        """input_ids and attention_mask [B, L]. Of every hidden piece [M]: `at`, its place among B *
        L; `true`, the piece; `fate`, its number in FATES. Of every SBO target [S]: `left`, `right`,
        the places of both neighbours; its `k`; and `row`, which hidden piece it is.
        """
        rows = [[self.parts[member] for member in self.sequences[s]] for s in sequences]
        long = max(1 + sum(1 + len(part.ids) for part in members) for members in rows)
        wide = self.length if self.packed else long
        ids, real = np.full((len(rows), wide), self.pad), np.zeros((len(rows), wide), np.int64)
        found, count = list[dict[str, Any]](), 0
        for b, members in enumerate(rows):
            ids[b, 0], at = self.cls, 1
            for part in members:
                masked = mask("span", part.ids, part.words, self.mask, rng, self.random_piece)
                hidden, pairs, base = masked.hidden, masked.pairs(POSITIONS), b * wide + at
                blank = {"at": hidden + base, "true": masked.true_ids[hidden], "k": pairs.k}
                blank |= {"left": pairs.left + base, "right": pairs.right + base}
                blank["fate"] = [FATES.index(fate) for fate in masked.fates]
                blank["row"] = np.searchsorted(hidden, pairs.at) + count
                found.append(blank)
                count += len(hidden)
                stop = at + len(masked.input_ids)
                ids[b, at:stop], ids[b, stop] = masked.input_ids, self.sep
                at = stop + 1
            real[b, :at] = 1
        arrays = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
        arrays |= {"input_ids": ids, "attention_mask": real}
        return {name: torch.from_numpy(array) for name, array in arrays.items()}
