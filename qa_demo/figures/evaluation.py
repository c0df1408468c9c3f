"""The report on a file of predictions as plain data: counts and F1 by group, calibration,
thresholds, two readers, and a row for each question with the chapter that shows its cause.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from qa_demo.core.files.report_evaluate import example_of, outcome_of
from qa_demo.core.measuring.evaluation import bin_names, grouped, in_bins, paired, question_word
from qa_demo.core.measuring.failures import KINDS
from qa_demo.core.measuring.metrics import calibration, calibration_error, score
from qa_demo.core.reading.abstain import trade

Row = dict[str, Any]

CHAPTER_OF = {
    "right": "answer",
    "border": "start_end",
    "wrong candidate of the right type": "spans",
    "right sentence": "spans",
    "other sentence": "why",
    "glued": "bio",
    "lost in the merge": "windows",
    "gold not reachable": "spans",
    "withheld": "answer",
    "answered although unanswerable": "answer",
    "gold without a place": "answer",
    "not read": "answer",
}
"""Where the page shows what went wrong."""

MEANING = {
    "right": "Exactly right after SQuAD's normalisation; without an answer in the file: withheld.",
    "border": "The answer overlaps a right one; start or end is off.",
    "wrong candidate of the right type": "Another number where a number is right, or another name "
    "where a name is.",
    "right sentence": "Other words of a sentence that holds a right answer.",
    "other sentence": "A place in no sentence that holds a right answer.",
    "glued": "From the start of one good span to the end of a later one.",
    "lost in the merge": "One window's own best span was right, another window's span won.",
    "gold not reachable": "No right answer could be returned: too long, cut by its window, or its "
    "border lies inside a word piece.",
    "withheld": "The file has an answer, the reader gave none.",
    "answered although unanswerable": "The file has no answer, the reader gave one.",
    "gold without a place": "The file does not say where its answer stands.",
    "not read": "The reader refuses the texts, for example a question that is too long.",
}

GOLD_WORDS = (1, 2, 3, 4, 6, 11)
TOKENS = (0, 100, 150, 200, 300, 500)
WINDOWS = (1, 2, 3, 5)
PLACES = ("first fifth", "second fifth", "third fifth", "fourth fifth", "last fifth")


def place(row: Row) -> str | None:
    """The fifth of the paragraph in which the first gold answer begins."""
    if row["gold_char"] is None or not row["context"]:
        return None
    return PLACES[min(4, 5 * row["gold_char"] // len(row["context"]))]


GROUPS: tuple[tuple[str, Callable[[Row], str | None], Sequence[str]], ...] = (
    ("Question word", lambda row: question_word(row["question"]), ()),
    (
        "Words of the right answer",
        lambda row: in_bins(
            max(1, row["gold_words"]) if row["gold_words"] is not None else None, GOLD_WORDS
        ),
        bin_names(GOLD_WORDS),
    ),
    ("Word pieces of the paragraph", lambda row: in_bins(row["tokens"], TOKENS), bin_names(TOKENS)),
    ("Where the right answer begins", place, PLACES),
    ("Windows", lambda row: in_bins(row["windows"], WINDOWS), bin_names(WINDOWS)),
)


def report_data(
    rows: Sequence[Row], run: Row, against: Sequence[Row] = (), other: Row | None = None
) -> dict[str, Any]:
    """Everything the report shows. `run` and `other` say what the lines were made with."""
    contexts = list(dict.fromkeys(row["context"] for row in rows))
    at = {context: k for k, context in enumerate(contexts)}
    return {
        "run": run,
        "other": other,
        "scores": _means(rows),
        "kinds": [
            {**asdict(group), "meaning": MEANING.get(group.name, "")}
            for group in grouped(rows, lambda row: row["kind"], KINDS)
        ],
        "groups": [
            {"title": title, "rows": [asdict(g) for g in grouped(rows, name, order)]}
            for title, name, order in GROUPS
        ],
        "calibration": _calibration(rows),
        "thresholds": _thresholds(rows, run),
        "pair": asdict(paired(rows, against)) if other is not None else None,
        "contexts": contexts,
        "rows": [
            _row(row, at[row["context"]], against[k] if other is not None else None)
            for k, row in enumerate(rows)
        ],
    }


def _means(rows: Sequence[Row]) -> Row:
    (all_of_them,) = grouped(rows, lambda _: "all")
    return asdict(all_of_them)


def chapter(row: Row) -> str:
    """The chapter of the page that shows why this question went as it did."""
    if row["because"] == "window":
        return "windows"
    return CHAPTER_OF.get(row["kind"], "answer")


def _row(row: Row, context: int, other: Row | None) -> Row:
    best = row["n_best"][0] if row["n_best"] else None
    shown = {
        "id": row["id"],
        "question": row["question"],
        "context": context,
        "gold": list(dict.fromkeys(a["text"] for a in row["gold"])),
        "ranges": [
            [a["char_start"], a["char_start"] + len(a["text"])]
            for a in row["gold"]
            if a["char_start"] >= 0
        ],
        "answer": row["answer"],
        "best": None if best is None else best["text"],
        "span": None if best is None else [best["window"], best["start"], best["end"]],
        "kind": row["kind"],
        "because": row["because"],
        "exact": row["exact"],
        "f1": row["f1"],
        "probability": None if (name := _surest([row])) == "in_window" else row[name],
        "score_diff": row["score_diff"],
        "chapter": chapter(row),
    }
    if other is not None:
        shown["other"] = {name: other[name] for name in ("answer", "kind", "f1", "exact")}
    return shown


def _surest(rows: Sequence[Row]) -> str:
    """The best of three chances that some row has: whatever the text holds, if the text answers,
    or the model's own P_s(i) P_e(j).
    """
    fits = ("claim", "right_if_answerable")
    return next((n for n in fits if any(row[n] is not None for row in rows)), "in_window")


def _calibration(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Ten bins of the best spans' probability; None where nothing was read. A claim holds for every
    question, the other chances for those that have an answer.
    """
    name = _surest(rows)
    said = [row for row in rows if row[name] is not None and (row["gold"] or name == "claim")]
    if not said:
        return None
    right = [float(_best_right(row)) for row in said]
    table = calibration([row[name] for row in said], right)
    return {
        "fitted": name != "in_window",
        "of": name,
        "bins": [asdict(one) for one in table],
        "error": calibration_error(table),
        "questions": len(said),
    }


def _best_right(row: Row) -> bool:
    """Whether the best span is exactly right, withheld or not."""
    text = row["n_best"][0]["text"]
    return bool(row["gold"]) and score(example_of(row), text, "1.1")[0] == 1


def _thresholds(rows: Sequence[Row], run: Row) -> dict[str, Any] | None:
    """What every threshold would do; None without both kinds of question."""
    if run["rules"] != "2.0" or len({bool(row["gold"]) for row in rows}) < 2:
        return None
    line = trade([example_of(row) for row in rows], {row["id"]: outcome_of(row) for row in rows})
    return {"points": [asdict(p) for p in line.curve()], "used": run.get("threshold")}
