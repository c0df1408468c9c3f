"""Files of questions: what core reads by itself, and Parquet where pyarrow is installed."""

from pathlib import Path

from qa_demo.core.errors import BadInput
from qa_demo.core.learning.golds import Example
from qa_demo.core.measuring.questions import from_rows, read_questions


def load_questions(path: Path) -> list[Example]:
    """All questions of a file, in order; the end of its name says the layout. Errors: BadInput."""
    if path.suffix.lower() != ".parquet":
        return read_questions(path)
    try:
        import pyarrow.parquet
    except ImportError as fault:
        raise BadInput(
            f"{path.name} is Parquet, which needs the package pyarrow (pip install pyarrow); or "
            f"save it as JSON lines (datasets: data.to_json)"
        ) from fault
    try:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as fault:  # ArrowInvalid is a ValueError
        raise BadInput(f"{path.name} is not a readable Parquet file: {fault}") from fault
    return from_rows(rows, path.name)
