"""Why an answer is wrong: every question gets one kind, by rules that are asked in a fixed order.

A is the best span, g a gold answer of any annotator (both as tokens of the paragraph, `doc`); right
is exact match with some gold answer after SQuAD's normalisation. Each rule looks at spans and texts
only; none asks a model. All but "withheld" depend on no threshold, so a line of a run holds the
kind of its best span and is judged under any threshold.
"""

from qa_demo.core.metrics import score
from qa_demo.core.spans import Candidate, best_span
from qa_demo.core.text import touching
from qa_demo.core.types import DecodeOptions, Encoding, Example, Reading, Span
from qa_demo.evaluation.questions import why_absent

MEANING = {
    "right": "Exactly right after SQuAD's normalisation; without an answer in the file: withheld.",
    "border": "The answer overlaps a right one; start or end is off.",
    "elsewhere": "The answer shares no word with a right one.",
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


def kind_of(
    reading: Reading, example: Example, best: Candidate | None, decode: DecodeOptions, rules: str
) -> tuple[str, str]:
    """(kind, because) of the best span as if it were given, whatever "no answer" scores: the first
    rule that holds. `rules` are "1.1" or "2.0".
    """

    def right(text: str) -> bool:
        return score(example, text, rules)[0] == 1

    def shut_out(gold: Span) -> str:
        """What keeps a gold span from being returned; "" when it is a legal candidate."""
        if not right(reading.encoding.text(gold)):
            return "tokens"
        if len(gold) > decode.max_answer_length:
            return "max_answer_length"
        owner = reading.windows[int(reading.owners[gold.start])]
        return "" if owner.holds(gold) else "window"

    if right("" if best is None else best.text):
        return "right", ""
    if not example.answers:
        return "answered although unanswerable", ""
    golds = gold_spans(reading.encoding, example)
    if not golds:
        return "gold without a place", why_absent(example.answers[0].text, example.context)
    causes = [shut_out(gold) for gold in golds]
    if best is None or all(causes):
        return "gold not reachable", causes[0]
    alone = (best_span(reading, w, decode) for w in reading.windows)
    if any(own is not None and right(own.text) for own in alone):
        return "lost in the merge", ""
    if any(best.span.start <= gold.end and gold.start <= best.span.end for gold in golds):
        return "border", ""
    return "elsewhere", ""
