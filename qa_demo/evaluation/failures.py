"""Why an answer is wrong: every question gets one kind, by rules that are asked in a fixed order.

Notation: A the best span, g a gold answer of any annotator (all as tokens of the paragraph, `doc`);
"right" is exact match with some gold answer after SQuAD's normalisation. The first rule that holds
decides:

    right                   exact match 1, which without an answer in the file means: not answered
    answered although unanswerable  the file has no answer, the reader gives one
    withheld                the file has an answer, the reader gives none
    gold without a place    no gold answer stands in the paragraph at a place that is known
    gold not reachable      no g could be returned: `because` says what shuts out the first of them
    lost in the merge       the best span of a window, taken alone, is right; the merge chose A
    border                  A shares a token with some g
    wrong candidate of the right type  A and some g are both numbers, or both names
    right sentence          A touches a sentence that some g touches
    other sentence          none of these
    not read                the reader refuses the texts (a question longer than allowed)

Each rule looks at spans and texts only; none asks a model. All but "withheld" depend on no
threshold, so a line of a run holds the kind of its best span and is judged under any threshold.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from qa_demo.core.metrics import score
from qa_demo.core.spans import Candidate, best_span
from qa_demo.core.text import touching
from qa_demo.core.types import DecodeOptions, Encoding, Example, Reading, Span
from qa_demo.evaluation.questions import why_absent

MEANING = {
    "right": "Exactly right after SQuAD's normalisation; without an answer in the file: withheld.",
    "border": "The answer overlaps a right one; start or end is off.",
    "wrong candidate of the right type": "Another number where a number is right, or another name "
    "where a name is.",
    "right sentence": "Other words of a sentence that holds a right answer.",
    "other sentence": "A place in no sentence that holds a right answer.",
    "lost in the merge": "One window's own best span was right, another window's span won.",
    "gold not reachable": "No right answer could be returned: too long, cut by its window, or its "
    "border lies inside a token.",
    "withheld": "The file has an answer, the reader gave none.",
    "answered although unanswerable": "The file has no answer, the reader gave one.",
    "gold without a place": "No right answer stands in the paragraph at a known place.",
    "not read": "The reader refuses the texts, for example a question that is too long.",
}
"""Every kind, in the order of a report."""


def gold_spans(encoding: Encoding, example: Example) -> tuple[Span, ...]:
    """The tokens that touch each gold answer with a place, each once, in text order."""
    found = {
        touching(encoding, answer.char_start, answer.char_end)  # None for an answer of blanks
        for answer in example.answers
        if answer.char_start >= 0
    }
    return tuple(sorted(span for span in found if span is not None))


def shut_out(
    reading: Reading, example: Example, gold: Span, decode: DecodeOptions, rules: str
) -> str:
    """What keeps this gold span from being returned; "" when it is a legal candidate."""
    if score(example, reading.encoding.text(gold), rules)[0] < 1:
        return "tokens"
    if len(gold) > decode.max_answer_length:
        return "max_answer_length"
    owner = reading.windows[int(reading.owners[gold.start])]
    return "" if owner.holds(gold) else "window"


def lost(
    reading: Reading, example: Example, answer: Candidate, decode: DecodeOptions, rules: str
) -> bool:
    """Whether the best span of another window than the answer's is right."""
    others = (w for w in reading.windows if w.index != answer.window)
    found = (best_span(reading, window, decode) for window in others)
    return any(c is not None and score(example, c.text, rules)[0] == 1 for c in found)


def kind_of(
    reading: Reading, example: Example, best: Candidate | None, decode: DecodeOptions, rules: str
) -> tuple[str, str]:
    """(kind, because) of the best span as if it were given, whatever "no answer" scores. `rules`
    are "1.1" or "2.0".
    """
    if score(example, "" if best is None else best.text, rules)[0] == 1:
        return "right", ""
    if not example.answers:
        return "answered although unanswerable", ""
    gold = gold_spans(reading.encoding, example)
    if not gold:
        return "gold without a place", why_absent(example.answers[0].text, example.context)
    causes = [shut_out(reading, example, g, decode, rules) for g in gold]
    if best is None or all(causes):
        return "gold not reachable", causes[0]
    if lost(reading, example, best, decode, rules):
        return "lost in the merge", ""
    return _by_place(reading.encoding, best, gold), ""


def _by_place(encoding: Encoding, answer: Candidate, gold: Sequence[Span]) -> str:
    """Border, type or sentence of an answer that no earlier rule explains."""
    if any(answer.span.start <= g.end and g.start <= answer.span.end for g in gold):
        return "border"
    context, ranges = encoding.context, [encoding.chars(g) for g in gold]
    own = looks_like(answer.text, answer.char_start, context)
    if own != "words" and own in {looks_like(context[a:b], a, context) for a, b in ranges}:
        return "wrong candidate of the right type"
    same = any(
        any(start < b and a < end for start, end in ranges)
        for a, b in sentences(context)
        if answer.char_start < b and a < answer.char_end
    )
    return "right sentence" if same else "other sentence"


# ---- sentences and looks: rules on characters, the same for the same text; no model is asked

_END = re.compile(r"[.!?][\"')\]”’»]*(?=\s+[\"'(\[“‘«]*[^\W_a-z])|\n+")
_SHORT = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|Jr|Sr|Gen|Col|Lt|Sgt|Rev|Hon|Fig|ca|e\.g|i\.e|[^\W\d_])\.$"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|hundred|thousand|million|billion|half|third|quarter)s?\b",
    re.IGNORECASE,
)
LOOKS = ("number", "name", "words")


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Half-open character ranges of the sentences, which cover the text without a gap.

    A sentence ends at . ! or ? before a blank and a capital letter or digit, and at a line's end;
    not after one letter or a short form ("J. Bach", "Mr. Bach", "No. 3"), so "in plan B. He left"
    counts as one sentence. An empty text has none.
    """
    ends = [
        match.end()
        for match in _END.finditer(text)
        if "\n" in match.group() or not _SHORT.search(text[: match.start() + 1][-8:])
    ]
    borders = [0, *(end for end in ends if end < len(text)), len(text)]
    return tuple((a, b) for a, b in pairwise(borders) if a < b)


def looks_like(text: str, at: int, context: str) -> str:
    """One of `LOOKS` for context[at:at + len(text)]: a number where it holds a digit or a word for
    one, else a name where a word that does not begin a sentence begins with a capital letter.

    Examples: "in 1998" and "two of them" are numbers, "the Denver Broncos" is a name, "a bridge"
    and (as the first word of its sentence) "Bridges" are words.
    """
    if _NUMBER.search(text):
        return "number"
    firsts = {
        next((k for k in range(a, b) if context[k].isalnum()), a) for a, b in sentences(context)
    }
    for word in re.finditer(r"\w+", text):
        if word.group()[0].isupper() and at + word.start() not in firsts:
            return "name"
    return "words"
