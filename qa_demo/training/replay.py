"""Replay of a fine-tuning: what the reader said about the examples at about thirty steps, from step
0 on.

    python -m qa_demo.training.replay --encoder ENCODER --runs runs/phase1 runs/phase2 --out
    assets/replay

Every snapshot of the runs reads one window of each example (the window that holds the gold answer).
`--readings` are the stored readings of the final reader (`qa_demo.training.readings`, run first):
they give the windows and the last row.

`--after FOLDER` puts the record of the training that this one goes on from in front, its last step
being this one's step 0. Of that training no weights need be left; examples that it did not read are
then left out.

replay.npz: `start` and `end` [steps, positions] in half precision, before the last step to 1/32;
the windows stand one after the other. replay.json: steps, where each example's window begins, and
the checksum of the final reader.
"""

import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from qa_demo.core.base import BadInput
from qa_demo.core.examples import PoolExample
from qa_demo.core.store import ASSETS, Replay, load_reading, load_replay
from qa_demo.core.types import Reading, Window
from qa_demo.training.examples import POOL
from qa_demo.training.heads import TwoHeads, load
from qa_demo.training.loop import described, exit_code, load_weights
from qa_demo.training.promises import load_pool
from qa_demo.training.shown import gold_span

log = logging.getLogger("replay")
Rows = tuple[np.ndarray, np.ndarray]
LIMIT = 3_000_000
CLOSE = 100
FINE = 32
"""Parts of a logit that every row but the last is rounded to: it takes a third less room so."""


def gold_window(example: PoolExample, reading: Reading) -> Window:
    """The window that owns the first gold token, if it holds the whole answer, else the first that
    does; the only or first window of an example without an answer.
    """
    if not example.answers:
        return reading.windows[0]
    found = reading.home(gold_span(reading, example.answers[0]))
    if found is None:
        raise BadInput(f"example '{example.id}': no window holds its answer whole")
    return found


def snapshots(runs: Sequence[Path]) -> dict[int, Path]:
    """Snapshot files by step, over all phases; of two phases the later one's."""
    found = {
        int(p.stem.rpartition("-")[2]): p
        for run in runs
        for p in sorted((run / "snapshots").glob("step-*.safetensors"))
    }
    if not found:
        raise BadInput(f"no snapshots/step-*.safetensors in {', '.join(map(str, runs))}")
    return dict(sorted(found.items()))


@torch.inference_mode()
def read_windows(model: TwoHeads, windows: Sequence[Window]) -> Rows:
    """Start and end logits [positions] of windows in turn, unpadded, fp32."""
    model.eval()
    rows = []
    for w in windows:
        ids, types = torch.tensor(w.input_ids)[None], torch.tensor(w.token_type_ids)[None]
        start, end, _ = model(ids, torch.ones_like(ids), types)
        rows.append([x[0].float().numpy() for x in (start, end)])
    return tuple(np.concatenate(parts) for parts in zip(*rows, strict=True))  # type: ignore[return-value]


def stored_rows(readings: Sequence[Reading], windows: Sequence[Window]) -> Rows:
    """The same of the stored readings of the final reader."""
    pairs = zip(readings, windows, strict=True)
    starts, ends = zip(*(r.logits(w.index) for r, w in pairs), strict=True)
    return np.concatenate(starts), np.concatenate(ends)


def final_step(run: Path) -> int:
    """Steps of all phases up to the end of a run."""
    state = json.loads((run / "state.json").read_text())
    return int(state["step"])


