"""The page with the fake reader: python -m tests.browser.server PORT."""

import os
import sys
import time
from pathlib import Path

from qa_demo.server.launch import launch  # before all that import gradio, which it makes faster

# isort: split
from qa_demo.api.routes import routes as calls
from qa_demo.core.types import Reading
from qa_demo.examples import load_menu
from qa_demo.lessons.files import read_folders
from qa_demo.lessons.served import Lessons
from qa_demo.lessons.served import routes as lesson_routes
from qa_demo.page import build, routes
from qa_demo.pictures import Pictures
from qa_demo.server.guard import VARIABLE
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader, tell

SLOW = "Slowly: "
"""A question that begins so takes a second a window."""
COURSE = "http://localhost:8000"
"""The origin of a page that may show it in a frame."""


class Patient(FakeReader):
    """Reads some texts slowly."""

    def read(self, question, context, options=None, on_progress=None, cancelled=None) -> Reading:
        if question.startswith(SLOW):
            for k in range(40):
                tell(k, 40, on_progress, cancelled)
                time.sleep(0.1)
        return super().read(question, context, options, on_progress, cancelled)


def main(port: int) -> None:
    """Serve until killed; a page of the course may show it in a frame."""
    os.environ[VARIABLE] = COURSE
    reader = Patient(bio=True)
    pictures = Pictures(load_menu(), lambda _: reader, FakeInfiller)
    lessons = Lessons(pictures, read_folders(Path(__file__).with_name("lessons")))
    beside = [*routes(pictures), *calls(pictures)]
    beside += lesson_routes(lessons, "http://school.example:7860/")
    launch(build(pictures), "127.0.0.1", port, None, beside, prevent_thread_lock=False)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(int(sys.argv[1]))
