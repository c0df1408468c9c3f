"""Chapter 7, Tags: B begins an answer, I continues one, O is outside.

p_i = softmax(W h_i + b), W [3, d], b [3], h_i [d]; L = -sum_i sum_j t_ij log p_ij with t the mean
of the annotators' tags. A tagging is possible where no I stands first or follows an O.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from qa_demo import blocks as ui
from qa_demo import printed
from qa_demo.core import bio
from qa_demo.core.base import softmax
from qa_demo.core.losses import TagGold, marked, tags_of
from qa_demo.core.text import touching
from qa_demo.core.types import TAGS, B, I, O, Span
from qa_demo.examples import shipped
from qa_demo.ladder import Array, Columns, Rung, after, brackets, cells, ladder, stacked, sums
from qa_demo.printed import STRONG, TERM, adds, number, plural, probability, say
from qa_demo.shown import Shown
from qa_demo.state import Record
from qa_demo.texts import dotted, span_name, span_names, word_parts

LETTERS = [*map(list, zip(TAGS, ui.TAG_ROLES, strict=True))]
"""The tags as parts of a sentence."""
T = ["t", TERM]

NAME = "Tags"
STEPS = (
    ("Every token", "What if every token gets a tag of its own?"),
    ("One label", "What does each token cost?"),
    ("Several annotators", "What is the right tag when annotators disagree?"),
    ("Tags to spans", "How do tags become answers?"),
)
IDEAS = (
    "A second output layer (a head) gives every token three probabilities that add up to 1: {} "
    "begins an answer, {} continues one, {} is outside (*BIO tagging*).",
    "The right tag of a token is its label: it counts 1, the two other tags 0. So the token's loss "
    "is *−log p(right tag)* (natural logarithm).",
    "Where annotators disagree, a token's label {} is, for each tag, the share of annotators who "
    "gave it (a *soft label*). In the loss each tag counts by its share.",
    "{} opens an answer, every {} right after it continues it, {} or another B ends it. "
    "*So each B makes one answer.*",
)
FIRST = {1: "natural-selection", 3: "nobel-1903", 4: "south-pole"}
OPENS = {step: {"example": name} for step, name in FIRST.items()}
TEXTS = ("nobel-1903", "oresund", "south-pole", "reef")
"""The texts that steps 3 and 4 offer: marks that differ, two answers, none."""
CODE = ui.folds(None, [], "bio")[-1]  # what stands below where there is nothing to draw
LABELLED = "For each token its labels, the reader's probabilities and its loss"
Parts = list[Any]


class Tags:
    """What the tag head says: `p` and `logits` [D, 3] of every token of the paragraph, from the
    window that sees most around it, and the most likely tag of each by itself, `single` [D].
    """

    def __init__(self, shown: Shown) -> None:
        self.shown, self.reading, self.e = shown, shown.true, shown.encoding
        assert self.reading.tag_logits is not None
        self.logits = self.reading.of_owners(self.reading.tag_logits).astype(np.float64)
        self.p, self.size = softmax(self.logits), len(self.logits)
        self.single = bio.argmax_tags(self.logits)
        self.likeliest = "likeliest", lambda d: TAGS[self.single[d]]

    def about(self, own: int) -> int:
        """The token of underline and formula: the selection's first, or the step's own."""
        return own if self.shown.state.selection is None else self.shown.selection.start


def picture(shown: Shown, own: Record) -> list[ui.Block | None]:
    """The blocks of the step; logits changed by hand do not change the tags."""
    step = shown.state.step
    idea = ui.idea(IDEAS[step - 1], *(LETTERS, (), [T], LETTERS)[step - 1])
    if shown.true.tag_logits is None:
        lacks = "This reader has start and end only, so it gives no tags; the bundled one does."
        other = ui.button("other", "Read with it", {"reader": "bundled"})
        return [idea, ui.finding(lacks), other, CODE]
    if step in (2, 3) and not labels(shown):
        none = "Nobody marked an answer in this text: no token has a label, so there is no loss."
        return [idea, ui.finding(none), text_choice(shown), CODE]
    return [idea, *(every_token, one_label, several_labels, to_spans)[step - 1](Tags(shown))]


def coloured(values: Sequence[str], sign: str = ", ", tags: Sequence[int] = (0, 1, 2)) -> Parts:
    """Values with a sign between them, each in the colour of its tag."""
    each = ([[text, ui.TAG_ROLES[k]]] for text, k in zip(values, tags, strict=True))
    return printed.between(sign, each)


def share(t: float) -> str:
    """A share of annotators: 2/3, 1, 0."""
    return str(Fraction(float(t)).limit_denominator(20))


def at_least(p: Array) -> str:
    """The smallest of some probabilities, rounded down: 0.9968 gives 0.996."""
    digits = 3 if p.min() > 0.99 else 2
    return f"{np.floor(p.min() * 10**digits) / 10**digits:.{digits}f}"


def key() -> ui.Block:
    """The three tags, and the underline."""
    words = ("{} begins an answer", "{} continues one", "{} is outside")
    drawn = ("box", ui.TAG_ROLES[B]), ("box", ui.TAG_ROLES[I]), ("boxed", ui.GREY)
    tags = zip(drawn, words, LETTERS, strict=True)
    about = ("under", ui.INK, "the token of the formula below")
    return ui.legend("key", *((*d, say(w, letter)) for d, w, letter in tags), about)


def text_choice(shown: Shown) -> ui.Block:
    """The texts that a step offers."""
    now, offered = shown.example and shown.example.id, [k for k in TEXTS if k in shown.examples]
    options = [(shown.examples[k].title, {"example": k}, k == now) for k in offered]
    return ui.choice("text", "the text:", options)


def tag_bars(tags: Tags, cols: Columns, pixels: int, right: Array | None = None) -> list[ui.Block]:
    """The reader's p; a run says how many tokens it holds, and how surely they are O."""

    def text(n: int, k: int, v: float) -> str:
        a, z = cols.runs[n]
        if a == z:
            name = TAGS[k] + after(v) if cols.room > 52 else TAGS[k]
            return name if v * pixels >= 16 else ""
        inside = tags.single[a : z + 1]
        told = f"{int((inside == k).sum()):,} of them {TAGS[k]}"
        if (inside == O).all():
            told = f"each O ≥ {at_least(tags.p[a : z + 1, O])}"
        return f"{z - a + 1:,} more,<br>{told}" if k == np.bincount(inside).argmax() else ""

    return stacked(cols, tags.p, text, right)


