"""What is said of a file of questions before it is read by anyone: ids that cannot be told apart
end the run, and what would bend a total without a word is counted and named.
"""

from collections.abc import Callable, Sequence

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.types import Answer, Example

SHOWN = 40
"""Characters of an id or an answer that a sentence quotes."""


def check_ids(examples: Sequence[Example], name: str) -> None:
    """Refuse ids that two questions share: outcomes are kept by them, so the later would count
    twice and the earlier never. Errors: BadInput that names the first two.
    """
    seen: dict[str, int] = {}
    for number, example in enumerate(examples, 1):
        if example.id in seen:
            raise BadInput(
                f"{name}: questions {seen[example.id]} and {number} share the id "
                f"{example.id[:SHOWN]!r}; each needs one of its own, and a row without one is "
                f"called by its number"
            )
        seen[example.id] = number


def remarks(examples: Sequence[Example], empty_rows: Sequence[int] = ()) -> tuple[str, ...]:
    """One sentence for each thing that some question shows, with how many do and the first one's
    id, and one for rows that hold nothing; none where all is as it should be.
    """
    found = []
    for holds, words in RULES:
        shown = [example.id for example in examples if holds(example)]
        if shown:
            them = "1 question" if len(shown) == 1 else f"{len(shown):,} questions"
            found.append(f"{them} (first: {shown[0][:SHOWN]!r}): {words}")
    if empty_rows:
        them = "1 row is" if len(empty_rows) == 1 else f"{len(empty_rows):,} rows are"
        found.append(f"{them} empty and left out (first: row {empty_rows[0]})")
    return tuple(found)


def _absent(example: Example) -> bool:
    texts = [answer.text for answer in example.answers]
    return bool(texts) and not any(text in example.context for text in texts)


def stands(example: Example, answer: Answer) -> bool:
    """Whether an answer stands where the file says."""
    at = answer.char_start
    return at >= 0 and example.context[at : answer.char_end] == answer.text


def _elsewhere(example: Example) -> bool:
    """No gold answer has a place that holds, though some text stands in the paragraph."""
    if not example.answers or _absent(example):
        return False
    return not any(stands(example, answer) for answer in example.answers)


def _apart(example: Example) -> bool:
    """Two gold answers of other words at places that do not touch."""
    placed = sorted(
        (a.char_start, a.char_end, normalize(a.text)) for a in example.answers if a.text.strip()
    )
    return any(
        a[0] >= 0 and a[1] <= b[0] and a[2] != b[2]
        for k, a in enumerate(placed)
        for b in placed[k:]
    )


RULES: tuple[tuple[Callable[[Example], bool], str], ...] = (
    (
        lambda e: not e.question.strip() or not e.context.strip(),
        "the question or the paragraph is empty, so it counts as unanswered",
    ),
    (
        lambda e: e.is_impossible and bool(e.answers),
        "is_impossible is true though answers are listed; as in the official script it counts as "
        "one that has an answer",
    ),
    (
        lambda e: any(not answer.text.strip() for answer in e.answers),
        "a gold answer is empty, yet the question counts as one that has an answer",
    ),
    (_absent, "no gold answer stands in the paragraph letter by letter, so no span may be right"),
    (
        _elsewhere,
        "answer_start is wrong, or missing of a text that stands more than once; scores use the "
        "text, kinds of error need its place",
    ),
    (
        _apart,
        "gold answers at separate places; each alone counts as fully right, as if annotators had "
        "disagreed, also where they are the parts of a list",
    ),
)
"""What is counted, and what it does to the totals."""
