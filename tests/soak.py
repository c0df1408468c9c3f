"""Whether memory stays flat: python -m tests.soak [--readings N] [--seconds S] ...

Readings and attributions of random lengths run through the bundled reader in several threads. The
resident memory of the process is printed after the first ten readings and ten more times; the exit
code is 1 when the last value is more than `LIMIT_MB` above that first one. Linux only.
"""

import argparse
import random
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from qa_demo.core.explaining.attribution import METHODS, Target
from qa_demo.core.types import Span
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.workers import set_threads

LIMIT_MB = 150
FIRST = 10
LONGEST = {"reading": 900, "attribution": 250}
"""Words of the longest text: three windows for a reading, about one for an attribution."""
TEXT = (
    "the keeper of the old mill near Visby told Anna in 1882 that rivers carry sand to the sea "
    "and that every bridge built before the war had been painted twice by Ingeborg Hansen ."
)
WORDS = TEXT.split()
Act = Callable[[BertReader, random.Random], None]


def resident() -> float:
    """The resident memory of this process in MB (Linux)."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("this system does not say how much memory a process uses")


def texts(chance: random.Random, longest: int) -> tuple[str, str]:
    """A question and a paragraph of random words and a random number of them."""
    question = " ".join(chance.choices(WORDS, k=chance.randint(3, 14)))
    return question, " ".join(chance.choices(WORDS, k=chance.randint(15, longest)))


def read(reader: BertReader, chance: random.Random) -> None:
    """One reading."""
    reader.read(*texts(chance, LONGEST["reading"]))


def explain(reader: BertReader, chance: random.Random) -> None:
    """One reading and one attribution of a random word in it, by a random method."""
    reading = reader.read(*texts(chance, LONGEST["attribution"]))
    at = chance.randrange(10)
    target = Target("span_score", Span(at, at + 1), window=0)
    reader.attribute(reading, target, chance.choice(METHODS), n_steps=10)


class Soak:
    """A list of acts worked off by several threads until it or the time has ended."""

    def __init__(self, reader: BertReader, acts: list[Act], seconds: float) -> None:
        self._reader, self._acts = reader, acts
        self._stop = time.monotonic() + seconds
        self._lock, self._done = threading.Lock(), {read: 0, explain: 0}
        self.curve: list[float] = []

    def run(self, threads: int) -> None:
        """Work the list off; every act has a seed of its own, so that threads change nothing."""
        with ThreadPoolExecutor(threads) as pool:
            for future in [pool.submit(self._one, k) for k in range(len(self._acts))]:
                future.result()
        self.note()

    def note(self) -> None:
        """Measure and print one point of the curve."""
        self.curve.append(resident())
        sys.stdout.write(
            f"{self._done[read]:5d} readings, {self._done[explain]:4d} attributions: "
            f"{self.curve[-1]:5.0f} MB ({self.curve[-1] - self.curve[0]:+.0f})\n"
        )
        sys.stdout.flush()

    def _one(self, k: int) -> None:
        if time.monotonic() > self._stop:
            return
        self._acts[k](self._reader, random.Random(k))
        with self._lock:
            self._done[self._acts[k]] += 1
            done = sum(self._done.values())
            if done == FIRST or done % max(1, len(self._acts) // 10) == 0:
                self.note()


def main(arguments: list[str]) -> int:
    """Run the soak and print its curve; 1 when memory grew by more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readings", type=int, default=2000)
    parser.add_argument("--attributions", type=int, default=300)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=3600)
    args = parser.parse_args(arguments)
    set_threads()
    reader = load_reader("bundled")
    sys.stdout.write(f"reader loaded: {resident():.0f} MB\n")
    acts: list[Act] = [read] * (args.readings - FIRST) + [explain] * args.attributions
    random.Random(0).shuffle(acts)
    soak = Soak(reader, [read] * FIRST + acts, args.seconds)
    soak.run(args.threads)
    grown = soak.curve[-1] - soak.curve[0]
    sys.stdout.write(f"grown by {grown:.0f} MB; allowed {LIMIT_MB} MB\n")
    return int(grown > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