def folds(
    tags: Tags, cols: Columns, exactly: Sequence[str], *more: tuple[str, Callable[[int], str]]
) -> list[ui.Block]:
    """What a step does without, and its tokens as a table; `more`: (head, what a token has)."""
    rows, three = [], zip(("P(B)", "P(I)", "P(O)"), ui.TAG_ROLES, strict=True)
    for d in (a for a, z in cols.runs if a == z):
        told = [dotted(tags.e, d), *map(probability, tags.p[d]), *(says(d) for _, says in more)]
        rows.append(ui.row(str(d + 1), *told, sets={"selection": [d, d]}))
    heads = ["no.", "token", *three, *(head for head, _ in more)]
    last = "Logits changed by hand do not change the tags, which have a layer of their own."
    table = ui.table("rows", heads, rows, "The tokens that have a column of their own")
    return ui.folds(table, [*exactly, last], "bio")


def every_token(tags: Tags) -> list[ui.Block | None]:
    """Step 1: three probabilities a token."""
    runs = bio.spans_of_tags(tags.single.tolist())
    first = max(runs, key=lambda r: tags.p[r.start, B], default=None)
    home = first.start if first else tags.shown.best.span.start
    about, cols = tags.about(home), Columns(tags.e, tags.p[:, O], [home])
    title = "the reader's p: it adds up to 1; below: the tokens (“·” joins those of a word), "
    row = Rung(title + "each with its likeliest tag", 264, 1, tag_bars(tags, cols, 264))
    alt = "For each token near the answer the probabilities of B, I and O, stacked to 1"
    last = "Each token has its own softmax; its h has read question and paragraph."
    exactly = (
        "h is T in BERT's paper: the token's hidden state after the last layer, the one that start "
        "and end read too. The question and special tokens get no tag. Tokens with little to show, "
        "or without room, share a column. In a text of several windows each token's probabilities "
        "are from the one in which a start there counts (chapter Long text)."
    )
    return [
        finding_of_tags(tags, runs, first),
        key(),
        ladder(cols, [row], alt, home, about, [TAGS[k] for k in tags.single]),
        softmax_formula(tags, about),
        ui.closing(f"{last} The step “Tags to spans” reads answers off the tags."),
        *folds(tags, cols, [exactly], tags.likeliest),
    ]


