"""Every example x explanation x target on the test of chapter 9, with the bundled reader: do verdict,
curve and sentences agree everywhere? python -m tests.benchmarks.chance_sweep [--seconds S]
[--targets T ...] [--skip N]
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from qa_demo.core.arrays import Floats
from qa_demo.core.explaining.attribution import KINDS
from qa_demo.core.types import TargetKind, Window
from qa_demo.model.loading import load_reader
from qa_demo.model.workers import set_threads
from qa_demo.views.examples import load_examples
from qa_demo.views.explaining import RANKINGS, Work
from tests.agreement import contradictions, target_for


def remembered(masked: Callable[..., tuple[Floats, Floats]]) -> Callable[..., Any]:
    """`masked` that runs every mask of a window once: all targets meet the same random sets."""
    seen: dict[tuple[int, bytes], tuple[Floats, Floats]] = {}

    def look(window: Window, masks: Any, *more: Any) -> tuple[Floats, Floats]:
        keys = [(window.index, mask.tobytes()) for mask in np.asarray(masks, dtype=bool)]
        new = {key: mask for key, mask in zip(keys, masks, strict=True) if key not in seen}
        if new:
            found = masked(window, np.array(list(new.values())), *more)
            seen.update(zip(new, zip(*found, strict=True), strict=True))
        start, end = zip(*(seen[key] for key in keys), strict=True)
        return np.array(start), np.array(end)

    return look


def sweep(
    seconds: float, kinds: list[TargetKind], skip: int
) -> tuple[Counter[tuple[str, str]], list[str], int]:
    """Standings by explanation, contradictions, examples left when time was over."""
    reader, stop = load_reader(), time.monotonic() + seconds
    plain = reader.masked
    found: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    ordered = sorted(load_examples().values(), key=lambda one: len(one.context))[skip:]
    for at, example in enumerate(ordered):
        if time.monotonic() > stop:
            return found, wrong, len(ordered) - at
        reader.masked = remembered(plain)  # type: ignore[method-assign]
        work = Work(reader, reader.read(example.question, example.context))
        for kind in kinds:
            target, began = target_for(work.reading, kind), time.perf_counter()
            if target is None:
                continue
            said = []
            for by in RANKINGS:
                against = contradictions(work, target, by)
                wrong += [f"{example.id} {kind} {by}: {one}" for one in against]
                sys.stdout.writelines(f"CONTRADICTION {by}: {one}\n" for one in against)
                rank = work.stood(target, by, "pad").placed.rank
                found[by, rank.standing] += 1
                said.append(f"{by} {rank.below} {rank.standing}")
            spent = time.perf_counter() - began
            sys.stdout.write(f"{example.id} {kind} {spent:.0f} s: {', '.join(said)}\n")
            sys.stdout.flush()
    return found, wrong, 0


def main() -> int:
    """Print the standings and every contradiction; 1 when there is one."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seconds", type=float, default=7200.0)
    flags.add_argument("--targets", nargs="*", choices=KINDS, default=list(KINDS))
    flags.add_argument("--skip", type=int, default=0, help="leave out so many of the shortest")
    args = flags.parse_args()
    set_threads()
    began = time.monotonic()
    found, wrong, left = sweep(args.seconds, args.targets, args.skip)
    for by in RANKINGS:
        counts = {standing: found[by, standing] for standing in ("larger", "chance", "smaller")}
        sys.stdout.write(f"{by}: {counts}\n")
    for one in wrong:
        sys.stdout.write(f"CONTRADICTION {one}\n")
    spent = time.monotonic() - began
    told = f"{len(wrong)} contradictions in {found.total()} explanations, {spent:.0f} s"
    sys.stdout.write(f"{told}, {left} examples left\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
