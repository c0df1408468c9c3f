"""The files of a teacher's plans: one Markdown file each, and one with the aims of the lessons.

    ---
    id: hour                                    front matter: one "name: value" a line
    title: One hour of 45 minutes
    minutes: 45                                 or 90 90, for two meetings
    needs: What students must know already.
    board: span, logit, softmax                 words for the blackboard
    ---

    ## 0-5 What is an answer?                   a row: minutes and title, then its fields
    lesson: span                                or screen: board
    steps: Find it yourself; Does it write?     titles of the lesson's steps
    ask: What to ask aloud.
    usual: What students usually answer.
    say: What to say then.
    bring: what to have at hand                 optional

`aims.md` holds `## lesson-id` with the fields aim and check (the title of a step) for each lesson.
A file that cannot be used is named with its line and field; the others are shown all the same.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from qa_demo.core.course.file_lines import Block, Lines, blocks, front_matter, needed
from qa_demo.core.course.lesson_folder import text_of
from qa_demo.core.course.lessons import Lesson
from qa_demo.core.course.plans import SCREENS, Aim, Plan, Row, Teaching
from qa_demo.core.errors import BadInput

Lessons = Mapping[str, Lesson]
HEAD = ("id", "title", "minutes", "needs", "board")
ROW = ("lesson", "screen", "steps", "bring", "ask", "usual", "say")
AIM = ("aim", "check")
AIMS = "aims.md"
_ROW = re.compile(r"(\d{1,3})-(\d{1,3}) (.+)")


def load_teaching(folder: Path, lessons: Sequence[Lesson]) -> Teaching:
    """The plans of a folder in the order of their file names, and the aims; a file with a fault is
    left out and named in `faults`.
    """
    known = {lesson.id: lesson for lesson in lessons}
    plans: list[Plan] = []
    aims: tuple[Aim, ...] = ()
    faults: list[str] = []
    for path in sorted(folder.glob("*.md")):
        try:
            if path.name == AIMS:
                aims = parse_aims(text_of(path), path.name, known)
            else:
                plans.append(parse_plan(text_of(path), path.name, known))
        except BadInput as fault:
            faults.append(str(fault))
    return Teaching(tuple(plans), aims, tuple(faults))


def parse_plan(text: str, file: str, lessons: Lessons) -> Plan:
    """One plan from its file. Errors: BadInput with file, line and field."""
    lines = Lines(file, text.splitlines())
    head = front_matter(lines, HEAD)
    rows = [(_row(lines, block, lessons), block) for block in blocks(lines, ROW)]
    hours = _hours(lines, rows)
    wanted = head["minutes"].split()
    if wanted != [str(hour[-1].stop) for hour in hours]:
        got = " ".join(str(hour[-1].stop) for hour in hours) or "none"
        cause = f"the rows end at {got}, not at {head['minutes']}"
        lines.fault("minutes", cause, lines.fields["minutes"])
    board = tuple(word.strip() for word in head["board"].split(",") if word.strip())
    return Plan(head["id"], head["title"], head["needs"], board, hours)


def parse_aims(text: str, file: str, lessons: Lessons) -> tuple[Aim, ...]:
    """The aims of the lessons in the order of the file. Errors: BadInput with file, line, field."""
    lines = Lines(file, text.splitlines())
    found: list[Aim] = []
    for block in blocks(lines, AIM):
        needed(lines, block, AIM)
        lesson = lessons.get(block.title)
        if lesson is None:
            lines.fault("lesson", f"there is no lesson '{block.title[:40]}'", block.line)
        check = block.fields["check"]
        _step_of(lines, lesson, check, block.at("check"))
        found.append(Aim(lesson.title, block.fields["aim"], lesson.wrong, check))
    return tuple(found)


def _row(lines: Lines, block: Block, lessons: Lessons) -> Row:
    match, get = _ROW.fullmatch(block.title), block.fields.get
    if match is None or int(match[1]) >= int(match[2]):
        lines.fault("minutes", f"'## 0-5 title' is needed, got '{block.title[:40]}'", block.line)
    needed(lines, block, ("ask", "usual", "say"))
    given = [name for name in ("lesson", "screen") if get(name)]
    if len(given) != 1:
        lines.fault("lesson", "a row has either a lesson or a screen", block.line)
    if get("lesson"):
        steps, screens, texts = _of_lesson(lines, block, lessons)
    else:
        steps, screens, texts = (), (block.fields["screen"],), ()
        if screens[0] not in SCREENS:
            cause = f"one of {', '.join(SCREENS)} is allowed, got '{screens[0][:40]}'"
            lines.fault("screen", cause, block.at("screen"))
    words = (get("bring", ""), block.fields["ask"], block.fields["usual"], block.fields["say"])
    return Row(int(match[1]), int(match[2]), match[3], steps, screens, texts, *words)


def _of_lesson(
    lines: Lines, block: Block, lessons: Lessons
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The titles of a row's steps, the chapters they open, and the examples they read."""
    lesson = lessons.get(block.fields["lesson"])
    if lesson is None:
        cause = f"there is no lesson '{block.fields['lesson'][:40]}'"
        lines.fault("lesson", cause, block.at("lesson"))
    titles = [title.strip() for title in block.fields.get("steps", "").split(";")]
    if titles == [""]:
        titles = [step.title for step in lesson.steps]
    steps = [lesson.steps[_step_of(lines, lesson, title, block.at("steps"))] for title in titles]
    screens = dict.fromkeys(step.view for step in steps)
    texts = dict.fromkeys(step.example or lesson.example for step in steps)
    return tuple(titles), tuple(screens), tuple(texts)


def _step_of(lines: Lines, lesson: Lesson, title: str, line: int) -> int:
    """The number of the step with a title."""
    titles = [step.title for step in lesson.steps]
    if title not in titles:
        cause = f"lesson '{lesson.id}' has no step '{title[:60]}'; it has {'; '.join(titles)}"
        lines.fault("steps", cause, line)
    return titles.index(title)


def _hours(lines: Lines, rows: Sequence[tuple[Row, Block]]) -> tuple[tuple[Row, ...], ...]:
    """The rows by meeting: one begins at minute 0, and within it each row where the last ended."""
    hours: list[list[Row]] = []
    for row, block in rows:
        if row.start == 0:
            hours.append([])
        elif not hours or hours[-1][-1].stop != row.start:
            ended = hours[-1][-1].stop if hours else 0
            lines.fault("minutes", f"the row before ends at {ended}", block.line)
        hours[-1].append(row)
    return tuple(tuple(hour) for hour in hours)
