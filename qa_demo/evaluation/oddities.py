"""What would bend a total without a word: answers that a file places wrongly, blank ones, answers
that do not stand in their paragraph and why, and scripts without blanks.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial

from qa_demo.core.types import Example

PLAIN_SIGNS = str.maketrans("’‘‚“”„–—‐\u00a0", "'''\"\"\"---\u0020")
UNLIKE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("typographic signs", lambda text: text.translate(PLAIN_SIGNS)),
    ("HTML entities", html.unescape),
    ("white space", lambda text: " ".join(text.split())),
    ("accents written as one sign or two", partial(unicodedata.normalize, "NFC")),
    ("capital letters", str.casefold),
)
"""By what an answer's letters differ from the paragraph's, and what makes them alike."""
NO_BLANKS = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def why_absent(text: str, context: str) -> str:
    """By what an answer differs from the paragraph in which it has no place."""
    if text in context:
        return "stands more than once, and the file does not say where"
    for name, alike in UNLIKE:
        if alike(text) in alike(context):
            return f"differs in {name}"
    return "other words than the paragraph's"


def oddities(example: Example, moved: bool, impossible: object) -> Iterator[str]:
    """What is counted, and what it does to the totals."""
    answers, context = example.answers, example.context
    if impossible is bool(answers):
        yield "is_impossible says otherwise than the answers; the answers count"
    if moved:
        yield "answer_start is wrong; the nearest place of the text is taken"
    if not all(answer.text.strip() for answer in answers):
        yield "an answer is blank; an empty list says that the text has none"
    if answers and not any(answer.text in context for answer in answers):
        why = why_absent(answers[0].text, context)
        end = f": it {why}" if why.startswith("differs") else ", so no span may be right"
        yield f"no gold answer stands in the paragraph letter by letter{end}"
    if any(NO_BLANKS.search(answer.text) and " " not in answer.text for answer in answers):
        yield "the answer's script puts no blanks between words, so its F1 is exact match"
