"""Each chapter's first sentence, said again from stored logits, with plain loops."""

import random
import re
from functools import cache

import numpy as np
import pytest

from qa_demo.core.files.assets import ASSETS
from qa_demo.core.files.examples import load_passages
from qa_demo.core.learning.bio import DECODINGS
from qa_demo.core.learning.tagging import owned_rows, tagging
from qa_demo.core.masking.masked import hide
from qa_demo.core.options import DecodeOptions, MergeOptions, WindowOptions
from qa_demo.core.reading.predict import predict
from qa_demo.core.types import Reading, Span, Window
from qa_demo.figures.answer.picture import answer_notice
from qa_demo.figures.bio.picture import compare_sentence, notices
from qa_demo.figures.labels import Labels
from qa_demo.figures.loss.notice import loss_notice
from qa_demo.figures.loss.terms import mean_loss
from qa_demo.figures.numbers import mean
from qa_demo.figures.prose import quoted
from qa_demo.figures.scores.picture import plane_notice
from qa_demo.figures.spanbert.guess_sentences import notice as guess_notice
from qa_demo.figures.spanbert.guessed import Guessed
from qa_demo.figures.spans.notice import runner_up
from qa_demo.figures.spans.pair_mass import mass_data
from qa_demo.figures.start_end.notice import notice as start_end_notice
from qa_demo.figures.windows.merge import merge_data, rule_results
from qa_demo.figures.windows.picture import limits, try_plan, window_notice
from qa_demo.views.examples import load_examples
from qa_demo.views.link.parts import start_decode
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.printed import value
from tests.requests import readings as stored

LONGEST = DecodeOptions().max_answer_length
WORDS = "Anna Lund went from Kalmar to Visby in winter and David told the keeper of it"


@cache
def readings() -> tuple[Reading, ...]:
    """All examples' stored readings, and long fake texts, every other with no answer."""
    found = list(stored().values())
    for seed in range(10):
        pick = random.Random(seed)
        text = " ".join(f"{' '.join(pick.choices(WORDS.split(), k=9))}." for _ in range(24))
        reader = FakeReader(null=30.0 if seed % 2 else -3.0, bio=True)
        found.append(reader.read("Who came?", text, WindowOptions(48, 18)))
    return tuple(found)


def null_of(reading: Reading) -> float:
    """The least score of [CLS], over all windows."""
    rows = [(w, *reading.logits(w.index)) for w in reading.windows]
    return min(float(s[w.cls_at]) + float(e[w.cls_at]) for w, s, e in rows)


def legal(reading: Reading, w: Window) -> list[tuple[float, int, int]]:
    """(score, first, last word piece) of each legal span of a window, best first."""
    s, e = (np.asarray(x, dtype=float) for x in reading.logits(w.index))
    inside = [k for k in range(len(w)) if w.is_context[k]]
    found = []
    for i in (k for k in inside if w.is_max_context[k]):
        for j in range(i, min(inside[-1], i + LONGEST - 1) + 1):
            found.append((float(s[i] + e[j]), w.to_doc(i), w.to_doc(j)))
    return sorted(found, reverse=True)


def softmax(x: np.ndarray) -> np.ndarray:
    raised = np.exp(np.asarray(x, dtype=float) - float(np.max(x)))
    return raised / raised.sum()


def near(printed: str, x: float) -> bool:
    """Whether a number is printed as the nearest one with its decimals."""
    decimals = len(printed.partition(".")[2])
    return abs(value(printed) - x) <= 0.5 * 10.0**-decimals + 2e-5


def percents(said: str, share: float) -> bool:
    return {"< 1 %": share < 0.01, "> 99 %": share > 0.99}.get(
        said, said == f"{round(100 * share)} %"
    )


def text(reading: Reading, first: int, last: int, longest: int | None = None) -> str:
    return quoted(reading.encoding.text(Span(first, last)), longest)


