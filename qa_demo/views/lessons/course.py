"""The lessons of this page, and the names that their files may use."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qa_demo.core.course.lesson_file import Known
from qa_demo.core.course.lesson_folder import Folder, load_lessons
from qa_demo.core.course.lessons import Lesson, Step
from qa_demo.core.errors import BadInput
from qa_demo.core.files.assets import ASSETS
from qa_demo.figures.lessons.checks import CHECKS
from qa_demo.figures.pack import printable
from qa_demo.views.bench import presets
from qa_demo.views.examples import load_examples

FOLDER = ASSETS / "lessons"
CHAPTERS: Mapping[str, str] = MappingProxyType(
    {
        "answer": "1 Answer",
        "scores": "2 Scores",
        "start_end": "3 Start & end",
        "spans": "4 Spans",
        "loss": "5 Loss",
        "windows": "6 Long text",
        "bio": "7 Tags",
        "spanbert": "8 SpanBERT",
        "why": "9 Why",
    }
)
"""The chapters as the page's tabs name them; the command line needs them without the page."""
VIEWS = tuple(CHAPTERS)
STEPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scores": ("plane", "dimensions", "layers"),
        "spans": ("square", "tent", "mass"),
        "loss": ("axes", "labels", "steps"),
        "windows": ("windows", "candidates", "merge"),
        "bio": ("tags", "spans", "annotators"),
        "spanbert": ("mask", "predict", "closing"),
        "why": ("looked", "rested", "trust"),
    }
)
"""The steps of the chapters that have some, by their keys."""
SAID = "said"
"""The id of the file that corrects wrong statements: each of its steps stands for itself."""
COVERED = "& .veil-text"
"""What stands in a picture's place while it is covered."""
PARTS: Mapping[str, str] = MappingProxyType(
    {
        "question": "#asked",
        "answer-line": "#verdict",
        "formula": "& .formula-line",
        "picture": f"& .stage, {COVERED}",
        "notice": "& .notice",
        "steps": "& [id*='-step-']",
        "paragraph": "#picture-answer .text-box",
        "logit-line": "#picture-answer .logit-line",
        "four-numbers": "#picture-answer .four",
        "chips": "#guess",
        "square": f"#picture-spans .spans-stage, {COVERED}",
        "list": f"#picture-spans .spans-list, {COVERED}",
        "temperature": "#picture-start_end .levers",
        "folds": "& .stage .folds",
    }
)
"""What a step may point at, and where it stands on the page; & is the picture of its chapter."""


def _on_bench(case: str) -> tuple[tuple[str, str | None], ...]:
    """Open the bench, unless it is open, and put one of its cases there."""
    opened = "body:not(.benching) #switch-benching, body.benching #bench-presets"
    return (opened, None), ("#bench-presets", case)


ACTS: Mapping[str, tuple[tuple[str, str | None], ...]] = MappingProxyType(
    {
        "ask": (("#scores-question", "{question}"), ("#scores-ask", None)),
        "train": ((".bench:not(:has(+ .results)) #loss-take-1", None),),
        "deletion": (("#why-method", "leave_one_out"),),
        "gradients": (("#why-method", "integrated_gradients"),),
        "question-words": (("#why-question-run", None),),
        "measure": (("#why-trust-run", None),),
        "half-step": (("#windows-doc-stride", "{half}"),),
        **{f"bench-{case.id}": _on_bench(case.id) for case in presets.load()},
    }
)
"""What a step may press once its guess was made: each control in turn, with the value that it is
set to, its {facts} filled by the page.
"""


def load_folder(folder: Path) -> Folder:
    """What a folder holds; a file with a fault is named in `faults`. Errors: BadInput."""
    known = Known(tuple(load_examples()), VIEWS, tuple(PARTS), tuple(CHECKS), STEPS, tuple(ACTS))
    return load_lessons(folder, known)


def load(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """The lessons of a folder without a fault. Errors: BadInput with file, line and field."""
    found = load_folder(folder)
    if found.faults:
        raise BadInput(found.faults[0])
    return found.lessons


def load_course(own: Path | None = None) -> Folder:
    """The lessons of a page: those of a teacher's own folder first, then the bundled ones, each
    unless one of the folder has its id. Errors: BadInput for a folder with nothing to use.
    """
    first = Folder(()) if own is None else load_folder(own)
    taken = {lesson.id for lesson in first.lessons}
    rest = (lesson for lesson in load() if lesson.id not in taken)
    return replace(first, lessons=(*first.lessons, *rest))


def load_terms() -> list[dict[str, Any]]:
    """The terms of the field: id, names, one sentence, the lesson, and which number of the screen
    belongs to it.
    """
    found: list[dict[str, Any]] = json.loads((ASSETS / "terms.json").read_text(encoding="utf-8"))
    return found


def contents(course: Folder) -> dict[str, Any]:
    """What the strip needs before a step is opened: titles, minutes, and how each step asks; the
    teacher's own text, and the files that could not be used.
    """
    return {
        "faults": [printable(fault) for fault in course.faults],
        "text": None
        if course.text is None
        else dict(zip(("question", "context"), map(printable, course.text), strict=True)),
        "parts": dict(PARTS),
        "said": SAID,
        "terms": load_terms(),
        "lessons": [
            {
                "id": lesson.id,
                "title": lesson.title,
                "minutes": lesson.minutes,
                "wrong": lesson.wrong,
                "track": lesson.track,
                "steps": [
                    {**_step(step), "other": other}
                    for step, other in zip(lesson.steps, _others(lesson), strict=True)
                ],
            }
            for lesson in course.lessons
        ],
    }


def _others(lesson: Lesson) -> list[str]:
    """For each step the title of its text, where the step before it has another one."""
    examples = load_examples()
    used = [step.example or lesson.example for step in lesson.steps]
    changes = [old != new for old, new in pairwise(used)]
    return [
        examples[key].title if changed and not step.byhand else ""
        for key, changed, step in zip(used, [False, *changes], lesson.steps, strict=True)
    ]


def _step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "text": step.text,
        "view": step.view,
        "step": step.step,
        "open": step.open,
        "act": [
            [at, value and value.replace("{question}", step.question)]
            for at, value in (ACTS[step.act] if step.act else ())
        ],
        "byhand": step.byhand,
        "source": step.source,
        "highlight": list(step.highlight),
        "predict": step.predict,
        "veil": bool(step.predict) and step.veil,
        "options": [[option.key, option.text] for option in step.options],
    }
