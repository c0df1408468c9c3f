"""Gradient steps on tiny readers: torch as oracle, nothing shared changes, memory returns."""

import copy
import gc
import hashlib
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from threading import BoundedSemaphore
from typing import Any

import numpy as np
import pytest
import torch

from qa_demo.core.base import BadInput, Cancelled, ModelUnavailable, log_softmax
from qa_demo.core.losses import cross_entropy_gradient, start_end_loss, start_end_targets, total
from qa_demo.core.steps import Plan, movement, training_windows
from qa_demo.core.types import Reading, Span, Window, WindowOptions
from qa_demo.model import step
from qa_demo.model.learning import ModelLearner
from qa_demo.model.private import private_copy, trained_names, window_loss
from qa_demo.model.reader import BertReader
from tests.model.kit import CONTEXT, QUESTION

GOLDS = (Span(8, 9), Span(8, 9), Span(9, 11))
SCOPES = ("head", "last_layer", "reader")


@pytest.fixture(scope="module")
def reader(loaded: Callable[[str], BertReader]) -> BertReader:
    return loaded("bert")


@pytest.fixture(scope="module")
def reading(reader: BertReader) -> Reading:
    found = reader.read(QUESTION, CONTEXT, WindowOptions(max_seq_length=48, doc_stride=20))
    assert len(found.windows) > 2
    return found


Learn = Callable[..., ModelLearner]


@pytest.fixture
def learn(reader: BertReader, reading: Reading) -> Iterator[Learn]:
    """A learner of a scope, which is closed when its test ends."""
    with ExitStack() as opened:

        def begin(scope: str, golds: tuple[Span, ...] = GOLDS) -> ModelLearner:
            return opened.enter_context(closing(reader.learner(reading, golds, scope)))

        yield begin


def digest(model: Any) -> str:
    state = model.state_dict()
    return hashlib.sha256(
        b"".join(state[name].numpy().tobytes() for name in sorted(state))
    ).hexdigest()


def outputs(model: Any, window: Window) -> Any:
    """transformers' forward pass over a window."""
    given = window.input_ids, window.token_type_ids
    ids, types = (torch.tensor(array)[None] for array in given)
    return model(input_ids=ids, token_type_ids=types)


def loss_of(model: Any, reading: Reading, windows: tuple[int, ...]) -> torch.Tensor:
    """The oracle: transformers' forward pass, torch's soft cross-entropy, mean over windows."""
    each = []
    for w in (reading.windows[k] for k in windows):
        out = outputs(model, w)
        targets = [torch.from_numpy(t).float()[None] for t in start_end_targets(w, GOLDS)]
        each += map(torch.nn.functional.cross_entropy, (out.start_logits, out.end_logits), targets)
    return torch.stack(each).mean()


def oracle(reader: BertReader, reading: Reading, scope: str, plan: Plan) -> tuple[Any, list[float]]:
    """The same steps taken apart from the learner: a full deep copy and torch's optimiser."""
    model = copy.deepcopy(reader._model)
    names = trained_names(reader._model, scope)
    own = [p.requires_grad_(True) for name, p in model.named_parameters() if name in names]
    kind = torch.optim.SGD if plan.optimizer == "sgd" else torch.optim.AdamW
    optimizer = kind(own, lr=plan.learning_rate)
    windows, losses = training_windows(reading, GOLDS), []
    for _ in range(plan.steps):
        optimizer.zero_grad()
        loss = loss_of(model, reading, windows)
        losses.append(float(loss.detach()))
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        losses.append(float(loss_of(model, reading, windows)))
    return model, losses


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_steps_equal_torchs_own(
    reader: BertReader, reading: Reading, scope: str, optimizer: str, learn: Learn
) -> None:
    plan = Plan(5, 0.05 if optimizer == "sgd" else 0.003, optimizer)
    learned = learn(scope).step(plan)
    model, losses = oracle(reader, reading, scope, plan)
    assert [s.loss for s in learned.curve] == pytest.approx(losses, abs=1e-5)
    assert losses[-1] < losses[0]
    for w in reading.windows:
        with torch.no_grad():
            expected = outputs(model, w).start_logits[0].numpy()
        # log-softmax: a bias anywhere before the heads that only shifts all logits has gradient 0,
        # and AdamW moves it by noise
        found = log_softmax(learned.after.logits(w.index)[0])
        np.testing.assert_allclose(found, log_softmax(expected), atol=2e-4)


