"""The figures that lie beside the reader in use, for every chapter that shows some of them."""

from functools import lru_cache
from pathlib import Path

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.measuring.measured import Measured, load_measured
from qa_demo.views.services import BUNDLED


@lru_cache(maxsize=8)
def measured(source: str) -> Measured | None:
    """The figures that lie beside a reader of that name, bundled or a folder; None for one without.

    A reader from the hub comes without: its figures are not fetched.
    """
    return load_measured(ASSETS / "reader" if source == BUNDLED else Path(source))
