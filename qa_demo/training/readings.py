"""Store one Reading for every example of the pool, so that the page shows it before the weights are
loaded, and the integrated gradients of its best span's lead, which take seconds each.

    python -m qa_demo.training.readings [--reader bundled|DIR] [--out assets/readings]

Each file carries the checksum of the reader that made it; the gradients go beside the folder.
Readings of examples that left the pool are deleted.
"""

import logging
import sys
from collections.abc import Iterable
from pathlib import Path

from qa_demo.core.attribution import Attribution, Target
from qa_demo.core.examples import PoolExample
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.store import ASSETS, ATTRIBUTIONS, save_attributions, save_reading
from qa_demo.training.examples import POOL
from qa_demo.training.loop import described, exit_code
from qa_demo.training.promises import load_pool

log = logging.getLogger("readings")


def store(reader: Reader, pool: Iterable[PoolExample], out: Path) -> int:
    """Read and write every example; returns the size of the folder in bytes."""
    kept, shares = set(), dict[str, tuple[str, Attribution]]()
    for example in pool:
        path = out / f"{example.id}.npz"
        reading = reader.read(example.question, example.context, example.options)
        save_reading(reading, path)
        kept.add(path)
        best = predict(reading).best
        if best is not None:
            span, window = best.candidate.span, best.candidate.window
            target = Target("span_minus_null", span, None, window)
            shares[example.id] = reading.checksum, reader.attribute(reading, target)
    save_attributions(shares, out.parent / ATTRIBUTIONS.name)
    for path in set(out.glob("*.npz")) - kept:
        path.unlink()
    return sum(path.stat().st_size for path in kept)


@exit_code
def main(argv: list[str] | None = None) -> None:
    """Parse the command line and store; 2 on a reader or pool that cannot be used."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    p = described(__doc__, "readings")
    p.add_argument("--reader", default="bundled", help="bundled, or a folder")
    p.add_argument("--pool", type=Path, default=POOL)
    p.add_argument("--out", type=Path, default=ASSETS / "readings")
    a = p.parse_args(argv)
    pool = load_pool(a.pool)
    # after the pool, so that a fault in the file is told at once
    from qa_demo.model.loading import load_reader

    size = store(load_reader(a.reader), pool, a.out)
    log.info("%s: %d readings, %.0f kB", a.out, len(pool), size / 1000)


if __name__ == "__main__":
    sys.exit(main())