def test_chapter_1_names_best_span_lead_threshold_and_runner_up() -> None:
    for reading in readings():
        decode = start_decode(reading)
        said = answer_notice(reading, predict(reading, decode))
        spans = sorted((one for w in reading.windows for one in legal(reading, w)), reverse=True)
        (best, a, b), (second, c, d) = spans[:2]
        null = null_of(reading)
        withheld = null - best > decode.null_score_diff_threshold
        assert said.startswith("No answer:") == withheld
        assert text(reading, a, b, 40) in said
        number, side = re.search(r"(?:scores|lies) ([\d.]+) (above|below)", said).groups()
        assert near(number, abs(best - null)) and (value(number) or best == null)
        assert side == ("above" if best >= null else "below")
        if withheld:
            limit, asked = -decode.null_score_diff_threshold, r"the limit is ([\d.]+) (above|below)"
            found = re.search(asked, said)
            assert (found is None) == (limit == 0)
            if found is not None:
                assert near(found[1], abs(limit))
                assert found[2] == ("above" if limit > 0 else "below")
        else:
            more = "more" if side == "above" else "less"
            assert f"to {more} than {number} {side}, and the reader falls silent" in said
        assert ("No threshold is stored" in said) == (reading.threshold is None)
        shared = "shares the same start" if a == c else "shares the same end" if b == d else None
        assert (shared in said) if shared else ("shares the same" not in said)
        assert f"The runner-up {text(reading, c, d, 40)}" in said
        behind = re.search(r"is ([\d.]+) behind\.", said).group(1)
        assert near(behind, best - second) and (value(behind) or best == second)


def test_chapter_2_counts_tokens_above_no_answer_and_says_one_dot_or_two() -> None:
    ones = 0
    for reading in readings():
        for w in reading.windows:
            said = plane_notice(reading, w.index, start_decode(reading), "max_context")
            s, e = (np.asarray(x, dtype=np.float32) for x in reading.logits(w.index))
            null = s[w.cls_at] + e[w.cls_at]
            inside = [k for k in range(len(w)) if w.is_context[k]]
            above = sum(bool(s[k] + e[k] > null) for k in inside)
            where = f" of window {w.index + 1}" if len(reading.windows) > 1 else ""
            assert re.search(
                rf" Of {len(inside)} tokens?{where}, {above or 'none'} stands? above", said
            )
            found = legal(reading, w)
            if not found:
                assert said.startswith("No span of this window is legal.")
                continue
            _, first, last = found[0]
            assert said.startswith(f"The best span{where} ")
            assert ("start and end from one dot, " in said) == (first == last)
            numbers = re.findall(r"logit (?:is )?(\u2212?[\d.]+\d)", said)
            i, j = w.to_pos(first), w.to_pos(last)
            told = (s[i], e[j]) if i == j else (e[i], s[j])
            assert all(map(near, numbers, map(float, told))) and len(numbers) == 2
            ones += i == j
    assert ones


def test_chapter_3_says_sharp_or_flat_where_it_peaks_and_whether_the_peaks_fit() -> None:
    seen = set()
    for reading in readings():
        for w in reading.windows:
            said = start_end_notice(
                reading, w.index, start_decode(reading), "max_context", 1.0, None
            )
            for side, row in zip(("start", "end"), reading.logits(w.index), strict=True):
                p = softmax(row)
                order, k, held = sorted(p, reverse=True), 0, 0.0
                while held < 0.95 - 1e-12:
                    held, k = held + order[k], k + 1
                shape = "sharp" if k <= 5 else "flat" if 2 * k > len(p) else "spread"
                peak = r"tokens? holds? (.+? %), most on .*? with (.+? %)[,.]"
                told = re.search(rf"he {side} is (\w+): (\d+) {peak}", said, re.DOTALL)
                name, count, share, most = told.groups()
                seen.add(name)
                assert name == shape and abs(int(count) - k) <= 1 and percents(most, max(p))
                assert int(count) != k or percents(share, min(1.0, held))
            i, j = (
                int(np.argmax(np.where(w.is_context, x, -np.inf))) for x in reading.logits(w.index)
            )
            fits = i <= j < i + LONGEST and bool(w.is_max_context[i])
            seen.add(fits)
            assert ("form a legal pair, so no other span of this window beats it" in said) == fits
            found = legal(reading, w)
            if not fits and found:
                s, e = reading.logits(w.index)
                told = (
                    r"its score is (\S+), which is (\S+) below the sum of the two maxima, (\S+)\."
                )
                score, cost, maxima = re.search(told, said).groups()
                assert near(score, found[0][0]) and near(maxima, float(s[i]) + float(e[j]))
                assert value(score) + value(cost) == pytest.approx(value(maxima))
    assert {True, False, "sharp", "spread"} <= seen


