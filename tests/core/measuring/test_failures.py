"""Kinds of error: hand examples, and every rule written out again over drawn readings."""

from dataclasses import replace
from typing import Any

import numpy as np

from qa_demo.core.measuring.failures import BECAUSE, KINDS, Judged, gold_spans, judge, unread
from qa_demo.core.measuring.metrics import exact_match, score
from qa_demo.core.measuring.sentences import looks_like, sentences
from qa_demo.core.predict import predict
from qa_demo.core.types import RULES, Answer, DecodeOptions, Example, Reading, Span
from tests.core.toys import make_encoding, make_reading, random_reading

TEXT = "Ada met Bob in 1998 . Then 2 of them saw Rome with her"
WORDS = TEXT.split()
"""Sentences: 0 to 5 and 6 to 13."""


def example(reading: Reading, *spans: tuple[int, int], **change: Any) -> Example:
    encoding = reading.encoding
    golds = [Answer(encoding.text(Span(*s)), encoding.chars(Span(*s))[0]) for s in spans]
    return replace(Example("q", "who", encoding.context, tuple(golds), not golds), **change)


def said(word: int) -> Reading:
    """One window over WORDS whose best span is this word."""
    row = np.zeros(len(WORDS) + 4)
    row[0], row[3 + word] = -4.5, 9
    return make_reading(WORDS, [(0, len(WORDS))], [row], [row])


def judged(reading: Reading, of: Example, **options: Any) -> Judged:
    decode = DecodeOptions(**options)
    return judge(reading, of, predict(reading, decode), decode, "1.1")


def test_what_shuts_out_a_gold_span() -> None:
    reading = said(0)
    long = judged(reading, example(reading, (6, 9)), max_answer_length=3)
    assert (long.kind, long.because) == ("gold not reachable", "max_answer_length")
    assert judged(reading, example(reading, (6, 8)), max_answer_length=3).because == ""
    start = reading.encoding.chars(Span(8, 8))[0]
    inside = example(reading, answers=(Answer("f", start + 1),))
    assert judged(reading, inside).because == "word pieces"
    either = example(reading, (6, 9), (7, 7))
    assert judged(reading, either, max_answer_length=3).kind != "gold not reachable"


def two_windows(first: list[float], second: list[float]) -> Reading:
    """Windows over words 0-3 and 2-5; the same numbers for start and end."""
    words = ["Ada", "met", "Bob", "in", "1998", "there"]
    rows = [[-9, 0, 0, *row, 0] for row in (first, second)]
    return make_reading(words, [(0, 4), (2, 6)], rows, rows)


def test_lost_in_the_merge_names_the_window_that_was_right() -> None:
    reading = two_windows([9, 0, 0, 0], [0, 0, 5, 0])
    found = judged(reading, example(reading, (4, 4)))
    assert (found.kind, found.lost_window) == ("lost in the merge", 1)
    reading = two_windows([9, 0, 0, 0], [0, 0, 5, 6])
    assert judged(reading, example(reading, (4, 4))).kind != "lost in the merge"


def test_a_gold_span_that_its_owner_does_not_hold_is_out_of_reach() -> None:
    reading = two_windows([9, 0, 0, 0], [0, 0, 5, 0])
    cut = example(reading, (2, 4))  # token 2 belongs to window 0, which ends with token 3
    found = judged(reading, cut)
    assert (found.kind, found.because) == ("gold not reachable", "window")


def test_gold_that_stands_nowhere_and_texts_that_were_not_read() -> None:
    reading = said(1)
    nowhere = example(reading, answers=(Answer("Paris", 3), Answer("x", -1)))
    assert judged(reading, nowhere).kind == "gold without a place"
    assert unread(nowhere, "1.1") == Judged(0.0, 0.0, "not read")
    assert unread(example(reading), "2.0") == Judged(1.0, 1.0, "not read")


def test_without_a_legal_span_nothing_is_reachable() -> None:
    reading = said(1)
    none = replace(predict(reading), n_best=(), score_diff=None)
    owned = replace(reading.windows[0], is_max_context=np.zeros(len(WORDS) + 4, dtype=bool))
    bare, of = replace(reading, windows=(owned,)), example(reading, (4, 4))
    found = judge(bare, of, none, DecodeOptions(), "2.0")
    assert found.kind == "gold not reachable"


