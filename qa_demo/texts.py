"""A text's words and pieces: how they are named, and the blocks that show them as typed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise
from typing import Any

import numpy as np

from qa_demo import printed
from qa_demo.blocks import Block, block, button, formula, row, summed, table
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate, reason
from qa_demo.core.text import is_mark, whitespace_ids, words_inside
from qa_demo.core.types import Encoding, Span, Window
from qa_demo.printed import QUOTE, escape, isolated, number, parts, quote, room, short
from qa_demo.shown import Shown

LONG = 130
"""From so many pieces on, a text is shown without its quiet middle parts."""

# ---- words and their pieces


def siblings(e: Encoding, d: int) -> range:
    """The pieces of the word that piece d belongs to."""
    own = e.word_ids[d]
    return range(*e.word_ids.searchsorted([own, own + 1]).tolist())


def pieces_of_word(e: Encoding, d: int) -> list[tuple[str, bool]]:
    """The pieces of a piece's word, and which is this one; those that share a letter are one, and
    one without a letter is part of the next. A word of blanks alone is ␣.
    """
    found, same = list[tuple[str, bool]](), siblings(e, d)
    typed = as_typed(e.context, e.offset_mapping[same.start : same.stop].tolist())
    for k, (letters, _) in zip(same, typed, strict=True):
        if found and not (letters and found[-1][0]):
            found[-1] = (found[-1][0] + letters, found[-1][1] or k == d)
        else:
            found.append((letters, k == d))
    return found if found[0][0] else [("␣", True)]


def word(e: Encoding, d: int, dot: str = "·") -> str:
    """The whole word of a piece, its pieces joined by middle dots: Rot·ne."""
    return dot.join(letters for letters, _ in pieces_of_word(e, d))


def dotted(e: Encoding, d: int, most: int = 24) -> str:
    """A piece with a dot where its word goes on: Rot· and ·ne."""
    same, (begins, ends) = siblings(e, d), e.offset_mapping[d].tolist()
    return short("·" * (d > same[0]) + e.context[begins:ends] + "·" * (d < same[-1]), most)


def word_parts(e: Encoding, d: int, role: str = QUOTE) -> list[list[str]]:
    """The word of a piece in quotation marks, as parts: the piece in its role, the rest dim; of a
    very long word the piece alone.
    """
    if room(whole := word(e, d)) > 40:
        return [[f"“{dotted(e, d)}”", role]]
    pieces = ([[letters, role if own else "dim"]] for letters, own in pieces_of_word(e, d))
    before, _, after = isolated(whole).partition(whole)
    return [["“" + before, role], *printed.between(["·", "dim"], pieces), [after + "”", role]]


def bold(e: Encoding, d: int) -> str:
    """`word` for a figure, escaped, this piece bold: Rot·<b>ne</b>."""
    pieces = ((escape(letters), own) for letters, own in pieces_of_word(e, d))
    return "·".join(f"<b>{text}</b>" if own else text for text, own in pieces)


def bold_name(e: Encoding, d: int, most: int = 20) -> str:
    """The word of a piece in quotes for a figure; of a very long word the piece alone."""
    if room(word(e, d)) <= most:
        return f"“{bold(e, d)}”"
    return f"“<b>{escape(dotted(e, d, most))}</b>”"


def position_name(shown: Shown, window: Window, pos: int) -> str:
    """A position in plain words: [CLS], a piece of the question or the paragraph, [SEP]."""
    e = shown.encoding
    if window.is_context[pos]:
        return dotted(e, window.to_doc(pos))
    name, k = shown.reading.tokens(window.index)[pos].replace("##", "·"), pos - 1
    if 0 <= k < len(e.question_offset_mapping):  # as typed, where a token knows small letters alone
        begins, ends = e.question_offset_mapping[k]
        name = "·" * name.startswith("·") + e.question[int(begins) : int(ends)] or "␣"
    return name


def figure_name(shown: Shown, window: Window, pos: int) -> str:
    """A position in a figure."""
    if window.is_context[pos]:
        return bold_name(shown.encoding, window.to_doc(pos), 24)
    return f"<b>{escape(position_name(shown, window, pos))}</b>"


def parts_at(shown: Shown, window: Window, pos: int, role: str = QUOTE) -> list[list[str]]:
    if window.is_context[pos]:
        return word_parts(shown.encoding, window.to_doc(pos), role)
    return [[quote(position_name(shown, window, pos), 40), role]]


# ---- the text as a block


def item(text: str, gap: str = "", **more: Any) -> Block:
    """One word or piece of a text block. `at`: its piece of the paragraph, which makes it
    selectable; `up`, `down`: [share of the full height, label]; `joined`: continues a word;
    `looks`: predicted, right (marked), boxed, strong, blank, masked, hit (guessed), edge (of a
    blank), special; `sets`: the patch of a press; `under`: small words below it.
    """
    kept = {k: v for k, v in more.items() if v is not False and v != []}
    return {"t": text, "gap": gap, **kept}


def as_typed(text: str, places: Sequence[Sequence[int]]) -> Iterator[tuple[str, str]]:
    """Each piece [from, to) and the gap behind it; a character that several share comes once."""
    done, nothing_behind = 0, (0, 0)
    for (first, ends), (after, _) in pairwise([*places, nothing_behind]):
        begins, done = max(done, first), max(done, ends)
        yield text[begins:ends], text[done:after]


def question_items(e: Encoding) -> list[Block]:
    """The question's pieces as typed, with the gaps between them; a mark joins no word."""
    places, q = e.question_offset_mapping, e.question
    same = (np.diff(whitespace_ids(q, places), prepend=-1) == 0).tolist()
    joined = (on and q[a:b][:1].isalnum() for on, (a, b) in zip(same, places, strict=True))
    typed = zip(as_typed(q, places.tolist()), joined, strict=False)
    return [item(*words, joined=on) for words, on in typed]


