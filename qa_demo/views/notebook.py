"""A reading in a notebook: the one-file reading in a frame that keeps to itself.

The reading alone is asked, no model: it takes seconds, and what needs the reader again (its layers,
what a word contributes) says that it needs the running page.
"""

from functools import cache

from qa_demo.core.errors import ModelUnavailable
from qa_demo.core.reader import Reader
from qa_demo.core.types import Reading
from qa_demo.views.frame import Frame
from qa_demo.views.new_reading import new_screen
from qa_demo.views.page import frame_of, tabs
from qa_demo.views.saved.file import html, saved
from qa_demo.views.saved.tape import record
from qa_demo.views.services import Services

HEIGHT = 900
"""Pixels: most chapters from the tabs to the sentence under the picture."""


def as_page(reading: Reading) -> str:
    """A frame of HTML with all nine chapters of a reading, for the output of a notebook's cell. It
    asks nothing of any server, and can reach nothing of the notebook.
    """
    page = html(saved(record(_frame(), new_screen(None, reading)), tabs(), ""))
    inside = page.replace("&", "&amp;").replace("'", "&#39;")
    return (
        "<iframe title='A reading in Spanlight' sandbox='allow-scripts allow-downloads' "
        f"style='width: 100%; height: {HEIGHT}px; border: 0' srcdoc='{inside}'></iframe>"
    )


@cache
def _frame() -> Frame:
    return frame_of(Services(_no_reader, _no_other, {}))


def _no_reader() -> Reader:
    raise ModelUnavailable(
        "This needs the running page: a notebook shows the reading alone, without its reader."
    )


def _no_other(source: str) -> Reader:
    return _no_reader()
