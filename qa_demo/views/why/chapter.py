"""Chapter 9, Why: where the reader looked, what the score rested on, and how far to trust
either.
"""

from dataclasses import dataclass, replace
from typing import Any

from qa_demo.core.attention import RELEVANCE
from qa_demo.core.attribution import BASELINES, KINDS, METHODS, Baseline, Method, Target, window_of
from qa_demo.core.errors import BadInput
from qa_demo.core.types import Reading, Span, TargetKind
from qa_demo.core.words import words
from qa_demo.figures.methods import METHOD_NAMES
from qa_demo.figures.numbers import decimals_for, number
from qa_demo.figures.pack import printable
from qa_demo.figures.payload import page_data, part
from qa_demo.figures.reading import in_own_words
from qa_demo.figures.why import attention as looked
from qa_demo.figures.why import attribution as rested
from qa_demo.figures.why import trust as trusted
from qa_demo.views import parse, selection
from qa_demo.views.answers import shown
from qa_demo.views.background import Busy, Job, Wanted
from qa_demo.views.explaining import (
    ATTENTION,
    FOUND,
    Trust,
    Work,
    attention_key,
    attribution_key,
    question_key,
    relevance_key,
    trust_key,
)
from qa_demo.views.frame import Frame
from qa_demo.views.state import Chapter, Screen
from qa_demo.views.why.words import SIMPLIFIED, WORDS

CHAPTER = Chapter(
    key="why",
    number=9,
    title="Why",
    group="Why",
    question="Where did the reader look, and what did the score rest on?",
)
NAMES = {
    str(key): name
    for key, name in (*METHOD_NAMES.items(), ("attention", looked.NAMES["attention"]))
}
LISTED = 12
"""How many listed spans are offered as the other span."""


@dataclass(frozen=True)
class Choice:
    """What is explained, and how; `other` is the contrast span (doc) of the window that holds the
    selection, `of` the text it counts in.
    """

    kind: TargetKind = "span_score"
    other: Span | None = None
    method: Method = "gradient_x_input"
    baseline: Baseline = "pad"
    of: tuple[str, str] | None = None


def text_of(screen: Screen) -> tuple[str, str]:
    """Reader and paragraph: what the numbers of word pieces belong to."""
    return screen.reading.weights, screen.reading.encoding.context


def choice_of(screen: Screen) -> Choice:
    """The visitor's choice, or the first one; in another text the other span is forgotten."""
    held = screen.own.get(CHAPTER.key)
    if not isinstance(held, Choice):
        return Choice()
    return held if held.other is None or held.of == text_of(screen) else replace(held, other=None)


def others(screen: Screen) -> list[tuple[Span, str]]:
    """The listed spans of the selection's window that it could be compared with, best first."""
    chosen = screen.selection
    if chosen is None:
        return []
    window = screen.reading.windows[chosen.window]
    found: dict[Span, str] = {}
    for ranked in screen.prediction.n_best:
        span = ranked.candidate.span
        if span != chosen.span and window.holds(span):
            found.setdefault(span, ranked.candidate.text)
    return list(found.items())[:LISTED]


def target_of(screen: Screen) -> Target | None:
    """The number to explain; a contrast without a second span in this window falls back to the
    best listed one, then to the score.
    """
    chosen, choice = screen.selection, choice_of(screen)
    if chosen is None:
        return None
    if choice.kind != "span_minus_other":
        return Target(choice.kind, chosen.span, None, chosen.window)
    window, other, listed = screen.reading.windows[chosen.window], choice.other, others(screen)
    if other is None or other == chosen.span or not window.holds(other):
        other = listed[0][0] if listed else None
    if other is None:
        return Target("span_score", chosen.span, None, chosen.window)
    return Target(choice.kind, chosen.span, other, chosen.window)


def present(screen: Screen) -> dict[str, Any]:
    """The seats of the selected window, the menus, and whatever has been found out about this
    target so far.
    """
    target, choice = target_of(screen), choice_of(screen)
    if target is None:
        return page_data(
            CHAPTER.question,
            {"words": WORDS, "target": None, "reply": None},
            WORDS["nothing"],
            in_own_words(SIMPLIFIED, screen.reading.encoding),
        )
    reading, window = screen.reading, window_of(screen.reading, target)
    picture = {
        "words": WORDS,
        "reply": None,
        "window": window.index,
        "seats": looked.seats(reading.encoding, window),
        "target": {
            "kind": target.kind,
            "name": rested.KIND_NAMES[target.kind],
            "start": target.span.start,
            "end": target.span.end,
            "other": None if target.other is None else [target.other.start, target.other.end],
        },
        "method": choice.method,
        "baseline": choice.baseline,
        "menus": {
            "target": [[k, rested.KIND_NAMES[k]] for k in KINDS],
            "method": [[m, METHOD_NAMES[m]] for m in METHODS],
            "baseline": [[b, rested.BASELINE_NAMES[b]] for b in BASELINES],
            "other": [[span.start, span.end, rested.quoted(text)] for span, text in others(screen)],
        },
    }
    said, tables = known(reading, target, choice)
    return page_data(
        CHAPTER.question, picture, said, in_own_words(SIMPLIFIED, reading.encoding), tables
    )


