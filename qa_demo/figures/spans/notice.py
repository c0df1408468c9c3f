"""Chapter 4's sentences: how the runner-up loses, whether the argmaxes fit, what is simplified."""

from qa_demo.core.files.words import fixed_words
from qa_demo.core.options import DecodeOptions
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.reading.spans import separate_argmaxes
from qa_demo.core.types import Reading
from qa_demo.figures.numbers import difference, number, total
from qa_demo.figures.pack import printable
from qa_demo.figures.prose import quoted
from qa_demo.figures.span_score import best_in


def notice(
    reading: Reading,
    prediction: Prediction,
    decode: DecodeOptions,
    window: int,
    copies: str = "max_context",
) -> str:
    """What this reading shows: how the runner-up loses, whether the separate argmaxes fit."""
    if prediction.best is None:
        return (
            f"No pair is legal with max_answer_length {decode.max_answer_length}: there is no "
            f"span to choose."
        )
    best = prediction.best.candidate
    said = [
        f"{quoted(best.text, 40)} has the highest sum, {number(best.score)}.",
        runner_up(prediction),
        apart_sentence(reading, decode, window, copies),
    ]
    return " ".join(filter(None, said))


def runner_up(prediction: Prediction) -> str:
    """Which end the runner-up shares with the winner, and where it loses."""
    if len(prediction.n_best) < 2 or prediction.best is None:
        return "No other span is listed."
    first, second = prediction.best.candidate, prediction.n_best[1].candidate
    who = f"The runner-up, {quoted(second.text, 40)},"
    if first.window != second.window:
        return (
            f"{who} stands in window {second.window + 1}: its score {number(second.score)} is "
            f"compared with the winner's "
            f"{number(first.score)} of window {first.window + 1}, two sums of different windows."
        )
    ds, de = first.start_logit - second.start_logit, first.end_logit - second.end_logit
    if first.span.end == second.span.end:
        return f"{who} shares the end and {_loses(ds)} on the start."
    if first.span.start == second.span.start:
        return f"{who} shares the start and {_loses(de)} on the end."
    printed = total([ds, de])
    return (
        f"{who} shares neither end: {_loses(ds, printed.decimals)} on the start and "
        f"{_loses(de, printed.decimals)} on the end, "
        f"{printed.total} in all."
    )


def _loses(difference: float, decimals: int = 2) -> str:
    while 0 < abs(difference) < 0.5 * 10.0**-decimals and decimals < 4:
        decimals += 1
    if difference == 0:
        return "ties"
    return f"{'loses' if difference > 0 else 'gains'} {number(abs(difference), decimals)}"


def apart_sentence(reading: Reading, decode: DecodeOptions, window: int, copies: str) -> str:
    """Whether the highest start and the highest end of the context form a legal pair."""
    if not reading.windows[window].is_context.any():
        return ""
    cell, tokens = separate_argmaxes(reading, window, decode, copies), reading.tokens(window)
    where = f" of window {window + 1}" if len(reading.windows) > 1 else ""
    pair = (
        f"The paragraph's highest start{where} (i = {cell.start_pos}, "
        f"{printable(tokens[cell.start_pos])}) and the highest end (j = {cell.end_pos}, "
        f"{printable(tokens[cell.end_pos])})"
    )
    if cell.reason is None:
        return f"{pair} form a legal pair, so no other span{where} beats it."
    best = best_in(reading, window, decode, copies)
    lost = (
        ""
        if best is None
        else f"; the best legal pair gives up {difference(cell.score, best.score)[2]}"
    )
    return f"{pair} do not fit: {cell.reason}{lost}."


def left_out(reading: Reading, decode: DecodeOptions) -> list[str]:
    """What the picture leaves out of this reading, beside its fixed sentences."""
    pieces = f"max_answer_length counts word pieces ({decode.max_answer_length} here), not words."
    return [pieces, *([fixed_words("spans")["one_window"]] if len(reading.windows) > 1 else [])]
