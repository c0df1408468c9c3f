"""What follows in the report: groups, how sure and how right, and the surest failures, each with a
link to the page in its state.
"""

import re
from bisect import bisect
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from urllib.parse import urlencode

import numpy as np

from qa_demo import blocks as ui
from qa_demo.blocks import GOLD, GREY, Block
from qa_demo.core.base import Bools
from qa_demo.core.metrics import bins_of, calibration_error, normalize
from qa_demo.core.store import READERS
from qa_demo.core.text import WORDS
from qa_demo.evaluation import reported
from qa_demo.evaluation.lines import Row
from qa_demo.evaluation.reported import Reported, Side
from qa_demo.printed import STRONG, Part, escape, number, quote, short

# ---- groups

FEWEST = 20
"""A group of fewer questions says nothing."""
MOST = 12
"""Groups of one slice that are drawn: those of most questions."""
WORD = re.compile(r"\b(how (many|much)|whom?|whose|what|which|when|where|why|how)\b")
ANSWERS = ("", "1 word", "2 words", "3 to 4 words", "5 to 8 words", "9 words or more")
PARAGRAPHS = ("under 100", "100 to 149", "150 to 199", "200 to 299", "300 or more")


def traits(row: Row) -> dict[str, str]:
    """The group of a question in each slice; a file's own columns are slices too. Of question words
    the first, "how many" and "how much" as one; "other" without.
    """
    found = WORD.search(row["question"].lower())
    word = found.group() if found else "other"
    golds = [max(1, len(normalize(answer["text"]).split())) for answer in row["gold"]]
    return {
        "question word": {"how much": "how many", "whom": "who"}.get(word, word),
        "right answer": ANSWERS[bisect((1, 2, 3, 5, 9), min(golds, default=0))],
        "paragraph, tokens": PARAGRAPHS[bisect((100, 150, 200, 300), row["tokens"] or 0)],
        **row["columns"],
    }


@lru_cache(maxsize=8)
def groups(s: Reported, of: str) -> list[tuple[str, Bools | None]]:
    """The rows of a forest plot: the name of each slice that has at least two groups of FEWEST
    questions of a part, and its groups with their questions.
    """
    part, rows = s.parts[of], list[tuple[str, Bools | None]]()
    each = [traits(row) for row in s.sides[0].rows]
    for title in dict.fromkeys(name for one in each for name in one):
        held = np.array([one.get(title, "") for one in each])
        often = Counter(held[part & (held != "")].tolist()).most_common(MOST)
        enough = {name: count for name, count in often if count >= FEWEST}
        if len(enough) < 2:
            continue
        rows.append((f"<b>{escape(short(title, 22))}</b>", None))
        for name in sorted(enough, key=[*ANSWERS, *PARAGRAPHS, *enough].index):
            rows.append((f"{escape(short(name, 17))} · {enough[name]:,}", part & (held == name)))
    return rows


def by_group(s: Reported, metric: str, at: str) -> list[Block]:
    """Groups as a forest plot: questions with and without an answer side by side."""
    idea, figures = f"Groups of at least {FEWEST} questions, with how many there are. ", []
    parts, alt = [*s.parts][1:] or [*s.parts], "Scores of groups of questions."
    if len(parts) > 1:
        idea += "Questions with and without an answer stand apart, since groups hold unlike shares."
    drawn = {name: rows for name in parts if (rows := groups(s, name))}
    for name, rows in drawn.items():
        masks = {k: mask for k, (_, mask) in enumerate(rows) if mask is not None}
        axis = ui.axis(f"{name}, %", range=[-3, 103], side="top")
        traces = []
        for side in s.sides:
            means = s.means(side.scores(metric, at), [*masks.values()])
            traces.append(reported.dots(side.role, means, [k - 0.17 * side.up for k in masks]))
        layout, span = reported.rows([said for said, _ in rows], 23, axis), 12 // len(drawn)
        figures.append(ui.figure(f"groups-{name}", traces, layout, alt, span=span))
    return [*reported.head(s, "groups", "Groups", idea), *figures] if figures else []


# ---- reliability


