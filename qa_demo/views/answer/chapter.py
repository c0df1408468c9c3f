"""Chapter 1, Answer: which words, and how sure."""

from typing import Any

from qa_demo.figures.answer.code import answer_code
from qa_demo.figures.answer.picture import answer_notice, answer_picture, answer_table
from qa_demo.figures.answer.trust import trust_picture, trust_tables
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import simplified
from qa_demo.figures.span_score import RULE, four_numbers, null_score, score_sums
from qa_demo.views.code import printed
from qa_demo.views.frame import Frame
from qa_demo.views.measured import measured
from qa_demo.views.options import change
from qa_demo.views.state import Chapter, Screen

CHAPTER = Chapter(
    "answer", 1, "Answer", "Predict", "Which words answer the question, and how sure is the reader?"
)
code = printed(answer_code)
change_threshold = change("null_score_diff_threshold")


def present(screen: Screen) -> dict[str, Any]:
    """The logit line, how far to trust it, the tables and the notice."""
    shown, prediction, merge = screen.shown, screen.prediction, screen.merge
    figures = measured(screen.source)
    return page_data(
        CHAPTER.question,
        {
            **answer_picture(shown, prediction, merge),
            "trust": trust_picture(figures, measured_threshold(screen)),
        },
        answer_notice(shown, prediction, merge),
        simplified(CHAPTER.key, shown.encoding),
        [
            answer_table(shown, prediction, screen.what_if.temperature, merge),
            *trust_tables(figures),
        ],
    )


def measured_threshold(screen: Screen) -> float | None:
    """The threshold in use where it means what was measured: null - best, both sums of logits."""
    same = (screen.merge.scale, screen.merge.null) == (RULE.scale, RULE.null)
    return screen.prediction.limit if same and screen.prediction.has_threshold else None


def formula(screen: Screen) -> list[dict[str, str]]:
    """score = start logit + end logit, for the selected span."""
    if screen.selection is None:
        return []
    null = null_score(screen.shown, screen.prediction, screen.merge)
    printed, _ = score_sums(screen.shown, null, screen.selection.window, screen.selection.span)
    return [
        part("score = "),
        part("start logit", "start"),
        part(" + "),
        part("end logit", "end"),
        part(" = "),
        part(printed.addends[0], "start"),
        part(" + "),
        part(printed.addends[1], "end"),
        part(f" {printed.sign} "),
        part(printed.total, "strong"),
    ]


def details(screen: Screen) -> dict[str, Any]:
    """The four numbers of the selection; travels with every selection."""
    chosen = screen.selection
    if chosen is None:
        return {"four": []}
    return {
        "four": four_numbers(
            screen.shown,
            screen.prediction,
            chosen.window,
            chosen.span,
            screen.what_if.temperature,
            screen.merge,
        )
    }


def build(frame: Frame) -> None:
    """The rule on the line is the only control."""
    frame.browser_input(CHAPTER, "threshold", change_threshold)