def finding_of_tags(tags: Tags, runs: Sequence[Span], first: Span | None) -> ui.Block:
    """How many tokens are O, which are not, and what the tags give read together."""
    text, given = "No token is most likely {}. ", [LETTERS[B]]
    if first:
        text = f"{{}} is most likely {{}} ({probability(tags.p[first.start, B])})"
        given = [word_parts(tags.e, first.start), LETTERS[B]]
        later = tags.p[first.start + 1 : first.end + 1, I]
        if n := len(later):
            text += f", the next {'one is' if n == 1 else f'{n} are'} {{}} "
            text += f"(≥ {at_least(later)}): {{}}"
            given += [LETTERS[I], span_name(tags.e, first)]
        text += ". "
    if [x.span for x in bio.decode_reading(tags.reading)] != [*runs]:
        text += "Read together the tags give another result (“Tags to spans”). "
    outside = int((tags.single == O).sum())
    text += f"{outside:,} of {plural(tags.size, 'token')} "
    text += f"{'is' if 1 in (outside, tags.size) else 'are'} most likely {{}}."
    return ui.finding(text, *given, LETTERS[O])


def softmax_formula(tags: Tags, d: int) -> ui.Block:
    """p = softmax(W h + b) with its sizes, then one token's three logits and their softmax."""
    z, k, shown = tags.logits[d], int(tags.single[d]), tags.shown
    width = shipped("reader/config.json")["hidden_size"]  # known before that reader is loaded
    if shown.true.model_name != "bundled":
        width = len(shown.need("heads", lambda reader, *_: reader.heads()).S)
    exps = [f"exp({number(v, 3)})" for v in z]
    weights = [printed.significant(float(np.exp(v))) for v in z]
    again = [printed.significant(float(np.exp(v))) for v in np.round(z, 3)]
    sign, whole = "=" if again == weights else "≈", sum(map(printed.value, weights))
    result = printed.equals(weights, printed.value(weights[k]) / whole, probability(tags.p[d, k]))
    sizes = f"   h: the token's {width:,} numbers;  W: 3 × {width:,};  b: 3 numbers;  "
    first = ["p = softmax(W h + b)", [sizes + "W and b are the same for every token", "note"]]
    line = f"P({{}} is {{}}) = {{}} / ({{}}) {sign} {{}} / ({{}})*{result}*"
    given: Parts = [word_parts(tags.e, d), LETTERS[k]]
    for each in (exps, weights):
        given += [[each[k], ui.TAG_ROLES[k]], coloured(each, " + ")]
    return ui.formula("p", first, say(line, *given))