def test_chapter_4_says_how_the_runner_up_loses_and_what_independence_costs() -> None:
    for reading in readings():
        found = predict(reading, start_decode(reading))
        first, second = (r.candidate for r in found.n_best[:2])
        said = runner_up(found)
        shared = first.window == second.window and first.span.end == second.span.end
        assert ("shares the end" in said) == shared
        if shared:
            lost = re.search(r"(loses|gains|ties) ?([\d.]*) on the start", said).groups()
            ds = first.start_logit - second.start_logit
            assert lost[0] == ("loses" if ds > 0 else "gains" if ds < 0 else "ties")
            assert not ds or near(lost[1], abs(ds))
        for w in reading.windows[:2]:
            s, e = (softmax(x) for x in reading.logits(w.index))
            spans = {(w.to_pos(a), w.to_pos(b)) for _, a, b in legal(reading, w)}
            mass = {"legal": 0.0, "no_answer": float(s[w.cls_at] * e[w.cls_at])}
            mass["legal"] = float(sum(s[i] * e[j] for i, j in spans))
            mass["illegal"] = float(s[w.is_context].sum() * e[w.is_context].sum()) - mass["legal"]
            mass["mixed"] = 1.0 - sum(mass.values())
            parts = mass_data(reading, w.index, start_decode(reading), "max_context", 1.0)["parts"]
            assert {p["key"]: p["value"] for p in parts} == pytest.approx(mass, abs=1e-6)


def test_chapter_5_says_which_half_costs_more_and_whether_both_labels_lead() -> None:
    for reading, example in zip(readings(), load_examples().values(), strict=False):
        found = predict(reading, start_decode(reading))
        span = found.best.candidate.span if example.answers else None
        window = found.best.candidate.window if span else 0
        golds = (span,)
        said = loss_notice(reading, Labels(golds, "marked"), found, window)
        losses, here, lead = [0.0, 0.0], [0.0, 0.0], True
        for w in reading.windows:
            held = span is not None and w.doc_start <= span.start and span.end < w.doc_stop
            places = (w.to_pos(span.start), w.to_pos(span.end)) if held else (w.cls_at, w.cls_at)
            for k, x in enumerate(reading.logits(w.index)):
                p = softmax(x)
                losses[k] -= float(np.log(p[places[k]]))
                if w.index == window:
                    here[k] = -float(np.log(p[places[k]]))
                    lead = lead and int(np.argmax(x)) == places[k]
        # what the page prints says the same, and its mean is that of what it prints, rounded
        printed = mean_loss(reading, golds)
        start, end = (value(text) for text in printed.addends)
        worse = "start" if here[0] >= here[1] else "end"
        assert said.startswith("Both labels lead: the " if lead else f"The {worse} costs more")
        alike = len({*mean(here).addends}) == 1
        size = "which costs as much as the end" if alike else "with the larger loss"
        assert f"the {'start' if alike else worse}, {size}" in said or not lead
        unit = 10.0**-printed.decimals
        assert (start + end) / 2 == pytest.approx(value(printed.total), abs=0.51 * unit)
        means = [x / len(reading.windows) for x in losses]
        assert [start, end] == pytest.approx(means, abs=0.6 * unit)
        right = (found.answer is None) if span is None else found.answer is not None
        assert ("is the label" in said) == right and ("is not the label" in said) != right


