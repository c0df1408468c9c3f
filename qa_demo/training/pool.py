"""The pool of windows that a run is trained on, drawn once before its first step, and the batches
that are gathered from it.
"""

import hashlib
import json
import logging
import random
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from qa_demo.core.base import BadInput
from qa_demo.evaluation.questions import read_squad
from qa_demo.training.data import Sampler, targets, trained

log = logging.getLogger("pool")


Pool = dict[str, np.ndarray]
"""N windows one after the other: `offsets` [N + 1], where each begins; of every piece what
`data.targets` names; `labelled` [N] is false where nobody but a teacher says anything.
"""


def pool_of(windows: Sequence[Mapping[str, np.ndarray]], labelled: Sequence[bool]) -> Pool:
    """The windows' targets in flat arrays."""
    pieces = {name: np.concatenate([w[name] for w in windows]) for name in windows[0]}
    offsets = np.cumsum([0, *(len(w["ids"]) for w in windows)])
    return {"offsets": offsets, "labelled": np.asarray(labelled, bool), **pieces}


def share_of(item: str) -> tuple[str, float]:
    """The file and the share of FILE:K. Errors: BadInput for another form."""
    found = re.fullmatch(r"(.+):(\d+(?:\.\d*)?|\.\d+)", item)
    if found and float(found[2]) > 0:
        return found[1], float(found[2])
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
    rng, found, labels = random.Random(f"{seed}/pool"), list[dict[str, np.ndarray]](), list[bool]()
    for (name, share), examples in zip(named, files, strict=True):
        sampler = Sampler(examples, tokenizer, negatives)
        for e in examples:
            for _ in range(int(share) + (rng.random() < share % 1)):
                length = rng.choice(lengths)
                drawn = [(sampler.draw(e, length, rng), True)]
                for exchange, part in enumerate((unlabelled, exchanged)):
                    if rng.random() < part:
                        drawn.append((sampler.unlabelled(e, length, rng, bool(exchange)), False))
                for window, labelled in drawn:
                    if window is not None:
                        found.append(targets(*window))
                        labels.append(labelled)
        log.info("%s: %s windows so far", Path(name).name, f"{len(found):,}")
    if not any(labels):
        raise BadInput(
            "no window can be drawn: too few questions, or --lengths leaves no room beside one"
        )
    return pool_of(found, labels)


def pool_at(s: Any, tokenizer: Any) -> Pool:
    """The windows of a run with the settings `s`: those that lie at its `pool`, by default
    OUT/pool.npz, or else new ones, drawn and kept there. Errors: BadInput as `draw`, for a file
    that holds no pool, and for one that was drawn otherwise.
    """
    path = Path(s.pool or Path(s.out) / "pool.npz")
    names = ("lengths", "negatives", "unlabelled", "exchanged", "seed")
    drawn = {name: getattr(s, name, 0.0) for name in names}  # two are teach's alone
    vocabulary = json.dumps(sorted(tokenizer.get_vocab().items())).encode()
    files = [f"{Path(name).name}:{share:g}" for name, share in map(share_of, s.train)]
    wanted = {"files": files, "word pieces": hashlib.sha256(vocabulary).hexdigest(), **drawn}
    if not path.is_file():
        pool = draw(s.train, tokenizer, **drawn)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.new")
        with new.open("wb") as file:
            np.savez_compressed(file, made=json.dumps(wanted), **pool)
        new.replace(path)
        return pool
    try:
        with np.load(path, allow_pickle=False) as stored:
            pool = dict(stored)
            made = json.loads(str(pool.pop("made")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise BadInput(f"{path.name} is no pool of windows: {fault}") from fault
    for name, value in wanted.items():
        if made.get(name) != value:
            raise BadInput(f"{path.name} was drawn with another {name}; name another --pool")
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
        self.pool, self.pad, self.device, self.sizes = pool, pad, device, np.diff(pool["offsets"])
        self.kept = {name: torch.from_numpy(x).to(device) for name, x in pool.items()}
        self.said = None if said is None else torch.from_numpy(said).to(device)

    def batch(self, rows: np.ndarray) -> dict[str, Tensor]:
        """input_ids, attention_mask, token_type_ids, start, end, tagged, passage, listed [B, L],
        tags [B, L, 3], labelled [B], and `said` [B, L, 5], padded to the longest of the rows.
        """
        length = int(self.sizes[rows].max())  # of the host's copy: asking a GPU would wait for it
        at = torch.from_numpy(rows).to(self.device)
        first, after = (self.kept["offsets"][at + k, None] for k in (0, 1))
        flat = first + torch.arange(length, device=self.device)
        real = flat < after
        flat = torch.where(real, flat, first)  # [CLS]: of type 0, no passage, no tag, in no list
        found = {n: x[flat] for n, x in self.kept.items() if n not in ("offsets", "labelled")}
        tags = (found["tags"] * real[..., None]).float()
        batch = {
            "input_ids": torch.where(real, found["ids"].long(), self.pad),
            "attention_mask": real.long(),
            "token_type_ids": found["types"].long(),
            "tagged": found["tagged"].float(),
            "passage": found["passage"],
            "listed": found["listed"],
            "labelled": self.kept["labelled"][at].float(),
            "tags": tags / tags.sum(-1, keepdim=True).clamp(min=1),
        }
        for name in ("start", "end"):
            shares = (found[name] * real).float()
            batch[name] = shares / shares.sum(-1, keepdim=True)
        return batch if self.said is None else batch | {"said": self.said[flat].float()}


def batches(
    windows: Windows, batch_tokens: int, seed: int, place: Mapping[str, int]
) -> Iterator[tuple[dict[str, int], dict[str, Tensor], int]]:
    """Batches behind a place, epoch after epoch, each in an order of its own."""
    epoch = place["epoch"]
    while True:
        rng = np.random.default_rng([seed, epoch])
        for number, rows in enumerate(groups(windows.sizes, batch_tokens, rng)):
            if (epoch, number) > (place["epoch"], place["batch"]):
                there = {"epoch": epoch, "batch": number}
                yield there, windows.batch(rows), int(windows.sizes[rows].sum())
        epoch += 1
