"""What a window teaches, which paragraphs are kept apart, and the pool of windows drawn ahead."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from qa_demo.core.text import touching
from qa_demo.core.types import Answer, B, Example, I, O, Span
from qa_demo.training import data
from qa_demo.training.data import Sampler, items, marks
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
NAMES = ("George Rotne", "Ingeborg")


def example(spans: tuple[tuple[tuple[int, int], ...], ...], context: str = kit.CONTEXT) -> Example:
    answers = tuple(Answer(context[a:b], a) for a, b in spans[0])
    return Example("q", kit.QUESTION, context, answers, spans=spans)


def places(*texts: str, context: str = kit.CONTEXT) -> tuple[tuple[int, int], ...]:
    return tuple((context.index(t), context.index(t) + len(t)) for t in texts)


def drawn(one: Example, length: int = 256):
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    feature = sampler.draw(0, length, random.Random(0))
    assert feature is not None
    return sampler.encoding(one.question, one.context), feature


def marked(feature, first: Span, last: Span) -> float:
    """What start and end learn of the span from one to the other, if it is the same."""
    start = feature.start[feature.window.to_pos(first.start)]
    assert start == feature.end[feature.window.to_pos(last.end)]
    return start


def test_the_tags_learn_every_span_and_start_and_end_the_first() -> None:
    first, last = sorted(NAMES, key=kit.CONTEXT.index)
    encoding, feature = drawn(example((places(first, last),)))
    spans = [touching(encoding, *place) for place in places(first, last)]
    want = np.full(len(encoding.context_ids), O)
    for span in spans:
        want[span.start : span.end + 1] = I
        want[span.start] = B
    window = feature.window
    inside = slice(window.to_pos(0), window.to_pos(0) + len(want))
    assert (feature.tags[inside].argmax(-1) == want).all()
    assert feature.tags[inside].max(-1).min() == 1
    assert marked(feature, spans[0], spans[0]) == 1 and feature.holds_answer


def test_a_window_that_cuts_the_first_span_learns_the_first_that_it_holds() -> None:
    context = "anna rotne " * 40 + "ingeborg " + "anna rotne " * 40 + "1998 end"
    one = example((places("ingeborg", "1998", context=context),), context)
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    encoding = sampler.encoding(one.question, context)
    spans = [touching(encoding, *place) for place in one.spans[0]]
    rng, seen = random.Random(1), set()
    for _ in range(60):
        feature = sampler.draw(0, 60, rng)
        held = [s for s in spans if feature.window.holds(s)]
        assert held and feature.start[feature.window.to_pos(held[0].start)] == 1
        seen.add(held[0])
    assert seen == set(spans)


def test_two_annotators_share_the_weight() -> None:
    names = places(*sorted(NAMES, key=kit.CONTEXT.index))
    encoding, feature = drawn(example((names, places("1998"))))
    year = touching(encoding, *places("1998")[0])
    at = feature.window.to_pos(year.start)
    assert feature.start[at] == feature.tags[at, B] == 0.5
    assert feature.start.sum() == feature.end.sum() == 1


def test_a_list_of_places_without_a_piece_is_no_answer() -> None:
    one = example((((kit.CONTEXT.index(" "), kit.CONTEXT.index(" ") + 1),),))
    sampler = Sampler([one], kit.tokenizer("bert"), negatives=0.0)
    assert marks(sampler.encoding(one.question, one.context), one) == [None]


def test_an_enumeration_is_one_span_for_start_and_end_and_a_list_for_the_tags() -> None:
    context = "anna rotne, ingeborg and 1998 end"
    one = Example("q", kit.QUESTION, context, (Answer(context[:29], 0),))
    encoding, feature = drawn(replace(one, context=context))
    window, texts = feature.window, ("anna rotne", "ingeborg", "1998")
    parts = [touching(encoding, *place) for place in places(*texts, context=context)]
    assert marked(feature, parts[0], parts[2]) == 1
    begun = [window.to_doc(int(pos)) for pos in np.flatnonzero(feature.tags[:, B])]
    assert begun == [span.start for span in parts]
    inside = [window.to_doc(int(pos)) for pos in np.flatnonzero(feature.listed)]
    assert inside == list(range(parts[0].start, parts[2].end + 1))
    single = drawn(replace(one, answers=(Answer("ingeborg", 12),)))[1]
    assert not single.listed.any()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Ethiopia and Liberia", ["Ethiopia", "Liberia"]),
        ("bishops, priests, and deacons", ["bishops", "priests", "deacons"]),
        ("Homer Banks, Carl Lund and Ray", ["Homer Banks", "Carl Lund", "Ray"]),
        ("the UK & Ireland", ["the UK", "Ireland"]),
        ("1980, 1994 or 2013", ["1980", "1994", "2013"]),
        ("rock and roll", []),
        ("College of Arts and Letters", []),
        ("between 1937 and 1949", []),
        ("London, England", []),
        ("order and direct the activities of Catholics, priests and monks", []),
        ("Ethiopia and", []),
        ("", []),
    ],
)
def test_what_an_enumeration_is(text: str, want: list[str]) -> None:
    assert [text[a:b] for a, b in items(text)] == want


PARAGRAPHS = [" ".join(f"word{k}x{j}" for j in range(30)) for k in range(500)]


def test_a_fifth_is_kept_apart_whatever_blanks_and_marks_say() -> None:
    kept = [p for p in PARAGRAPHS if data.is_apart(p)]
    assert 60 < len(kept) < 140
    assert [p for p in PARAGRAPHS if data.is_apart(p.upper().replace(" ", ",  "))] == kept
    lists = [example((((0, 5),),), p) for p in PARAGRAPHS]
    assert data.held_out(lists) == [e for e in lists if e.context in kept]
    assert not data.held_out([replace(e, spans=()) for e in lists])


def test_no_paragraph_that_shares_twelve_words_with_a_kept_one_is_trained_on() -> None:
    lists = [example((((0, 5),),), p) for p in PARAGRAPHS[:40]]
    kept = data.held_out(lists)
    assert kept
    words = kept[0].context.split()
    near, far = " ".join(["begin", *words[5:17], "end"]), " ".join(["begin", *words[5:16], "end"])
    other = [replace(lists[0], context=c, spans=()) for c in (near, far)]
    first, second = data.trained([lists, other])
    assert first == [e for e in lists if e not in kept]
    assert [e.context for e in second] == [far]
    assert data.trained([other]) == [other]


def drawn_pool(path: Path, **more: float) -> tuple[data.Pool, list[data.Feature], list[bool]]:
    """The pool of the toy's questions, and what went into it."""
    features, labels = list[data.Feature](), list[bool]()
    pool_of = data.pool_of

    def seen(found: list[data.Feature], labelled: list[bool]) -> data.Pool:
        features.extend(found)
        labels.extend(labelled)
        return pool_of(found, labelled)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "pool_of", seen)
        drawn = {
            "lengths": (40, 60),
            "negatives": 0.3,
            "unlabelled": 0.0,
            "exchanged": 0.0,
            "seed": 3,
        } | more
        pool = data.draw([f"{toy.squad(path)}:2.5"], kit.tokenizer("bert"), **drawn)
    return pool, features, labels


