"""The lessons of a folder: one file NAME.md each, in the order of their names; and a text of the
teacher's own for all lessons, text.txt.
"""

from dataclasses import dataclass
from pathlib import Path

from qa_demo.core.course.lesson_file import Known, parse_lesson
from qa_demo.core.course.lessons import Lesson
from qa_demo.core.errors import BadInput

MOST_BYTES = 100_000
"""Of one file; the longest of the bundled lessons has some 8,000."""
TEXT = "text.txt"


@dataclass(frozen=True)
class Folder:
    """The lessons of a folder; `faults` says which files could not be used, and why; `text` is a
    question and a paragraph for all lessons, None where there is no such file.
    """

    lessons: tuple[Lesson, ...]
    faults: tuple[str, ...] = ()
    text: tuple[str, str] | None = None


def load_lessons(folder: Path, known: Known) -> Folder:
    """The lessons of a folder in the order of their file names; a file with a fault is left out and
    named with its line and field. Errors: BadInput for a folder with nothing to use.
    """
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    found: dict[str, Lesson] = {}
    faults: list[str] = []
    text: tuple[str, str] | None = None
    for path in sorted([*folder.glob("*.md"), *folder.glob(TEXT)]):
        try:
            if path.name == TEXT:
                text = parse_text(text_of(path), path.name)
                continue
            lesson = parse_lesson(text_of(path), path.name, known)
            if lesson.id in found:
                other = found[lesson.id].file
                cause = f"line 2, field id: {other} has the id '{lesson.id}' too"
                raise BadInput(f"{path.name}, {cause}")
            found[lesson.id] = lesson
        except BadInput as fault:
            faults.append(str(fault))
    if not found and text is None:
        why = "; ".join(faults) or "a lesson is a file NAME.md"
        raise BadInput(f"the folder {folder} holds no lesson: {why}")
    return Folder(tuple(found.values()), tuple(faults), text)


def parse_text(text: str, file: str) -> tuple[str, str]:
    """Question and paragraph: the first line, and what stands below it. Errors: BadInput."""
    question, _, paragraph = (part.strip() for part in text.strip().partition("\n"))
    if not question or not paragraph:
        raise BadInput(f"{file}, line 1: a question in the first line, below it the paragraph")
    return question, paragraph


def text_of(path: Path) -> str:
    """What stands in a file. Errors: BadInput for one that is too long, no text, or not a file."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise BadInput(f"{path.name} has {size:,} bytes; a lesson has {MOST_BYTES:,} at most")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadInput(f"{path.name} is not UTF-8: byte {fault.start}") from fault
    except OSError as fault:
        raise BadInput(f"{path.name} cannot be read: {fault.strerror or fault}") from fault