def paragraph_items(e: Encoding, start: int = 0, stop: int | None = None) -> list[Block]:
    """The pieces [start, stop) of the paragraph as typed, selectable, with their gaps."""
    places, words = e.offset_mapping[start:stop].tolist(), e.word_ids[start:stop].tolist()
    joined = [False, *(a == b for a, b in pairwise(words))]
    typed = enumerate(zip(as_typed(e.context, places), joined, strict=False), start)
    return [item(*words, at=d, joined=on) for d, (words, on) in typed]


def window_items(shown: Shown, window: Window) -> list[Block]:
    """A window's text, an item for each position: special tokens, the question, the paragraph."""
    e, name = shown.encoding, shown.true.tokens(window.index)
    asked, read = question_items(e), paragraph_items(e, window.doc_start, window.doc_stop)
    asked[-1]["gap"] = read[-1]["gap"] = " "  # before the separator
    items = [item(token, " ", looks=["special"]) for token in name]
    items[1 : 1 + len(asked)] = asked
    items[window.context_at : window.context_at + len(read)] = read
    return items


def look(items: Sequence[Block], span: Span, name: str) -> None:
    """Add a look to the items that a `doc` span touches."""
    for one in items:
        if span.start <= one.get("at", -1) <= span.end:
            one["looks"] = [*one.get("looks", []), name]


def text(key: str, *segments: Block, **more: Any) -> Block:
    """A text block of segments. `up`, `down`: roles of the lanes; `height`: pixels of a bar of 1;
    `arrows`: arrows in the place of bars, downwards below 0; `lines`: drawn under the words;
    `dots`: whether pieces of a word are parted by dots; `select`: whether words select; `unseen`:
    what a lane's numbers are, where its role does not say it. A lane of an item is [share, what is
    printed, share of its frame].
    """
    return block("text", key, segments=list(segments), **more)


def segment(items: Sequence[Block], name: str = "", inline: bool = False, *holds: Any) -> Block:
    """A run of words with its name, and what it holds in sum, as parts."""
    return {"name": name, "inline": inline, "items": list(items), "holds": parts(holds)}


def shortened(
    shown: Shown,
    items: Sequence[Block],
    least: float | None = None,
    spans: Sequence[Span] = (),
    near: int = 4,
) -> list[Block]:
    """A long text without the middle of its quiet runs: words further than `near` from every bar,
    look and `doc` span of `spans`. `least`: the value under which a word has no bar. Under the veil
    all of it stays: which parts are left would tell the answer.
    """
    if shown.state.veil or len(items) < LONG:
        return [*items]

    def loud(one: Block) -> bool:
        held = any(s.start <= one.get("at", -1) <= s.end for s in spans)
        return held or any(one.get(x) for x in ("up", "down", "looks"))

    words = [0, *accumulate(bool(one["gap"]) for one in items[:-1])]  # the number of each one's
    near_to = {0, words[-1], *(k for k, one in zip(words, items, strict=True) if loud(one))}
    stay, found = {k + d for k in near_to for d in range(-near, near + 1)}, list[Block]()
    for stays, run in groupby(zip(words, items, strict=True), lambda one: one[0] in stay):
        inside = [one for _, one in run]
        count = sum(not (one.get("joined") or is_mark(one["t"])) for one in inside)
        if not stays and count >= 6:
            found[-1] = {**found[-1], "gap": " "}
            under = "" if least is None else f" under {least}"
            inside = [item(f"… {count} words{under} …", " ", looks=["special"])]
        found += inside
    return found