def known(reading: Reading, target: Target, choice: Choice) -> tuple[str, list[dict[str, Any]]]:
    """Notice and table twins from what was found out before; the verdict, once there, comes
    first.
    """
    window, said, tables = window_of(reading, target), [], []
    trust: Trust | None = FOUND.get(trust_key(reading, target, choice.method, choice.baseline))
    if trust is not None:
        said.append(trusted.verdict_sentence(trust.verdict, score_name(target)))
    lanes = FOUND.get(attribution_key(reading, target, choice.method, choice.baseline))
    if lanes is not None:
        said.append(rested.attribution_notice(reading, lanes))
        tables.append(rested.lanes_table(reading, lanes))
    heads = ATTENTION.get(attention_key(reading, window))
    if heads is not None:
        said.append(looked.attention_notice(heads, reading.encoding, window, target.span))
        tables.append(looked.grid_table(heads, reading.encoding, window, target.span))
    summaries = FOUND.get(relevance_key(reading, window, target))
    if summaries is not None:
        tables.append(looked.relevance_table(summaries, words(reading.encoding, window)))
    if trust is not None:
        tables += trusted.trust_tables(trust.spared, trust.full, trust.verdict, NAMES)
    value = rested.value_of(reading, target, window)
    name = score_name(target)
    start = f"{name[0].upper()}{name[1:]} of this span is {number(value, decimals_for([value]))}."
    return " ".join(said[:2]) if said else start, tables


def score_name(target: Target) -> str:
    """How a sentence names F."""
    return "the score" if target.kind == "span_score" else f"the {rested.KIND_NAMES[target.kind]}"


def formula(screen: Screen) -> list[dict[str, str]]:
    """F, the number that is explained, with this reading's logits."""
    target = target_of(screen)
    return (
        [part("F = s", "quiet"), part("i", "sub"), part(" + e", "quiet"), part("j", "sub")]
        if target is None
        else rested.target_formula(screen.reading, target, window_of(screen.reading, target))
    )


# What the browser sends


def parse_choice(screen: Screen, value: Any) -> Choice:
    """{"kind", "other": [start, end] or null, "method", "baseline"} as a checked record."""
    parse.record(value, "an explanation", "kind", "other", "method", "baseline")
    for name, allowed in (("kind", KINDS), ("method", METHODS), ("baseline", BASELINES)):
        parse.choice(value.get(name), name, allowed)
    return Choice(
        value["kind"],
        parse_other(screen, value.get("other")),
        value["method"],
        value["baseline"],
        text_of(screen),
    )


def parse_other(screen: Screen, value: Any) -> Span | None:
    """[start, end] of the other span, or null. One that the selection's window does not hold is
    none: it was chosen in another window.
    """
    if value is None:
        return None
    span = parse.pieces(screen.reading, value, "the other span")
    window = None if screen.selection is None else screen.reading.windows[screen.selection.window]
    return span if window is not None and window.holds(span) else None


def change_choice(screen: Screen, value: Any) -> Screen:
    """Another target, method or baseline."""
    return screen.keep(CHAPTER.key, parse_choice(screen, value))


def asked_of(screen: Screen, value: Any) -> Screen:
    """The screen as the browser saw it when it asked: its selection and its choice."""
    if not isinstance(value, dict) or value.get("what") not in ANSWERS:
        raise BadInput(f"chapter 9 can be asked for {', '.join(ANSWERS)}, got {str(value)[:60]}")
    seen = screen.select(selection.parse(screen.reading, value.get("span")))
    return change_choice(seen, value.get("choice"))


def place(value: dict[str, Any], *names: str) -> list[int]:
    """Whole numbers of a request: layer, head, position."""
    return [parse.whole(value.get(name), name) for name in names]