def test_the_loss_of_a_window_and_its_gradient_equal_the_pages(reading: Reading) -> None:
    for w in reading.windows:
        both = np.stack(reading.logits(w.index), axis=1)
        logits = torch.tensor(both, dtype=torch.float64, requires_grad=True)
        losses = window_loss(logits, w, GOLDS)
        losses.mean().backward()
        terms = start_end_loss(reading, GOLDS, [w.index])
        assert [t.value for t in terms] == pytest.approx(losses.tolist(), abs=1e-5)
        assert total(terms) == pytest.approx(float(losses.detach().mean()), abs=1e-5)
        targets = start_end_targets(w, GOLDS)
        for lane, (row, target) in enumerate(zip(reading.logits(w.index), targets, strict=True)):
            gradient = cross_entropy_gradient(row, target) / 2
            np.testing.assert_allclose(gradient, logits.grad[:, lane], atol=1e-5)


def test_the_curve_the_terms_and_the_movements_are_the_readings(
    reader: BertReader, reading: Reading, learn: Learn
) -> None:
    learner = learn("last_layer")
    learned = learner.step(Plan(5, 0.05))
    assert [s.step for s in learned.curve] == list(range(6)) and learned.steps == 5
    for at, shown in ((0, reading), (-1, learned.after)):
        wanted = total(start_end_loss(shown, GOLDS, learned.windows))
        assert learned.curve[at].loss == pytest.approx(wanted)
    assert [m.name for m in learned.movements] == ["S", "E", "T"]
    assert all(m.distance > 0 and m.degrees > 0 for m in learned.movements)
    after = learner._private.model.qa_outputs.weight[0].detach().numpy()
    moved = float(np.linalg.norm(after - reader.heads().S))
    assert learned.movements[0].distance == pytest.approx(moved, rel=1e-4)
    assert learned.before is reading
    assert learned.after.tag_logits is not None and learned.after.checksum == ""


def test_a_head_alone_leaves_every_hidden_state_where_it_was(
    reading: Reading, learn: Learn
) -> None:
    learned = learn("head").step(Plan(20, 0.05))
    assert learned.movements[2].distance == learned.movements[2].degrees == 0
    assert learned.movements[0].distance > 0
    np.testing.assert_allclose(learned.after.tag_logits, reading.tag_logits, atol=1e-6)


@pytest.mark.parametrize("scope", SCOPES)
def test_the_shared_reader_never_changes_and_shares_what_is_not_trained(
    reader: BertReader, reading: Reading, scope: str, learn: Learn
) -> None:
    before = digest(reader._model)
    pointers = {n: p.data_ptr() for n, p in reader._model.named_parameters()}
    learner = learn(scope)
    learner.step(Plan(5, 0.1, "adamw"))
    learner.undo()
    learner.redo()
    private = {n: p.data_ptr() for n, p in learner._private.model.named_parameters()}
    names = set(trained_names(reader._model, scope))
    assert {n for n in private if private[n] != pointers[n]} == names
    assert all("embeddings." not in n for n in names)
    assert digest(reader._model) == before
    assert not any(p.requires_grad for p in reader._model.parameters())
    again = reader.read(QUESTION, CONTEXT, reading.options)
    np.testing.assert_array_equal(again.start_logits, reading.start_logits)