def reliability(s: Reported) -> list[Block]:
    """How often the best span was right by how sure the reader was, where it makes a claim."""
    data, said = list[Block](), list[Part]()
    for side in s.sides:
        claim = np.array([row["claim"] for row in side.rows], dtype=np.float64)  # None as NaN
        mask, right = np.isfinite(claim), side.table.right.astype(float)
        if mask.sum() < FEWEST:
            few = f" says how sure it is of {mask.sum()} of {len(mask):,} best spans: too few. "
            said += [[side.name, STRONG], few]
            continue
        table = bins_of(claim[mask], right[mask])
        tenth = np.where(mask, np.minimum(np.nan_to_num(claim) * 10, 9).astype(int), -1)
        found = s.means(100 * right, [tenth == round(10 * b.low) for b in table])
        style: Block = {"mode": "lines+markers+text", "line": {"color": side.role, "width": 1}}
        style |= {"text": [f"{b.count:,}" for b in table], "textfont": {"color": side.role}}
        style["textposition"] = "top left" if side.up > 0 else "bottom right"
        x = reported.short([100 * b.mean_prob for b in table])
        data.append(reported.dots(side.role, found, x, "y", **style))
        words = f" said {100 * claim[mask].mean():.0f} % on average and was right in "
        words += f"{100 * right[mask].mean():.0f} %; by tenths it is off by "
        said += [[side.name, STRONG], f"{words}{100 * calibration_error(table):.1f} points. "]
    if not data:
        return []
    even = {"color": GREY, "width": 1.5, "dash": "dot"}
    data.append(ui.scatter("lines", [0, 100], [0, 100], line=even))
    axes = {"xaxis": ui.axis("how sure the reader said it was, %", range=[-2, 104])}
    axes["yaxis"] = ui.axis("best span exactly right, %", range=[-9, 110])
    idea = "By the claim, on all questions, with how many there are in each tenth. It speaks of "
    idea += "the best span, given or withheld, so no threshold changes it."
    if s.sides[0].run["rules"] == "1.1":
        idea += " It allows that a text has no answer; here each has one, so it says too little."
    alt = "Share of right best spans by how sure the reader was; on the dotted line it came true."
    return [
        *reported.head(s, "reliability", "How sure, how right", idea),
        ui.sentence("reliable", "finding", *said),
        ui.legend("even", ("dash", GREY, "right as often as it says")),
        ui.figure("bins", data, ui.layout(340, 52, 14, 8, 48, **axes), alt),
    ]


# ---- the surest failures

SPANS = 5
quoted = lru_cache(maxsize=4096)(quote)
"""The same spans stand in the pictures of many thresholds."""


def failures(s: Reported, at: str, who: str) -> list[Block]:
    """The wrong answers furthest from the threshold: question, gold, both answers, distance."""
    idea = "Wrong answers, those furthest from the threshold first. Distance: how far (logits) the "
    idea += "lead of “no answer” is from where the reader would have decided otherwise."
    side, *others = sorted(s.sides, key=lambda x: x.name != who)
    if side.limits[at] is None:
        idea = "Wrong answers, those of the largest distance first: how far (logits) “no answer” "
        idea += "and the best span are apart."
    sets = [(f"of {x.name}", {"who": x.name, "selection": ""}, x is side) for x in s.sides]
    theirs = [f"best span of {x.name}" for x in others]
    names = ["question", "marked right", who, *theirs, "distance"]
    given, rows = side.table.answered(side.limits[at]), []
    for n, (k, far) in enumerate(surest(side, at)):
        row = side.rows[k]
        golds = list(dict.fromkeys(g["text"] for g in row["gold"]))
        gold = quoted(golds[0], 50) if golds else "no answer"
        more = f" and {len(golds) - 1} more" if len(golds) > 1 else ""
        best = best_text(side, k)
        theirs = [best_text(x, k) + (", right" if x.table.right[k] else "") for x in others]
        cells = [row["question"], gold + more, best if given[k] else f"none (best {best})", *theirs]
        rows.append(ui.row(*cells, number(far, 1), sets={"selection": str(n)}))
    return [
        *reported.head(s, "failures", "The ten surest failures", idea),
        *([ui.choice("who", "Failures", sets)] if len(sets) > 1 else []),
        ui.table("failures", [(x, "") for x in names], rows, caption="The ten surest failures"),
    ]


def best_text(side: Side, k: int) -> str:
    """The text of a reader's best span for question k, quoted."""
    n_best = side.rows[k]["n_best"]
    return quoted(n_best[0]["text"], 50) if n_best else "none"


@lru_cache(maxsize=256)
def surest(side: Side, at: str) -> list[tuple[int, float]]:
    """The wrong answers furthest from the threshold, with how far they are, logits."""
    limit = side.limits[at]
    far = np.abs((0.0 if limit is None else limit) - side.table.diffs)
    found = np.flatnonzero((side.scores("exact", at) == 0) & np.isfinite(far))
    found = found[np.argsort(-far[found], kind="stable")][: reported.FAILURES]
    return [(int(k), float(far[k])) for k in found]


