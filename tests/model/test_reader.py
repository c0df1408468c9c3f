"""One shared reader: threads, cancelling, characters that come back."""

import multiprocessing

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from qa_demo import explain
from qa_demo.core.base import BadCheckpoint, BadInput, Cancelled
from qa_demo.core.predict import predict
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.tokenizer import encode
from qa_demo.model.work import Passes
from tests.cli.terminal import OPTIONS
from tests.model import kit
from tests.odd import TEXT

CHARACTERS = "\x00\ud800각\u200b\u202e🙂ﬁ\r\n\u00a0\u2028\u00ad\ufeffßİA \t."
SEVERAL = ["\x1b[31m", "e\u0301", "👩‍👩‍👧", "שלום", "[SEP]", "<s>", "{{x}}", "${y}", "\r\n"]
PARTS = st.sampled_from([*CHARACTERS, *SEVERAL, "the", "bridge"]) | TEXT | st.characters()


@pytest.fixture(scope="module", params=["bert", "roberta", "albert", "deberta-v2"])
def any_reader(request, loaded) -> BertReader:
    return loaded(request.param)


def test_it_is_a_reader_that_tells_of_every_window_and_a_cancel_stops_between_two(bert, saved):
    seen: list[tuple[int, int]] = []
    reading = bert.read(kit.QUESTION, kit.CONTEXT, OPTIONS, lambda *at: seen.append(at))
    assert seen == [(k + 1, len(reading.windows)) for k in range(len(reading.windows))]
    assert (reading.model_name, reading.options) == (saved("bert").name, OPTIONS)
    assert len(reading.checksum) == 64
    for window in reading.windows:
        for logits in (reading.start_logits, reading.end_logits, reading.tag_logits):
            inside, beyond = np.split(logits[window.index], [len(window)])
            assert np.isfinite(inside).all() and np.isnan(beyond).all()
    reader, done = load_reader(saved("bert")), list[int]()
    reader.passes = Passes(2)
    watch = {"on_progress": lambda k, _: done.append(k), "cancelled": lambda: len(done) >= 2}
    with pytest.raises(Cancelled):
        reader.read(kit.QUESTION, kit.CONTEXT, OPTIONS, **watch)
    assert done in ([1, 2], [1, 2, 3])  # a helper may be in its window at that moment


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_process_has_threads_of_its_own(bert):
    def run() -> None:
        explain(bert, bert.read(kit.QUESTION, kit.CONTEXT, OPTIONS)), torch.ones(10**6).sum()

    run()
    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(20)
    child.kill()  # where it waits for ever
    assert child.exitcode == 0


@pytest.mark.parametrize(
    ("question", "context", "words"),
    [
        (" \n\t", "the bridge", "question is empty"),
        ("who", " \u00a0\u2003", "paragraph is empty"),
        ("who", "\x00\x01", "paragraph holds no character"),
        ("\u200b", "the bridge", "question holds no character"),
        (7, "the bridge", "question must be text, got int"),
        ("who", None, "paragraph must be text, got NoneType"),
        *(("bridge " * 2 * words, kit.CONTEXT, "max_query_length") for words in (60, 300, 600)),
    ],
)
def test_texts_that_cannot_be_read_never_reach_the_librarys_panic(bert, question, context, words):
    """The panic derives from BaseException: pytest.raises(BadInput) lets it through and fails."""
    backend = bert.tokenizer.backend_tokenizer
    with pytest.raises(BadInput, match=words):
        bert.read(question, context, OPTIONS)
    assert backend.truncation is None and backend.padding is None


def test_logits_that_are_not_finite_are_refused(bert, saved):
    broken = load_reader(saved("bert"))
    with torch.no_grad():
        broken.model.qa_outputs.bias.fill_(float("inf"))
    with pytest.raises(BadCheckpoint, match="not finite"):
        broken.read("who", "the bridge", OPTIONS)
    assert bert.read("who", "the bridge"), "the default windows fit its 64 positions"


@given(st.lists(PARTS, min_size=1, max_size=40))
def test_every_answer_is_a_slice_of_the_text_as_given(any_reader, parts):
    context = "".join(parts)
    if not context.strip() or not len(encode(any_reader.tokenizer, "who", context).context_ids):
        with pytest.raises(BadInput, match=r"paragraph is empty|no character"):
            any_reader.read("who", context, OPTIONS)
        return
    reading = any_reader.read("who \ud800 the\x00 bridge", context, OPTIONS)
    assert reading.encoding.context == context
    offsets = reading.encoding.offset_mapping
    assert offsets.min() >= 0 and offsets.max() <= len(context)
    assert (offsets[:, 0] <= offsets[:, 1]).all() and (np.diff(offsets[:, 0]) >= 0).all()
    for candidate in (ranked.candidate for ranked in predict(reading).n_best):
        assert candidate.text == context[candidate.char_start : candidate.char_end] != ""