def write(
    out: Path,
    steps: Sequence[int],
    rows: Sequence[Rows],
    examples: Sequence[PoolExample],
    windows: Sequence[Window],
    checksum: str,
) -> int:
    """Write both files; returns their size in bytes, and refuses more than 3 MB."""
    out.mkdir(parents=True, exist_ok=True)
    coarse = [[np.round(part * FINE) / FINE for part in row] for row in rows[:-1]]
    stacks = map(np.stack, zip(*coarse, rows[-1], strict=True))
    start, end = (stack.astype(np.float16) for stack in stacks)
    np.savez_compressed(out / "replay.npz", start=start, end=end)
    at = np.cumsum([0, *(len(w) for w in windows)]).tolist()
    about = {
        "format": 1,
        "steps": list(steps),
        "checksum": checksum,
        "examples": [
            {"id": e.id, "window": w.index, "at": at[k], "length": len(w)}
            for k, (e, w) in enumerate(zip(examples, windows, strict=True))
        ],
    }
    (out / "replay.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    size = sum((out / name).stat().st_size for name in ("replay.npz", "replay.json"))
    if size > LIMIT:
        raise BadInput(
            f"the replay takes {size:,} bytes, {LIMIT:,} are allowed; leave out examples or "
            f"snapshots"
        )
    return size


def placed(
    pool: Sequence[PoolExample], windows: Sequence[Window], earlier: Replay | None
) -> list[int]:
    """Which examples are recorded: all, or those read in the same window by the earlier record."""
    if earlier is None:
        return list(range(len(pool)))
    found = [
        k
        for k, (e, w) in enumerate(zip(pool, windows, strict=True))
        if (place := earlier.places.get(e.id)) is not None
        and (place[0], place[2]) == (w.index, len(w))
    ]
    for k in sorted(set(range(len(pool))) - set(found)):
        log.info("left out: the earlier record holds no such window of example '%s'", pool[k].id)
    return found


def behind(
    earlier: Replay | None,
    examples: Sequence[PoolExample],
    steps: Sequence[int],
    rows: Sequence[Rows],
) -> tuple[list[int], list[Rows]]:
    """The earlier record's steps and rows of these examples, then these, counted on from its last
    step; steps that follow it closely are left out, since the page would show the same picture many
    times.
    """
    if earlier is None:
        return list(steps), list(rows)
    of = [found for e in examples if (found := earlier.rows(e.id)) is not None]
    last = earlier.steps[-1]
    whole = [np.concatenate([getattr(r, name) for r in of], 1) for name in ("start", "end")]
    before: list[Rows] = list(zip(*whole, strict=True))
    kept = [(last + step, row) for step, row in zip(steps, rows, strict=True) if step >= CLOSE]
    return [*earlier.steps, *(step for step, _ in kept)], [*before, *(row for _, row in kept)]


def record(
    encoder: str,
    runs: Sequence[Path],
    pool: Sequence[PoolExample],
    stored: Path,
    out: Path,
    after: Path | None = None,
) -> int:
    """Read the gold windows with every snapshot, append the final reader, write."""
    earlier = None if after is None else load_replay(after)
    if after is not None and earlier is None:
        raise BadInput(f"{after} holds no replay to go on from")
    readings = [load_reading(stored / f"{e.id}.npz") for e in pool]
    if len({r.checksum for r in readings}) != 1:
        raise BadInput(f"the readings in {stored} come from different readers; write them again")
    windows = [gold_window(e, r) for e, r in zip(pool, readings, strict=True)]
    chosen = placed(pool, windows, earlier)
    pool, readings, windows = ([items[k] for k in chosen] for items in (pool, readings, windows))
    model, last = load(encoder, dropout=0.0), final_step(runs[-1])
    # the final reader stands for its own step
    files = {step: path for step, path in snapshots(runs).items() if step < last}
    rows = []
    for step, path in files.items():
        load_weights(model, path)
        rows.append(read_windows(model, windows))
        log.info("step %d", step)
    steps, rows = behind(earlier, pool, [*files, last], [*rows, stored_rows(readings, windows)])
    return write(out, steps, rows, pool, windows, readings[0].checksum)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and record; 2 on files that cannot be used."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "replay")
    p.add_argument("--encoder", required=True, help="folder or hub id the fine-tuning started from")
    p.add_argument("--runs", required=True, nargs="+", type=Path, help="run folders, oldest first")
    p.add_argument(
        "--after", type=Path, help="the replay of the training that this one goes on from"
    )
    p.add_argument("--pool", type=Path, default=POOL)
    p.add_argument("--readings", type=Path, default=ASSETS / "readings")
    p.add_argument("--out", type=Path, default=ASSETS / "replay")
    a = p.parse_args(argv)
    size = record(a.encoder, a.runs, load_pool(a.pool), a.readings, a.out, a.after)
    log.info("%s: %.0f kB", a.out, size / 1000)


if __name__ == "__main__":
    sys.exit(main())
