"""Chapter 1: best span and lead by brute force, the sureness from its parts, F1 by example."""

import json
import math
import re

import orjson
import pytest

from qa_demo.core.store import ASSETS
from qa_demo.printed import number
from qa_demo.state import load
from tests.chapters.given import blocks, faked, full, items, pairs, shown_of, stored, words
from tests.printed import value

NAMES = ("oresund", "reef", "emoji", "danube")
METRICS = json.loads((ASSETS / "reader" / "metrics.json").read_text())
CLAIM, CHOSEN = METRICS["claim"], METRICS["squad_dev_v2"]["span"]


def every_pair(shown):
    return [pair for w in shown.reading.windows for pair in pairs(shown.reading, w)]


@pytest.mark.parametrize("name", NAMES)
def test_the_best_span_is_brute_force_over_all_pairs(name):
    found = blocks(stored(), example=name, chapter="answer")
    score, i, j = max(every_pair(shown_of(stored(), example=name)))
    assert number(score) in words(found["finding"])
    filled = [x["at"] for x in items(found["words"]) if "predicted" in x.get("looks", [])]
    assert filled == list(range(i, j + 1))
    dots = found["spans"]["data"][0]
    assert dots["x"][0] == pytest.approx(score, abs=1e-6)
    assert dots["x"] == sorted(dots["x"], reverse=True)
    assert dots["marker"]["color"] == ["ink", *["grey"] * (len(dots["x"]) - 1)]
    assert not found["spans"]["overlay"]["shapes"], "a ring is of another than the best"
    low, high = found["spans"]["layout"]["yaxis"]["range"]
    assert low > high, "the best stands at the top"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("beyond", [-0.5, 0.5, None])
def test_the_lead_is_measured_from_the_smallest_no_answer(name, beyond):
    shown = shown_of(stored(), example=name)
    logits = [shown.reading.logits(w.index) for w in shown.reading.windows]
    best = max(every_pair(shown))[0]
    ahead = min(float(s[0]) + float(e[0]) for s, e in logits) - best
    limit = shown.true.threshold if beyond is None else beyond + ahead
    found = blocks(stored(), example=name, chapter="answer", step=2, threshold=limit)
    said, sums = words(found["finding"]), words(found["lead"])
    assert number(abs(ahead)) in said and ("span is returned" in said) == (ahead <= limit)
    assert ("≤" in sums) == (ahead <= limit) and "=" in sums
    assert ("allows" in said) == (limit < ahead <= 0) and (" more than “" in said) == (ahead > 0)
    assert ("not over" in said) == (0 < ahead <= limit) and ("− (−" in sums) == (best < 0)
    drawn = found["leads"]["layout"]
    assert found["leads"]["data"][1]["x"] == [pytest.approx(ahead, abs=1e-6)]
    shaded = drawn["shapes"][0]["x0"], drawn["shapes"][0]["x1"]
    assert shaded == (pytest.approx(limit, abs=1e-5), drawn["xaxis"]["range"][1])
    wins = [n for n in drawn["annotations"] if "wins" in n["text"]]
    assert wins and all((n["x"] < limit) == ("best" in n["text"]) for n in wins)
    null, best, printed, most = map(value, re.findall(r"−?[\d.]+", sums.splitlines()[-1])[:4])
    assert null - best == pytest.approx(printed, abs=0.011)
    assert most == pytest.approx(limit, abs=0.006)
    assert found["listed"]["rows"][0]["cells"][4] == number(ahead)


@pytest.mark.parametrize("short", [0.002, -0.002, 0.0004])
def test_a_threshold_beside_the_lead_is_printed_as_another_number(short):
    lead = shown_of(stored(), example="oresund").lead
    state = {"example": "oresund", "threshold": round(lead - short, 5)}
    found = blocks(stored(), chapter="answer", step=2, **state)
    x, sign, y = re.findall(r"(−[\d.]+) ([>≤]) (−[\d.]+)", words(found["lead"]))[0]
    assert (sign == ">") == (value(x) > value(y)) == (short > 0)
    if short > 0:
        behind, allowed, _ = re.findall(r"−?\d+\.\d+", words(found["finding"]))
        assert value(behind) < value(allowed)


