"""What follows in the report: groups, how sure and how right, and the surest failures, each with a
link to the page in its state.
"""

import base64
import re
from bisect import bisect
from collections import Counter
from functools import lru_cache

import numpy as np
import orjson

from qa_demo import blocks as ui
from qa_demo.blocks import GOLD, GREY, Block
from qa_demo.core.base import Bools
from qa_demo.core.metrics import calibration, calibration_error, normalize
from qa_demo.evaluation import drawn
from qa_demo.evaluation.drawn import Shown, Side
from qa_demo.evaluation.lines import Row
from qa_demo.printed import STRONG, Part, number, quote

# ---- groups

FEWEST = 20
"""A group of fewer questions says nothing."""
MOST = 12
"""Groups of one slice that are drawn: those of most questions."""
WORD = re.compile(r"\b(how (many|much)|whom?|whose|what|which|when|where|why|how)\b")
ANSWERS = ("", "1 word", "2 words", "3 to 4 words", "5 to 8 words", "9 words or more")
PARAGRAPHS = ("under 100 tokens", "100 to 149", "150 to 199", "200 to 299", "300 or more")


def question_word(question: str) -> str:
    """The first question word of a question, "how many" and "how much" as one; "other" without."""
    found = WORD.search(question.lower())
    word = found.group() if found else "other"
    return {"how much": "how many", "whom": "who"}.get(word, word)


def traits(row: Row) -> dict[str, str]:
    """The group of a question in each slice; a file's own columns are slices too."""
    golds = [max(1, len(normalize(answer["text"]).split())) for answer in row["gold"]]
    return {
        "question word": question_word(row["question"]),
        "right answer": ANSWERS[bisect((1, 2, 3, 5, 9), min(golds, default=0))],
        "paragraph": PARAGRAPHS[bisect((100, 150, 200, 300), row["tokens"] or 0)],
        **row["columns"],
    }


@lru_cache(maxsize=256)
def groups(s: Shown) -> tuple[list[tuple[float, str]], dict[str, list[tuple[float, Bools]]]]:
    """The rows of the forest plot, as (y, name): each slice that has at least two groups of FEWEST
    questions in a part, and its groups; and for each part the rows with their questions there.
    """
    parts = dict([*s.parts.items()][1:] or s.parts.items())
    each, y, names = [traits(row) for row in s.sides[0].rows], 0.0, list[tuple[float, str]]()
    rows: dict[str, list[tuple[float, Bools]]] = {part: [] for part in parts}
    for title in dict.fromkeys(name for one in each for name in one):
        held = np.array([one.get(title, "") for one in each])
        often = [name for name, _ in Counter(held[held != ""].tolist()).most_common(MOST)]
        often.sort(key=[*ANSWERS, *PARAGRAPHS, *often].index)
        masks = {name: {part: x & (held == name) for part, x in parts.items()} for name in often}
        enough = [x for x in often if max(part.sum() for part in masks[x].values()) >= FEWEST]
        if len(enough) < 2:
            continue
        names.append((y, f"<b>{drawn.short(title, 26)}</b>"))
        for k, name in enumerate(enough, 1):
            names.append((y + k, f"{drawn.short(name, 22)} · {(held == name).sum():,}"))
            for part, mask in masks[name].items():
                rows[part] += [(y + k, mask)] * bool(mask.sum() >= FEWEST)
        y += len(enough) + 1.4
    return names, rows


def by_group(s: Shown, metric: str, at: str) -> list[Block]:
    """Groups as a forest plot: questions with and without an answer side by side."""
    names, rows = groups(s)
    if not names:
        return []
    panels = []
    for part, masks in rows.items():
        traces = [
            drawn.dots(
                side.role,
                s.means(side.scores(metric, at), [mask for _, mask in masks]),
                [y - 0.17 * side.up for y, _ in masks],
            )
            for side in s.sides
            if masks
        ]
        panels.append((ui.axis(f"{part}, %", range=[-3, 103], side="top"), traces))
    idea = f"Groups of at least {FEWEST} questions, with how many there are. "
    if len(s.parts) > 1:
        idea += "Questions with and without an answer stand apart, since groups hold unlike shares."
    alt = "Scores of groups of questions, with and without an answer apart."
    figure = drawn.forest("groups-figure", names, panels, 23, alt)
    return [*drawn.head(s, "groups", "Groups", idea), figure]


