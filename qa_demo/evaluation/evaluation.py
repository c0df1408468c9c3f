"""The report on a file of predictions as plain data: settings, totals and slices with intervals,
calibration, thresholds, two readers, and a row for each question with the chapter that shows its
cause.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from qa_demo.core.files.report_evaluate import example_of, outcome_of
from qa_demo.core.measuring.abstain import trade
from qa_demo.core.measuring.bootstrap import LEAST, Draws, units_of
from qa_demo.core.measuring.comparison import names_of, paired
from qa_demo.core.measuring.evaluation import grouped
from qa_demo.core.measuring.failures import KINDS
from qa_demo.core.measuring.listed import HEADS, lists_json
from qa_demo.core.measuring.metrics import calibration, calibration_error, score
from qa_demo.evaluation.attributed import attributed
from qa_demo.evaluation.changed import changed
from qa_demo.evaluation.numbers import number
from qa_demo.evaluation.opened import chance, opened
from qa_demo.evaluation.slices import SLICES, Slice, columns, lists, named, twins

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

NO_DIFFERENCE = " Made of the first reader's own answers, which favours one of the two: no Δ."


def report_data(
    rows: Sequence[Row],
    run: Row,
    against: Sequence[Row] = (),
    other: Row | None = None,
    own: Sequence[Slice] = (),
) -> dict[str, Any]:
    """Everything the report shows. `run` and `other` say what the lines were made with; `own` are
    slices beside the usual ones. Errors: BadInput where `against` holds other questions.
    """
    contexts = list(dict.fromkeys(row["context"] for row in rows))
    at = {context: k for k, context in enumerate(contexts)}
    pair = None if other is None else asdict(paired(rows, run, against, other))
    units, drawn = units_of([row["title"] for row in rows], [row["context"] for row in rows])
    draws, surest = Draws(units), _surest(rows)
    slices = (*own, *twins(rows), *lists(rows), *SLICES, *columns(rows))
    names, readers = [named(one, rows) for one in slices], [rows, *([against] if against else [])]
    runs = [run] if other is None else [run, other]
    groups = _groups(rows, against, slices, names, draws)
    return {
        "run": run,
        "other": other,
        "names": [run["reader"]] if other is None else list(names_of(run, other)),
        "settings": settings(runs),
        "stopped": run.get("scores", {}).get("total") != len(rows),
        "drawn": {"of": drawn, "count": draws.count, "least": LEAST},
        "scores": [_parts(of, draws) for of in readers],
        "lists": [_lists(of) for of in readers],
        "changed": [changed(of, draws) for of in readers],
        "kinds": _kinds(readers, draws),
        "groups": groups,
        "attributed": [attributed(of, draws) for of in readers],
        "calibration": [_calibration(of) for of in readers],
        "thresholds": [_thresholds(of, by) for of, by in zip(readers, runs, strict=True)],
        "pair": pair,
        "surest": surest,
        "contexts": contexts,
        "rows": _rows(rows, at, surest, against, _numbers(groups, names)),
    }


def _rows(
    rows: Sequence[Row],
    contexts: Mapping[str, int],
    surest: str,
    against: Sequence[Row],
    groups: Sequence[Sequence[int]],
) -> list[Row]:
    """Each question as the table shows it, with the numbers of its groups."""
    others: Sequence[Row | None] = against or [None] * len(rows)
    return [
        _row(row, contexts[row["context"]], surest, other) | {"groups": at}
        for row, other, at in zip(rows, others, groups, strict=True)
    ]


def _groups(
    rows: Sequence[Row],
    against: Sequence[Row],
    slices: Sequence[Slice],
    names: Sequence[Sequence[str | None]],
    draws: Draws,
) -> list[Row]:
    """Each slice with its rule and its groups; `names` holds each question's group in each."""
    return [
        {
            "title": one.title,
            "says": one.says + (NO_DIFFERENCE if against and one.outcome else ""),
            "rows": [
                asdict(group)
                for group in grouped(rows, of, draws, one.order, () if one.outcome else against)
            ],
        }
        for one, of in zip(slices, names, strict=True)
    ]


