"""What an example of the pool can promise to show, each promise a pure function over core records.

A promise is a name and an argument in `assets/examples.json`; its check returns None when the
reading keeps it, else a sentence that says what was found instead.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from qa_demo.core.base import BadInput
from qa_demo.core.examples import PoolExample, load_examples
from qa_demo.core.measuring.metrics import exact_match
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import Candidate, separate_argmaxes
from qa_demo.core.store import ASSETS
from qa_demo.core.tagging import decode_reading
from qa_demo.core.text import special_positions
from qa_demo.core.types import RULES, Answer, DecodeOptions, Reading
from qa_demo.training.caption_promises import CAPTIONS
from qa_demo.training.passage_promises import check as check_passage
from qa_demo.training.passage_promises import load_pool as passages
from qa_demo.training.promise_check import known, unless
from qa_demo.training.shown import Shown, gold_span, show


def load_pool(path: Path) -> tuple[PoolExample, ...]:
    """Read the examples; BadInput as `load_examples`, and for a promise that cannot be checked."""
    return known(load_examples(path), PROMISES, "example")


def check(
    example: PoolExample, reading: Reading, reader: Reader | None = None
) -> dict[str, str | None]:
    """Every promise of an example by name: None when kept, else what was found instead. `reader`
    made the reading; promises about attention need it.
    """
    shown = show(example, reading, reader)
    return {name: PROMISES[name](shown, argument) for name, argument in example.promise.items()}


def _overlap(candidate: Candidate, answer: Answer) -> bool:
    return candidate.char_start < answer.char_end and answer.char_start < candidate.char_end


def _answer(shown: Shown, wanted: str | None) -> str | None:
    """ "gold": the answer equals an annotator's, as SQuAD compares; null: the reader abstains."""
    answer, diff = shown.prediction.answer, shown.prediction.score_diff
    said = "no answer" if answer is None else repr(answer)
    if wanted is None:
        return None if answer is None else f"answers {said}, null score - best score = {diff:.2f}"
    if answer is not None and any(
        exact_match(a.text, answer) and _overlap(shown.best, a) for a in shown.example.answers
    ):
        return None
    return f"says {said}, best span {shown.best.text!r}"


def _fails(shown: Shown, _: bool) -> str | None:
    """The reader is wrong: no annotator's text, or silence, or an answer where there is none."""
    wrong = _answer(shown, "gold" if shown.example.answers else None)
    return unless(wrong is not None, f"is right: {shown.prediction.answer or 'no answer'}")


def _n_best_holds(shown: Shown, texts: list[str]) -> str | None:
    """Each text stands in a listed span that touches no gold answer."""
    others = [
        r.candidate.text
        for r in shown.prediction.n_best
        if not any(_overlap(r.candidate, a) for a in shown.example.answers)
    ]
    missing = [t for t in texts if not any(t in other for other in others)]
    return f"not among the n best: {missing}" if missing else None


def _gold_in_n_best(shown: Shown, first: int) -> str | None:
    """An annotator's span is one of the first n listed."""
    listed = [r.candidate.text for r in shown.prediction.n_best[:first]]
    return unless(
        any(exact_match(a.text, t) for a in shown.example.answers for t in listed),
        f"the first are {listed[:3]}",
    )


def _distractor(shown: Shown, text: str) -> str | None:
    """The distractor stands in the paragraph, attracts a listed span, and does not win."""
    if text in shown.best.text:
        return f"it wins: {shown.best.text!r}"
    return _n_best_holds(shown, [text])


def _repeated(shown: Shown, text: str) -> str | None:
    """The text stands twice or more, the gold one is not the first, and the winner is on it."""
    first = shown.example.context.find(text)
    if shown.example.context.count(text) < 2 or shown.gold.char_start <= first:
        return f"{text!r} is not repeated before the gold answer"
    return unless(
        _overlap(shown.best, shown.gold),
        f"the winner {shown.best.text!r} stands at character {shown.best.char_start}",
    )


def _between(name: str, value: int, limits: list[int]) -> str | None:
    return unless(
        limits[0] <= value <= limits[1], f"{value} {name}, promised {limits[0]} to {limits[1]}"
    )


def _windows(shown: Shown, limits: list[int]) -> str | None:
    """How many windows there are, from and to."""
    return _between("windows", len(shown.reading.windows), limits)


def _tokens(shown: Shown, limits: list[int]) -> str | None:
    """How many word pieces the paragraph has, from and to."""
    return _between("word pieces", len(shown.reading.encoding.context_ids), limits)


def _border(shown: Shown, _: bool) -> str | None:
    """A window's edge cuts the gold answer, and another window holds it whole."""
    gold = gold_span(shown.reading, shown.gold)
    held = [
        sum(w.doc_start <= t < w.doc_stop for t in range(gold.start, gold.end + 1))
        for w in shown.reading.windows
    ]
    cut, whole = any(0 < n < len(gold) for n in held), len(gold) in held
    return unless(cut and whole, f"cut by a window: {cut}, whole in a window: {whole}")


def winners(reading: Reading) -> dict[str, str]:
    """The winner's text and place under every rule."""
    found = {}
    for rule in RULES:
        best = predict(reading, DecodeOptions(rule=rule)).best
        found[rule] = "" if best is None else f"{best.candidate.text} [{best.candidate.char_start}]"
    return found


def _rules_disagree(shown: Shown, _: bool) -> str | None:
    """At least two merge rules have different winners."""
    found = set(winners(shown.reading).values())
    return unless(len(found) > 1, f"all rules choose {found.pop()!r}")