def test_equal_words_are_told_apart_by_the_tokens_where_they_stand():
    text = "Of 15 trees and 5 bushes none is left, and 5 stones lie here, and 5 there."
    state = {"question": "How many stones?", "context": text, "max_answer_length": 1}
    edits = {"start": {f"0:{k}": 50.0 for k in (10, 17, 23)}, "end": {}}
    found = blocks(faked(), chapter="answer", **state, edits=edits)
    names = str(found["spans"]["layout"]["yaxis"]["ticktext"])
    assert sorted(re.findall(r"“5” \(token (\d+)\)", names)) == ["12", "18", "5"]
    assert "“5” has the highest score" in words(found["finding"]), "of the changed logits"
    assert re.findall(r"\(token (\d+)\)", words(found["by-hand"])) == ["5", "12", "18"]
    own = blocks(faked(), chapter="answer", step=3, **state, edits=edits)["finding"]
    assert "“5”" not in words(own), "how sure the reader itself is"
    same, long = "Of 15 … and 5", {"start": {"0:6": 90.0}, "end": {"0:17": 90.0, "0:23": 90.0}}
    state |= {"max_answer_length": 30, "edits": long}
    cut = str(blocks(faked(), chapter="answer", **state)["spans"]["narrow"]["yaxis.ticktext"])
    assert re.findall(r"“(.*?)” \(tokens 1 to (\d+)", cut) == [(same, "12"), (same, "18")]


@pytest.mark.parametrize("name", ["oresund", "reef", "bronze"])
def test_the_sureness_follows_from_what_is_printed_and_says_what_was_counted(name):
    found = blocks(stored(), example=name, chapter="answer", step=3)
    exact, said = words(found["exact-0"]), words(found["finding"])
    there, right = map(value, re.search(r"= (\S+) · (\S+) ", words(found["count"])).groups())
    share, bias = map(value, re.search(r"[)], (\S+), with (\S+) added", exact).groups())
    odds = math.log(share / (1 - share)) + bias
    assert right == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.002)
    sure = value(re.search(r"[(](0[.]\d+): the bar", said)[1])
    assert sure == pytest.approx(there * right, abs=0.0011) and f"{100 * sure:.0f} %" in said
    row = next(b for b in CLAIM["bins"] if b["low"] <= sure < b["high"])
    assert f"the {row['count']} questions" in said and f"{100 * row['accuracy']:.0f} in 100" in said
    told = f"{round(row['count'] * row['accuracy'])} right / {row['count']} questions = "
    assert told + f"{row['accuracy']:.2f}" in words(found["count"])
    bars, listed = found["bins"]["data"][0], found["bins-table"]["rows"]
    last, lit = words(found["closing"]), bars["marker"]["color"].count("ink")
    assert lit == 1 and last.endswith(
        f"gives {there:.3f}, the scores of rival spans give {right:.3f}."
    )
    for b, x, y, told in zip(CLAIM["bins"], bars["x"], bars["y"], listed, strict=True):
        assert (x, y) == pytest.approx((50 * (b["low"] + b["high"]), 100 * b["accuracy"]))
        said, right = (f"{100 * b[name]:.0f}" for name in ("mean_prob", "accuracy"))
        assert told["cells"][1:] == [f"{b['count']:,}", said, right]


def test_each_annotator_has_a_line_an_exact_match_and_f1():
    lines = blocks(stored(), example="oresund", chapter="answer")["words"]["lines"]
    marked = [f"marked by {n} of 3 annotators" for n in (2, 1)]
    assert [x["text"] for x in lines] == marked
    assert words(blocks(stored(), example="oresund")["key"]).endswith("\nmarked as right")
    found = blocks(stored(), example="oresund", chapter="answer", step=3)
    assert [r["cells"] for r in found["marks"]["rows"]] == [
        ["“Georg Rotne”", marked[0], "yes", "1.00"],
        ["“the Danish architect Georg Rotne”", marked[1], "no", "0.67"],
    ]  # two words shared: 2 * 2 / (2 + 4), "the" is ignored
    assert "2 · 2 shared / (2 + 4 words, articles left out) = 0.67" in words(found["f1"])


