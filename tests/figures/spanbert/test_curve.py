"""The learning curve as data: all phases' steps; its sentence follows the figures."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from qa_demo.core.masking.infill import AIMS
from qa_demo.figures.payload import plain
from qa_demo.figures.spanbert import curve as figure


def phase(
    rows: list[tuple[int, float, float | None]],
    before: int = 0,
    pieces: int = 2500,
    decay: str = "linear",
) -> dict[str, Any]:
    """A phase with rows (step, MLM's top-1, SBO's top-1)."""
    held = [
        {"pieces": pieces, "mlm_top1": mlm, "mlm_perplexity": 100.0}
        | ({} if sbo is None else {"sbo_top1": sbo, "sbo_perplexity": 300.5})
        for _, mlm, sbo in rows
    ]
    return {
        "decay": decay,
        "curve": [
            {"step": row[0], "before": before, "seconds": 60 * (before + row[0]), "held": h}
            for row, h in zip(rows, held, strict=True)
        ],
    }


def curve(*phases: dict[str, Any], overall: dict[str, float] | None = None) -> dict[str, Any]:
    return plain(figure.curve_data({"phases": list(phases)}, overall))


def test_steps_count_on_over_phases_and_the_second_is_marked() -> None:
    data = curve(
        phase([(100, 10.0, 5.0), (200, 20.0, 8.0)]),
        phase([(50, 21.0, 9.0), (300, 40.0, 14.0)], before=200),
    )
    assert [(r["phase"], r["step"]) for r in data["rows"]] == [
        (1, 100),
        (1, 200),
        (2, 250),
        (2, 500),
    ]
    assert data["begins"] == [{"phase": 1, "step": 0}, {"phase": 2, "step": 200}]
    assert data["tables"][0]["rows"][-1] == [
        "500",
        "2",
        "500",
        "2,500",
        "40.0 %",
        "100.0",
        "14.0 %",
        "300.5",
    ]
    assert [(a["name"], a["top1"]) for a in data["aims"]] == [
        ("MLM", AIMS["mlm_top1"]),
        ("SBO", AIMS["sbo_top1"]),
    ]
    assert curve(phase([(100, 10.0, 5.0)]))["begins"] == [], "one phase needs no mark"


def test_the_last_fifth_is_measured_against_the_standard_error() -> None:
    rising = curve(phase([(100, 10.0, 5.0), (400, 20.0, 10.0), (500, 23.0, 10.5)]))
    assert (
        "In the last 20 % of the steps, from 400 to 500, top-1 on the same 2,500 held-out blanks "
        "went" in rising["says"]
    )
    assert (
        "MLM from 20.0 to 23.0 % (+3.0, standard error 0.8), SBO from 10.0 to 10.5 % (+0.5, "
        "standard error 0.6)" in rising["says"]
    )
    assert (
        "MLM still rose: no plateau is seen there. SBO moved by no more than that error"
        in rising["says"]
    )
    assert "bends the end of the curve" in rising["says"]
    assert "bends" not in curve(phase([(100, 10.0, 5.0)], decay="none"))["says"]
    both = curve(phase([(400, 20.0, 10.0), (500, 23.0, 12.0)]))
    assert "MLM and SBO still rose: no plateau is seen." in both["says"]
    flat = curve(phase([(400, 20.0, None), (500, 20.2, None)]))
    assert (
        "MLM moved by no more than that error: so many blanks cannot tell it from a plateau."
        in flat["says"]
    )
    assert "SBO" not in flat["says"]
    assert "MLM fell." in curve(phase([(400, 20.0, None), (500, 12.0, None)]))["says"]


def test_few_rows_or_other_blanks_allow_no_verdict() -> None:
    for data in (
        curve(phase([(500, 20.0, 9.0)])),
        curve(phase([(450, 19.0, 9.0), (500, 20.0, 9.0)])),
    ):
        assert "too few measurements on the same blanks before step 500" in data["says"]
        assert "plateau" not in data["says"]
    other = curve(phase([(100, 10.0, 5.0)], pieces=99), phase([(100, 30.0, 9.0)], before=100))
    assert "too few measurements" in other["says"]
    assert "Earlier ones were on other blanks." in other["says"]
    for empty in (None, {"phases": []}, {"phases": [phase([])]}):
        data = plain(figure.curve_data(empty, None))
        assert data["rows"] == []
        assert data["tables"] == []
        assert "learning curve" in data["says"]
        assert "aim" not in data["says"]


def test_the_ends_of_phases_tell_what_twice_the_steps_bring() -> None:
    """1 + 10 points over two doublings, then as many steps again without a gain."""
    phases = (
        phase([(100, 9.0, 5.0), (250, 20.0, 9.0)]),
        phase([(250, 26.0, 9.5)], before=250),
        phase([(500, 30.0, 26.0)], before=500),
    )
    said = curve(*phases)["says"]
    assert (
        "At the ends of the phases (250, 500 and 1,000 steps) MLM stood at 20.0, 26.0 and 30.0 % "
        "of those blanks: a line through them gains 5.0 for each doubling of the steps; from 30.0 "
        "% the aim would be 1 doubling away."
    ) in said
    assert (
        "from 24.0 % the aim would be 3 doublings away"
        in curve(*phases, overall={"mlm_top1": 24.0, "sbo_top1": 26.0})["says"]
    )
    assert "At the ends" not in curve(*phases, overall={"mlm_top1": 35.0})["says"]
    assert "SBO stood" not in said, "it has reached its aim"
    slower = curve(phases[0], phase([(250, 21.0, None)], before=250))["says"]
    assert "gains 1.0 for each doubling" in slower
    assert "from 21.0 % the aim would be 14 doublings away." in slower
    fell = curve(
        phase([(250, 30.0, 9.0)]),
        phase([(250, 10.0, 9.0)], before=250),
        phase([(500, 16.0, 9.0)], before=500),
    )["says"]
    assert "brought +6.0" in fell and "but a line through all of them does not rise." in fell
    flat = curve(phases[0], phase([(250, 20.5, 9.0)], before=250))["says"]
    assert (
        "MLM stood at 20.0 and 20.5 % of those blanks: the last 250 steps brought +0.5 with a "
        "standard error of 0.8, so no gain: a plateau. At the ends"
    ) in flat
    assert (
        "SBO stood at 9.0 and 9.0 % of those blanks: the last 250 steps brought +0.0 with" in flat
    )
    assert "At the ends" not in curve(phases[0])["says"]
    assert (
        "At the ends"
        not in curve(phase([(100, 9.0, 5.0)], pieces=7), phase([(100, 12.0, 5.0)], before=100))[
            "says"
        ]
    ), "other blanks"


def measured(before: int, steps: int, mlm: float, pieces: int = 9000) -> dict[str, Any]:
    """A phase with a measurement on 2,500 blanks, 3 points too low, and one of all at its end."""
    return phase([(steps, mlm - 3, 9.0)], before=before) | {
        "steps_taken": steps,
        "all_held_out": {"pieces": pieces, "mlm_top1": mlm, "sbo_top1": 16.0},
    }


def test_what_all_blanks_said_at_the_ends_of_phases_goes_before_the_part_along_the_way() -> None:
    data = curve(measured(0, 250, 20.0), measured(250, 250, 26.0), measured(500, 500, 30.0))
    assert (
        "At the ends of the phases (250, 500 and 1,000 steps) MLM stood at 20.0, 26.0 and 30.0 % "
        "of all 9,000 held-out blanks: a line through them gains 5.0"
    ) in data["says"]
    assert data["ends"] == [
        {"step": 250, "mlm": 20.0, "sbo": 16.0},
        {"step": 500, "mlm": 26.0, "sbo": 16.0},
        {"step": 1000, "mlm": 30.0, "sbo": 16.0},
    ]
    assert data["legend"] == "Squares: all 9,000 held-out blanks at the end of a phase."
    assert data["tables"][1]["rows"][-1] == ["1,000", "3", "9,000", "30.0 %", "16.0 %"]
    mixed = curve(measured(0, 250, 20.0, pieces=8000), measured(250, 250, 26.0))
    assert len(mixed["ends"]) == 1, "another held-out text is another measure"
    assert "MLM stood at 17.0 and 23.0 % of those blanks" in mixed["says"]
    assert curve(phase([(100, 9.0, 5.0)]))["ends"] == []
    assert curve(phase([(100, 9.0, 5.0)]))["legend"] is None


def test_a_phase_that_was_tried_is_named_and_may_end_the_rise() -> None:
    """Three ends that rise by 5 a doubling, then a fourth phase that brings nothing."""
    last = measured(1000, 1000, 30.0) | {
        "tried": True,
        "dropout": 0.1,
        "more_text": ["more.txt.gz"],
    }
    said = curve(measured(0, 250, 20.0), measured(250, 250, 26.0), measured(500, 500, 30.0), last)[
        "says"
    ]
    assert "can be compared at the ends of phases only" in said and "still rose" not in said
    assert (
        "Phase 4 read more text and used dropout 0.1. Phase 4 was tried and is not in the "
        "weights of this page." in said
    )
    assert (
        "20.0, 26.0, 30.0 and 30.0 % of all 9,000 held-out blanks: the last 1,000 steps brought "
        "+0.0 with" in said
    )


def test_the_aims_are_judged_by_all_held_out_blanks_where_they_were_measured() -> None:
    last = phase([(100, 10.0, 5.0), (500, 40.0, 14.0)])
    assert curve(last)["says"].endswith(
        "The aims were MLM 35 % (40.0 %: reached) and SBO 26 % (14.0 %: not reached)."
    )
    measured = curve(last, overall={"mlm_top1": 34.9, "sbo_top1": 26.0})
    assert measured["says"].endswith(
        "MLM 35 % (34.9 %: not reached) and SBO 26 % (26.0 %: reached)."
    )


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(1, 9), st.floats(0, 100), st.none() | st.floats(0, 100)),
            max_size=4,
        ),
        max_size=3,
    )
)
def test_any_phases_and_rows_travel(phases: list[Any]) -> None:
    data = curve(
        *(
            phase(sorted(rows, key=lambda row: row[0]), before=10 * k)
            for k, rows in enumerate(phases)
        )
    )
    assert len(data["rows"]) == sum(map(len, phases)) and data["says"].endswith(".")