def oracle(reading: Reading, of: Example, decode: DecodeOptions, rules: str) -> str:
    """The rules of the module's first lines again, in loops over tokens and characters."""
    e, made = reading.encoding, predict(reading, decode)
    final = made.n_best[0].candidate.text if rules == "1.1" and made.n_best else made.answer
    golds = [a.text for a in of.answers]

    def right(text: str) -> bool:
        return any(exact_match(g, text) for g in golds)

    if score(of, final or "", rules)[0] == 1:
        return "right"
    if not golds:
        return "answered although unanswerable"
    if final is None and made.n_best:
        return "withheld"

    def touched(start: int, end: int) -> tuple[int, ...]:
        return tuple(
            k for k, (a, b) in enumerate(e.offset_mapping.tolist()) if a < end and start < b
        )

    gold = {touched(answer.char_start, answer.char_end) for answer in of.answers}

    def returnable(tokens: tuple[int, ...]) -> bool:
        for w in reading.windows:
            held = all(w.doc_start <= t < w.doc_stop for t in tokens)
            owned = tokens[0] in w.owned
            if held and owned and len(tokens) <= decode.max_answer_length:
                return True
        return False

    if not made.n_best or not any(returnable(g) for g in gold):
        return "gold not reachable"
    top = made.n_best[0].candidate
    for w in reading.windows:
        s, end = (row.astype(float) for row in reading.logits(w.index))
        begins = w.is_max_context
        alone = [
            (s[i] + end[j], -i, -j)
            for i in range(len(w))
            for j in range(i, min(len(w), i + decode.max_answer_length))
            if begins[i] and w.is_context[j]
        ]
        if alone and w.index != top.window:
            _, i, j = max(alone)
            if right(e.text(Span(w.to_doc(-i), w.to_doc(-j)))):
                return "lost in the merge"
    listed = [r.candidate.span for r in made.n_best]
    good = [s for s in listed if right(e.text(s))] + [Span(g[0], g[-1]) for g in gold]
    for g in good:
        apart = [s for s in listed if s.end < g.start or s.start > g.end]
        for other in good + apart[:1]:
            first, last = min(g, other), max(g, other)
            if (first.start, last.end) == (top.span.start, top.span.end) and (
                last.start - first.end > 1  # every toy token is a word
            ):
                return "glued"
    inside = set(range(top.span.start, top.span.end + 1))
    if any(inside & set(g) for g in gold):
        return "border"
    whole = [Span(g[0], g[-1]) for g in gold]
    looks = {looks_like(e.text(span), e.chars(span)[0], e.context) for span in whole}
    if looks_like(top.text, top.char_start, e.context) in looks - {"words"}:
        return "wrong candidate of the right type"
    for place in sentences(e.context):
        tokens = set(touched(*place))
        if tokens & inside and any(tokens & set(g) for g in gold):
            return "right sentence"
    return "other sentence"


def test_every_kind_is_what_the_rules_say() -> None:
    """600 drawn readings, which meet every kind that a toy can show."""
    met = set()
    for seed in range(600):
        rng = np.random.default_rng(seed)
        reading = random_reading(rng, *[(14, 20, 20), (14, 6, 3), (14, 8, 7)][seed % 3])
        words = rng.choice(["Ada", "7", "saw", "it.", "Then"], 14).tolist()
        reading = replace(reading, encoding=make_encoding(words))
        rules, rule = ("1.1", "2.0")[seed // 3 % 2], RULES[rng.integers(len(RULES))]
        most = int(rng.integers(1, 7))
        decode = DecodeOptions(max_answer_length=most, n_best_size=5, rule=rule)
        starts = rng.integers(0, 14, rng.integers(rules == "1.1", 4)).tolist()
        of = example(reading, *[(a, min(13, a + int(rng.integers(0, 5)))) for a in starts])
        found = judge(reading, of, predict(reading, decode), decode, rules)
        assert found.kind == oracle(reading, of, decode, rules)
        assert found.because in ("", *BECAUSE)
        assert (found.kind == "right") == (found.exact == 1)
        assert (found.lost_window is not None) == (found.kind == "lost in the merge")
        assert found.gold == gold_spans(reading.encoding, of)
        met.add(found.kind)
    assert met == set(KINDS) - {"gold without a place", "not read"}
