"""Every example x explanation x target on the test of chapter 9, with the bundled reader: do verdict,
curve and sentences agree everywhere? python -m tests.benchmarks.chance_sweep [--seconds S]
[--targets T ...] [--skip N]
"""

import argparse
import sys
import time
from collections import Counter

from qa_demo.core.attribution import KINDS
from qa_demo.core.types import TargetKind
from qa_demo.model.loading import load_reader
from qa_demo.model.workers import set_threads
from qa_demo.views.examples import load_examples
from qa_demo.views.explained import RANKINGS
from qa_demo.views.explaining import Work
from tests.agreement import contradictions, target_for


def sweep(
    seconds: float, kinds: list[TargetKind], skip: int
) -> tuple[Counter[tuple[str, str]], list[str], int]:
    """Standings by explanation, what contradicts, and how many examples were left when the time was
    over; shortest paragraphs first.
    """
    reader, stop = load_reader(), time.monotonic() + seconds
    found: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    ordered = sorted(load_examples().values(), key=lambda one: len(one.context))[skip:]
    for at, example in enumerate(ordered):
        if time.monotonic() > stop:
            return found, wrong, len(ordered) - at
        work = Work(reader, reader.read(example.question, example.context))
        for kind in kinds:
            target, began = target_for(work.reading, kind), time.perf_counter()
            if target is None:
                continue
            said = []
            for by in RANKINGS:
                against = contradictions(work, target, by)
                wrong += [f"{example.id} {kind} {by}: {one}" for one in against]
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
        sys.stdout.write(f"{one}\n")
    spent = time.monotonic() - began
    told = f"{len(wrong)} contradictions in {found.total()} explanations, {spent:.0f} s"
    sys.stdout.write(f"{told}, {left} examples left\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