def test_a_batch_is_gathered_as_its_windows_are(tmp_path: Path) -> None:
    pool, features, _ = drawn_pool(tmp_path / "squad.json")
    assert len(pool.sizes) == len(features) > 8 and pool.labelled.all()
    said = np.random.default_rng(1).normal(size=(len(pool.ids), 5)).astype(np.float16)
    windows = data.Windows(pool, 7, torch.device("cpu"), said)
    rows = np.array([3, 0, 8, 3])
    batch = windows.batch(rows)
    longest = max(len(features[k]) for k in rows)
    assert batch["input_ids"].shape == (4, longest)
    for b, k in enumerate(rows):
        f, n = features[k], len(features[k])
        assert batch["input_ids"][b, :n].tolist() == list(f.window.input_ids)
        assert batch["token_type_ids"][b, :n].tolist() == list(f.window.token_type_ids)
        assert (batch["input_ids"][b, n:] == 7).all()
        assert batch["attention_mask"][b].sum() == n
        assert torch.equal(batch["passage"][b, :n], torch.from_numpy(f.window.is_context))
        for name in ("start", "end", "tags", "tagged", "listed"):
            wanted = torch.from_numpy(np.asarray(getattr(f, name))).float()
            torch.testing.assert_close(batch[name][b, :n].float(), wanted)
            assert not batch[name][b, n:].any()
        own = torch.from_numpy(said[pool.offsets[k] : pool.offsets[k + 1]]).float()
        assert torch.equal(batch["said"][b, :n], own)