def test_a_text_without_an_answer_one_that_nobody_marked_and_one_marked_by_hand():
    silent = blocks(stored(), example="reef", chapter="answer")
    assert "“no answer” wins" in words(silent["finding"])
    assert "the author says that this text holds no answer" in words(silent["key"])
    assert "key" not in blocks(stored(), example="reef", chapter="answer", veil=True)
    given = {"question": "Who won?", "context": "Ada Kok won.", "gold": []}  # as Loss and Tags say
    assert "you say that this text holds no" in words(blocks(faked(), **given)["key"])
    assert "gives the tag O" in words(blocks(full(), **given, chapter="bio", step=3)["finding"])
    own = {"question": "Who?", "context": "Ada Kok lives in Oslo.", "chapter": "answer"}
    assert "nobody has marked" in words(blocks(faked(), **own)["key"])
    assert "was not measured" in words(blocks(faked(), **own, step=3)["finding"])
    far = blocks(faked(), **own, step=2, threshold=-30.5)
    assert (far["threshold"]["min"], far["own"]["off"]) == (-31, False)
    assert far["own"]["label"] == "The default, 0.00"
    marked = blocks(faked(), **own, gold=[[0, 7]])
    assert [x["text"] for x in marked["words"]["lines"]] == ["marked by you"]
    assert words(marked["key"]).endswith("\nmarked as right by you")
    said = [words(blocks(stored(), example=x)["finding"]) for x in ("oresund", "bronze")]
    assert ["Nobody marked" in one for one in said] == [False, True]


def test_the_selection_moves_sum_and_ring_and_a_rule_without_a_threshold_says_so():
    a = blocks(stored(), example="oresund", chapter="answer")
    second = a["spans"]["data"][0]["customdata"][1]
    b = blocks(stored(), example="oresund", chapter="answer", selection=second)
    assert len(b["spans"]["overlay"]["shapes"]) == 1
    assert "= 9.93" in words(b["sum"]) and "= 13.59" in words(a["sum"])
    wide = blocks(stored(), example="metre", chapter="answer", selection=[0, 1000])
    assert "fits in no window" in words(wide["sum"])
    found = blocks(stored(), example="oresund", chapter="answer", step=2, rule="product")
    assert "no threshold applies" in words(found["finding"]) and "threshold" not in found
    assert f"withholds {CHOSEN['withheld_right']:.0f} in 100 right" in words(found["exact-0"])
    third = blocks(stored(), example="oresund", chapter="answer", step=3, rule="product")
    assert "cannot be said" in words(third["finding"]) and "bins" not in third
    assert "sure" not in words(third["answer"])
    zero = blocks(stored(), example="oresund", chapter="answer", step=2, threshold=0)["threshold"]
    assert zero["value"] == 0, "not the reader's own"


def test_a_long_text_is_small_keeps_what_is_marked_and_counts_the_words_that_it_leaves_out():
    text = " ".join(f"word{k}" + "," * (k % 10 == 9) for k in range(400)) + " Ada lives in Oslo."
    at = text.index
    gold = [[at("word100"), at("word103")], [at("word250"), at("word251")]]
    given = {"question": "Where does Ada live?", "context": text, "gold": gold}
    shown = items(blocks(faked(), chapter="answer", **given)["words"])
    left = [int(i["t"].split()[1]) for i in shown if i["t"].startswith("… ")]
    drawn = [i for i in shown if i["t"][0].isalnum()]
    assert sum(left) + sum(not i.get("joined") for i in drawn) == 404 and len(left) >= 2
    said = "".join(i["t"] + i["gap"] for i in shown)
    assert all(f"word{k} " in said for k in (0, 24, 76, 100, 127, 226, 250, 275))
    assert "word51 " not in said and "word190 " not in said
    context = " ".join(f"wo{k % 977}rd" for k in range(8000))[:50_000]
    state = {"question": "Who?", "context": context, "chapter": "answer"}
    assert len(orjson.dumps(faked().blocks(load(state))[0])) < 100_000
