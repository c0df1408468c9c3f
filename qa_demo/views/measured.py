"""The figures that lie beside the reader in use, for every chapter that shows some of them."""

from functools import lru_cache
from pathlib import Path

from qa_demo.core.files.assets import READERS
from qa_demo.core.measuring.measured import Measured, load_measured


@lru_cache(maxsize=8)
def measured(source: str) -> Measured | None:
    """The figures that lie beside a reader of that name, bundled or a folder; None for one without.

    A reader from the hub comes without: its figures are not fetched.
    """
    return load_measured(READERS.get(source, Path(source)))
