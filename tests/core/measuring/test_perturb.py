"""Changed questions: each rule by hand, and over random texts where its answers stand."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.base import BadInput
from qa_demo.core.measuring.perturb import (
    PERTURBATIONS,
    Survival,
    another_name,
    distractor,
    negated,
    others,
    perturbed,
    shuffled,
    survival,
    typos,
)
from qa_demo.core.measuring.questions import flat_row, from_rows
from qa_demo.core.types import Answer, Example

TEXT = "The mill was built by Ada Byron in 1840. Ada Byron sold it. It burned down later."


def example(question: str = "Who built the old mill?", **change: object) -> Example:
    made = Example("q1", question, TEXT, (Answer("Ada Byron", TEXT.index("Ada")),), title="Mill")
    return replace(made, **change)  # type: ignore[arg-type]


BRIDGE = "People say that Carl Olsen built the old bridge. It is long."
OTHER = Example("q2", "Who built the bridge?", BRIDGE, (Answer("Carl Olsen", 16),), title="Bridge")
FILE = others([example(), OTHER])
RNG = random.Random(0)


def test_typos_swap_neighbours_in_two_words() -> None:
    new = typos(example(), FILE, RNG)
    assert new is not None and new.question != example().question
    assert sorted(new.question) == sorted(example().question) and new.context == TEXT
    old = example().question.split()
    assert sum(a != b for a, b in zip(old, new.question.split(), strict=True)) <= 2
    assert typos(example("Who is he?"), FILE, RNG) is None


def test_the_distractor_is_the_likest_sentence_of_another_article() -> None:
    new = distractor(example(), FILE, RNG)
    assert new is not None
    assert new.context == f"{TEXT} People say that Carl Olsen built the old bridge."
    holds = replace(OTHER, context="Ada Byron built the old bridge.", answers=())
    assert distractor(example(), others([example(), holds]), RNG) is None


def test_a_negated_question_has_no_answer() -> None:
    new = negated(example("Who was selling it?"), FILE, RNG)
    assert new is not None and new.question == "Who was not selling it?"
    assert new.answers == () and new.is_impossible
    for question in ("Who built it?", "Who did not sell it?", "Who didn't sell it?"):
        assert negated(example(question), FILE, RNG) is None
    assert negated(example("Who was it?", answers=()), FILE, RNG) is None


def test_another_name_stands_wherever_the_old_one_stood() -> None:
    new = another_name(example(), FILE, RNG)
    assert new is not None and "Ada" not in new.context
    assert new.context.count("Carl Olsen") == 2
    assert new.answers == (Answer("Carl Olsen", TEXT.index("Ada")),)
    second = TEXT.rindex("Ada")
    later = another_name(example(answers=(Answer("Ada Byron", second),)), FILE, RNG)
    assert later is not None
    (answer,) = later.answers
    assert later.context[answer.char_start : answer.char_end] == "Carl Olsen"
    assert answer.char_start == later.context.rindex("Carl")
    assert another_name(example("Who is Ada Byron?"), FILE, RNG) is None


def test_shuffled_sentences_keep_the_answers() -> None:
    new = shuffled(example(), FILE, RNG)
    assert new is not None and new.context != TEXT
    assert sorted(new.context.replace(".", ". ").split()) == sorted(TEXT.split())
    (answer,) = new.answers
    assert new.context[answer.char_start : answer.char_end] == "Ada Byron"
    across = Answer("1840. Ada", TEXT.index("1840"))
    assert shuffled(example(answers=(across,)), FILE, RNG) is None
    assert shuffled(example(context="One sentence.", answers=()), FILE, RNG) is None


words = st.sampled_from(["Ada", "Byron", "mill", "was", "1840", "the", "old.", "Who", "It", "not"])
texts = st.lists(words, min_size=3, max_size=30).map(" ".join)


@given(texts, texts, st.data())
def test_answers_stand_where_they_say(question: str, context: str, data: st.DataObject) -> None:
    a = data.draw(st.integers(0, len(context) - 1))
    b = data.draw(st.integers(a + 1, len(context)))
    first = Example("a", question, context, (Answer(context[a:b], a),), title="A")
    made = perturbed([first, OTHER], list(PERTURBATIONS), data.draw(st.integers(0, 9)))
    assert made[0] is first and OTHER in made
    for new in made:
        assert new.id.partition("~")[2] in ("", *PERTURBATIONS)
        for answer in new.answers:
            assert new.context[answer.char_start : answer.char_end] == answer.text
    assert len({new.id for new in made}) == len(made)


def test_a_draw_hangs_on_seed_id_and_rule_alone() -> None:
    both = perturbed([example(), OTHER], ["typos", "shuffled"], 3)
    back = perturbed([OTHER, example()], ["shuffled", "typos"], 3)
    assert {e.id: e for e in both} == {e.id: e for e in back}


def test_unknown_rules_and_ids_with_the_mark_are_refused() -> None:
    with pytest.raises(BadInput, match="the rules are typos, distractor"):
        perturbed([example()], ["upside-down"])
    with pytest.raises(BadInput, match="each once"):
        perturbed([example()], ["typos", "typos"])
    with pytest.raises(BadInput, match="'~' marks a changed question"):
        perturbed([replace(example(), id="a~b")], ["typos"])


def test_survival_counts_what_was_right_before() -> None:
    exact = {"a": 1, "a~typos": 1, "b": 1, "b~typos": 0, "c": 0, "c~typos": 1, "a~negated": 0}
    exact |= {"lost~typos": 1, "x~y": 1}
    rows = [{"id": name, "exact": right} for name, right in exact.items()]
    assert survival(rows) == (
        Survival("typos", 3, 2, 1, ("b~typos",)),
        Survival("negated", 1, 1, 0, ("a~negated",)),
    )
    assert survival(rows[-2:]) == ()


def test_a_pair_comes_back_from_its_rows_with_its_columns() -> None:
    first = replace(example(), columns=(("source", "own"),), is_impossible=False)
    made = perturbed([first, OTHER], list(PERTURBATIONS), 1)
    assert from_rows(map(flat_row, made), "rows").examples == made
