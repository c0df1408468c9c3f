"""Where a reader is good: groups of questions by what is asked, and how often it was right by how
sure it was.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import GREY, INK, Block
from qa_demo.core.metrics import calibration, calibration_error, normalize
from qa_demo.evaluation import drawn
from qa_demo.evaluation.compare import Bools, Row
from qa_demo.evaluation.drawn import METRICS, Blocks, Shown
from qa_demo.printed import STRONG, Part, plural

FEWEST = 20
"""A group of fewer questions says nothing."""
MOST = 12
"""Groups of one slice that are drawn: those of most questions."""
QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
CLAIMS = {
    "claim": "the claim",
    "right_if_answerable": "the chance of being right where there is an answer",
    "in_window": "P(start) · P(end), which is not calibrated",
}


def question_word(question: str) -> str:
    """The first question word of a question, "how many" and "how much" as one; "other" without."""
    words = [word.strip(".,;:!?\"'()").lower() for word in question.split()]
    for k, word in enumerate(words):
        if word in QUESTION_WORDS:
            counted = word == "how" and words[k + 1 : k + 2] in (["many"], ["much"])
            return "how many" if counted else {"whom": "who"}.get(word, word)
    return "other"


def _gold_words(row: Row) -> int:
    counts = [len(normalize(answer["text"]).split()) for answer in row["gold"]]
    return max(1, min(counts)) if counts else 0


def bins(edges: Sequence[int], unit: str) -> list[str]:
    """The names of bins of counts; (1, 2, 4) gives "1 word", "2 to 3 words", "4 words or more"."""
    names = []
    for low, after in zip(edges, [*edges[1:], None], strict=True):
        if after is None:
            names.append(f"{low} {unit}s or more")
        elif after == low + 1:
            names.append(f"{low} {unit}{'s' * (low != 1)}")
        else:
            names.append(f"{low} to {after - 1} {unit}s")
    return names


def binned(count: Callable[[Row], int], edges: Sequence[int], unit: str) -> Any:
    """A slice by a count: its rule, and its names in order."""
    names = bins(edges, unit)
    return lambda row: names[int(np.digitize(count(row), edges)) - 1] if count(row) else None, names


SLICES: dict[str, tuple[Callable[[Row], str | None], Sequence[str]]] = {
    "question word": (lambda row: question_word(row["question"]), ()),
    "right answer": binned(_gold_words, (1, 2, 3, 5, 9), "word"),
    "paragraph": binned(lambda row: row["tokens"] or 0, (0, 100, 150, 200, 300, 500), "token"),
    "read in": binned(lambda row: row["windows"], (1, 2, 3, 5), "window"),
}
"""A rule, and the order of its names where they have one."""


def groups(rows: Sequence[Row], parts: Sequence[Bools]) -> dict[str, dict[str, Bools]]:
    """Each slice of at least two groups that have FEWEST questions in a part: its title, and its
    groups with their questions. A file's own columns are slices too.
    """
    columns = dict.fromkeys(name for row in rows for name in row["columns"])
    own = {name: (lambda row, name=name: row["columns"].get(name), ()) for name in columns}
    found = {}
    for title, (rule, order) in (SLICES | own).items():
        names = np.array([rule(row) or "" for row in rows])
        common = [name for name, _ in Counter(names[names != ""].tolist()).most_common(MOST)]
        each = {name: names == name for name in sorted(common, key=[*order, *common].index)}
        kept = {
            name: mask
            for name, mask in each.items()
            if max((mask & part).sum() for part in parts) >= FEWEST
        }
        if len(kept) > 1:
            found[title] = kept
    return found


# ---- the forest


def by_group(s: Shown) -> Blocks:
    """Groups as a forest plot: a line for each, questions with and without an answer side by side,
    each from FEWEST questions on.
    """
    parts = dict([*s.parts.items()][1:] or s.parts.items())
    found = groups(s.sides[0].rows, [*parts.values()])
    y, ticks = 0.0, list[tuple[float, str]]()
    rows: dict[str, list[tuple[float, Bools]]] = {name: [] for name in parts}
    for title, each in found.items():
        ticks.append((y, f"<b>{drawn.short(title, 26)}</b>"))
        for k, (name, mask) in enumerate(each.items(), 1):
            ticks.append((y + k, f"{drawn.short(name, 22)} · {mask.sum():,}"))
            for part, inside in parts.items():
                if (mask & inside).sum() >= FEWEST:
                    rows[part].append((y + k, mask & inside))
        y = ticks[-1][0] + 1.4
    if not found:
        return []
    means = {
        (side.key, metric, part): [s.draws.mean(side.scores[metric], mask) for _, mask in masks]
        for side in s.sides
        for metric in METRICS
        for part, masks in rows.items()
    }
    names = {"tickvals": [at for at, _ in ticks], "ticktext": [name for _, name in ticks]}
    axes: Block = {"yaxis": ui.axis(range=[y - 0.6, -1.4], showgrid=False, **names)}
    narrow: Block = {"margin.l": 150}
    axes["annotations"], width = [], 1 / len(parts)
    for p, part in enumerate(parts):
        axis, left = f"xaxis{p + 1}" if p else "xaxis", p * width
        domain = [left, left + width - 0.08 * (p + 1 < len(parts))]
        axes[axis] = ui.axis("percent", dtick=20, domain=domain, range=[-3, 103], anchor="y")
        over = ui.note(f"<b>{part}</b>", left, 1, xref="paper", yref="paper", xanchor="left")
        axes["annotations"].append(over)
        narrow[f"{axis}.dtick"] = 50
        narrow[f"annotations.{p}.text"] = (
            f"<b>{part.partition(' ')[0]}</b>"  # both fit side by side
        )

    def forest(metric: str, **frames: int) -> Block:
        data = []
        for side in s.sides:
            for p, (part, masks) in enumerate(rows.items()):
                at = drawn.joined(means[side.key, metric, part], frames[side.key])
                ys, axis = [y - 0.17 * side.up for y, _ in masks], f"x{p + 1}" if p else "x"
                data.append(drawn.dots(side.role, at, ys, xaxis=axis))
        alt = "Scores of groups of questions, with and without an answer apart."
        layout = ui.layout(int(90 + 23 * y), 190, 14, 8, 46, **axes)
        return ui.figure("groups-figure", data, layout, alt, narrow=narrow)

    idea = f"Groups of at least {FEWEST} questions. "
    if len(s.parts) > 1:
        idea += "Questions with and without an answer stand apart, since groups hold unlike shares."
    figure = drawn.varied(s, forest, "metric", *s.values["who"])
    return [*drawn.head(s, "groups", "Groups", idea), figure]


# ---- reliability


def reliability(s: Shown) -> Blocks:
    """How often the best span was right by how sure the reader was."""
    every = [row for side in s.sides for row in side.rows]
    name = next(n for n in CLAIMS if n == "in_window" or any(row[n] is not None for row in every))
    data, said = list[Block](), list[Part]()
    for side in s.sides:
        sure = np.array([row[name] for row in side.rows], dtype=np.float64)  # None as NaN
        mask = np.isfinite(sure) & (side.table.answerable | (name == "claim"))
        if mask.sum() < FEWEST:
            continue
        right = side.table.right.astype(float)
        table = calibration(sure[mask], right[mask])
        tenth = np.where(mask, np.minimum(np.nan_to_num(sure) * 10, 9).astype(int), -1)
        found = drawn.joined([s.draws.mean(100 * right, tenth == round(10 * b.low)) for b in table])
        most = max(b.count for b in table)
        told = [
            f"{drawn.short(side.name)}: {plural(b.count, 'question')}, said "
            f"{100 * b.mean_prob:.0f} %, right {100 * b.accuracy:.0f} %"
            for b in table
        ]
        style: Block = {"mode": "lines+markers", "line": {"color": side.role, "width": 1}}
        style["marker"] = {"size": [round(7 + 15 * math.sqrt(b.count / most), 1) for b in table]}
        x = [round(100 * b.mean_prob, 1) for b in table]
        data.append(drawn.dots(side.role, found, x, "y", hovertext=told, **style))
        mean, share = 100 * sure[mask].mean(), 100 * right[mask].mean()
        words = f" said {mean:.0f} % on average and was right in {share:.0f} %; by tenths it is "
        words += f"off by {100 * calibration_error(table):.1f} points. "
        said += [[side.name, STRONG], words]
    if not data:
        return []
    even = {"color": GREY, "width": 1.5, "dash": "dot"}
    data.append(ui.scatter("lines", [0, 100], [0, 100], line=even))
    axes = {"xaxis": ui.axis("how sure the reader said it was, %", range=[-2, 102], dtick=20)}
    axes["yaxis"] = ui.axis("best span exactly right, %", range=[-3, 103], dtick=20)
    of = "all questions" if name == "claim" else "questions with an answer"
    idea = f"By {CLAIMS[name]}, on {of}. It speaks of the best span, given or withheld, so no "
    idea += "threshold changes it."
    alt = "Share of right best spans by how sure the reader was; on the dotted line it came true."
    even_key = ("dash", GREY, "right as often as it says")
    finding = ui.sentence("reliable", "finding", *said)
    return [
        *drawn.head(s, "reliability", "How sure, how right", idea, finding),
        ui.legend("even", even_key, ("text", INK, "larger dots: more questions")),
        ui.figure("bins", data, ui.layout(380, 52, 14, 8, 48, **axes), alt, narrow={"height": 300}),
    ]
