"""The pool of windows drawn ahead, and the batches that are gathered from it."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from qa_demo.training.data import SHARES, Pool, draw, pool_of
from qa_demo.training.finetune import Windows, batches, groups, pool_at
from tests.model import kit
from tests.training import toy

pytestmark = pytest.mark.model
DRAWN = {"lengths": [40, 60], "negatives": 0.3, "unlabelled": 0.0, "exchanged": 0.0, "seed": 3}


def drawn_pool(path: Path, **more: float) -> Pool:
    """The pool of the toy's questions."""
    return draw([f"{toy.squad(path)}:2.5"], kit.tokenizer("bert"), **DRAWN | more)


def test_a_batch_is_gathered_as_its_windows_are(tmp_path: Path) -> None:
    pool = drawn_pool(tmp_path / "squad.json")
    assert len(pool["offsets"]) > 9 and pool["labelled"].all()
    said = np.random.default_rng(1).normal(size=(pool["offsets"][-1], 5)).astype(np.float16)
    windows = Windows(pool, 7, torch.device("cpu"), said)
    rows = np.array([3, 0, 8, 3])
    batch = windows.batch(rows)
    assert batch["input_ids"].shape == (4, max(np.diff(pool["offsets"])[rows]))
    names = {"input_ids": "ids", "token_type_ids": "types", "attention_mask": "", "said": ""}
    for b, k in enumerate(rows):
        part, n = slice(*pool["offsets"][k : k + 2]), np.diff(pool["offsets"])[k]
        assert (batch["input_ids"][b, n:] == 7).all() and batch["attention_mask"][b].sum() == n
        for name in ("passage", "tagged", "listed", "start", "end", "tags", *names):
            wanted = pool.get(names.get(name, name), said)[part].astype(np.float32)
            if name in ("start", "end", "tags"):
                wanted /= SHARES
            if name != "attention_mask":
                np.testing.assert_allclose(batch[name][b, :n].float(), wanted, atol=1e-6)
            if name not in ("input_ids", "said"):
                assert not batch[name][b, n:].any(), name
    assert torch.equal(batch["tags"].sum(-1), batch["attention_mask"].float())
    assert torch.equal(batch["start"].sum(-1), torch.ones(4))


def test_shares_that_do_not_divide_sixty_sum_to_one() -> None:
    one = {"ids": np.arange(3, dtype=np.int32), "tags": np.full((3, 3), 17, np.uint8)}
    one |= {name: np.array([9, 9, 43], np.uint8) for name in ("start", "end")}
    one |= {name: np.ones(3, bool) for name in ("types", "passage", "tagged", "listed")}
    windows = Windows(pool_of([one], [True]), 0, torch.device("cpu"))
    batch = windows.batch(np.array([0]))
    assert batch["start"].sum() == pytest.approx(1) and batch["start"][0, 2] == pytest.approx(
        43 / 61
    )
    assert batch["tags"].sum(-1)[0].tolist() == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(("kind", "words"), [("unlabelled", "river"), ("exchanged", "last")])
def test_windows_that_nobody_labelled_are_added(tmp_path: Path, kind: str, words: str) -> None:
    answers = [{"text": "anna", "answer_start": 0}]
    qas = [{"id": "1", "question": "who came first", "answers": answers}]
    contexts = ["anna rotne designed the towers", "the river and the bridge of ingeborg"]
    paragraphs = [{"context": contexts[0], "qas": qas}, {"context": contexts[1], "qas": []}]
    paragraphs[1]["qas"] = [{"id": "2", "question": "who was it", "answers": []}]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"title": "t", "paragraphs": paragraphs}]}))
    tokenizer = kit.tokenizer("bert")
    found = draw([f"{path}:8"], tokenizer, **DRAWN | {kind: 1.0, "negatives": 0.0})
    silent = np.flatnonzero(~found["labelled"])
    assert 0 < len(silent) < len(found["labelled"]) == 16 + len(silent)
    for k in silent:
        part = slice(*found["offsets"][k : k + 2])
        assert found["start"][part][0] == SHARES
    texts = [found["ids"][slice(*found["offsets"][k : k + 2])] for k in silent]
    assert any(words in tokenizer.decode(ids) for ids in texts)


def test_a_pool_is_the_same_whenever_it_is_drawn_and_comes_back_from_its_file(
    tmp_path: Path,
) -> None:
    pool = drawn_pool(tmp_path / "squad.json")
    assert not np.array_equal(pool["ids"], drawn_pool(tmp_path / "squad.json", seed=4)["ids"])
    given = DRAWN | {"train": [f"{tmp_path / 'squad.json'}:2.5"]}
    given |= {"out": str(tmp_path / "kept"), "pool": ""}
    words = kit.tokenizer("bert")
    for again in (pool_at(SimpleNamespace(**given), words) for _ in range(2)):
        assert again.keys() == pool.keys()
        assert all(np.array_equal(again[name], wanted) for name, wanted in pool.items())


def test_every_window_stands_in_one_group_under_the_limit_with_its_like() -> None:
    sizes = np.random.default_rng(4).integers(20, 384, 5000)
    found = groups(sizes, 4096, np.random.default_rng([1, 0]))
    assert sorted(np.concatenate(found).tolist()) == list(range(5000))
    padded = [len(rows) * sizes[rows].max() for rows in found]
    assert max(padded) <= 4096 and sizes.sum() > 0.93 * sum(padded)
    assert [len(rows) for rows in groups(sizes[:3] + 5000, 4096, np.random.default_rng(0))] == [
        1,
        1,
        1,
    ]


def test_batches_go_on_behind_a_place(tmp_path: Path) -> None:
    pool = drawn_pool(tmp_path / "squad.json")
    windows = Windows(pool, 0, torch.device("cpu"))

    def first(place: dict[str, int], count: int) -> list:
        source = batches(windows, 200, 1, place)
        return [next(source) for _ in range(count)]

    ahead = first({"epoch": 0, "batch": -1}, 12)
    assert ahead[-1][0]["epoch"] > 0, "more than one epoch"
    after = first(ahead[6][0], 5)
    for one, other in zip(ahead[7:], after, strict=True):
        assert one[0] == other[0] and torch.equal(one[1]["input_ids"], other[1]["input_ids"])
