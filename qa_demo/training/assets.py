"""What is stored of the bundled reader, so that the page shows it before the weights are loaded:
a Reading of every example, the integrated gradients of its best span's margin, which take seconds
each, and the replay of the training, what the reader said at about thirty steps from step 0 on.

    python -m qa_demo.training.assets readings
    python -m qa_demo.training.assets replay --run runs/student [--encoder ENCODER]

Readings carry the checksum of the reader that made them, the replay that of its weights, so that a
new threshold leaves it valid. The replay is made of the run's snapshots and of the readings, its
last row: of each example the window that holds the gold answer.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from qa_demo.core import store
from qa_demo.core.attribution import Attribution, Target
from qa_demo.core.base import BadInput
from qa_demo.core.predict import predict
from qa_demo.core.text import span_at
from qa_demo.core.types import Reading, Window
from qa_demo.examples import PoolExample, load_texts
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.training.heads import load_weights, of_run
from qa_demo.training.loop import described, exit_code, log, read_json, write_json

FINE = 32
"""Parts of a logit that every row but the last is rounded to: it takes a third less room so."""


def store_all(reader: BertReader, pool: Sequence[PoolExample], out: Path) -> int:
    """Write every example's reading, and the gradients beside; delete those of examples that left
    the pool; returns the size of the folder in bytes.
    """
    kept, shares = set(), dict[str, tuple[str, Attribution]]()
    for example in pool:
        path = out / f"{example.id}.npz"
        reading = reader.read(example.question, example.context, example.options)
        store.save_reading(reading, path)
        kept.add(path)
        if best := predict(reading).best:
            span, window = best.candidate.span, best.candidate.window
            target = Target("span_minus_null", span, None, window)
            shares[example.id] = reading.checksum, reader.attribute(reading, target)
    store.save_attributions(shares, out.parent / store.ATTRIBUTIONS.name)
    for path in set(out.glob("*.npz")) - kept:
        path.unlink()
    return sum(path.stat().st_size for path in kept)


def gold_window(example: PoolExample, reading: Reading) -> Window:
    """The window that owns the first gold token if it holds the answer whole, else the first that
    does; without an answer the first.
    """
    if not example.answers:
        return reading.windows[0]
    gold = example.answers[0]
    found = reading.home(span_at(reading.encoding, gold.char_start, gold.char_end))
    if found is None:
        raise BadInput(f"example '{example.id}': no window holds its answer whole")
    return found


def record(run: Path, encoder: str, pool: Sequence[PoolExample], stored: Path, out: Path) -> int:
    """Write the gold windows as every snapshot and the final reader read them; returns the files'
    size in bytes. Errors: BadInput for another reader's readings, and a run without snapshots.
    """
    readings = [store.load_reading(stored / f"{e.id}.npz") for e in pool]
    reader, weights = store.bundled()
    if {r.checksum for r in readings} != {reader}:
        raise BadInput(f"the readings in {stored} are not the bundled reader's; write them again")
    windows = [gold_window(e, r) for e, r in zip(pool, readings, strict=True)]
    last = read_json(run / "state.json", step=0)["step"]  # the final reader stands for its own step
    found = sorted((run / "snapshots").glob("step-*.safetensors"))
    if not found:
        raise BadInput(f"no snapshots/step-*.safetensors in {run.name}")
    files = {k: path for path in found if (k := int(path.stem.removeprefix("step-"))) < last}
    pairs = [r.logits(w.index) for r, w in zip(readings, windows, strict=True)]
    final = np.concatenate([np.stack(pair, -1) for pair in pairs])
    model, rows = of_run(read_json(run / "settings.json"), encoder).eval(), list[np.ndarray]()
    for path in files.values():
        load_weights(model, path)
        rows.append(np.concatenate([model.read(window)[0] for window in windows]))
        log.info("%s", path.stem)
    coarse = np.round(np.stack(rows) * FINE) / FINE
    logits = np.concatenate([coarse, final[None]]).astype(np.float16)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "replay.npz", start=logits[..., 0], end=logits[..., 1])
    sizes = [len(window) for window in windows]
    starts = (np.cumsum(sizes) - sizes).tolist()
    each = zip(pool, windows, starts, sizes, strict=True)
    examples = [{"id": e.id, "window": w.index, "at": at, "length": n} for e, w, at, n in each]
    about = {"steps": [*files, last], "weights": weights, "examples": examples}
    write_json(out / "replay.json", about)
    return sum((out / name).stat().st_size for name in ("replay.npz", "replay.json"))


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and store; 2 on a reader, run or pool that cannot be used."""
    p = described(__doc__, "assets")
    what = p.add_subparsers(dest="action", required=True)
    _, two = what.add_parser("readings"), what.add_parser("replay")
    two.add_argument("--run", required=True, type=Path)
    two.add_argument("--encoder", default="", help="by default the one that the run names")
    a = p.parse_args(argv)
    pool, out = load_texts(PoolExample, store.ASSETS / "examples.json"), store.ASSETS / a.action
    if a.action == "readings":
        size = store_all(load_reader(), pool, out)
    else:
        size = record(a.run, a.encoder, pool, store.ASSETS / "readings", out)
    log.info("%s: %d examples, %.0f kB", out, len(pool), size / 1000)


if __name__ == "__main__":
    raise SystemExit(main())
