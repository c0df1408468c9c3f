"""The lessons of a folder: one file NAME.md each, in the order of their names."""

from pathlib import Path

from qa_demo.core.course.lesson_file import Known, parse_lesson
from qa_demo.core.course.lessons import Lesson
from qa_demo.core.errors import BadInput

MOST_BYTES = 100_000
"""Of one file; the longest of the bundled lessons has some 8,000."""


def load_lessons(folder: Path, known: Known) -> tuple[Lesson, ...]:
    """The lessons of a folder in the order of their file names. Errors: BadInput with file, line
    and field, for an id that stands twice, or for a folder without a lesson.
    """
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    found: dict[str, Lesson] = {}
    for path in sorted(folder.glob("*.md")):
        lesson = parse_lesson(text_of(path), path.name, known)
        if lesson.id in found:
            other = found[lesson.id].file
            raise BadInput(f"{path.name}, line 2, field id: {other} has the id '{lesson.id}' too")
        found[lesson.id] = lesson
    if not found:
        raise BadInput(f"the folder {folder} holds no lesson: a lesson is a file NAME.md")
    return tuple(found.values())


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
