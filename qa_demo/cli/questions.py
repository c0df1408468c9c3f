"""Files of questions: what core reads by itself, and Parquet where pyarrow is installed."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

from qa_demo.cli.shared import visible
from qa_demo.core.base import BadInput
from qa_demo.core.files.texts import layout, read_bytes
from qa_demo.core.measuring.questions import Questions, from_rows, read_questions
from qa_demo.core.measuring.remarks import remarks
from qa_demo.core.types import Example


def load_questions(path: Path) -> list[Example]:
    """All questions of a file, in order; the end of its name says the layout. What would bend a
    total is said on stderr. Errors: BadInput.
    """
    found = _read(path)
    tell(path.name, found.examples, found.empty_rows)
    return found.examples


def tell(name: str, examples: Sequence[Example], empty_rows: Sequence[int]) -> None:
    """Count and name on stderr what is odd about a file."""
    sys.stderr.write(
        "".join(f"{visible(name)}: {visible(one)}\n" for one in remarks(examples, empty_rows))
    )


def _read(path: Path) -> Questions:
    if layout(path) != ".parquet":
        return read_questions(path)
    try:
        import pyarrow.parquet
    except ImportError as fault:
        raise BadInput(
            f"{path.name} is Parquet, which needs the package pyarrow (pip install pyarrow); or "
            f"save it as JSON lines (datasets: data.to_json)"
        ) from fault
    raw = io.BytesIO(read_bytes(path))
    try:
        rows = pyarrow.parquet.read_table(raw).to_pylist()
    except (OSError, ValueError) as fault:  # ArrowInvalid is a ValueError
        raise BadInput(f"{path.name} is not a readable Parquet file: {fault}") from fault
    return from_rows(rows, path.name)