class Labels:
    """The labels that a step counts: `rows` [D] of each annotator, their mean `t` [D, 3] and the
    losses in `terms`; `home`: the token that the step begins with.
    """

    def __init__(self, tags: Tags, golds: Sequence[TagGold]) -> None:
        self.marks = "marks of yours" if tags.shown.marked_by == "you" else "annotators"
        self.rows = [tags_of(tags.size, marked(g)) for g in golds]
        self.terms = bio.SoftTerms(tags.reading, golds)
        self.t = t = self.terms.targets
        self.tagged: list[int] = np.flatnonzero(t[:, O] < 1).tolist()
        disputed = self.terms.floor > 1e-9
        begins = max(self.tagged, key=lambda d: (disputed[d], t[d, B]), default=None)
        self.home = tags.shown.best.span.start if begins is None else begins
        self.about = tags.about(self.home)
        self.columns = Columns(tags.e, tags.p[:, O], [*self.tagged, self.home])

    def annotators(self) -> Rung:
        """One tagging for each annotator, five at most."""
        few, who = self.rows[:5], "the right tag of each token"
        if len(self.rows) > 1:
            of = f", the first {len(few)} of them" * (len(self.rows) > len(few))
            who = f"{len(self.rows)} {self.marks}: one row each{of}"
        who += "" if len(self.tagged) else ": the paragraph does not answer, so O"
        up = range(len(few) - 1, -1, -1)
        drawn = [cells(self.columns, r, k) for r, k in zip(few, up, strict=True)]
        return Rung(who, 25 * len(few), float(len(few)), drawn)

    def formula(self, tags: Tags, soft: bool, rest: Parts) -> ui.Block:
        """L = -(2/3 · log 0.998 + ...) of the token, each p with the digits of its log; `rest`."""
        d, token = self.about, word_parts(tags.e, self.about)
        if not self.terms.labelled[d]:
            return ui.formula("loss", [*token, " carries no loss: its window cuts the answer."])
        t, p, use = self.t[d], tags.p[d], np.flatnonzero(self.t[d]).tolist()
        told = [printed.enough(x, "{:.1g}".format) for x in p]
        told = [printed.fine(np.log(p[k]), 3) if k in use else told[k] for k in range(3)]
        again = -sum(t[k] * np.log(printed.value(told[k])) for k in use)
        result = number(self.terms.loss[d], 2 if soft else 3)
        end = printed.equals([told[k] for k in use], again, result)
        inner = coloured([f"{share(t[k])} · log {told[k]}" for k in range(3)], " + ")
        alone = "" if soft else f" = −log {told[use[0]]}"
        return ui.formula("loss", say(f"L of {{}} = −({{}}){alone}*{end}*", token, inner), rest)

    def folds(self, tags: Tags) -> list[ui.Block]:
        """What the loss is exactly, and the labels and losses of the tokens that are drawn."""
        least, whole = float(self.terms.floor.sum()), self.terms.total
        rest = whole - least
        total = f"{number(least, 3)} + {number(rest, 3)} {adds((least, rest), whole, 3)}"
        exactly = (
            "log is the natural logarithm. L = −Σ over the tokens Σ over B, I, O of t log p. The "
            "least possible part is the entropy of t, −Σ t log t, the rest is KL(t, p); of all "
            f"tokens {total} {number(whole, 3)}. Training divides by the number of tokens.",
            "Where a window cuts an answer, its part keeps its tags; if that part begins with I, "
            "this token carries no loss.",
        )
        mean = ("t", lambda d: ", ".join(map(share, self.t[d])))
        loss = ("loss", lambda d: number(float(self.terms.loss[d]), 3))
        return folds(tags, self.columns, exactly, mean, loss)


def labels(shown: Shown) -> list[TagGold]:
    """Each annotator's span, None for "no answer"; empty where nobody marked anything."""
    if shown.golds:
        return [touching(shown.encoding, g.char_start, g.char_end) for g in shown.golds]
    return [] if shown.marked_by == "nobody" else [None]