# ---- reliability


def reliability(s: Shown) -> list[Block]:
    """How often the best span was right by how sure the reader was, where it makes a claim."""
    data, said = list[Block](), list[Part]()
    for side in s.sides:
        claim = np.array([row["claim"] for row in side.rows], dtype=np.float64)  # None as NaN
        mask, right = np.isfinite(claim), side.table.right.astype(float)
        if mask.sum() < FEWEST:
            continue
        table = calibration(claim[mask], right[mask])
        tenth = np.where(mask, np.minimum(np.nan_to_num(claim) * 10, 9).astype(int), -1)
        found = s.means(100 * right, [tenth == round(10 * b.low) for b in table])
        style: Block = {"mode": "lines+markers+text", "line": {"color": side.role, "width": 1}}
        style |= {"text": [f"{b.count:,}" for b in table], "textposition": "bottom right"}
        x = drawn.plain([100 * b.mean_prob for b in table])
        data.append(drawn.dots(side.role, found, x, "y", **style))
        words = f" said {100 * claim[mask].mean():.0f} % on average and was right in "
        words += f"{100 * right[mask].mean():.0f} %; by tenths it is off by "
        said += [[side.name, STRONG], f"{words}{100 * calibration_error(table):.1f} points. "]
    if not data:
        return []
    even = {"color": GREY, "width": 1.5, "dash": "dot"}
    data.append(ui.scatter("lines", [0, 100], [0, 100], line=even))
    axes = {"xaxis": ui.axis("how sure the reader said it was, %", range=[-2, 104])}
    axes["yaxis"] = ui.axis("best span exactly right, %", range=[-3, 103])
    idea = (
        "By the claim, on all questions, with how many there are in each tenth. It speaks of the "
    )
    idea += "best span, given or withheld, so no threshold changes it."
    alt = "Share of right best spans by how sure the reader was; on the dotted line it came true."
    return [
        *drawn.head(s, "reliability", "How sure, how right", idea),
        ui.sentence("reliable", "finding", *said),
        ui.legend("even", ("dash", GREY, "right as often as it says")),
        ui.figure("bins", data, ui.layout(340, 52, 14, 8, 48, **axes), alt),
    ]


# ---- the surest failures

SPANS = 5


def failures(s: Shown, at: str, who: str, opened: str) -> list[Block]:
    """The wrong answers furthest from the threshold, and the one of this number, "0" the first."""
    idea = "Wrong answers, those furthest from the threshold first. Margin: how far (logits) the "
    idea += "lead over “no answer” is from where the reader would have decided otherwise."
    side = next(x for x in s.sides if x.name == who)
    sets = [(f"of {x.name}", {"who": x.name, "selection": ""}, x is side) for x in s.sides]
    found = surest(side, at)
    return [
        *drawn.head(s, "failures", "The ten surest failures", idea),
        *[ui.choice("who", "Failures", sets)] * (len(sets) > 1),
        failure_table(s, side, at),
        *(failure(s, side, at, k) for n, (k, _) in enumerate(found) if opened == str(n)),
    ]


@lru_cache(maxsize=256)
def surest(side: Side, at: str) -> list[tuple[int, float]]:
    """The wrong answers furthest from the threshold, with how far they are, logits."""
    limit = side.limits[at]
    far = np.abs((0.0 if limit is None else limit) - side.table.diffs)
    found = np.flatnonzero((side.scores("exact", at) == 0) & np.isfinite(far))
    found = found[np.argsort(-far[found], kind="stable")][: drawn.FAILURES]
    return [(int(k), float(far[k])) for k in found]


