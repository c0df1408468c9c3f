"""Reading a long paragraph, against the question-answering pipeline of transformers 4.57.6 (version 5
has none), in one run on one machine with the same weights.

    python -m tests.benchmarks.pipeline [--words 150 2000 8000] [--repeats 5] [--old FOLDER]

The old version is installed into FOLDER, apart from everything else, and runs in a process of its
own; both sides take turns, each with all threads that it uses by itself. Once our windows are the
page's own, once they are as many as the pipeline's (its stride is the overlap of two windows).
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from qa_demo.core.predict import predict
from qa_demo.core.types import DecodeOptions, WindowOptions
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from tests.benchmarks.attribution_cost import QUESTION, SENTENCES

ROOT = Path(__file__).resolve().parents[2]
OLD = "transformers==4.57.6"
LENGTH, OVERLAP = 384, 128
PEER = """
import json, sys, time, torch, transformers
from transformers import pipeline
ask = pipeline("question-answering", model=sys.argv[1], device=-1, torch_dtype=torch.float32)
print(json.dumps(transformers.__version__), flush=True)
for line in sys.stdin:
    question, context, length, overlap = json.loads(line)
    began = time.perf_counter()
    found = ask(question=question, context=context, max_seq_len=length, doc_stride=overlap)
    print(json.dumps([time.perf_counter() - began, found["answer"]]), flush=True)
"""


class Peer:
    """The pipeline in its own process."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "transformers").is_dir():
            install = ["-m", "pip", "install", "--quiet", "--target", str(folder), OLD]
            subprocess.run([getattr(sys, "_base_executable", sys.executable), *install], check=True)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", PEER, str(ROOT / "assets" / "reader")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder), "TRANSFORMERS_VERBOSITY": "error"},
        )
        self.version = self._answer()

    def _answer(self) -> object:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the old pipeline ended without an answer")
        return json.loads(line)

    def seconds(self, context: str) -> float:
        """How long it takes to answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([QUESTION, context, LENGTH, OVERLAP]) + "\n")
        self._process.stdin.flush()
        found = self._answer()
        assert isinstance(found, list)
        return float(found[0])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


def ours(reader: BertReader, context: str, options: WindowOptions) -> tuple[float, int]:
    """Seconds of one reading with its answer, and its windows."""
    began = time.perf_counter()
    reading = reader.read(QUESTION, context, options)
    predict(reading, DecodeOptions())
    return time.perf_counter() - began, len(reading.windows)


def main(arguments: list[str]) -> int:
    """Print a line for each length: medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, nargs="+", default=[150, 2000, 8000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--old", type=Path, default=Path(tempfile.gettempdir()) / "old-pipeline")
    args = parser.parse_args(arguments)
    peer, reader = Peer(args.old), load_reader("bundled")
    room = LENGTH - len(reader.encode(QUESTION, "a").question_ids) - 3
    equal = WindowOptions(max_seq_length=LENGTH, doc_stride=room - OVERLAP)
    words = (SENTENCES * (1 + max(args.words) // 16)).split()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    sys.stdout.write(
        f"this reader against transformers {peer.version}, {os.cpu_count()} cores, "
        f"{platform.machine()}, load before {load:.1f}, medians of {args.repeats}\n"
    )
    for count in args.words:
        context = " ".join(words[:count])
        for name, options in (("the page's windows", WindowOptions()), ("equal windows", equal)):
            old, new = [], []
            peer.seconds(context)
            _, windows = ours(reader, context, options)
            for _ in range(args.repeats):
                old.append(peer.seconds(context))
                new.append(ours(reader, context, options)[0])
            sys.stdout.write(
                f"{count:6d} words, {name:<19} ({windows:3d}): {median(new):6.3f} s against "
                f"{median(old):6.3f} s, ratio {median(new) / median(old):.2f}\n"
            )
            sys.stdout.flush()
    peer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
