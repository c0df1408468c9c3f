"""Exercises: every answer recomputed from the printed words alone, for many seeds; mistakes that no
option may share; files with a fault; sheets without their solutions.
"""

import itertools
import math
import re
from collections.abc import Callable
from functools import cache

import pytest

from qa_demo.core.course.exercise_file import parse_kinds
from qa_demo.core.course.room_quiz import FORMS
from qa_demo.core.errors import BadInput
from qa_demo.core.reading.predict import predict
from qa_demo.figures.course.exercises import Exercise, exam, exercise, facts, homework, points, quiz
from qa_demo.figures.course.task_sheets import exam_sheets, homework_sheets, quiz_sheets
from qa_demo.views.lessons.course import SAID, load
from qa_demo.views.lessons.tasks import FILE, kinds

SEEDS = [f"seed {k}" for k in range(60)]
NUMBER = r"[−-]?\d+(?:\.\d+)?"


def numbers(text: str) -> list[float]:
    """All numbers of a text in their order."""
    return [float(x.replace("−", "-")) for x in re.findall(NUMBER, text)]


def lists(text: str) -> list[list[float]]:
    """Runs of numbers between commas."""
    return [numbers(run) for run in re.findall(rf"{NUMBER}(?:, {NUMBER})+", text)]


def share(logits: list[float], at: int) -> float:
    return math.exp(logits[at]) / sum(math.exp(z) for z in logits)


def legal_sum(text: str) -> float:
    start, end = lists(text)
    return max(start[i] + end[j] for i in range(3) for j in range(3) if i <= j)


def count(text: str) -> float:
    n, limit = map(int, numbers(text))
    return sum(j - i < limit for i, j in itertools.combinations_with_replacement(range(n), 2))


def probability(text: str) -> float:
    (cls,) = numbers(re.findall(rf"start logit ({NUMBER})", text)[0])
    (at,) = map(int, re.findall(r"of token (\d)", text))
    return share([cls, *lists(text)[0]], at)


def difference(text: str) -> float:
    a, b, c, d = numbers(" ".join(re.findall(rf"(?:start|end) logit ({NUMBER})", text)))
    return a + b - c - d


def loss(text: str) -> float:
    start, end, *_ = numbers(text)
    return (math.log(1 / start) + math.log(1 / end)) / (2 if "is the mean" in text else 1)


def slope(text: str) -> float:
    return lists(text)[0][int(re.findall(r"label is token (\d)", text)[0])] - 1


def windows(text: str) -> float:
    n, limit, question, step = map(int, numbers(text.replace("three special", "special")))
    room = limit - question - 3
    return next(k for k in itertools.count(1) if (k - 1) * step + room >= n)


def alone(text: str) -> float:
    first, second = lists(text)
    asked = re.findall(r"words of window (\d) alone", text)[0]
    row = first if asked == "1" else second
    return max(share(row, 0), share(row, 1))


def floor(text: str) -> float:
    people, b, o, *_ = numbers(text)
    assert b + o == people
    return -sum(x / people * math.log(x / people) for x in (b, o))


def place(text: str) -> float:
    sentence, hidden, word = re.findall(r"“(.+?)”", text)[:3]
    assert f" {hidden} " in sentence, "a hidden run has a word on either side"
    return hidden.split().index(word) + 1


ORACLES: dict[str, Callable[[str], float]] = {
    "best-pair": legal_sum,
    "count-pairs": count,
    "softmax": probability,
    "null-score": difference,
    "loss": loss,
    "pulls": slope,
    "windows": windows,
    "merge": alone,
    "tag-floor": floor,
    "boundary": place,
}


@cache
def asked(seed: str) -> dict[str, Exercise]:
    return {one.name: one for one in homework(kinds(), seed)}


@pytest.mark.parametrize("kind", ORACLES)
def test_an_answer_follows_from_the_printed_words(kind: str) -> None:
    for seed in SEEDS:
        one = asked(seed)[kind]
        assert one.answer == pytest.approx(ORACLES[kind](f"{one.text} {one.ask}"), abs=1e-9), one
        assert one.right(one.shown) and not one.right("12345")
        assert one.shown in one.solution or kind == "boundary"


def test_a_solution_adds_up_as_printed_and_no_probability_is_0_or_1() -> None:
    for seed in (*SEEDS, "spring"):
        found = asked(seed)
        start, end, *peaks = numbers(found["loss"].text)
        assert start + peaks[0] < 0.99 > end + peaks[1]
        _, first, _, second, *_, both = numbers(found["loss"].solution)
        assert round(first + second, 2) == both
        assert round((first + second) / 2 + 1e-9, 2) == float(found["loss"].shown)
        *powers, added, _, power, _, _, p = numbers(found["softmax"].solution.split("Div")[0])
        assert round(sum(powers), 4) == added and round(power / added, 2) == p
        assert not re.search(r"[01]\.00", found["merge"].solution)


def test_the_bench_holds_what_is_asked() -> None:
    for seed in SEEDS[:20]:
        found = asked(seed)
        best = predict(found["best-pair"].bench.reading()).best
        assert best.candidate.score == found["best-pair"].answer
        silent = predict(found["null-score"].bench.reading())
        assert silent.score_diff == pytest.approx(found["null-score"].answer)