@lru_cache(maxsize=256)
def failure_table(s: Shown, side: Side, at: str) -> Block:
    """Question, gold, both answers, margin."""
    others = [x for x in s.sides if x is not side]
    names = ["question", "marked right", side.name, *(f"best span of {x.name}" for x in others)]
    out, rows = side.table.withheld(side.limits[at]), []
    for n, (k, far) in enumerate(surest(side, at)):
        row = side.rows[k]
        golds = list(dict.fromkeys(g["text"] for g in row["gold"]))
        gold = quote(golds[0], 50) if golds else "no answer"
        more = f" and {len(golds) - 1} more" if len(golds) > 1 else ""
        best, *theirs = (
            quote("".join(n["text"] for n in x.rows[k]["n_best"][:1]), 50)
            + ", right" * bool(x.table.right[k] and x is not side)
            for x in (side, *others)
        )
        cells = [row["question"], gold + more, f"none (best {best})" if out[k] else best, *theirs]
        rows.append(ui.row(*cells, number(far, 1), sets={"selection": str(n)}))
    columns = [(name, "") for name in [*names, "margin"]]
    return ui.table("failures", columns, rows, caption="The ten surest failures")


def failure(s: Shown, side: Side, at: str, k: int) -> Block:
    """Paragraph, spans and no answer on one axis, and the page in that state."""
    row = side.rows[k]
    golds = {g["char_start"]: g for g in row["gold"] if g["char_start"] >= 0}.values()
    spans = [(GOLD, g["char_start"], g["char_start"] + len(g["text"])) for g in golds]
    marks = [("line", GOLD, "marked right")] * bool(spans)
    for x in s.sides:
        for best in x.rows[k]["n_best"][:1]:
            spans.append((x.role, best["char_start"], best["char_end"]))
            marks.append(("line", x.role, f"best span of {x.name}"))
    lines = [{"from": a, "to": b - 1, "role": role, "text": ""} for role, a, b in spans]
    because = f": {row['best']['because']}" if row["best"]["because"] else ""
    href = s.page + address(side, row)
    inner = [
        ui.sentence("question", "finding", [row["question"], STRONG]),
        ui.block("paragraph", "text", text=row["context"], lines=lines),
        ui.legend("marks", *marks),
        ui.sentence("why", "note", f"Best span of {side.name}: {row['best']['kind']}{because}."),
        spans_figure(s, at, k),
        ui.block("link", "link", label="Open on the page", href=href),
    ]
    return ui.group("opened", 12, *inner)


def spans_figure(s: Shown, at: str, k: int) -> Block:
    """The best spans' lead over no answer, with no answer at 0 and the thresholds."""
    data, names, y = [], list[tuple[float, str]](), 0.0
    for side in s.sides:
        row = side.rows[k]
        spans = row["n_best"][:SPANS]
        ys = [y + n for n in range(len(spans))]
        lead = [n["score"] - spans[0]["score"] - row["score_diff"] for n in spans]
        symbols = ["circle", *["circle-open"] * (len(spans) - 1)]
        style = {"color": side.role, "size": 11, "symbol": symbols, "line": {"width": 2}}
        data.append(ui.scatter("markers", drawn.plain(lead), ys, marker=style, hoverinfo="x"))
        names += [(y, drawn.short(n["text"], 22)) for y, n in zip(ys, spans, strict=True)]
        y += len(spans) + 0.4
    axes: Block = {"yaxis": drawn.ticks(names)}
    axes["xaxis"] = ui.axis("lead over “no answer” (at 0); dotted: the threshold")
    zero = ui.line(0, 0, 0, 1, GREY, yref="paper")
    axes["shapes"] = [zero, *drawn.thresholds(s, at, -1)]
    alt = "The best spans' lead over no answer, and the threshold."
    layout = ui.layout(int(70 + 24 * y), 160, 14, 8, 46, **axes)
    return ui.figure("spans", data, layout, alt)


def address(side: Side, row: Row) -> str:
    """A state as the page's address holds it: text, windows, gold, threshold, reader."""
    options, reader = side.run.get("options", {}), side.run["reader"]
    names = ("max_seq_length", "doc_stride", "max_answer_length")
    state = {name: row[name] for name in ("question", "context")}
    state |= {name: options.get(name) for name in names}
    state |= {"gold": row["gold_pieces"] or None, "threshold": side.limits["run"]}
    state["reader"] = reader if reader in ("bundled", "large") else None
    state = {name: value for name, value in state.items() if value is not None}
    return "#" + base64.urlsafe_b64encode(orjson.dumps(state)).decode().rstrip("=")