def test_chapter_6_counts_what_stands_twice_and_names_every_rule_that_differs() -> None:
    for reading in readings():
        decode = start_decode(reading)
        merged = merge_data(reading, decode, MergeOptions())
        said = window_notice(reading, merged)
        copies = [0] * len(reading.encoding.context_ids)
        for w in reading.windows:
            for d in range(w.doc_start, w.doc_stop):
                copies[d] += 1
        twice = sum(c > 1 for c in copies)
        if len(reading.windows) == 1:
            room = reading.options.max_seq_length - len(reading.encoding.question_ids)
            held = f"One window of {room - reading.encoding.n_special:,} holds all "
            assert said.startswith(f"{held}{len(copies):,} word piece") and not twice
            assert "would need" not in said
            small = limits(reading)["small"]
            if small is not None:
                tried = WindowOptions(small["max_seq_length"], small["doc_stride"])
                count = len(try_plan(reading, tried, decode, [])["layout"]["starts"])
                needs = f"; at max_seq_length {tried.max_seq_length} they would need {count}."
                assert needs in window_notice(reading, merged, tried)
        else:
            assert said.startswith(f"{twice:,} of {len(copies):,} word pieces stand in more than")
        rules = [r for r in rule_results(reading, decode) if r.prediction is not None]
        best = predict(reading, decode).best.candidate
        differ = [r for r in rules if r.winner_doc != (best.span.start, best.span.end)]
        assert (f"All {len(rules)} rules that rank spans name" in said) == (not differ)
        assert (f"{len(rules) - len(differ)} of {len(rules)} rules name" in said) == bool(differ)
        assert (", the other “" in said) == (len(differ) == 1)
        assert differ or text(reading, best.span.start, best.span.end)[:20] in said


def test_chapter_7_counts_sure_outsiders_illegal_steps_and_compares_both_heads() -> None:
    seen = set()
    for reading in (r for r in readings() if r.tag_logits is not None):
        rows, _ = owned_rows(reading)
        found = {name: tagging(reading, name) for name in DECODINGS}
        prediction = predict(reading, start_decode(reading))
        said = notices(prediction, found["viterbi"], found["strict"], rows)["tags"]
        sure = sum(float(np.exp(row[2])) > 0.98 for row in rows)
        assert re.search(
            f"; of {len(rows):,} tokens?, {sure:,} (is|are) outside with more than 0.98\\.", said
        )
        first = [text(reading, x.span.start, x.span.end, 40) for x in found["viterbi"].spans[:1]]
        assert said.startswith(f"The tags mark {first[0] if first else 'no span;'}")
        marginals = [float(x) for x in re.findall(r"\u2069” \(([\d.]+)\)", said)]
        shown = found["viterbi"].spans[:2]
        assert marginals == pytest.approx([x.marginal for x in shown], abs=6e-4)
        assert ("over all legal taggings" in said) == bool(shown)
        assert len(found["viterbi"].illegal) == 0
        spans = [x.span for x in found["viterbi"].spans]
        told = compare_sentence(prediction, found["viterbi"].spans)
        own = [] if prediction.answer is None else [prediction.best.candidate.span]
        kind = "Both heads return the same span" if spans == own else "The two heads differ"
        if not spans and not own:
            kind = "Both heads find no answer"
        seen.add(kind)
        assert told.startswith(kind)
    assert len(seen) >= 2


def test_chapter_8_counts_first_guesses_on_every_passage() -> None:
    model = FakeInfiller()
    for passage in load_passages(ASSETS / "passages.json"):
        encoding = model.encode(passage.text)
        at = min(5, len(encoding.context_ids) - 4)
        masked = hide(encoding.context_ids, [Span(at, at + 2)], model.mask_id)
        found = model.infill(masked)
        pieces = tuple(model.piece(k) for k in masked.input_ids.tolist())
        said = guess_notice(Guessed(encoding, found, found, None, at, pieces))
        mlm = sum(p.mlm.rank == 1 for p in found.pieces)
        sbo = sum(p.sbo is not None and p.sbo.rank == 1 for p in found.pieces)
        assert f"(MLM's) first guess is right at {mlm} of 3, " in said
        assert f"(SBO's) right at {sbo} of 3." in said
        better = [p for p in found.pieces if p.sbo is not None and p.sbo.rank < p.mlm.rank]
        assert ("SBO ranks the true piece above MLM" in said) == bool(better)