def one_label(tags: Tags) -> list[ui.Block | None]:
    """Step 2: the tags by the label with most marks, the reader's p for them, the loss."""
    counts = Counter(labels(tags.shown))
    ((label, n),) = counts.most_common(1)
    ls = Labels(tags, [label])
    d, cols, total = ls.about, ls.columns, number(ls.terms.total, 3)
    many = plural(tags.size, "token")
    k, title = int(ls.rows[0][d]), "loss of each token: −log p(right tag) (several tokens: their "
    bars = tag_bars(tags, cols, 108, ls.rows[0])
    rungs = [
        ls.annotators(),
        Rung("the reader's p; what is pale does not count", 108, 1, bars),
        sums(cols, f"{title}sum)", 88, 3, ls.terms.loss),
    ]
    p = probability(tags.p[d, k])
    found = f"By the label of {n} of {counts.total()} marks " * (2 * n <= counts.total())
    found += f"{{}} should be {{}} and has p {'= ' * (p[0] not in '<>')}{p}: it costs "
    found += number(ls.terms.loss[d], 3) if ls.terms.labelled[d] else "nothing, see below"
    found += f". The whole paragraph ({many}) costs {total}."
    every = f"the whole paragraph ({many}): L = −Σ log p(right tag) = *{total}*"
    return [
        ui.finding(found, word_parts(tags.e, d), LETTERS[k]),
        key(),
        ladder(cols, rungs, LABELLED, ls.home, d),
        ls.formula(tags, False, say(every)),
        ui.closing("Lowering L raises the log-likelihood, which is −L."),
        *ls.folds(tags),
    ]


def several_labels(tags: Tags) -> list[ui.Block | None]:
    """Step 3: all annotators, their mean, the reader's p, and the loss."""
    ls = Labels(tags, labels(tags.shown))
    d, cols, terms, t = ls.about, ls.columns, ls.terms, ls.t[ls.about]
    given, token, use = [int(row[d]) for row in ls.rows], word_parts(tags.e, d), np.flatnonzero(t)
    whose = "your marks give" if tags.shown.marked_by == "you" else "the annotators give"
    whose = f"{whose} the tags" if len(given) > 1 else "the one mark gives the tag"
    found = f"At {{}} {whose} {{}}, so {{}} = ({{}}) for B, I, O."
    parts = token, coloured([TAGS[k] for k in given], tags=given), T, coloured([*map(share, t)])

    def name(n: int, k: int, v: float) -> str:
        if v < 0.2:
            return ""
        a, z = cols.runs[n]
        return f"{TAGS[k]} {share(v)}" if a == z and v < 1 and cols.room > 52 else TAGS[k]

    title = "loss of each token: −Σ t log p (several tokens: their sum)"
    shares_of = "t, the share of each tag: the soft label of each token"
    rungs = [
        ls.annotators(),
        Rung(shares_of, 50, 1, stacked(cols, ls.t, name)),
        Rung("the reader's p", 50, 1, tag_bars(tags, cols, 50)),
        sums(cols, title, 60, 2, terms.loss),
    ]
    shares = coloured([f"{share(t[k])} · log {share(t[k])}" for k in use], " + ", use)
    least = f"at best, with p = t: {'−({}) = ' * (len(use) > 1)}*{number(terms.floor[d])}*"
    last = "Where labels agree, p = t would bring every loss to 0."
    if terms.floor.sum() > 1e-9:
        last = "Where labels disagree, no reader can bring the loss to 0."
    return [
        ui.finding(found, *parts),
        text_choice(tags.shown),
        key(),
        ladder(cols, rungs, LABELLED, ls.home, d),
        ls.formula(tags, True, say(least, shares)),
        ui.closing(last),
        *ls.folds(tags),
    ]


