"""Chapter 9: shares, leads and weights against sums by hand; nothing of it follows a selection."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from qa_demo.chapters import why
from qa_demo.chapters.why import Shares, differing, piled
from qa_demo.core.text import is_mark
from qa_demo.printed import number, signed
from qa_demo.state import load
from tests.chapters.given import blocks, faked, items, shown_of, words
from tests.printed import value

TEXTS = {
    "question": "Who built the (old) bridge?",
    "context": "The bridge of 1,064.5 metres, built by Georg Rotne, stands. Its towers are high "
    "and old; nobody in Oslo-Fjord knows 5 % of them.",
}


def shares_of(**state):
    return Shares(shown_of(faked(), chapter="why", **state))


@pytest.mark.parametrize("text", [TEXTS, {"example": "oresund"}, {"example": "bronze"}])
def test_bars_are_the_sums_of_the_pieces_shares(text):
    found = shares_of(**text)
    total, of = found.found.values, found.words.of
    by_hand = [sum(total[p] for p in range(len(of)) if of[p] == k) for k in range(len(found.words))]
    made = blocks(faked(), chapter="why", **text)
    drawn, key = items(made["words"]), words(made["key"])
    assert [i["t"] for i in drawn] == [one.text for one in found.words.items]
    assert ["above" in key, "below" in key] == [any(x in i for i in drawn) for x in ("up", "down")]
    full, labels = max(map(abs, by_hand)), []
    for one, share in zip(drawn, by_hand, strict=True):
        lane = "up" if share > 0 else "down"
        assert (lane in one) == (abs(share) >= 0.3) and not ("up" in one and "down" in one)
        if lane in one:
            assert one[lane][0] == pytest.approx(abs(share) / full, abs=1e-4)
            labels += [one[lane][1]] if one[lane][1] else []
    largest = sorted((x for x in by_hand if abs(x) >= 0.3), key=abs)[-5:]
    assert sorted(map(value, labels)) == pytest.approx(sorted(largest), abs=0.0051)


def test_the_text_stands_as_typed_its_marks_apart_and_the_sum_is_how_far_the_span_is_ahead():
    found = blocks(faked(), chapter="why", **TEXTS)
    for side, typed in zip(found["words"]["segments"], TEXTS.values(), strict=True):
        assert "".join(i["t"] + i["gap"] for i in side["items"]) == typed
    numbers = [re.findall(r"[−+\d.]+\d", line) for line in words(found["sum"]).split("\n")]
    blank, all_shares, ahead = map(value, numbers[1][:3])
    assert blank + all_shares == pytest.approx(ahead, abs=0.02 * abs(ahead - blank) + 0.02)
    s = shares_of(**TEXTS)
    assert value(numbers[0][-1]) == pytest.approx(max(s.values, key=abs), abs=0.0051)
    start, end = s.shown.true.logits(s.window.index)
    i, j = (s.window.to_pos(d) for d in (s.span.start, s.span.end))
    assert ahead == pytest.approx(start[i] + end[j] - start[0] - end[0], abs=0.006)
    context = "“Ada”, (b) 1,064.5 Oslo-Fjord 5 %?)"
    found = shares_of(question="Who?", context=context)
    apart = ["“", "Ada", "”,", "(", "b", ")", "1,064.5", "Oslo-Fjord", "5", "%", "?)"]
    assert [one.text for one in found.words.items] == ["Who", "?", *apart]
    assert [is_mark(x) for x in ("%", "?)", "")] == [False, True, False]
    e, w = found.shown.encoding, found.window
    for pos in np.flatnonzero(w.is_context).tolist():
        begins, ends = e.offset_mapping[w.to_doc(pos)]
        one = found.words.items[found.words.of[pos]]
        assert one.char_start <= begins and ends <= one.char_end


def test_hidden_words_are_read_one_set_at_a_time_by_hand():
    s = shares_of(**TEXTS)
    test, reader = s.test(), faked().reader("bundled")
    leads, draws = map(list, zip(*test.draws, strict=True))
    free = [k for k, one in enumerate(s.words.items) if not is_mark(one.text) and k not in s.own]
    best = sorted(free, key=lambda k: -s.values[k])[:3]
    assert list(test.first) == best and len(draws) == 20
    assert all(len(set(each)) == 3 and set(each) <= set(free) - set(best) for each in draws)
    i, j = (s.window.to_pos(d) for d in (s.span.start, s.span.end))

    def lead(chosen):
        start, end = reader.masked(s.window, np.isin(s.words.of, chosen)[None])
        return float(start[0, i] - start[0, 0] + end[0, j] - end[0, 0])

    assert test.lead == pytest.approx(lead(test.first), abs=1e-4)
    assert leads == sorted(leads) and leads == pytest.approx([*map(lead, draws)], abs=1e-4)
    found = blocks(faked(), chapter="why", step=2, **TEXTS)
    as_low, dots = sum(x <= test.lead for x in leads), found["dots"]["data"][0]
    assert f"; in {as_low or 'none'} of 20 random draws it ends" in words(found["finding"])
    assert len(dots["x"]) == 20 and dots["marker"]["color"].count("ink") == as_low
    ahead = -faked().blocks(load({"chapter": "answer", "step": 2, **TEXTS}))[1].lead
    assert s.lead == pytest.approx(ahead, abs=1e-5) and number(ahead) in words(found["finding"])
    notes = str(found["dots"]["layout"]["annotations"])
    assert f"wins below {number(-s.shown.prediction.limit)}" in notes
    alone = blocks(faked(), chapter="why", step=2, question="Who did?", context="Ada Kok won it")
    assert re.match("Not clearly .*in none.* as low; too few", words(alone["finding"])), "one draw"
    none = blocks(faked(), chapter="why", step=2, question="Who?", context="Ada")
    assert "too few words speak for it" in words(none["finding"])


def test_weights_are_one_row_of_one_head_and_it_opens_on_a_spread_one(monkeypatch):
    s, reader = shares_of(**TEXTS), faked().reader("bundled")
    weights = reader.attention(s.window)[:, :, s.window.to_pos(s.span.start)]
    asked = {(n, a): sum(weights[n, a, 1:8]) for n in range(3) for a in range(2)}
    wide = {k: v for k, v in asked.items() if weights[k].max() < 0.3} or asked
    n, a = max(wide, key=wide.get)
    found = blocks(faked(), chapter="why", step=3, **TEXTS)
    assert (found["layer"]["value"], found["head"]["value"]) == (n + 1, a + 1)
    drawn = items(found["weights"])
    assert [i["sets"]["own.why.token"] for i in drawn] == list(range(len(weights[n, a])))
    assert ["up" in one for one in drawn] == (weights[n, a] >= 0.02).tolist()
    assert re.search(r"[=≈] 1$", words(found["adds"]))
    far = {"why": {"layer": 90, "head": 2, "token": 0}}
    other = blocks(faked(), chapter="why", step=3, own=far, **TEXTS)
    assert "Layer 3, attention head 2: “[CLS]”" in words(other["finding"])
    monkeypatch.setattr(why, "differing", lambda *_: (4, 1))
    two = items(blocks(faked(), chapter="why", step=3, **TEXTS)["weights"])
    assert {i["down"][1] for i in two if "down" in i} == {signed(s.values[k]) for k in (4, 1)}


def test_a_word_read_more_with_a_small_share_is_set_beside_the_largest_share():
    for name, expected in (("a", (0, 1)), ("b", (-1, -1))):  # two of one name tell nothing
        items = [SimpleNamespace(text=text) for text in (name, "b", "c")]
        words = SimpleNamespace(of=np.array([-1, 0, 1, 2]), items=items)
        shares = SimpleNamespace(values=np.array([0.1, 2.0, 0.2]), real=[0, 1, 2], words=words)
        assert differing(shares, np.array([0.5, 0.1, 0.9]), at=3) == expected  # not what looks
        assert differing(shares, np.array([0.07, 0.1, 0.9]), at=3) == (-1, -1)
    xs = sorted(np.random.default_rng(3).normal(0, 0.2, 20).tolist())
    rows = np.array(piled(xs, 0.1))
    assert all((np.diff(np.array(xs)[rows == level]) >= 0.1).all() for level in set(rows))
    assert piled([1.0, 1.0, 1.0], 0.1) == [0, 1, 2]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_hand_and_a_gap_of_2_percent_change_nothing_but_a_remark(step, monkeypatch):
    monkeypatch.setattr("qa_demo.core.attribution.GAP_LIMIT", 0.01002)
    plain = blocks(faked(), chapter="why", step=step, **TEXTS)
    changed = blocks(faked(), chapter="why", step=step, edits={"start": {"0:9": 30.0}}, **TEXTS)
    monkeypatch.setattr("qa_demo.core.attribution.GAP_LIMIT", 0.00998)
    doubted = blocks(faked(), chapter="why", step=step, **TEXTS)
    assert all(plain[k] == changed[k] == doubted[k] for k in set(plain) - {"answer", "finding"})
    assert "not those changed by hand" in words(changed["finding"])
    said = "The shares miss 1.000 % of the change even at 20 points"  # of 0.998, not "1.0" of "1.0"
    assert said in words(doubted["finding"]) and "miss" not in words(plain["finding"])
