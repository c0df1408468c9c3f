"""Checks about texts of several windows: how many, who owns a word, and which rule merges them."""

from dataclasses import replace

from qa_demo.core.course.lessons import Option
from qa_demo.core.measuring.metrics import normalize
from qa_demo.core.options import MergeOptions
from qa_demo.core.reading.merge_rules import RULES
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.windows import capacity, plan
from qa_demo.core.types import Window
from qa_demo.figures.lessons.finding import LONGEST, Case, Check, Finding, Lacking, need
from qa_demo.figures.numbers import bracketed, total
from qa_demo.figures.prose import listed, plural, quoted, shorten

ONE_WINDOW = "This text fits into one window, so nothing has to be cut or merged."


def _several(case: Case) -> tuple[Window, ...]:
    """The windows. Errors: Lacking for a single one."""
    windows = case.reading.windows
    return need(windows if len(windows) > 1 else None, ONE_WINDOW)


@Check
def window_count(case: Case) -> Finding:
    """How many windows a text needs."""
    encoding, options = case.reading.encoding, case.reading.options
    room, pieces = capacity(encoding, options), len(encoding.context_ids)
    count = len(_several(case))
    return Finding(
        f"The first window holds {room:,} of the {pieces:,} word pieces; {count - 1} more, each "
        f"{options.doc_stride} further on, bring in the rest: {count} windows.",
        value=count,
        within=0.1,
        decimals=0,
        traps=((1, "That would be the case if the rest were thrown away; it is not."),),
        facts=_sizes(case),
    )


def _sizes(case: Case) -> dict[str, str]:
    encoding, options = case.reading.encoding, case.reading.options
    return {
        "pieces": f"{len(encoding.context_ids):,}",
        "room": f"{capacity(encoding, options):,}",
        "step": f"{options.doc_stride:,}",
        "half": f"{max(1, options.doc_stride // 2):,}",
        "windows": f"{len(case.reading.windows):,}",
    }


@Check
def nothing_cut(case: Case) -> Finding:
    """Every word piece is read in some window, the answer's too."""
    windows, best = _several(case), need(case.best, ONE_WINDOW)
    pieces = len(case.reading.encoding.context_ids)
    read = {d for w in windows for d in range(w.doc_start, w.doc_stop)}
    first = windows[0].doc_stop
    beyond = best.span.end >= first
    where = (
        f"The best span stands behind the first window, in window {best.window + 1}."
        if beyond
        else f"The first window holds {first:,} of them; the others are read later."
    )
    return Finding(
        f"All {len(read):,} word pieces are read. {where}",
        right="all",
        holds=len(read) == pieces,
        missing="Some word pieces are in no window.",
    )


@Check
def owner_counts(case: Case) -> Finding:
    """Of the copies of the best span, the one whose window owns its start counts."""
    best = need(case.best, ONE_WINDOW)
    copies = [w for w in _several(case) if w.holds(best.span)]
    if len(copies) < 2:
        raise Lacking("Only one window holds the best span whole, so there is no copy to choose.")
    owner = int(case.reading.owners[best.span.start])
    context = [min(best.span.start - w.doc_start, w.doc_stop - 1 - best.span.start) for w in copies]
    sides = listed([f"{c} in window {w.index + 1}" for c, w in zip(context, copies, strict=True)])
    return Finding(
        f"On its shorter side the first word piece of {quoted(best.text, LONGEST)} has this many "
        f"others: {sides}; window {owner + 1} owns it, and only its scores count.",
        right="context",
        holds=best.window == owner
        and context[[w.index for w in copies].index(owner)] == max(context),
        missing="The window in use is not the one with most context.",
    )


@Check
def rule_disagrees(case: Case) -> Finding:
    """A softmax over each window's own words names another span than the sum of the logits."""
    _several(case)
    rule = MergeOptions("max_context", "context_product", "none")
    usual = predict(case.reading, case.decode, RULES[0].merge)
    other = predict(case.reading, case.decode, rule)
    a, b = (need(p.best, "No span of this text is legal.").candidate for p in (usual, other))
    if a.text == b.text:
        raise Lacking(f"Here both rules name {quoted(a.text, LONGEST)}.")
    texts = {normalize(t): t for t in (a.text, b.text)}
    for ranked in (*usual.n_best, *other.n_best):
        texts.setdefault(normalize(ranked.candidate.text), ranked.candidate.text)
    rest = [t for t in texts.values() if t not in (a.text, b.text)][:2]
    order = sorted([a.text, b.text, *rest], key=case.reading.encoding.context.find)
    keys = {a.text: "logits", b.text: "window"}
    options = [Option(keys.get(t, f"other-{k}"), shorten(t, LONGEST)) for k, t in enumerate(order)]
    behind = total([a.start_logit - b.start_logit, a.end_logit - b.end_logit])
    return Finding(
        f"It names {quoted(b.text, LONGEST)} in window {b.window + 1}. The sum of the logits names "
        f"{quoted(a.text, LONGEST)} in window {a.window + 1}, {behind.addends[0]} + "
        f"{bracketed(behind.addends[1])} {behind.sign} {behind.total} ahead of it.",
        right="window",
        options=tuple(options),
        said={"logits": f"{quoted(a.text, LONGEST)} has the highest sum of logits."},
    )


@Check
def half_step(case: Case) -> Finding:
    """How many windows the same text would need with half the step."""
    encoding, options, now = case.reading.encoding, case.reading.options, len(_several(case))
    finer = replace(options, doc_stride=max(1, options.doc_stride // 2))
    found = plan(len(encoding.context_ids), capacity(encoding, finer), finer.doc_stride)
    count = len(found.starts)
    return Finding(
        f"With a step of {finer.doc_stride} there are {plural(count, 'window')} instead of {now}: "
        f"the first is as long as before, and only the steps after it are halved.",
        value=count,
        within=0.1,
        decimals=0,
        traps=((2 * now, "Not twice as many: the first window is as long as before."),),
        facts=_sizes(case),
    )