def test_undo_redo_and_reset_walk_the_path(reading: Reading, learn: Learn) -> None:
    learner = learn("reader")
    states = [learner.step(Plan(steps, 0.02)) for steps in (1, 5, 1)]
    assert states[-1].steps == 7
    assert states[-1].can_undo and not states[-1].can_redo
    back = learner.undo()
    assert back.steps == 6 and back.can_redo
    np.testing.assert_allclose(back.after.start_logits, states[1].after.start_logits, atol=2e-3)
    forward = learner.redo()
    np.testing.assert_allclose(forward.after.start_logits, states[2].after.start_logits, atol=2e-3)
    for _ in range(3):
        back = learner.undo()
    assert back.steps == 0 and not back.can_undo
    np.testing.assert_array_equal(back.after.start_logits, reading.start_logits)
    with pytest.raises(BadInput, match="no action left"):
        learner.undo()
    learner.redo()
    fresh = learner.reset()
    assert fresh.steps == 0 and fresh.after is reading and not fresh.can_redo and not fresh.can_undo
    assert [m.distance for m in fresh.movements] == [0, 0, 0]
    with pytest.raises(BadInput, match="do again"):
        learner.redo()


def test_three_snapshots_are_kept_in_half_precision(learn: Learn) -> None:
    learner = learn("last_layer")
    for _ in range(5):
        learner.step(Plan(1, 0.02))
    assert len(learner._undo) == 3
    learner.undo()
    assert len(learner._undo) + len(learner._redo) == 3
    kept = (*learner._undo, *learner._redo)
    assert {t.dtype for state in kept for t in state.weights.values()} == {torch.float16}
    for _ in range(2):
        learner.undo()
    with pytest.raises(BadInput, match="last 3 are kept"):
        learner.undo()


def test_cancelled_steps_leave_everything_as_it_was(reading: Reading, learn: Learn) -> None:
    learner = learn("last_layer")
    first = learner.step(Plan(1, 0.05))
    told: list[tuple[int, int]] = []
    with pytest.raises(Cancelled):
        learner.step(Plan(20, 0.05), lambda *at: told.append(at), lambda: len(told) >= 3)
    assert told == [(done, 20 + len(reading.windows)) for done in (1, 2, 3)]
    same = learner.read(QUESTION, CONTEXT, reading.options)
    np.testing.assert_allclose(same.start_logits, first.after.start_logits, atol=1e-6)
    assert learner.step(Plan(1, 0.05)).steps == 2


