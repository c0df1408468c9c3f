"""Lessons: files and their refusals, guesses by hand, and every step on the texts it names."""

import base64
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from qa_demo.blocks import walk
from qa_demo.cli.main import main
from qa_demo.core.base import BadInput
from qa_demo.core.types import Span
from qa_demo.lessons.checks import Seen
from qa_demo.lessons.files import OWN, TEACHERS, read_folders, read_lesson
from qa_demo.lessons.judge import Asked, computed, number_of, plain, worded
from qa_demo.lessons.rooms import Rooms
from qa_demo.lessons.served import CHECKS, Lessons, Question, handout
from qa_demo.pictures import CHAPTERS
from qa_demo.printed import number
from qa_demo.state import load
from tests.chapters.given import full, real, stored
from tests.documents import SHOWN

LESSON = """---
title: Hand
minutes: 3
---

## One
state: {question: "Who came?", context: "Ada Kok came, later Bo."}
ask: %s
check: here
right: a

What is asked
of {who}?

%s

> {who}
> it is.
"""
OPTIONS = "- a: Ada.\n- b: Bo.\n  {who} came\n\tearlier."


def written(folder, text, name="hand.md"):
    (folder / name).write_text(text, encoding="utf-8")
    return read_lesson(folder / name)


def test_a_file_is_read_as_it_stands(tmp_path):
    (step,) = (lesson := written(tmp_path, LESSON % ("choice", OPTIONS))).steps
    assert (lesson.title, lesson.minutes, step.title, step.line) == ("Hand", 3, "One", 6)
    assert step.state.question == step.then.question == "Who came?"
    assert step.state.veil and not step.then.veil and step.options == {"a": "Ada.", "b": "Bo."}
    assert step.whys == {"a": "", "b": "{who} came earlier."}, "one line by a tab"
    assert (step.question, step.reveal) == ("What is asked of {who}?", "{who} it is.")
    (shown,) = written(tmp_path, (LESSON % ("none", "")).replace("right: a\n", "")).steps
    assert not shown.state.veil, "nothing is asked"