def opened(s: Reported, at: str, who: str, place: str) -> list[Block]:
    """The failure of this number: paragraph, spans and no answer on one axis, and the page in that
    state.
    """
    side = next(x for x in s.sides if x.name == who)
    found = {str(n): k for n, (k, _) in enumerate(surest(side, at))}
    if place not in found:
        return []
    k, row = found[place], side.rows[found[place]]
    spans = [(GOLD, start, end) for start, end in marked(row)]
    marks = [("line", GOLD, "marked right")] if spans else []
    for x in s.sides:
        for best in x.rows[k]["n_best"][:1]:
            spans.append((x.role, best["char_start"], best["char_end"]))
            marks.append(("line", x.role, f"best span of {x.name}"))
    marks += [("dash", GREY, "threshold, below")] if side.place(at) else []
    text = row["context"]
    places = [word.span() for word in WORDS.finditer(text)]
    starts, ends = [a for a, _ in places], [b for _, b in places]
    typed = pairwise([*places, (len(text), 0)])
    words = [[text[a:b], text[b:after]] for (a, b), (after, _) in typed]
    lines = [
        {"from": bisect(ends, a), "to": bisect(starts, b - 1) - 1, "role": role, "text": ""}
        for role, a, b in spans
    ]
    because = f": {row['best']['because']}" if row["best"]["because"] else ""
    reader = side.run["reader"]
    started = "" if reader in READERS else f", started with --reader {reader}"
    inner = [
        ui.sentence("question", "finding", [row["question"], STRONG]),
        ui.block("paragraph", "text", words=words, lines=lines),
        ui.legend("marks", *marks),
        ui.sentence("why", "note", f"Best span of {who}: {row['best']['kind']}{because}."),
        spans_figure(s, at, k),
        ui.block("link", "link", label=f"Open on the page{started}", **address(s, side, at, k)),
    ]
    return [ui.group("opened", 12, *inner)]


def marked(row: Row) -> list[list[int]]:
    """First character of each gold answer with a place, and the one behind its last; each once."""
    placed = (g for g in row["gold"] if g["char_start"] >= 0 and g["text"].strip())
    found = ((g["char_start"], g["char_start"] + len(g["text"])) for g in placed)
    return [list(x) for x in dict.fromkeys(found)]


def spans_figure(s: Reported, at: str, k: int) -> Block:
    """The lead of no answer over each of the best spans, and the thresholds."""
    data, names = [], list[str]()
    for side in s.sides:
        spans = side.rows[k]["n_best"][:SPANS]
        names += [""] if names else []
        rows = [len(names) + n for n in range(len(spans))]
        names += [escape(quoted(n["text"], 24)) for n in spans]
        lead = [side.rows[k]["score_diff"] + spans[0]["score"] - n["score"] for n in spans]
        symbols = ["circle", *["circle-open"] * (len(spans) - 1)]
        style = {"color": side.role, "size": 11, "symbol": symbols, "line": {"width": 2}}
        data.append(ui.scatter("markers", reported.short(lead), rows, marker=style, hoverinfo="x"))
    axis = ui.axis("lead of “no answer” over this span, logits")
    zero = [ui.line(0, 0, 0, 1, GREY, yref="paper")]
    lines = {"shapes": reported.thresholds(s, at), "annotations": []}
    alt = "The lead of no answer over the best spans, and the threshold."
    layout, narrow = reported.rows(names, 24, axis, shapes=zero), "lead, logits"
    return ui.figure("spans", data, layout, alt, overlay=lines, narrow={"xaxis.title.text": narrow})


def address(s: Reported, side: Side, at: str, k: int) -> dict[str, str]:
    """The page in a state: text, windows, gold, reader; apart, the threshold that is shown."""
    row, options, limit = side.rows[k], side.run.get("options", {}), side.limits[at]
    names = ("max_seq_length", "doc_stride", "max_answer_length", "rule")
    state = {name: row[name] for name in ("question", "context")}
    state |= {name: options[name] for name in names if name in options}
    state |= {"gold": gold} if (gold := marked(row)) else {}
    state |= {"reader": side.run["reader"]} if side.run["reader"] in READERS else {}
    shown = "" if limit is None else f"&threshold={limit[k] if np.ndim(limit) else limit}"
    return {"href": f"{s.page}#{urlencode(state)}", "overlay": shown}