# ---- spans


def families(shown: Shown, most: int = 10) -> list[list[Candidate]]:
    """The best spans; variants, which differ by punctuation or part of a word, stand in one row."""
    rows = dict[tuple[int, int], list[Candidate]]()
    for ranked in predict(shown.reading, replace(shown.decode, n_best_size=200)).n_best:
        key = words_inside(shown.encoding, ranked.candidate.span)
        if key not in rows and len(rows) == most:
            break
        rows.setdefault(key, []).append(ranked.candidate)
    return list(rows.values())


def listed(shown: Shown, columns: Sequence[str], most: int) -> Block:
    """The best spans, in `most` letters, with the numbers that `columns` name; variants unfold."""
    null, rows, found = shown.prediction.null_score, list[Block](), families(shown)
    spans = [c.span for family in found for c in family]
    names = dict(zip(spans, span_names(shown.encoding, spans, most), strict=True))

    def cells(c: Candidate) -> list[str]:
        numbers = [number(x) for x in (c.start_logit, c.end_logit, c.score, null - c.score)]
        numbers[2] = printed.total_cell((c.start_logit, c.end_logit), c.score)
        return [names[c.span][0], *numbers[: len(columns)]]

    for best, *others in found:
        sets = {"selection": [best.span.start, best.span.end]}
        label = f"and {printed.small_number(len(others))} variant{'s' * (len(others) > 1)}"
        more = {"label": label, "rows": [*map(cells, others)]} if others else None
        rows.append(row(*cells(best), sets=sets, more=more))
    first = "span; its variants differ by punctuation or part of a word"
    return table("listed", [first, *columns], rows, "The best spans and their scores")


def span_name(e: Encoding, span: Span, most: int = 44) -> list[str]:
    """A span as a quoted part; a dot where it begins or ends inside a word, e.g. “·ne Sax”."""
    before = "·" if siblings(e, span.start)[0] < span.start else ""
    after = "·" if siblings(e, span.end)[-1] > span.end else ""
    return [quote(before + e.text(span) + after, most), QUOTE]


def span_names(e: Encoding, spans: Sequence[Span], most: int) -> list[list[str]]:
    """Spans by `span_name`; those that read the same have their first token, “the” (token 12), and
    where it is the same the last one too; as many as 16 letters stay, whatever these take.
    """

    def named(span: Span, at: str = "") -> str:
        return span_name(e, span, max(most - len(at), min(most, 16)))[0] + at

    found = {span: named(span) for span in spans}
    for form in (" (token {})", " (tokens {} to {})"):
        often = Counter(found.values())
        alike = [span for span, name in found.items() if often[name] > 1]
        found |= {s: named(s, form.format(s.start + 1, s.end + 1)) for s in alike}
    return [[found[span], QUOTE] for span in spans]


def score_of_selection(shown: Shown, template: str) -> Block:
    """The template with the selected span and its sum: score of “Ada” = 5.90 + 6.19 = 12.09."""
    span, w = shown.selection, shown.window
    name = span_name(shown.encoding, span, 32)
    if not w.holds(span):
        return formula("sum", [name, " fits in no window, so it has no score."])
    (i, j), (start, end) = w.positions(span), shown.reading.logits(w.index)
    said = printed.say(template, name, summed(float(start[i]), float(end[j])))
    longer = f"over {printed.plural(shown.decode.max_answer_length, 'token')}"
    barred = reason(w, i, j, shown.decode)
    why = f" ({longer if barred == 'too long' else barred}: not compared)"
    return formula("sum", said + [why] * bool(barred))


def which_window(shown: Shown, window: Window, template: str) -> str:
    """The template with "window 2 of 3"; empty for a text of one window."""
    many = len(shown.reading.windows)
    return template.format(f"window {window.index + 1} of {many}") if many > 1 else ""


def other_text(shown: Shown, name: str, label: str, span: int = 12) -> Block | None:
    """One press to an example with an odd case, and back."""
    if name not in shown.examples:
        return None
    there = shown.example is not None and shown.example.id == name
    says, to = ("Back to the bridge", "oresund") if there else (label, name)
    return button("other", says, {"example": to}, span)
