"""The state: what is let in comes out the same, and what is not is named in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.pictures import CHAPTERS
from qa_demo.state import State, dump, load
from tests.odd import JSON, LETTERS

WORDS = st.text(LETTERS, min_size=1, max_size=40)
EDITED = st.dictionaries(st.sampled_from(["0:3", "1:7"]), st.floats(-9, 9))
SOME = {"reader": WORDS, "chapter": st.sampled_from([*CHAPTERS]), "step": st.integers(1, 9)}
SOME |= {"max_seq_length": st.integers(8, 8192), "doc_stride": st.integers(1, 8192)}
SOME |= {"threshold": st.floats(-1000, 1000), "temperature": st.floats(0.2, 5)}
SOME |= {"rule": st.sampled_from(["logits", "mean_of_maxima", "product"]), "veil": st.booleans()}
SOME |= {"selection": st.tuples(st.integers(0, 50), st.integers(50, 99)).map(list)}
SOME |= {"edits": st.fixed_dictionaries({"start": EDITED})}
STATES = st.fixed_dictionaries({}, optional=SOME)
BOTH = {"question": WORDS, "context": WORDS}
TEXTS = st.sampled_from([{}, {"example": WORDS}, BOTH]).flatmap(st.fixed_dictionaries)


@given(STATES, TEXTS)
def test_a_state_comes_back_the_same_without_its_defaults(fields, texts):
    state = load({**fields, **texts})
    assert load(dump(state)) == state and list(dump(state)) == sorted(dump(state))
    assert all(value != State.model_fields[name].default for name, value in dump(state).items())


SENTENCES = {
    "an object": ([], "a state is an object of fields, got list"),
    "a field of two lines": ({"edits": {"a\nb": 1}}, r"there is no field edits.a\\nb, got 1"),
    "a chapter": ({"chapter": "x"}, r"chapter: must be 'answer', .* or '\w+', got 'x'"),
    "a truth": ({"temperature": True}, "temperature: must be a valid number, got True"),
    "a text": ({"max_answer_length": "3"}, "max_answer_length: must be a valid integer, got '3'"),
    "too much": ({"temperature": 99}, "temperature: must be less than or equal to 5, got 99"),
    "no number": ({"threshold": float("nan")}, "threshold: must be a finite number, got nan"),
    "one text": ({"question": "a"}, "question and paragraph belong together; .* is missing$"),
    "both": ({"example": "a", "question": "a", "context": "b"}, "not both"),
    "a span": ({"selection": [3, 1]}, r"selection: must be 0 <= first <= last, got \[3, 1\]"),
    "before it": ({"selection": [-1, 2]}, r"selection: must be 0 <= first <= last, got \[-1, 2\]"),
    "a place": ({"edits": {"start": {"3": 1}}}, "edits.start.3: must match pattern"),
    "its own": ({"own": {"why": {"x": [1]}}}, "own.why.x: must be a text, a whole .* got .1."),
    "a long text": ({"context": "x" * 50_001}, r"paragraph \(context\): .* 50,000 cha.* 50,001"),
}


@pytest.mark.parametrize(("fields", "said"), SENTENCES.values(), ids=SENTENCES)
def test_what_is_refused_is_named_in_one_sentence(fields, said):
    with pytest.raises(BadInput, match=said) as fault:
        load(fields)
    assert "\n" not in str(fault.value) and len(str(fault.value)) < 300


@given(st.dictionaries(st.sampled_from([*State.model_fields, "x"]), JSON, max_size=4))
def test_any_json_is_a_state_or_a_sentence(odd):
    try:
        state = load(odd)
    except BadInput as fault:
        assert str(fault) and "\n" not in str(fault)  # noqa: PT017  most values are states
    else:
        dump(state)