def test_targets_of_any_number_of_annotators_sum_to_one(tmp_path: Path) -> None:
    context = "anna rotne and ingeborg met in 1998"
    for count in (1, 3, 6, 7, 11):
        answers = [Answer("anna", 0)] * (count - 1) + [Answer("1998", 31)]
        one = Example("q", kit.QUESTION, context, tuple(answers))
        _, feature = drawn(one)
        pool = data.pool_of([feature], [True])
        batch = data.Windows(pool, 0, torch.device("cpu")).batch(np.array([0]))
        for name in ("start", "end"):
            assert batch[name].sum().item() == pytest.approx(1)
        np.testing.assert_allclose(
            batch["start"][0], feature.start, atol=1e-6 if count < 7 else 0.02
        )


def test_a_pool_is_the_same_whenever_it_is_drawn_and_comes_back_from_its_file(
    tmp_path: Path,
) -> None:
    pool, _, _ = drawn_pool(tmp_path / "squad.json")
    same, _, _ = drawn_pool(tmp_path / "squad.json")
    other, _, labels = drawn_pool(tmp_path / "squad.json", unlabelled=0.5, exchanged=0.9)
    assert same.digest == pool.digest != other.digest
    assert other.labelled.tolist() == labels
    given = {"lengths": (40, 60), "negatives": 0.3, "unlabelled": 0.0, "exchanged": 0.0, "seed": 3}
    train, words = [f"{tmp_path / 'squad.json'}:2.5"], kit.tokenizer("bert")
    path = tmp_path / "kept" / "pool.npz"
    kept = data.pool_at(path, train, words, **given)
    again = data.pool_at(path, train, words, **given)
    assert kept.digest == again.digest == pool.digest
    for name in ("start", "end", "tags", "marks", "labelled"):
        assert np.array_equal(getattr(pool, name), getattr(again, name))


def test_every_window_stands_in_one_group_under_the_limit_with_its_like() -> None:
    sizes = np.random.default_rng(4).integers(20, 384, 5000)
    found = data.groups(sizes, 4096, np.random.default_rng([1, 0]))
    assert sorted(np.concatenate(found).tolist()) == list(range(5000))
    padded = [len(rows) * sizes[rows].max() for rows in found]
    assert max(padded) <= 4096 and sizes.sum() > 0.93 * sum(padded)
    assert [
        len(rows) for rows in data.groups(sizes[:3] + 5000, 4096, np.random.default_rng(0))
    ] == [1, 1, 1]


def test_batches_go_on_behind_a_place_and_hosts_share_a_group(tmp_path: Path) -> None:
    pool, _, _ = drawn_pool(tmp_path / "squad.json")
    windows = data.Windows(pool, 0, torch.device("cpu"))

    def first(place: dict[str, int], count: int, part: slice = slice(None)) -> list:
        source = data.batches(windows, 200, 1, place, part)
        return [next(source) for _ in range(count)]

    ahead = first({"epoch": 0, "batch": -1}, 12)
    assert ahead[-1][0]["epoch"] > 0, "more than one epoch"
    after = first(ahead[6][0], 5)
    for one, other in zip(ahead[7:], after, strict=True):
        assert one[0] == other[0] and torch.equal(one[1]["input_ids"], other[1]["input_ids"])
    shares = [first({"epoch": 0, "batch": -1}, 3, slice(k, None, 2)) for k in (0, 1)]
    for whole, *parts in zip(ahead[:3], *shares, strict=True):
        rows = [p[1]["attention_mask"].sum(1).tolist() for p in (whole, *parts)]
        assert len(rows[0]) == 1 or sorted(rows[0]) == sorted(rows[1] + rows[2])
        assert {p[2] for p in (whole, *parts)} == {whole[2]}
