"""Why an answer is wrong: every question gets one kind, by rules that are asked in a fixed order.

Notation: A the answer, g a gold answer of any annotator (all as tokens of the paragraph, `doc`);
"right" is exact match with some gold answer after SQuAD's normalisation. The first rule that holds
decides:

    right                   exact match 1, which without an answer in the file means: not answered
    answered although unanswerable  the file has no answer, the reader gives one
    withheld                the file has an answer, the reader gives none
    gold without a place    no gold answer stands where the file says, so no rule below can be asked
    gold not reachable      no g could be returned: `because` says what shuts out the first of them
    lost in the merge       the best span of a window, taken alone, is right; the merge chose A
    glued                   A runs from the start of one good span to the end of a later one with a
                            whole word between them; one is right, the other is right too or the
                            best listed span that does not touch it
    border                  A shares a token with some g
    wrong candidate of the right type  A and some g are both numbers, or both names
    right sentence          A touches a sentence that some g touches
    other sentence          none of these
    not read                the reader refuses the texts (a question longer than allowed)

Each rule looks at spans and texts only; none asks a model.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qa_demo.core.measuring.metrics import score
from qa_demo.core.measuring.remarks import stands
from qa_demo.core.measuring.sentences import looks_like, sentences
from qa_demo.core.predict import Prediction
from qa_demo.core.spans import Candidate, best_span
from qa_demo.core.text import touching
from qa_demo.core.types import DecodeOptions, Encoding, Example, Reading, Span

RIGHT = "right"
KINDS = (
    RIGHT,
    "border",
    "wrong candidate of the right type",
    "right sentence",
    "other sentence",
    "glued",
    "lost in the merge",
    "gold not reachable",
    "withheld",
    "answered although unanswerable",
    "gold without a place",
    "not read",
)
"""Every kind, in the order of a report."""

BECAUSE = ("max_answer_length", "window", "word pieces")
"""What can shut out a gold span: it is longer than allowed, no window may return it, or its borders
lie inside a word piece.
"""


@dataclass(frozen=True)
class Judged:
    """One question judged: exact and F1 (0 to 1) of the final answer, and its kind.

    `because` is one of BECAUSE for "gold not reachable", else "". `gold` are the placed gold spans
    (doc), each once, in text order. `lost_window` is the window whose own best span was right.
    """

    exact: float
    f1: float
    kind: str
    because: str = ""
    gold: tuple[Span, ...] = ()
    lost_window: int | None = None


def unread(example: Example, rules: str) -> Judged:
    """A question that could not be read counts as unanswered."""
    return Judged(*score(example, "", rules), "not read")


def gold_spans(encoding: Encoding, example: Example) -> tuple[Span, ...]:
    """The tokens that touch each gold answer standing where the file says, each once, in text
    order.
    """
    found = {
        touching(encoding, answer.char_start, answer.char_end)  # None for an answer of blanks
        for answer in example.answers
        if stands(example, answer)
    }
    return tuple(sorted(span for span in found if span is not None))


def is_right(example: Example, text: str, rules: str) -> bool:
    """Exact match with some gold answer."""
    return score(example, text, rules)[0] == 1


def shut_out(
    reading: Reading, example: Example, gold: Span, decode: DecodeOptions, rules: str
) -> str:
    """What keeps this gold span from being returned, one of `BECAUSE`; "" when it is a legal
    candidate.
    """
    if not is_right(example, reading.encoding.text(gold), rules):
        return "word pieces"
    if len(gold) > decode.max_answer_length:
        return "max_answer_length"
    owner = int(reading.owners[gold.start])
    return "" if reading.windows[owner].holds(gold) else "window"


def lost_window(
    reading: Reading, example: Example, answer: Candidate, decode: DecodeOptions, rules: str
) -> int | None:
    """The window whose own best span is right although the merge chose a span of another window;
    of several the one that scores it highest. None when there is none.
    """
    if len(reading.windows) < 2:
        return None
    found = [best_span(reading, window, decode) for window in reading.windows]
    others = [c for c in found if c is not None and c.window != answer.window]
    right = [c for c in others if is_right(example, c.text, rules)]
    return max(right, key=lambda c: c.score).window if right else None


def is_glued(
    reading: Reading,
    example: Example,
    answer: Span,
    listed: Sequence[Span],
    gold: Iterable[Span],
    rules: str,
) -> bool:
    """Whether the answer runs from one good span's start to a later one's end, with a whole word
    between them.

    `listed` are the n best, best first. One of the two is right (a gold span, or a listed one with
    a right text); the other is right too, or the best listed span that does not touch it.
    """
    right = {s for s in listed if is_right(example, reading.encoding.text(s), rules)} | set(gold)
    for good in right:
        rival = next((s for s in listed if not _touch(s, good)), None)
        for other in right | ({rival} if rival is not None else set()):
            first, second = sorted((good, other))
            if (
                first.end < second.start
                and (answer.start, answer.end) == (first.start, second.end)
                and _word_between(reading.encoding, first, second)
            ):
                return True
    return False


def _touch(a: Span, b: Span) -> bool:
    """Whether two spans share a token."""
    return a.start <= b.end and b.start <= a.end


def _word_between(encoding: Encoding, first: Span, second: Span) -> bool:
    """Whether a word with a letter or digit stands between two spans, belonging to neither."""
    words = encoding.whitespace_ids
    inside = words[first.end + 1 : second.start]
    free = inside[(inside != words[first.end]) & (inside != words[second.start])]
    if not len(free):
        return False
    tokens = [k for k in range(first.end + 1, second.start) if words[k] in set(free.tolist())]
    return any(char.isalnum() for k in tokens for char in encoding.text(Span(k, k)))


def judge(
    reading: Reading, example: Example, prediction: Prediction, decode: DecodeOptions, rules: str
) -> Judged:
    """Exact, F1 and kind of one prediction. `rules` "1.1": the best span always counts; "2.0": it
    counts unless it is withheld.
    """
    final, best = answer_under(prediction, rules), prediction.best
    exact, f1 = score(example, final or "", rules)
    gold = gold_spans(reading.encoding, example)
    if exact == 1:
        return Judged(exact, f1, RIGHT, gold=gold)
    if not example.answers:
        return Judged(exact, f1, "answered although unanswerable")
    if final is None and best is not None:
        return Judged(exact, f1, "withheld", gold=gold)
    if not gold:
        return Judged(exact, f1, "gold without a place")
    causes = [shut_out(reading, example, g, decode, rules) for g in gold]
    if best is None or all(causes):
        return Judged(exact, f1, "gold not reachable", causes[0], gold)
    answer = best.candidate
    lost = lost_window(reading, example, answer, decode, rules)
    if lost is not None:
        return Judged(exact, f1, "lost in the merge", gold=gold, lost_window=lost)
    listed = [ranked.candidate.span for ranked in prediction.n_best]
    if is_glued(reading, example, answer.span, listed, gold, rules):
        return Judged(exact, f1, "glued", gold=gold)
    return Judged(exact, f1, _by_place(reading.encoding, answer, gold), gold=gold)


def answer_under(prediction: Prediction, rules: str) -> str | None:
    """The final answer: version 1.1 takes the best span whatever "no answer" scores."""
    if rules == "1.1":
        return None if prediction.best is None else prediction.best.candidate.text
    return prediction.answer


def _by_place(encoding: Encoding, answer: Candidate, gold: Sequence[Span]) -> str:
    """Border, type or sentence of an answer that no earlier rule explains."""
    if any(_touch(answer.span, g) for g in gold):
        return "border"
    context = encoding.context
    own = looks_like(answer.text, answer.char_start, context)
    looks = {looks_like(encoding.text(g), encoding.chars(g)[0], context) for g in gold}
    if own != "words" and own in looks:
        return "wrong candidate of the right type"
    ranges = [encoding.chars(g) for g in gold]
    same = any(
        any(start < b and a < end for start, end in ranges)
        for a, b in sentences(context)
        if answer.char_start < b and a < answer.char_end
    )
    return "right sentence" if same else "other sentence"