def test_every_exercise_is_asked_and_no_mistake_reads_like_the_answer() -> None:
    assert not kinds().faults
    assert [kind.name for kind in kinds().kinds] == list(ORACLES)
    for seed in SEEDS:
        for one in asked(seed).values():
            texts = [option.text for option in one.options]
            assert len(set(texts)) == len(texts) and "{" not in "".join(texts)
            words = (one.text, one.ask, one.choose, one.solution)
            assert not [w for w in words if re.search(r"\{|nan|(?<![\d.])1 times", w)]
    places = {
        next(k for k, option in enumerate(one.options) if option.key == "right")
        for form in FORMS
        for one in quiz(kinds(), form)
    }
    assert places == {0, 1, 2, 3}, "the right option has no place of its own"


def test_what_an_option_says_is_so() -> None:
    """The right options are restated from the printed words, not from the drawn numbers."""
    for seed in SEEDS:
        found = asked(seed)
        options = [(kind, o) for kind, one in found.items() for o in one.options]
        right = {kind: option.text for kind, option in options if option.key == "right"}
        for kind in ("softmax", "loss", "tag-floor"):
            assert right[kind] == found[kind].shown
        assert numbers(right["windows"]) == [found["windows"].answer]
        first, second = lists(found["merge"].text)
        high, sure = (int(x) for x in re.findall(r"window (\d)", right["merge"].lower()))
        assert (high == 2) == (max(second) > max(first))
        peaks = [max(share(row, k) for k in (0, 1)) for row in (first, second)]
        assert (sure == 2) == (peaks[1] > peaks[0])
        difference, limit = numbers(right["null-score"])
        assert difference == found["null-score"].answer < limit
        sentence, hidden, _ = re.findall(r"“(.+?)”", found["boundary"].text + " “x”")
        left, after = re.findall(r"“(.+?)”", right["boundary"])
        assert f"{left} {hidden} {after}" in sentence
        start, end = lists(found["best-pair"].text)
        i, j = (numbers(right["best-pair"]) * 2)[:2]
        assert start[int(i) - 1] + end[int(j) - 1] == found["best-pair"].answer


def test_a_seed_draws_the_same_and_another_seed_others() -> None:
    assert homework(kinds(), "a") == homework(kinds(), "a")
    for one, other in zip(homework(kinds(), "a"), homework(kinds(), "b"), strict=True):
        assert (one.text, one.ask) != (other.text, other.ask)
    forms = [quiz(kinds(), form) for form in FORMS]
    assert all(len(items) == 9 for items in forms)
    for items in zip(*forms, strict=True):
        assert len({one.text for one in items}) == len(FORMS)
        assert len({(one.name, one.said) for one in items}) == 1
    said = {step.title for lesson in load() if lesson.id == SAID for step in lesson.steps}
    assert {one.said for one in forms[0]} <= said and len({one.said for one in forms[0]}) == 9


def test_a_typed_number_may_miss_by_one_in_its_last_decimal() -> None:
    one = exercise(next(k for k in kinds().kinds if k.name == "loss"), "x")
    near = one.answer + 0.009, one.answer + 0.011
    assert [one.right(str(x)) for x in near] == [True, False]
    assert one.right(one.shown.replace(".", ","))
    with pytest.raises(BadInput, match="is not a number"):
        one.right("about one")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("## loss", "## lost", "field kind: one of best-pair, .* is allowed, got 'lost'"),
        ("## loss", "## softmax", "field kind: 'softmax' stands twice"),
        ("{atpeaks}", "{nothing}", r"field peaks: nothing fills {nothing}; there are ps, "),
        ("points: 1 the label's", "points: the label's", "field points: '1 what it is given for'"),
        ("said: The loss is taken", "said: The loss is paid", "field said: there is no such"),
        ("title: A loss by hand", "title:", "field title: it is missing"),
        ("ask: How many pairs", "low: 3\nask: How many pairs", "field low: options need a line"),
        ("peaks: {atpeaks}\nsum: {sum}\nmiss: {miss}\n", "", "field choose: the options are right"),
    ],
)
def test_a_fault_is_named_and_the_other_kinds_are_used(old: str, new: str, fault: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    said = {step.title for lesson in load() if lesson.id == SAID for step in lesson.steps}
    assert old in text
    found = parse_kinds(text.replace(old, new, 1), "kinds.md", facts(), said)
    assert len(found.kinds) == len(ORACLES) - 1
    (named,) = found.faults
    assert re.match(rf"kinds\.md, line \d+, {fault}", named)


def test_a_sheet_does_not_hold_its_solutions() -> None:
    made = {
        "homework": homework_sheets(kinds(), "7", 3, "A4"),
        "exam": exam_sheets(kinds(), "7", "letter"),
        "quiz": quiz_sheets(kinds(), "C", "A4"),
    }
    for asks, solves in made.values():
        assert "The largest is" not in asks and "The largest is" in solves
        assert asks.count("<ol>") == solves.count("<ol>")
        assert "default-src 'none'" in asks and "<script" not in asks
    assert made["homework"][0].count('class="sheet"') == 3
    for seed in ("exam", "2026", "summer", "7"):
        found = exam(kinds(), seed)
        assert len({one.text for one in found}) == 20, "a question is asked twice"
    assert points(found) == made["exam"][1].count(" point: ")
    assert f"{points(found)} points in all" in made["exam"][0]
    assert made["quiz"][1].count("Tests: ") == 9