def _argmaxes_illegal(shown: Shown, _: bool) -> str | None:
    """In the winner's window the highest start and end form no legal span: reversed, or long."""
    start, end, why = separate_argmaxes(shown.reading, shown.best.window, DecodeOptions())
    tokens = shown.reading.tokens(shown.best.window)
    cells = (("start", start), ("end", end))
    pair = ", ".join(f"{name} at {tokens[at]!r} ({at})" for name, at in cells)
    return unless(why in ("end before start", "too long"), f"{why or 'legal'}: {pair}")


def _glued(shown: Shown, _: bool) -> str | None:
    """The best span starts in one gold answer and ends in a later one."""
    covered = sorted(
        {(a.char_start, a.char_end) for a in shown.example.answers if _overlap(shown.best, a)}
    )
    apart = any(a[1] <= b[0] for a in covered for b in covered)
    return unless(apart, f"the best span {shown.best.text!r} touches {len(covered)} gold answer")


def _tags(shown: Shown, wanted: list[str]) -> str | None:
    """The likeliest legal tagging has exactly these spans, in the order of the text."""
    got = [x.text for x in decode_reading(shown.reading)]
    return unless(got == wanted, f"the tags return {got}")


def _annotators(shown: Shown, wanted: list[int]) -> str | None:
    """How many annotators there are and how many different spans they marked."""
    got = [len(shown.example.answers), len(set(shown.example.answers))]
    return unless(got == wanted, f"annotators and different spans {got}, promised {wanted}")


def _too_long(shown: Shown, _: bool) -> str | None:
    """The gold answer exceeds max_answer_length, and without the limit the best span does too."""
    limit, length = DecodeOptions().max_answer_length, len(gold_span(shown.reading, shown.gold))
    if length <= limit:
        return f"the gold answer has {length} word pieces, the limit is {limit}"
    free = predict(shown.reading, replace(DecodeOptions(), max_answer_length=length)).best
    if free is not None and len(free.candidate.span) > limit:
        return None
    return f"without the limit it is still {free.candidate.text if free else None!r}"


def _cut_word(shown: Shown, _: bool) -> str | None:
    """An end of the best span lies inside a word of letters and digits."""
    context, best = shown.example.context, shown.best
    ends = (best.char_start, best.char_end)
    inside = any(0 < k < len(context) and context[k - 1 : k + 1].isalnum() for k in ends)
    return unless(inside, f"the best span {best.text!r} cuts no word")


def attention_on_marks(shown: Shown) -> float:
    """The share of the attention of the best span's ends that goes to [CLS] and separators."""
    if shown.reader is None:
        raise BadInput(f"example '{shown.example.id}': a promise about attention needs the reader")
    window = shown.reading.windows[shown.best.window]
    ends = [window.to_pos(end) for end in (shown.best.span.start, shown.best.span.end)]
    total = shown.reader.attention(window).weights[:, :, ends].mean(axis=(0, 1)).sum(axis=0)
    marks = special_positions(shown.reading.encoding, window)
    return float(total[marks].sum() / total.sum())


def _attention_on_marks(shown: Shown, least: float) -> str | None:
    """At least this share of the attention goes to [CLS] and separators."""
    share = attention_on_marks(shown)
    return unless(share >= least, f"{share:.2f} of the attention goes to marks")


def _boundary_misleads(shown: Shown, key: str) -> str | None:
    """The paragraph is a passage of chapter 8 with a wrong boundary and a right MLM head."""
    from qa_demo.model.spanbert import load_spanbert

    passage = next((p for p in passages(ASSETS / "passages.json") if p.id == key), None)
    if passage is None or passage.text != shown.example.context:
        return f"the paragraph is not that of the passage {key!r}"
    if "misleads" not in passage.promise:
        return f"the passage {key!r} does not promise that its boundary misleads"
    return check_passage(passage, load_spanbert("bundled"))["misleads"]


SCRIPTS: dict[str, Callable[[str], bool]] = {
    "accents": lambda c: (
        bool(unicodedata.decomposition(c)) and unicodedata.name(c, "").startswith("LATIN")
    ),
    "non-Latin": lambda c: c.isalpha() and not unicodedata.name(c, "").startswith("LATIN"),
    "emoji": lambda c: unicodedata.category(c) == "So" and ord(c) > 0x2000,
    "right-to-left": lambda c: unicodedata.bidirectional(c) in ("R", "AL"),
}


def _holds(shown: Shown, kinds: list[str]) -> str | None:
    """The paragraph holds characters of these kinds."""
    missing = [k for k in kinds if not any(SCRIPTS[k](c) for c in shown.example.context)]
    return f"the paragraph holds no {', '.join(missing)}" if missing else None


PROMISES: dict[str, Callable[[Shown, Any], str | None]] = {
    "answer": _answer,
    "n_best_holds": _n_best_holds,
    "gold_in_n_best": _gold_in_n_best,
    "distractor": _distractor,
    "repeated": _repeated,
    "windows": _windows,
    "tokens": _tokens,
    "border": _border,
    "rules_disagree": _rules_disagree,
    "argmaxes_illegal": _argmaxes_illegal,
    "glued": _glued,
    "tags": _tags,
    "annotators": _annotators,
    "too_long": _too_long,
    "holds": _holds,
    "fails": _fails,
    "cut_word": _cut_word,
    "attention_on_marks": _attention_on_marks,
    "boundary_misleads": _boundary_misleads,
    **CAPTIONS,
}
