"""Every example x explanation x target on the test of chapter 9, with the bundled reader: do verdict
and curve agree everywhere? python -m tests.benchmarks.chance_sweep [--seconds S] [--targets T ...]
"""

import argparse
import sys
import time
from collections import Counter

from qa_demo.core.attribution import KINDS
from qa_demo.core.faithfulness import chance_band, ranks_along
from qa_demo.core.options import DecodeOptions
from qa_demo.core.types import TargetKind
from qa_demo.model.loading import load_reader
from qa_demo.model.workers import set_threads
from qa_demo.views import selection
from qa_demo.views.examples import load_examples
from qa_demo.views.explained import RANKINGS
from qa_demo.views.explaining import Work
from qa_demo.views.state import Screen
from qa_demo.views.why.choice import KEY, Choice, target_of


def sweep(seconds: float, kinds: list[TargetKind]) -> tuple[Counter[tuple[str, str]], int]:
    """Standings by explanation, and how often verdict and curve contradict each other; shortest
    paragraphs first, until the time is over.
    """
    reader, stop = load_reader(), time.monotonic() + seconds
    found: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for example in sorted(load_examples().values(), key=lambda one: len(one.context)):
        reading = reader.read(example.question, example.context)
        screen = Screen(reading, DecodeOptions())
        screen = screen.select(selection.winner(screen))
        for kind in kinds:
            if time.monotonic() > stop:
                return found, wrong
            target = target_of(screen.keep(KEY, Choice(kind)))
            if target is None or target.kind != kind:
                continue
            work, began = Work(reader, reading), time.perf_counter()
            random = work.random_curves(target)
            low, high = chance_band(random)
            said = []
            for by in RANKINGS:
                rank, line = (
                    work.stood(target, by, "pad").placed.rank,
                    work.curve(target, by, "pad"),
                )
                at = line.sizes.index(work.random_sets(target).size)
                f = line.deletion_f[0, at]
                outside = "larger" if f < low[at] else "smaller" if f > high[at] else "chance"
                wrong += rank != ranks_along(line, random)[at] or outside != rank.standing
                found[by, rank.standing] += 1
                said.append(f"{by} {rank.below} {rank.standing}")
            spent = time.perf_counter() - began
            line = f"{example.id} {kind} {spent:.0f} s: {', '.join(said)}\n"
            sys.stdout.write(line)
            sys.stdout.flush()
    return found, wrong


def main() -> int:
    """Print the standings; 1 when verdict and curve contradict each other anywhere."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--seconds", type=float, default=7200.0)
    flags.add_argument("--targets", nargs="*", choices=KINDS, default=list(KINDS))
    args = flags.parse_args()
    set_threads()
    found, wrong = sweep(args.seconds, args.targets)
    for by in RANKINGS:
        counts = {standing: found[by, standing] for standing in ("larger", "chance", "smaller")}
        sys.stdout.write(f"{by}: {counts}\n")
    sys.stdout.write(f"contradictions: {wrong} of {found.total()}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