def to_spans(tags: Tags) -> list[ui.Block | None]:
    """Step 4: the most probable possible tagging, its answers, and their chances."""
    answers = bio.decode_reading(tags.reading)
    best = tags_of(tags.size, [x.span for x in answers])
    home = answers[0].span.start if answers else int(tags.p[:, O].argmin())
    behind = (x.span.end + 1 for x in answers if x.span.end + 1 < tags.size)
    cols = Columns(tags.e, tags.p[:, O], [home, *np.flatnonzero(best != O), *behind])
    title = "each token's likeliest tag"
    if bio.illegal_at(tags.single.tolist()):
        title += "; together impossible: an I has no B or I before it"
    rungs = [Rung(title, 44, 0.9, [cells(cols, tags.single)])]
    several = ", by window" * (len(tags.reading.windows) > 1)
    if (tags.single != best).any():
        rungs.append(Rung(f"most probable possible tagging{several}", 44, 0.9, [cells(cols, best)]))
    if under := brackets(cols, [one.span for one in answers]):
        rungs.append(Rung(f"answers{several}: from each B to its last I", 30, 1.1, under))
    alt = f"Rows above the tokens: {'; '.join(rung.title for rung in rungs)}"
    finding, formula = chances_of(tags, answers)
    exactly = (
        "An I at the front or right after an O is impossible: nothing has begun. A chance takes "
        "the tags as independent, leaves out the impossible taggings and shares their probability "
        "among the others, within each window: so a token's chance is not its P by itself. The "
        "most probable tagging is found by Viterbi's algorithm, the sums over all of them by the "
        "forward-backward algorithm. Of answers of two windows that overlap the first is drawn."
    )
    possible = "tag of the possible tagging", lambda d: TAGS[best[d]]
    return [
        finding,
        text_choice(tags.shown),
        ladder(cols, rungs, alt, home, None),
        formula,
        ui.closing(
            "Tags can give several answers; one start and one end give one at most. Chances "
            "multiply as if tags were independent."
        ),
        *folds(tags, cols, [exactly], tags.likeliest, possible),
    ]


def chances_of(tags: Tags, answers: Sequence[bio.TaggedSpan]) -> tuple[ui.Block, ui.Block]:
    """The answers, and the chance of each of the first four = P(first is B) x P(each next is I) x
    P(the one behind is no I); or P(no token has an answer).
    """
    if not answers:
        none = probability(float(np.exp(bio.null_log_prob(tags.reading))))
        least = ", in the window where it is smallest" * (len(tags.reading.windows) > 1)
        line = say(f"P(every token is {{}}){least}: *{none}*", LETTERS[O])
        nothing = ui.finding("Read together, the tags are {} throughout: “no answer”.", LETTERS[O])
        return nothing, ui.formula("chance", line)
    n, lines, spans = len(answers), list[Parts](), [x.span for x in answers]
    for answer, (name, _) in zip(answers[:4], span_names(tags.e, spans, 30), strict=False):
        factors = factors_of(tags, answer)
        used = [probability(float(np.prod(ps))) for ps, *_ in factors]
        each = ([[p, role], [of, "note"]] for p, (_, role, of) in zip(used, factors, strict=True))
        end = [printed.product(used, probability(answer.marginal)), STRONG]
        lines.append([f"chance of {name} = ", *printed.between(" × ", each), end])
    told = ([name] for name in span_names(tags.e, spans, 40)[:4])
    text = f"The tags give {printed.small_number(n)} answer{'s' * (n > 1)}: "
    text += "{} …" if n > 4 else "{}."
    return ui.finding(text, printed.between(", ", told)), ui.formula("chance", *lines)


def factors_of(tags: Tags, answer: bio.TaggedSpan) -> list[tuple[list[float], str, str]]:
    """What an answer's chance multiplies, by its tokens: P of some, their role, what they are."""
    e, at = tags.e, answer.span.start
    begins, goes_on, ends = bio.chances(tags.reading, answer)
    begin, inside, _ = ui.TAG_ROLES
    found = [([begins], begin, f" “{dotted(e, at)}” is B")]
    if len(goes_on) > 2:
        found.append((goes_on, inside, f" the next {len(goes_on)} are I"))
    else:
        found += [([p], inside, f" “{dotted(e, d)}” is I") for d, p in enumerate(goes_on, at + 1)]
    if ends is not None:
        found.append(([ends], STRONG, f" “{dotted(e, answer.span.end + 1)}” is not I"))
    return found