def test_steps_that_explode_are_taken_back(
    reading: Reading, learn: Learn, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = learn("reader")
    first, calls = learner.step(Plan(1, 0.01)), []

    def exploding(*what: Any) -> torch.Tensor:
        calls.append(1)
        return window_loss(*what) * (float("inf") if len(calls) > 7 else 1.0)

    monkeypatch.setattr(step, "window_loss", exploding)
    with pytest.raises(BadInput, match="no longer a finite number"):
        learner.step(Plan(20, 0.01, "adamw"))
    monkeypatch.undo()
    same = learner.read(QUESTION, CONTEXT, reading.options)
    np.testing.assert_allclose(same.end_logits, first.after.end_logits, atol=1e-5)
    assert learner.step(Plan(1, 0.01)).steps == 2


def test_memory_returns_after_reset_and_close(reader: BertReader, reading: Reading) -> None:
    def held() -> int:
        gc.collect()
        tensors = (t for t in gc.get_objects() if isinstance(t, torch.Tensor))
        seen = (t.untyped_storage() for t in tensors)
        return sum({storage.data_ptr(): storage.nbytes() for storage in seen}.values())

    before = held()
    learner = reader.learner(reading, GOLDS, "reader")
    learner.step(Plan(5, 0.01, "adamw"))
    private = weakref.ref(learner._private.model)
    assert held() > before
    learner.reset()
    assert held() == before and private() is None
    learner.step(Plan(1, 0.01))
    learner.close()
    assert held() == before
    learner.close()
    with pytest.raises(BadInput, match="released"):
        learner.step(Plan(1, 0.01))


def with_places(
    reader: BertReader, reading: Reading, places: BoundedSemaphore, scope: str = "reader"
) -> ModelLearner:
    """A learner whose whole copies are counted in these places."""

    def around(model: Any) -> BertReader:
        return BertReader("copy", model, reader._tokenizer)

    return ModelLearner(reader._model, around, reader._workers, reading, GOLDS, scope, places)


def test_a_third_whole_copy_is_told_to_wait(reader: BertReader, reading: Reading) -> None:
    places, scopes = BoundedSemaphore(2), ("reader", "reader", "reader", "head")
    learners = [with_places(reader, reading, places, scope) for scope in scopes]
    learners[0].step(Plan(1, 0.01))
    learners[1].step(Plan(1, 0.01))
    with pytest.raises(ModelUnavailable, match="wait until one of them resets"):
        learners[2].step(Plan(1, 0.01))
    learners[3].step(Plan(1, 0.01))
    learners[0].reset()
    learners[2].step(Plan(1, 0.01))
    for learner in learners:
        learner.close()
    for _ in range(2):
        assert places.acquire(blocking=False)


def test_a_learner_that_nobody_closed_gives_its_place_back(
    reader: BertReader, reading: Reading
) -> None:
    places = BoundedSemaphore(1)
    with_places(reader, reading, places).step(Plan(1, 0.01))
    gc.collect()
    assert places.acquire(blocking=False)


def test_two_sessions_training_at_once_do_not_touch_each_other(
    reader: BertReader, reading: Reading
) -> None:
    golds = (GOLDS, (Span(20, 21),))
    plan, before = Plan(20, 0.02, "adamw"), digest(reader._model)

    def start_logits(gold: tuple[Span, ...]) -> np.ndarray:
        with closing(reader.learner(reading, gold, "reader")) as learner:
            return learner.step(plan).after.start_logits

    alone = [start_logits(gold) for gold in golds]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(start_logits, golds))
    for found, expected in zip(together, alone, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not np.allclose(*together, atol=0.1, equal_nan=True)
    assert digest(reader._model) == before


@pytest.mark.parametrize(
    "family", ["distilbert", "roberta", "deberta", "deberta-v2", "mpnet", "electra", "modernbert"]
)
def test_every_family_has_a_last_layer(family: str, loaded: Callable[[str], BertReader]) -> None:
    found = loaded(family)
    names = trained_names(found._model, "last_layer")
    numbers = {part for name in names for part in name.split(".") if part.isdigit()}
    assert numbers == {"1"}
    reading = found.read(QUESTION, CONTEXT[:90], WindowOptions(max_seq_length=60, doc_stride=20))
    with closing(found.learner(reading, (Span(3, 4),), "reader")) as learner:
        learned = learner.step(Plan(5, 0.01, "adamw"))
    assert learned.curve[-1].loss < learned.curve[0].loss


def test_albert_has_no_last_layer_of_its_own(loaded: Callable[[str], BertReader]) -> None:
    with pytest.raises(BadInput, match="share their weights"):
        trained_names(loaded("albert")._model, "last_layer")


def test_a_private_copy_reads_like_its_reader(reader: BertReader, reading: Reading) -> None:
    copied = private_copy(reader._model, trained_names(reader._model, "reader"))
    again = BertReader("copy", copied, reader._tokenizer).read(QUESTION, CONTEXT, reading.options)
    np.testing.assert_array_equal(again.end_logits, reading.end_logits)


def test_what_cannot_be_trained_is_refused(reader: BertReader, reading: Reading) -> None:
    with pytest.raises(BadInput, match="scope must be one of"):
        reader.learner(reading, GOLDS, "everything")
    with pytest.raises(BadInput, match="other weights"):
        reader.learner(replace(reading, checksum="other"), GOLDS, "head")
    for wrong in (
        {"steps": 3},
        {"optimizer": "lion"},
        {"learning_rate": float("nan")},
        {"learning_rate": True},
        {"learning_rate": 99.0},
    ):
        with pytest.raises(BadInput):
            Plan(**wrong)


def test_movement_of_vectors_by_hand() -> None:
    moved = movement("S", np.array([3.0, 0.0]), np.array([0.0, 4.0]))
    assert (moved.norm_before, moved.norm_after, moved.distance) == (3, 4, 5)
    assert moved.degrees == pytest.approx(90)
    rows = movement("T", np.array([[1.0, 0], [0, 2]]), np.array([[1.0, 0], [0, 4]]))
    assert (rows.norm_before, rows.norm_after, rows.distance) == (1.5, 2.5, 1.0)
    assert rows.degrees == pytest.approx(0)
