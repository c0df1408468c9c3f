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
from subprocess import PIPE

from qa_demo.core.predict import predict
from qa_demo.core.types import WindowOptions
from qa_demo.model.loading import load_reader
from tests.benchmarks.attribution_cost import QUESTION, SENTENCES
from tests.documents import ROOT

OLD = "transformers==4.57.6"
LENGTH, OVERLAP = 384, 128
PEER = """
import json, sys, time, torch, transformers
from transformers import pipeline
ask = pipeline("question-answering", model=sys.argv[1], device=-1, torch_dtype=torch.float32)
print(transformers.__version__, flush=True)
for line in sys.stdin:
    question, context, length, overlap = json.loads(line)
    began = time.perf_counter()
    ask(question=question, context=context, max_seq_len=length, doc_stride=overlap)
    print(time.perf_counter() - began, flush=True)
"""


def started(folder: Path) -> subprocess.Popen[str]:
    """The pipeline in its own process: it says its version, then seconds for each line it hears."""
    if not (folder / "transformers").is_dir():
        install = ["-m", "pip", "install", "--quiet", "--target", str(folder), OLD]
        subprocess.run([getattr(sys, "_base_executable", sys.executable), *install], check=True)
    peer = [sys.executable, "-W", "ignore", "-c", PEER, str(ROOT / "assets" / "reader")]
    known = {**os.environ, "PYTHONPATH": str(folder), "TRANSFORMERS_VERBOSITY": "error"}
    return subprocess.Popen(peer, env=known, stdin=PIPE, stdout=PIPE, text=True)


def main() -> None:
    """Print a line for each length: medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, nargs="+", default=[150, 2000, 8000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--old", type=Path, default=Path(tempfile.gettempdir()) / "old-pipeline")
    args = parser.parse_args()
    peer, reader = started(args.old), load_reader("bundled")
    assert peer.stdin is not None and peer.stdout is not None
    room = LENGTH - len(reader.encode(QUESTION, "a").question_ids) - 3
    equal = WindowOptions(max_seq_length=LENGTH, doc_stride=room - OVERLAP)
    words = (SENTENCES * (1 + max(args.words) // 16)).split()
    version = peer.stdout.readline().strip() or sys.exit("the old pipeline did not start")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    machine = f"{os.cpu_count()} cores, {platform.machine()}, load before {load:.1f}"
    print(f"this reader against transformers {version}, {machine}, medians of {args.repeats}")
    for count in args.words:
        context, turns = " ".join(words[:count]), args.repeats * max(1, 2000 // count)
        for name, options in (("the page's windows", WindowOptions()), ("equal windows", equal)):
            old, new = [], []
            for _ in range(1 + turns):
                print(json.dumps([QUESTION, context, LENGTH, OVERLAP]), file=peer.stdin, flush=True)
                old.append(float(peer.stdout.readline()))
                began = time.perf_counter()
                reading = reader.read(QUESTION, context, options)
                predict(reading)
                new.append(time.perf_counter() - began)
            ours, theirs = median(new[1:]), median(old[1:])  # the first ones warm up
            read = f"{count:6d} words, {name:<19} ({len(reading.windows):3d})"
            times = f"{ours:6.3f} s against {theirs:6.3f} s, ratio {ours / theirs:.2f}"
            print(f"{read}: {times}", flush=True)
    peer.communicate(timeout=20)


if __name__ == "__main__":
    main()
