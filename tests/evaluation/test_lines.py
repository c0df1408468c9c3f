"""Kinds of error: hand examples, and every rule written out again over drawn readings."""

import time
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.metrics import exact_match, score
from qa_demo.core.predict import predict
from qa_demo.core.types import RULES, Answer, DecodeOptions, Example, Reading, Span, WindowOptions
from qa_demo.evaluation.lines import MEANING, kind_of
from qa_demo.evaluation.run import read_each
from tests.core.toys import make_encoding, make_reading, random_reading, unowned

TEXT = "Ada met Bob in 1998 . Then 2 of them saw Rome with her"
WORDS, USUAL = TEXT.split(), DecodeOptions()


def example(reading: Reading, *spans: tuple[int, int], **change: Any) -> Example:
    encoding = reading.encoding
    golds = [Answer(encoding.text(Span(*s)), encoding.chars(Span(*s))[0]) for s in spans]
    return replace(Example("q", "who", encoding.context, tuple(golds)), **change)


def said(word: int) -> Reading:
    """One window over WORDS whose best span is this word."""
    row = np.zeros(len(WORDS) + 4)
    row[0], row[3 + word] = -4.5, 9
    return make_reading(WORDS, [row], [row])


def judged(
    reading: Reading, of: Example, decode: DecodeOptions = USUAL, rules: str = "1.1"
) -> tuple[str, str]:
    return kind_of(reading, of, predict(reading, decode).best.candidate, decode, rules)


def test_what_shuts_out_a_gold_span_and_one_without_a_place_are_told_by_their_cause():
    """Finding 13: letters that differ are not a missing place."""
    reading = said(0)
    for text, cause in (
        ("Paris", "other words than the paragraph's"),
        ("Ada  met", "differs in white space"),
        ("in", "stands more than once, and the file does not say where"),
    ):
        of = example(reading, answers=(Answer(text, -1),))
        assert judged(reading, of) == ("gold without a place", cause)
    inside = example(reading, answers=(Answer("f", reading.encoding.chars(Span(8, 8))[0] + 1),))
    assert judged(reading, inside) == ("gold not reachable", "tokens")
    found = kind_of(unowned(reading), example(reading, (4, 4)), None, USUAL, "2.0")
    assert found[0] == "gold not reachable", "where no span is legal"


def oracle(reading: Reading, of: Example, decode: DecodeOptions, rules: str) -> tuple[str, str]:
    """The rules of `MEANING` again, in loops over tokens and characters, and the cause."""
    e, made = reading.encoding, predict(reading, decode)
    final = made.n_best[0].candidate.text if made.n_best else None
    golds = [a.text for a in of.answers]

    def right(text: str) -> bool:
        return any(exact_match(g, text) for g in golds)

    if score(of, final or "", rules)[0] == 1:
        return "right", ""
    if not golds:
        return "answered although unanswerable", ""

    def touched(start: int, end: int) -> tuple[int, ...]:
        places = e.offset_mapping.tolist()
        return tuple(k for k, (a, b) in enumerate(places) if a < end and start < b)

    gold = sorted({touched(answer.char_start, answer.char_end) for answer in of.answers})

    def cause(tokens: tuple[int, ...]) -> str:
        if len(tokens) > decode.max_answer_length:
            return "max_answer_length"
        owner = next(w for w in reading.windows if tokens[0] in w.owned)
        return "" if all(owner.doc_start <= t < owner.doc_stop for t in tokens) else "window"

    if all(map(cause, gold)):
        return "gold not reachable", cause(gold[0])
    top = made.n_best[0].candidate
    for w in reading.windows:
        s, end = (row.astype(float) for row in reading.logits(w.index))
        alone = [
            (s[i] + end[j], -i, -j)
            for i in np.flatnonzero(w.is_max_context)
            for j in range(i, min(len(w), i + decode.max_answer_length))
            if w.is_context[j]
        ]
        if alone and w.index != top.window:
            _, i, j = max(alone)
            if right(e.text(Span(w.to_doc(-i), w.to_doc(-j)))):
                return "lost in the merge", ""
    if any(set(range(top.span.start, top.span.end + 1)) & set(g) for g in gold):
        return "border", ""
    return "elsewhere", ""


def test_every_kind_is_what_the_rules_say():
    """300 drawn readings, which meet every kind that a toy can show."""
    met = set()
    for seed in range(300):
        rng = np.random.default_rng(seed)
        reading = random_reading(rng, *[(14, 20, 20), (14, 6, 3), (14, 8, 7)][seed % 3])
        words = rng.choice(["Ada", "7", "saw", "it.", "Then"], 14).tolist()
        reading = replace(reading, encoding=make_encoding(words))
        rules, rule = ("1.1", "2.0")[seed // 3 % 2], RULES[rng.integers(len(RULES))]
        decode = DecodeOptions(max_answer_length=int(rng.integers(1, 7)), n_best_size=5, rule=rule)
        starts = rng.integers(0, 14, rng.integers(rules == "1.1", 4)).tolist()
        of = example(reading, *[(a, min(13, a + int(rng.integers(0, 5)))) for a in starts])
        found = judged(reading, of, decode, rules)
        assert found == oracle(reading, of, decode, rules)
        met |= {*found}
    other = {"gold without a place", "not read", "withheld"}
    assert met == {*MEANING, "", "max_answer_length", "window"} - other


def test_questions_are_read_in_order_and_no_more_once_it_is_closed():
    def read(question: str, *_: Any) -> str:
        time.sleep(0.001)
        if question.endswith("7"):
            raise BadInput(f"{question} is refused")
        return question

    reader = Mock(read=Mock(side_effect=read))
    asked = [Example(str(k), str(k), "", ()) for k in range(400)]
    found = list(read_each(reader, asked, WindowOptions(), lambda of, said: (of.id, said)))
    said = [f"{k} is refused" if k % 10 == 7 else str(k) for k in range(400)]
    assert found == [(str(k), one) for k, one in enumerate(said)]
    reader.read.reset_mock()
    made = read_each(reader, asked, WindowOptions(), lambda *_: None)
    assert next(made) is None
    made.close()  # which waits for those that run
    assert 0 < reader.read.call_count < 100
