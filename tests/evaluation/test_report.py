"""The report: every state of it is a valid picture, and its numbers are the official scores."""

import base64
import copy
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from qa_demo.core.metrics import evaluate
from qa_demo.core.types import Answer, Example
from qa_demo.evaluation.calibrate import halves
from qa_demo.evaluation.compare import more_articles
from qa_demo.evaluation.drawn import shown_of, varied
from qa_demo.evaluation.groups import bins, groups, question_word
from qa_demo.evaluation.lines import example_of, outcome_of, refused_line, under
from qa_demo.evaluation.report import best_frame, page_of, verdict_words
from qa_demo.evaluation.table import table_of
from qa_demo.printed import number
from qa_demo.state import load

TEXT = "Ada Byron drew it in Oslo. Bob Kok came in 1998 and left for Rome with two of them."
WHO = ("Who drew it", "When did Bob come", "How many left", "What is silent")
ANSWERED = "answered although unanswerable"
ROLES = {"start", "end", "gold", "ink", "grey", "line", "mid", "paper"}


def lines(seed: int, count: int = 240, articles: int = 8, silent: bool = True) -> list[Any]:
    """Made-up lines: a reader that is right in some seven of ten."""
    rng, rows = np.random.default_rng(seed), []
    for k in range(count):
        gold = (
            [] if silent and k % 3 == 0 else ["Ada Byron", "1998", "two", "Rome"][k % 4 : k % 4 + 1]
        )
        said = gold[0] if gold and rng.random() < 0.7 else "Bob Kok"
        at, lead = TEXT.index(said), float(rng.normal(2 if gold else -2, 3))
        best = {"text": said, "char_start": at, "char_end": at + len(said), "score": 5.0}
        right = float(said in gold)
        kind = "right" if right else "other sentence" if gold else ANSWERED
        row = {
            "id": str(k),
            "title": f"article {k % articles}",
            "question": f"{WHO[k % 4]} in case {k // 4}?",
            "context": TEXT,
            "gold": [{"text": g, "char_start": TEXT.index(g)} for g in gold],
            "gold_pieces": [[1, 2]] if gold else [],
            "columns": {"level": str(k % 2)},
            "score_diff": -lead,
            "margin": lead,
            "windows": 1,
            "tokens": 20 + 100 * (k % 2),
            "best": {"exact": right, "f1": right, "kind": kind, "because": ""},
            "claim": float(rng.random()),
            "in_window": 0.5,
            "probs": None,
            "n_best": [best | {"window": 0}, best | {"text": "it", "score": 2.5, "window": 0}],
        }
        rows.append(row | under(row, 0.0, "2.0" if silent else "1.1"))
    return rows


def run_of(name: str, rules: str = "2.0") -> dict[str, Any]:
    limit = 0.0 if rules == "2.0" else None
    made = {"reader": name, "rules": rules, "threshold": limit, "threshold_from": "flag"}
    return made | {"file": "dev.json", "options": {"max_seq_length": 384}}


def data_of(html: str) -> Any:
    """What the file's script reads."""
    block = re.search(r'<script type="application/json" id="report">(.*?)</script>', html, re.S)
    return json.loads(block[1])


def put(block: Any, path: str, value: Any) -> None:
    """As assets/page/report.js does it."""
    *keys, last = (int(key) if key.isdigit() else key for key in path.split("."))
    for key in keys:
        block = block[key]
    block[last] = value


def drawn(data: Any, state: Any) -> list[Any]:
    """The blocks of a state, those inside groups too."""

    def one(block: Any) -> Any:
        if any(state.get(name) != value for name, value in block.get("when", {}).items()):
            return None
        made = copy.deepcopy({k: v for k, v in block.items() if k != "patches"})
        for table in block.get("patches", ()):
            of = data["tables"][table["of"]] if isinstance(table["of"], str) else table["of"]
            at = "/".join(str(state[name]) for name in table["by"])
            assert at in of, f"{block['key']} has no picture for {table['by']} = {at}"
            for path, value in of[at].items():
                put(made, path, value)
        if "all" in made:
            every = made["all"]
            made["rows"] = [
                {**every[k], "cells": [*every[k]["cells"], *more]} for k, *more in made["rows"]
            ]
        if "blocks" in made:
            made["blocks"] = [x for x in map(one, block["blocks"]) if x is not None]
        return made

    return [x for x in map(one, data["blocks"]) if x is not None]


def flat(blocks: list[Any]) -> list[Any]:
    return [x for b in blocks for x in (b, *flat(b.get("blocks", [])))]


def role_free(value: Any) -> Any:
    """The page puts colours in the place of roles."""
    if isinstance(value, dict):
        return {
            k: "#123456" if isinstance(v, str) and v in ROLES and "color" in k else role_free(v)
            for k, v in value.items()
        }
    return [role_free(v) for v in value] if isinstance(value, list) else value