GOOD = LESSON % ("choice", OPTIONS)
REFUSED = {
    "no front matter": (GOOD[4:], ("line 1", "front matter")),
    "front matter without an end": ("---\ntitle: x", ("line 1", "between lines")),
    "no YAML": (GOOD.replace("title: Hand", "title: [x"), ("line 3", "YAML")),
    "no title": (GOOD.replace("title: Hand", "title:"), ("line 2", "title", "None")),
    "no day": (GOOD.replace("title: Hand", "title: 2020-13-45"), ("line 2", "YAML", "month")),
    "a bell": (GOOD.replace("state: {", "state: {\a"), ("line 7", "YAML", "#x0007:")),
    "hours": (GOOD.replace("minutes: 3", "minutes: 300"), ("line 3", "minutes", "90", "300")),
    "no step": ("---\ntitle: x\n---\n", ("line 4", "step", "##")),
    "words before a step": (GOOD.replace("## One", "One\n## One"), ("line 5", "step")),
    "unknown field": (GOOD.replace("check:", "chek:"), ("line 9", "chek", "check")),
    "a field twice": (GOOD.replace("check: here", "ask: pick"), ("line 8", "ask", "twice")),
    "kind of guess": (GOOD.replace("choice", "shout"), ("line 8", "ask", "pick", "shout")),
    "no right": (GOOD.replace("right: a\n", ""), ("line 6", "right", "choice")),
    "no check": (LESSON.replace("check: here\n", "") % ("mark", ""), ("line 6", "check", "mark")),
    "yes": (GOOD.replace("right: a", "right: yes"), ("line 10", "right", "in quotes", "True")),
    "right": (GOOD.replace("right: a", "right: c"), ("line 10", "right", "'c'")),
    "state is a list": (GOOD.replace("state: {", "state: [1] # {"), ("line 7", "be an object")),
    "state by state.py": (GOOD.replace('question: "Who came?"', "step: 99"), ("line 7", "99")),
    "then": (GOOD.replace("right: a", "then: {temperature: 99}"), ("line 10", "then", "99")),
    "veil": (GOOD.replace("state: {", "state: {veil: maybe, "), ("line 7", "veil", "maybe")),
    "option": (GOOD.replace("- a: Ada.", "- Ada"), ("line 15", "option", "key")),
    "one option": (LESSON % ("choice", "- a: Ada."), ("line 6", "options", "got 1")),
    "seven": (LESSON % ("choice", "\n".join(f"- {k}: x" for k in "abcdefg")), ("to 6, got 7",)),
    "twice": (GOOD.replace("- b:", "- a:"), ("line 16", "option", "twice")),
    "options of a pick": (LESSON % ("pick", OPTIONS), ("options", "pick")),
    "right of words": (LESSON % ("mark", "- other: x"), ("line 10", "right", "mark")),
    "too many words": (GOOD.replace("> ", "> " + "word " * 60), ("line 6", "words", "at most 60")),
    "two terms": (GOOD.replace("> {who}", "> *one* and *two*"), ("line 6", "term", "2")),
    "words behind the options": (GOOD.replace("> ", ""), ("line 20", "words")),
    "no question": (GOOD.replace("What is asked\nof {who}?", ""), ("line 6", "words", "question")),
    "no reveal": (GOOD.partition(">")[0], ("line 6", "words", "reveal")),
    "a field below": (GOOD.replace("of {who}?", "right: b"), ("line 13", "right", "the heading")),
    "a word's own": (LESSON % ("mark", "- other: x\n- Bo: y"), ("line 6", "options", "got 2")),
    "below 0": (GOOD.replace("check: here", "within: -1"), ("line 9", "within", "at least 0")),
    "a field of state": (GOOD.replace("question:", "asked:"), ("line 7", "field state.asked")),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_wrong_file_is_refused_with_file_line_and_field(tmp_path, fault):
    text, said = REFUSED[fault]
    with pytest.raises(BadInput) as caught:
        written(tmp_path, text)
    assert all(part in str(caught.value) for part in ("hand.md, line", *said))


def test_a_folder_without_lessons_a_name_twice_and_a_file_that_is_no_text_are_refused(tmp_path):
    with pytest.raises(BadInput, match="is no folder with a lesson"):
        read_folders(tmp_path)
    written(tmp_path, GOOD)
    with pytest.raises(BadInput, match=r"two lessons are called hand\.md"):
        read_folders(tmp_path, tmp_path)
    with pytest.raises(BadInput, match=r"a\.md, line 2, id: must have at most 40 characters"):
        written(tmp_path, GOOD, "a" * 41 + ".md")
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(BadInput, match=r"a\.md is not UTF-8"):
        read_folders(tmp_path)


@pytest.mark.parametrize(
    ("given", "value"),
    [("0.5", 0.5), ("0,5", 0.5), ("1/2", 0.5), ("½", 0.5), (" 2 / 3 ", 2 / 3), ("−1.5", -1.5),
     ("1,845", 1845), ("12,5", 12.5), ("50 %", 0.5), (3, 3.0), ("0,667", 2 / 3), ("2,546", 2.546),
     ("1.845", 1845), ("1 845", 1845), ("12,845.5", 12845.5)],
)  # fmt: skip
def test_a_number_is_read_as_people_write_it(given, value):
    assert number_of(given, value) == pytest.approx(value, abs=0.0005)


def hand(tmp_path, ask, options, facts, right="a"):
    """The hand-written step on an example's stored reading."""
    text = (LESSON % (ask, options)).replace("right: a\n", f"right: {right}\n" * bool(right))
    a, b = text.index("state"), text.index("\nask")
    (step,) = written(tmp_path, text[:a] + "state: {example: oresund}" + text[b:]).steps
    return Asked(step, stored().shown(step.state), {"who": "Ada", **facts})


def test_a_wrong_number_is_too_high_or_too_low_and_a_trap_has_its_sentence(tmp_path):
    options = "- all / 2: you forgot one {who}.\n- other: add."
    now = hand(tmp_path, "number", options, {"all": 10.0, "best": "all"}, "all")
    said = {g: plain(now.judge(g)["said"]) for g in ("10", "9,5", "5.05", "20")}
    assert said["10"] == "Yes: 10." and said["9,5"] == "No, 9.50 is too low: add."
    assert said["5.05"] == "No: you forgot one Ada." and said["20"] == "No, 20 is too high: add."
    for given in ("", "2²", "1/0", "1½", "nan", "1e400", True, [1], "1" * 99):
        with pytest.raises(BadInput, match="type a number"):
            now.judge(given)
    now = hand(tmp_path, "number", "- other: no.", {}, "2/3\nwithin: 0.1")
    assert now.label == "0.67" and now.judge("0.6")["right"] and not now.judge("0.5")["right"]
    assert now.judge("0.0156")["label"] == "0.016", "not 0.02, which nobody typed"
    for right, guess, is_right in (("0.044", "0.04", 1), ("2/3", "0.66", 1), ("0", "5 %", 0)):
        assert hand(tmp_path, "number", "- other: no.", {}, right).judge(guess)["right"] == is_right


@pytest.mark.parametrize("formula", ["open('x')", "best", "1/0", "2 +", "nothing", "()"])
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(BadInput, match="no formula of numbers and start"):
        computed(formula, {"start": 2.0, "best": "words"})
    assert computed("start * 2 + log(exp(1)) − 2^3", {"start": 2.0}) == -3


def test_marked_words_lose_marks_and_parts_of_words_at_their_edges(tmp_path):
    right = stored().shown(load({"example": "oresund"})).best.span  # Georg Rot·ne
    marks = [right, Span(right.start - 3, right.end)]  # the Danish architect Georg Rotne
    now = hand(tmp_path, "mark", "- other: not there.", {"marks": marks}, "")

    def said(first, last):
        return plain(now.judge([first, last])["said"])

    assert now.label == "“Georg Rotne”" and said(right.start, right.end) == "Yes."
    assert said(right.start, right.end + 1) == said(right.start, right.end - 1) == "Yes."
    assert said(right.start - 1, right.end).endswith("begins too early.")
    for first in (right.start + 1, right.start - 2):  # of the mark that is nearest
        assert said(first, right.end).endswith("begins too late.")
    assert "ends too late" in said(right.start, right.end + 2)
    assert said(right.start, right.start).endswith("“Georg” ends too early.")
    assert said(0, 1) == said(right.end + 1, right.end + 1) == "No: not there."  # “.” alone
    for guess in (None, "a", [1], [2, 1], [0, 9999], [True, 1], {"a": 1}):
        with pytest.raises(BadInput, match="marked words"):
            now.judge(guess)


def test_a_key_does_not_tell_the_rank_and_a_mute_option_is_refused(tmp_path):
    picks = [((9, 9), "Bo", "x"), ((1, 2), "{who}", "{who} came first.")]
    now = hand(tmp_path, "pick", "", {"picks": picks}, "")
    assert now.options == {"a": [["{who}", "quote"]], "b": [["Bo", "quote"]]} and now.right == "b"
    assert plain(now.judge("a")["said"]) == "No: {who} came first." and now.judge("b")["right"]
    with pytest.raises(BadInput, match="one of a, b, got 'c'"):
        now.judge("c")
    idle = ("number", "- 2 / 4: no.\n- other: no.", "0.5"), ("number", "- 2: no.", "1")
    for ask, options, right in (("choice", "- a: A.\n- b: B.", "a"), *idle):
        with pytest.raises(BadInput, match="why it is wrong"):
            hand(tmp_path, ask, options, {}, right)


def test_words_of_a_text_are_never_read_as_a_template():
    made = [["a ", ""], ["{y} *z*", "strong"], [" b ", ""], ["t", "term"]]
    assert worded("a {x} b *t*", {"x": "{y} *z*"}) == made
    assert worded("* 2 * b_S", {}) == [["* 2 * b", ""], ["S", "sub"]], "stars with blanks multiply"
    assert plain(worded("{n} of {x}", {"n": 3, "x": 3.0})) == "3 of 3.00", "a count and a number"
    for template, said in (("{x:g}", r"computes \{x:g\}"), ("*a {x}*", r"stars, got \*a \{\}")):
        with pytest.raises(BadInput, match=said):
            worded(template, {"x": "1"})


LACK = [
    ("answer_span", "reef", "gives no answer"),
    ("runner_up", "reef", "gives no answer"),
    ("runner_up", "oresund", "starts elsewhere"),
    ("reader_span", "cacao", "all annotators"),
    ("far_ends", "oresund", "no span crosses a full stop"),
    ("temperature_keeps_order", "oresund", "temperature is 1"),
    ("argmaxes_apart", "oresund", "do form an allowed pair"),
    ("no_answer", "oresund", "answers this question"),
    ("unsure", "oresund", "not a doubtful one"),
    ("label", "reef", "nobody marked"),
    ("label", "oresund", "is the label"),
    ("several_spans", "oresund", "return one span"),
    ("floor", "cacao", "annotators agree"),
    ("shares", "oresund", "the shares miss .* of the change"),
]
OF_WINDOWS = ("windows", "owner", "smallest_null", "maxima_mislead")
LACK += [(check, "oresund", "fits into one window") for check in OF_WINDOWS]


@pytest.mark.parametrize(("check", "example", "said"), LACK)
def test_a_text_that_does_not_show_the_point_is_refused(check, example, said, monkeypatch):
    monkeypatch.setattr("qa_demo.core.attribution.GAP_LIMIT", 0.0)  # no shares add up
    with pytest.raises(BadInput, match=f"this text does not show it: .*{said}"):
        CHECKS[check](Seen(stored().shown(load({"example": example}))))


def test_facts_are_those_of_the_logits():
    def facts(check, **state):
        shown = stored().shown(load(state))
        pairs = [shown.reading.logits(k) for k in range(len(shown.reading.windows))]
        logits = [[torch.tensor(x).double() for x in pair] for pair in pairs]
        return CHECKS[check](Seen(shown)), shown, logits

    found, _, [[s, _]] = facts("temperature_keeps_order", example="machu-picchu", temperature=4)
    tops = [f"{(s / t).softmax(0).max():.3f}" for t in (1, 4)]
    assert [found["cold"], found["warm"]] == tops and tops[0] > tops[1]
    found, shown, [[s, _]] = facts("rival_gone", example="fuji")
    assert found["own"] == pytest.approx(-float(s.log_softmax(0).max()))
    assert found["cost"] > found["own"]
    of, p = shown.encoding.offset_mapping[:, 0], s.softmax(0)
    marked = np.flatnonzero(np.isin(of, [a.char_start for a in shown.golds]))
    at = min(map(shown.reading.windows[0].to_pos, marked.tolist()), key=p.__getitem__)
    assert float(found["p"]) == pytest.approx(float(p[at]), rel=1e-3)
    assert found["pull"] == f"+{(1 - p[at]) / 2:.3f}"
    lowered, _ = stored().shown(load({"example": "fuji", **found["then"]})).reading.logits(0)
    assert found["freed"] == pytest.approx(float(torch.tensor(lowered).softmax(0)[at]))
    found, shown, [[s, _]] = facts("all_positions", example="oresund")
    i, j = shown.reading.windows[0].positions(shown.best.span)
    assert found["inside"] == f"{s.softmax(0)[i : j + 1].sum():.3f}"
    assert Seen(shown).named(shown.best.span.end) == "“Rotne”", "the whole word of a piece"
    marks = CHECKS["answer_span"](Seen(shown))["marks"]
    assert "the Danish architect Georg Rotne" in map(shown.encoding.text, marks)
    found, _, [[s, _]] = facts("second_start", example="cacao")
    assert found["p"] == f"{s.softmax(0).max():.3f}" > found["q"]
    assert found["q"] in str(found["picks"])
    found, *_ = facts("allowed_pairs", example="oresund")
    assert (found["m"], found["last"], found["less"]) == (30, 29, 30 * 29 / 2)
    found = CHECKS["boundary"](Seen(full().shown(load({}))))
    assert (found["at"], found["many"]) == (14, 3), "“one of the” behind thirteen words"
    law, worth = CHECKS["mean_length"](Seen(shown)), CHECKS["worth"](Seen(shown))
    assert law["mean"] == pytest.approx(3.797, abs=0.001)
    assert [worth[name] for name in ("spans", "segment", "sbo")] == ["+1.6", "+1.3", "+0.1"]
    found, _, logits = facts("windows", example="danube")
    assert found["more"] == found["windows"] - 1 == len(logits) - 1
    found, *_ = facts("same_gap", example="oresund")
    assert found["times"] == round(np.exp(found["gap"])) > 1
    found, shown, _ = facts("no_answer", example="reef")
    assert found["apart"] == -found["turned"] == pytest.approx(abs(shown.lead))
    found, shown, [[s, e]] = facts("argmaxes_apart", example="natural-selection")
    inside = torch.tensor(shown.reading.windows[0].is_context)
    tops = float(s[inside].max()), float(e[inside].max())
    assert (found["top_start"], found["top_end"]) == pytest.approx(tops)
    assert found["total"] == pytest.approx(sum(tops)) and found["total"] > shown.best.score
    assert found["q"] == f"{e.softmax(0)[inside].max():.3f}"
    found, shown, _ = facts("owner", example="danube")
    start, (here, there) = shown.best.span.start, (found[x] - 1 for x in "km")
    for k, left, right in ((here, "left", "right"), (there, "left_m", "right_m")):
        w = shown.reading.windows[k]
        assert (found[left], found[right]) == (start - w.doc_start, w.doc_stop - 1 - start)
    found, _, logits = facts("maxima_mislead", example="danube")
    tops = [sum(float(x.softmax(0)[0]) for x in pair) / 2 for pair in logits]
    assert found["mean"] == f"{max(tops):.3f}" == f"{tops[found['k'] - 1]:.3f}"
    found, shown, _ = facts("floor", example="oresund")
    many = int(found["tokens"].split()[0])
    assert found["floor"] == pytest.approx(many * (np.log(3) - 2 / 3 * np.log(2)))
    assert found["loss"] > found["floor"]
    found, shown, [[s, e]] = facts("far_ends", example="everest")
    pairs = (s[:, None] + e).triu().tril(29)[torch.tensor(shown.reading.windows[0].is_context)]
    assert found["place"] == 1 + int((pairs > 8.815).sum()) and "= 8.81" in found["far_sum"]
    assert found["head"][:8] == found["far"][:8] and found["tail"][-8:] == found["far"][-8:]
    lesson = read_lesson(OWN / "01-span.md")
    question = Question(lesson=lesson.id, step=4, reveal=True)
    far = Lessons(stored(), (lesson,)).answer(Rooms(), question)["state"]["selection"]
    assert ". " in shown.encoding.text(Span(*far)) and far[1] == shown.best.span.end
    found, shown, _ = facts("runner_up", example="cacao")
    assert shown.best.text not in [words.strip("“”") for _, words, _ in found["picks"]]
    assert found["behind"] == pytest.approx(shown.best.end_logit - found["second_end"])
    assert found["picks"][0][2].endswith(f" has {number(found['second_score'])}, number 2.")
    assert found["second_end"] == shown.prediction.n_best[1].candidate.end_logit
    stops = np.array([float(shown.encoding.text(Span(d, d)) == ".") for d in range(40)])
    assert stops.any() and "“.”" not in [x for _, x, _ in Seen(shown).highest(stops, 4, 0)]
    found, _, logits = facts("smallest_null", example="danube")
    nulls = [float(s[0] + e[0]) for s, e in logits]
    assert (found["least"], found["most"]) == pytest.approx((min(nulls), max(nulls)))


@pytest.mark.model
def test_lessons_on_the_test_tell_what_its_picture_tells():
    """And each refuses the text that shows the other's point."""
    both = {"hidden_words": "mile", "hidden_in_vain": "khwarizmi"}
    for check, example in both.items():
        blocks, shown = real().blocks(load({"example": example, "chapter": "why", "step": 2}))
        found, said = CHECKS[check](Seen(shown)), {b["key"]: str(b) for b in blocks}
        draws = f"in {found['as_low'] or 'none'} of {found['draws']} random draws it ends"
        told = number(found["lead"]), number(found["now"]), draws
        assert all(one in said["finding"] for one in told)
        assert ("(question)" in found["words"]) == ("(question, " in said["finding"])
        assert number(found["fall"]) in said["fall"] and found["low"] < found["high"]
        with pytest.raises(BadInput, match="the lead falls"):
            CHECKS[next(other for other in both if other != check)](Seen(shown))
    blocks, shown = real().blocks(load({"example": "mile", "chapter": "why"}))
    [table] = [b for b in walk(blocks) if b["key"] == "rows"]
    shares = {word: number_of(share) for word, _, share in (row["cells"] for row in table["rows"])}
    found = CHECKS["hidden_words"](Seen(shown))
    summed = sum(shares[word] for word in re.findall("“.+?”", found["words"]))
    assert found["sum"] == pytest.approx(summed, abs=0.015)
    assert found["left"] == pytest.approx(found["lead"] - summed, abs=0.015)
    blocks, shown = real().blocks(load({"example": "cacao", "chapter": "why", "step": 3}))
    [said] = [str(b) for b in blocks if b["key"] == "finding"]
    found = CHECKS["attention_elsewhere"](Seen(shown))
    assert found["read"].count("“") == 3
    for word in ("first", "held"):
        told = found[word].split("”")[0], found[f"{word}_weight"], found[f"{word}_share"]
        assert all(one in said for one in told)
    found = CHECKS["shares"](Seen(shown))
    assert "“Coast”" not in [word for _, word, _ in found["picks"]]  # the answer's own
    blocks, shown = real().blocks(load({"example": "oresund", "chapter": "scores", "step": 2}))
    found, said = CHECKS["many_products"](seen := Seen(shown)), str(blocks)
    (step,) = (one for one in read_lesson(OWN / "02-start-end.md").steps if "{start}" in one.reveal)
    told, best = Lessons(real(), ()).asked(step).reveal, real().shown(real().opened(step.then)).best
    assert f"start logit, {number(best.start_logit)}:" in plain(told)
    found |= CHECKS["one_vector"](seen) | CHECKS["likely_begin"](seen)
    assert found["n"] == len(shown.encoding.context_ids) and found["B"] == ">0.99"
    raised = float(number(seen.best.start_logit)) - float(number(found["b"]))
    assert found["least"] == np.ceil(raised / float(found["top"])), "with the printed numbers"
    assert f"{found['up']} products raise " in said and f", {found['down']} lower " in said


EVERY = (*read_folders(OWN), read_lesson(TEACHERS / "wrong.md"))
STEPS = [(lesson, k) for lesson in EVERY for k in range(len(lesson.steps))]


@pytest.mark.model
@pytest.mark.parametrize(("lesson", "k"), STEPS, ids=lambda x: getattr(x, "id", x))
def test_every_step_holds_on_its_text(lesson, k):
    made = Lessons(real(), (lesson,)).proof(lesson.steps[k])
    assert len(made[-1]) > len("> ") and "{" not in made[0]


@pytest.mark.parametrize("name", ["hour", "wrong"])
def test_a_page_for_teachers_links_each_row_to_its_picture(name):
    page, steps = ElementTree.fromstring(handout(name)), read_lesson(TEACHERS / f"{name}.md").steps
    rows = page.findall(".//{*}tr")[1:]
    for row, step in zip(rows, steps, strict=True):
        assert step.title in row[0].text and step.reveal in "".join(row.itertext())
        link = row.find(".//{*}a").get("href").removeprefix("./#")
        state = json.loads(base64.urlsafe_b64decode(link + "=" * (-len(link) % 4)))
        assert load(state) == step.state
    step = "Loss, “Loss and best span”" if name == "hour" else "Why, “An attention head”"
    assert step in [link.text for link in page.findall(".//{*}a")]
    if name == "wrong":  # each chapter links to its own row
        linked = [row.get("id") for row in rows if row.get("id")]
        assert sorted(linked) == sorted(CHAPTERS), f"each has a row in {TEACHERS / name}.md"


def test_every_check_is_used_and_every_check_that_is_named_is_there():
    used = {step.check for lesson in read_folders(OWN) for step in lesson.steps} - {""}
    assert used == set(CHECKS)
    assert [one.id for one in EVERY[:-1]] == sorted(path.stem for path in OWN.glob("*.md"))


def test_a_reveal_whose_picture_is_not_there_does_not_hold(tmp_path):
    lesson = written(tmp_path, GOOD.replace("check: here", "then: {step: 9}").replace("{who}", "A"))
    with pytest.raises(BadInput, match="this chapter has 3 steps"):
        Lessons(full(), (lesson,)).proof(lesson.steps[0])


@pytest.mark.model
def test_lesson_check_tells_what_holds_and_what_does_not(tmp_path, capsys):
    wrong = GOOD.replace("check: here\n", "").replace("{who}", "Ada")
    (tmp_path / "hand.md").write_text(wrong.replace("it is.", "does not hold."), encoding="utf-8")
    (shown,) = [text for kind, text in SHOWN if kind == "markdown"]
    (tmp_path / "shown.md").write_text(shown, encoding="utf-8")
    assert main(["lesson", "check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "right: Ada." in said and "b: Ada came earlier." in said and "3 of 3 steps hold" in said
    assert not re.search(r"\ba: \n", said), "what is right is not wrong"
    (tmp_path / "hand.md").write_text(GOOD, encoding="utf-8")
    assert main(["lesson", "check", str(tmp_path)]) == 1
    assert "does not hold: there is no check 'here'" in capsys.readouterr().out
    (tmp_path / "hand.md").write_text(GOOD.replace("ask:", "aks:"), encoding="utf-8")
    assert main(["lesson", "check", str(tmp_path)]) == 2
    assert "hand.md, line 8, aks" in capsys.readouterr().err