def _numbers(groups: Sequence[Row], names: Sequence[Sequence[str | None]]) -> list[list[int]]:
    """For each question the number of its group in each slice, -1 where it has none."""
    at = [{row["name"]: k for k, row in enumerate(one["rows"])} for one in groups]
    each = [[of.get(name, -1) for name in found] for of, found in zip(at, names, strict=True)]
    return [list(one) for one in zip(*each, strict=True)]


def _kinds(readers: Sequence[Sequence[Row]], draws: Draws) -> list[Row]:
    """Each kind of error with what it means and the questions that it has for each reader, None
    for none.
    """
    found = [
        {group.name: asdict(group) for group in grouped(rows, [row["kind"] for row in rows], draws)}
        for rows in readers
    ]
    return [
        {"name": name, "meaning": MEANING.get(name, ""), "of": [of.get(name) for of in found]}
        for name in dict.fromkeys([*KINDS, *(name for of in found for name in of)])
        if any(name in of for of in found)
    ]


def _lists(rows: Sequence[Row]) -> dict[str, Any]:
    """The scores of the lists by the name of the head; empty for a file without one."""
    found = lists_json([row["list"] for row in rows if row.get("list")])
    return {HEADS[head]: one for head, one in found.get("lists", {}).items()}


def _parts(rows: Sequence[Row], draws: Draws) -> list[Row]:
    """All questions, and those with and without an answer apart where there are both."""
    has = ["questions with an answer" if row["gold"] else "without an answer" for row in rows]
    whole = grouped(rows, ["all questions"] * len(rows), draws)
    parts = grouped(rows, has, draws, sorted(set(has))) if len(set(has)) > 1 else ()
    return [asdict(group) for group in (*whole, *parts)]


def settings(runs: Sequence[Row]) -> list[list[str]]:
    """What each run was made with, a line for each setting: its name, then a value for each run."""
    asked = [
        {
            "reader": run["reader"],
            "weights": str(run.get("weights", ""))[:12],
            "threshold": _threshold(run),
            "calibration": run.get("calibration", "not said"),
            "rules": f"SQuAD {run['rules']}",
            "questions": f"{run['file']} ({str(run.get('sha256', ''))[:12]})",
            **{str(name).replace("_", " "): value for name, value in run["options"].items()},
            "precision": "bfloat16" if run.get("bf16") else "float32",
        }
        for run in runs
    ]
    names = dict.fromkeys(name for one in asked for name in one)
    return [[name, *(str(one.get(name, "")) for one in asked)] for name in names]


def _threshold(run: Row) -> str:
    if run["rules"] == "1.1":
        return "none: every question has an answer"
    if run["options"].get("null") == "none":
        return "none: nothing is withheld"
    if run["threshold"] is None:
        return "none: this scale withholds by itself"
    return f"{number(run['threshold'], 3)} ({run.get('threshold_from', 'not said from where')})"


def chapter(row: Row) -> str:
    """The chapter of the page that shows why this question went as it did."""
    if row["because"] == "window":
        return "windows"
    return CHAPTER_OF.get(row["kind"], "answer")


def _row(row: Row, context: int, surest: str, other: Row | None) -> Row:
    best = row["n_best"][0] if row["n_best"] else None
    reading, *second = opened(*([row] if other is None else [row, other]))
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
        **reading,
        "span": None if best is None else [best["window"], best["start"], best["end"]],
        "kind": row["kind"],
        "because": row["because"],
        "exact": row["exact"],
        "f1": row["f1"],
        "probability": None if row[surest] is None else chance(row[surest]),
        "chapter": chapter(row),
    }
    if other is not None:
        shown["other"] = second[0] | {name: other[name] for name in ("kind", "f1", "exact")}
    return shown


def _surest(rows: Sequence[Row]) -> str:
    """The best of three chances in a row: of any text, if the text answers, or P_s(i) P_e(j)."""
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