def words(block: Any) -> str:
    return "".join(text for text, _ in block["parts"])


@pytest.fixture(scope="module")
def two() -> Any:
    first, second = (lines(1), run_of("one")), (lines(2)[::-1], run_of("two"))
    return data_of(page_of(shown_of(first, second, "http://x/")))


def test_every_state_is_a_valid_picture(two: Any) -> None:
    start, last = two["start"], len(two["thresholds"]["a"])
    states = [start]
    for mode in ("run", "fitted", "best"):
        for metric in ("f1", "exact"):
            states.append(start | {"mode": mode, "metric": metric})
    states += [start | {"a": a, "b": b} for a, b in ((0, last), (last, 0), (last // 2, 3))]
    rows = [r for b in two["blocks"] if b["key"] == "failures-a" for r in b["all"]]
    states += [start | {"selection": r["sets"]["selection"], "a": last} for r in rows[:3]]
    states.append(start | {"who": "b"})
    assert len({b["key"] for b in two["blocks"]}) == len(two["blocks"])
    for state in states:
        blocks = flat(drawn(two, state))
        for b in (b for b in blocks if b["kind"] == "figure"):
            layout = b["layout"] | (b.get("overlay") or {})
            go.Figure({"data": role_free(b["data"]), "layout": role_free(layout)})
            assert b["alt"]
        for b in (b for b in blocks if b["kind"] == "choice"):
            pressed = [option["pressed"] for option in b["options"]]
            assert pressed == [o["sets"][b["key"]] == state[b["key"]] for o in b["options"]]
        tables = [b for b in blocks if b["key"].startswith("failures-") and b["kind"] == "table"]
        assert [len(t["rows"]) for t in tables] == [10]
        assert all(len(r["cells"]) == len(tables[0]["columns"]) for r in tables[0]["rows"])


def test_what_lies_beside_a_block_gives_it_in_every_state() -> None:
    s = shown_of((lines(1), run_of("one")), (lines(2), run_of("two")), "http://x/")

    def made(metric: str, a: int, b: int) -> dict[str, Any]:
        traces = [{"x": [metric, str(k % 3)], "name": str(k)} for k in (a, b)]
        return {"key": "toy", "kind": "figure", "data": traces, "alt": metric}

    block = varied(s, made, "metric", "a", "b")
    for metric in ("f1", "exact"):
        for a, b in ((0, 0), (3, 5), (len(s.sides[0].frames) - 1, 1)):
            (found,) = drawn({"blocks": [block]}, {"metric": metric, "a": a, "b": b})
            assert found == made(metric, a, b)


def test_the_numbers_are_the_official_scores_at_each_threshold(two: Any) -> None:
    rows = lines(1)
    examples, said = [example_of(r) for r in rows], {r["id"]: outcome_of(r) for r in rows}
    for at in (0, 20, len(two["thresholds"]["a"]) - 1):
        limit = two["thresholds"]["a"][at]
        official = evaluate(examples, said, limit, "2.0")
        state = two["start"] | {"a": at, "metric": "exact"}
        blocks = {b["key"]: b for b in flat(drawn(two, state))}
        told = [float(x) for x in re.findall(r"[\d.]+", blocks["slide-a"]["says"])]
        wanted = [official[f"{part}exact"] for part in ("", "HasAns_", "NoAns_")]
        assert told == pytest.approx(wanted, abs=0.06)
        bars = blocks["kinds-figure"]["data"][:2]
        wrong = round(len(rows) * (1 - official["exact"] / 100))
        assert sum(bars[0]["x"]) + sum(bars[1]["x"]) == wrong
    every = {t: evaluate(examples, said, t, "2.0")["f1"] for t in two["thresholds"]["a"]}
    best = max(every.values())
    at = number(max(t for t, f1 in every.items() if f1 > best - 1e-9))
    blocks = {b["key"]: b for b in drawn(two, two["start"] | {"mode": "best"})}
    verdict = words(blocks["verdict"])
    assert f"one {best:.1f}" in verdict and f"thresholds {at} and" in verdict
    assert "an upper bound" in verdict
    assert f"one: best at {at} (F1 {best:.1f}" in words(blocks["band"]), "one best, not two"


def test_which_errors_another_threshold_would_cure() -> None:
    """Light: a right span withheld, and any answer where none is wanted."""
    rows = lines(1)
    s = shown_of((rows, run_of("one")), None, "http://x/")
    data = data_of(page_of(s))
    figure = next(b for b in drawn(data, data["start"]) if b["key"] == "kinds-figure")
    dark, light = figure["data"]
    names = figure["layout"]["yaxis"]["ticktext"]
    at = {name: (dark["x"][k], light["x"][k]) for k, name in enumerate(names)}
    answered = [r for r in rows if not r["gold"] and r["score_diff"] <= 0]
    held = [r for r in rows if r["gold"] and r["score_diff"] > 0]
    cured = sum(r["best"]["exact"] == 1 for r in held)
    assert at[ANSWERED] == (0, len(answered))
    assert at["withheld"] == (len(held) - cured, cured)


def test_of_equally_good_thresholds_the_highest_is_the_best() -> None:
    rows = lines(1, 48)
    best = table_of(rows).best("f1")[0]
    silent, right = (next(r for r in rows if r["best"]["kind"] == k) for k in (ANSWERED, "right"))
    rows += [silent | {"id": "s", "score_diff": best + 1e-3}]
    rows += [right | {"id": "r", "score_diff": best + 2e-3}]
    side = shown_of((rows, run_of("one")), None, "http://x/").sides[0]
    assert side.frames[best_frame(side, "f1")] == pytest.approx(best + 2e-3)
    assert best_frame(side, "f1") == side.at["best"]


def test_each_half_is_judged_by_the_threshold_of_the_other() -> None:
    side = shown_of((lines(1), run_of("one")), None, "http://x/").sides[0]
    first, second = halves([row["title"] for row in side.rows])
    best = [side.table.part(half).best("f1")[0] for half in (first, second)]
    assert best[0] != best[1]
    fitted = side.frames[side.at["fitted"]]
    assert set(fitted[first]) == {best[1]} and set(fitted[second]) == {best[0]}


def test_the_surest_failures_are_those_furthest_from_the_threshold() -> None:
    rows = lines(1)
    data = data_of(page_of(shown_of((rows, run_of("one")), None, "http://x/")))
    for at in (0, data["start"]["a"]):
        limit = data["thresholds"]["a"][at]
        wrong = [r for r in rows if under(r, limit, "2.0")["exact"] == 0]
        wrong.sort(key=lambda r: -abs(r["score_diff"] - limit))
        state = data["start"] | {"a": at}
        (table,) = [b for b in drawn(data, state) if b["key"] == "failures-a"]
        assert [r["sets"]["selection"] for r in table["rows"]] == [
            f"a{r['id']}" for r in wrong[:10]
        ]
        margins = [abs(r["score_diff"] - limit) for r in wrong[:10]]
        assert [float(r["cells"][-1]) for r in table["rows"]] == pytest.approx(margins, abs=0.051)


def test_a_group_is_the_mean_of_its_questions_and_sureness_of_its_tenth() -> None:
    rows = lines(1)
    for row in rows[:27]:  # 18 with an answer, 9 without
        row["columns"]["level"] = "few"
    for row in rows[27:75]:  # 32 and 16
        row["columns"]["level"] = "some"
    data = data_of(page_of(shown_of((rows, run_of("one")), None, "http://x/")))
    blocks = {b["key"]: b for b in drawn(data, data["start"])}
    axis = blocks["groups-figure"]["layout"]["yaxis"]
    name = dict(zip(axis["tickvals"], axis["ticktext"], strict=True))
    for trace, answerable in zip(blocks["groups-figure"]["data"], (True, False), strict=True):
        for x, y in zip(trace["x"], trace["y"], strict=True):
            level = re.match(r"(0|1|few|some) ·", name[y])
            if level:
                of = [r for r in rows if r["columns"]["level"] == level[1]]
                f1 = [under(r, 0.0, "2.0")["f1"] for r in of if bool(r["gold"]) == answerable]
                assert x == pytest.approx(100 * np.mean(f1), abs=0.01) and len(f1) >= 20
    assert not any(text.startswith("few") for text in name.values())
    assert "some · 48" in name.values() and "0 · 82" in name.values()
    dots = blocks["bins"]["data"][0]
    for k, (x, y) in enumerate(zip(dots["x"], dots["y"], strict=True)):
        tenth = [r for r in rows if k / 10 <= r["claim"] < (k + 1) / 10]
        right = [bool(r["gold"]) and r["best"]["exact"] == 1 for r in tenth]
        assert x == pytest.approx(100 * np.mean([r["claim"] for r in tenth]), abs=0.06)
        assert y == pytest.approx(100 * np.mean(right), abs=0.01)


def test_a_question_that_was_not_read_is_neither_right_nor_withheld() -> None:
    example = Example("q", "Who?", TEXT, (Answer("Oslo", 21),))
    row = refused_line(example, "the question is too long", "2.0")
    for limit in (-1.0, 1.0):
        found = under(row, limit, "2.0")
        assert (found["kind"], found["answer"], found["exact"]) == ("not read", None, 0.0)
        assert found["because"] == "the question is too long"


def test_few_articles_give_no_verdict_and_no_interval() -> None:
    """Findings 24 and 25."""
    first, second = lines(1, articles=5), lines(2, articles=5)
    data = data_of(page_of(shown_of((first, run_of("r")), (second, run_of("r")), "http://x/")))
    verdict = next(b for b in drawn(data, data["start"]) if b["key"] == "verdict")
    assert words(verdict).startswith("No verdict from 5 articles.") and "r (A)" in words(verdict)
    figure = next(b for b in drawn(data, data["start"]) if b["key"] == "scores")
    assert not any(any(t["error_x"]["array"]) for t in figure["data"])


def test_a_clearly_better_reader_is_called_so_and_alike_ones_are_not() -> None:
    good = lines(1)
    bad = [r | {"best": r["best"] | {"exact": 0.0, "f1": 0.0, "kind": "border"}} for r in good]
    for other, said in ((bad, "one is better"), (lines(9), "The two cannot be told apart")):
        data = data_of(
            page_of(shown_of((good, run_of("one")), (other, run_of("two")), "http://x/"))
        )
        verdict = next(b for b in drawn(data, data["start"]) if b["key"] == "verdict")
        assert words(verdict).startswith(said)
    s = shown_of((good, run_of("one")), (lines(9), run_of("two")), "http://x/")
    values = [side.scores["f1"][side.at["run"]] for side in s.sides]
    gap = [float(x[0]) for x in s.draws.mean(values[0] - values[1])]
    more = more_articles(*gap, 8)
    assert f"some {more * 30:,} more questions from {more:,} other article" in words(verdict)


def test_an_interval_that_leaves_out_0_is_not_enough() -> None:
    """Of six articles one points the other way, by little: the draws hardly see it."""
    first = lines(1, 240, 6, silent=False)
    for k, row in enumerate(first):
        row["best"] = row["best"] | {"exact": 1.0, "f1": 1.0 if k % 6 else 0.99}
    other = [r | {"best": r["best"] | {"f1": 0.9 if k % 6 else 1.0}} for k, r in enumerate(first)]
    s = shown_of((first, run_of("one", "1.1")), (other, run_of("two", "1.1")), "http://x/")
    found = "".join(x if isinstance(x, str) else x[0] for x in verdict_words(s, "run", "f1"))
    assert "cannot be told apart" in found and "leaves out 0, but where the sign" in found


def test_without_unanswerable_questions_nothing_steers() -> None:
    rows = lines(1, silent=False)
    data = data_of(page_of(shown_of((rows, run_of("one", "1.1")), None, "http://x/")))
    keys = {b["key"] for b in drawn(data, data["start"])}
    assert not {"threshold-head", "slide-a", "mode", "scores"} & keys
    assert {"kinds-head", "groups-head", "bins", "failures-a"} <= keys


def test_a_failure_links_to_its_state() -> None:
    data = data_of(page_of(shown_of((lines(1), run_of("bundled")), None, "http://x/")))
    opened = next(b for b in data["blocks"] if b["key"].startswith("open-a"))
    address = opened["blocks"][-1]["href"]
    packed = address.removeprefix("http://x/#")
    state = load(json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    assert state.question == words(opened["blocks"][0]) and state.context == TEXT
    assert state.reader == "bundled" and state.threshold == 0.0


def test_1500_questions_of_two_readers_stay_small() -> None:
    first, second = lines(1, 1500, 30), lines(2, 1500, 30)
    page = page_of(shown_of((first, run_of("one")), (second, run_of("two")), "http://x/"))
    assert len(page.encode()) < 2_500_000


def test_groups_of_enough_questions_and_their_names() -> None:
    rows = lines(1)
    parts = [np.array([bool(r["gold"]) is has for r in rows]) for has in (True, False)]
    found = groups(rows, parts)
    assert found["level"].keys() == {"0", "1"} and found["level"]["1"].sum() == 120
    assert found["question word"].keys() == {"who", "when", "how many", "what"}
    assert found["right answer"].keys() == {"1 word", "2 words"}
    assert sum(mask.sum() for mask in found["right answer"].values()) == parts[0].sum()
    assert "read in" not in found, "one group says nothing"
    assert groups(rows[:20], [x[:20] for x in parts]) == {}
    assert bins((1, 2, 4), "word") == ["1 word", "2 to 3 words", "4 words or more"]


QUESTION_WORDS = {
    "who": ["Who came?", "To whom was it given?"],
    "which": ["In which year?"],
    "how many": ["How many came?"],
    "how": ["How did it end?"],
    "when": ['"When"?'],
    "other": ["Name the king.", ""],
}


@pytest.mark.parametrize("word", QUESTION_WORDS)
def test_question_words(word: str) -> None:
    assert {question_word(question) for question in QUESTION_WORDS[word]} == {word}