def answer_seats(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Nothing but the page itself: seats, notice and tables of the selection."""
    return {"window": target.window}


def answer_attention(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Both grids."""
    window = window_of(work.reading, target)
    return looked.grid_data(work.attention(window), work.reading.encoding, window, target.span)


def answer_head(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """One head, compact."""
    return looked.head_data(
        work.attention(window_of(work.reading, target)), *place(value, "layer", "head")
    )


def answer_exact(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """One row and column in full precision."""
    return looked.exact_data(
        work.attention(window_of(work.reading, target)), *place(value, "layer", "head", "position")
    )


def answer_relevance(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Raw attention, rollout and gradient times attention of the selected start and end."""
    found = work.relevance(window_of(work.reading, target), target)
    return looked.relevance_data({kind: found[kind] for kind in RELEVANCE})


def answer_attribution(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """The two lanes of the chosen method."""
    choice = choice_of(screen)
    return rested.lanes_data(work.attribution(target, choice.method, choice.baseline))


def answer_question(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Each question word masked in every window."""
    return rested.question_data(work.question(target, screen.decode, screen.merge))


def answer_trust(
    work: Work, screen: Screen, target: Target, value: dict[str, Any]
) -> dict[str, Any]:
    """Verdict, curves and checks of the chosen method."""
    choice = choice_of(screen)
    found = work.trust(target, choice.method, choice.baseline)
    return {
        "verdict": trusted.verdict_sentence(found.verdict, score_name(target)),
        "summary": trusted.summary(found.verdict, NAMES[choice.method], NAMES),
        "curves": trusted.curves_data(found.spared, NAMES),
    }


ANSWERS = {
    "seats": answer_seats,
    "attention": answer_attention,
    "head": answer_head,
    "exact": answer_exact,
    "relevance": answer_relevance,
    "attribution": answer_attribution,
    "question": answer_question,
    "trust": answer_trust,
}
BUSY = {
    "attribution": "explaining",
    "question": "masking question words",
    "trust": "measuring how far to trust it",
}


def reply(screen: Screen, value: Any, work: Work) -> dict[str, Any]:
    """The chapter's payload with the answer to one request in `picture.reply`."""
    seen = asked_of(screen, value)
    target = target_of(seen)
    if target is None:
        raise BadInput(WORDS["nothing"])
    data = ANSWERS[value["what"]](work, seen, target, value)
    page = present(seen)
    page["picture"]["reply"] = {
        "key": str(value.get("key"))[:200],
        "what": value["what"],
        "data": data,
    }
    return page


def refusal(screen: Screen, value: Any, sentence: str) -> dict[str, Any]:
    """The payload of a request that was not answered; the picture shows why in its place."""
    page = present(screen)
    key = printable(str(value.get("key"))[:200]) if isinstance(value, dict) else ""
    page["picture"]["reply"] = {"key": key, "what": None, "error": sentence}
    return page


def work(job: Job) -> dict[str, Any]:
    """One answer."""
    return reply(job.screen, job.value, of(job))


def wanted(job: Job) -> Wanted | None:
    """What the reader must make before the answer can be given."""
    seen = asked_of(job.screen, job.value)
    target, choice, what = target_of(seen), choice_of(seen), job.value["what"]
    if target is None or what == "seats":
        return None
    reading, method, baseline = seen.reading, choice.method, choice.baseline
    window = window_of(reading, target)
    if what == "attribution":
        key = attribution_key(reading, target, method, baseline)
        return Wanted(key, FOUND, lambda j: of(j).attribution(target, method, baseline))
    if what == "trust":
        key = trust_key(reading, target, method, baseline)
        return Wanted(key, FOUND, lambda j: of(j).trust(target, method, baseline))
    if what == "question":
        key = question_key(reading, target, seen.decode, seen.merge)
        return Wanted(key, FOUND, lambda j: of(j).question(target, seen.decode, seen.merge))
    if what == "relevance":
        key = relevance_key(reading, window, target)
        return Wanted(key, FOUND, lambda j: of(j).relevance(window, target))
    return Wanted(attention_key(reading, window), ATTENTION, lambda j: of(j).attention(window))


def of(job: Job) -> Work:
    """The reader asked on behalf of the reading on screen."""
    return Work(job.reader, job.screen.reading, job.progress, job.cancelled)


def busy(job: Job) -> Busy | None:
    """A sentence for what takes seconds."""
    doing = BUSY.get(str(job.value.get("what")) if isinstance(job.value, dict) else "")
    return None if doing is None else Busy(doing, "%")


def build(frame: Frame) -> None:
    """Menus stand in the picture; what needs the reader is answered in the picture, refusals
    too.
    """
    frame.browser_input(CHAPTER, "choice", change_choice)
    frame.background(
        CHAPTER,
        ("ask",),
        work,
        lambda screen, job, page: shown(CHAPTER, job.screen, page),
        busy,
        refused=lambda screen, job, sentence: shown(
            CHAPTER, job.screen, refusal(job.screen, job.value, sentence)
        ),
        wanted=wanted,
    )
