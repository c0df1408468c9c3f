"""Training data: which paragraphs are kept apart, what a window teaches, and the pool of windows
that is drawn once, before a run's first step.

Of the questions with lists of answers one paragraph in five is never trained on, by a hash of its
words: training and scoring agree without a file of names. Other files hold some of the same
paragraphs with other blanks and marks, so training leaves out every paragraph that shares twelve
words in a row with one kept apart.

An enumeration ("Ethiopia and Liberia", one span in SQuAD) teaches start and end as one span and the
tags as a list: trained on both ways, the tags join what lists keep apart.

SQuAD 2.0's questions without an answer mostly have a name, a year or an opposite that the paragraph
does not bear out. Here such questions are made by rule, by exchanging one word; whether one still
has an answer is for the teacher to say.
"""

import hashlib
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from qa_demo.core.base import BadInput
from qa_demo.core.losses import TagGold, marked, start_end_targets, tag_targets
from qa_demo.core.masking import merge_spans
from qa_demo.core.text import touching
from qa_demo.core.types import Encoding, Example, Span, Window, WindowOptions
from qa_demo.core.windows import make_windows
from qa_demo.evaluation.questions import read_squad
from qa_demo.model.tokenizer import encode
from qa_demo.training.loop import log

RUN = 12
"""Words in a row that two paragraphs may not share across the line."""
PARTS = 60
"""Targets are kept as whole parts of 60, which one to six annotators share exactly."""
JOINT = re.compile(r"\s*[,;]\s*(?:and|or|&)\s+|\s+(?:and|or|&|as well as)\s+|\s*[,;]\s+")
CONJUNCTION = re.compile(r"[\s,;](?:and|or|&|as well as)\s")
RANGE = re.compile(r"between|from|both|either|neither", re.IGNORECASE)
DETERMINER = re.compile(r"(?:the|a|an|his|her|its|their)\s+", re.IGNORECASE)
ONE_NAME = re.compile(r"\b(?:of|for)\s")
NAMED, PLAIN = 5, 3
"""Words of an item at most: of names, and of plain words (longer ones are clauses)."""
OPPOSITES = """
first last|before after|most least|largest smallest|highest lowest|longest shortest|more fewer
north south|northern southern|east west|eastern western|increase decrease|increased decreased
old new|older younger|early late|earliest latest|start end|began ended|win lose|won lost
support oppose|supported opposed|male female|men women|always never|major minor|many few
best worst|large small|high low|good bad|positive negative|king queen|father mother|begin finish
above below|inside outside|public private|rich poor|bought sold|left joined|upper lower|strong weak
include exclude|included excluded|allowed forbidden|same different
"""
PAIRS = [pair.split() for pair in re.split(r"[|\n]", OPPOSITES.strip())]
OTHER = {a: b for one in PAIRS for a, b in (one, one[::-1])}
AUXILIARY = re.compile(
    r"\b(is|are|was|were|did|does|do|can|could|has|have|had|will|would|should)\b(?! not)"
)
NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
NAME = re.compile(r"\b[A-Z][\w'’-]*(?: (?:of |the |de |von )?[A-Z][\w'’-]*)*")
LOWER = re.compile(r"\b[a-z]+\b")
Drawn = tuple[Window, Sequence[TagGold], Sequence[TagGold]]
"""A window, and what the annotators marked in its text: for start and end, and for the tags."""
Pool = dict[str, np.ndarray]
"""N windows one after the other: `offsets` [N + 1], where each begins; of every piece what
`data.targets` names; `labelled` [N] is false where nobody but a teacher says anything.
"""


# ---- which paragraphs are kept apart


def words(context: str) -> tuple[str, ...]:
    """Lower-case words of letters and digits; blanks and marks do not count."""
    return tuple(re.findall(r"[^\W_]+", context.lower()))


def is_apart(context: str) -> bool:
    """Whether a paragraph with a list is one of the fifth that is never trained on."""
    digest = hashlib.sha256(" ".join(words(context)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % 5 == 0


def runs(context: str) -> set[tuple[str, ...]]:
    """All runs of twelve words; of a shorter text the whole of it."""
    found = words(context)
    return {found[i : i + RUN] for i in range(max(1, len(found) - RUN + 1))}


def held_out(examples: Iterable[Example]) -> list[Example]:
    """The questions with lists that are kept apart."""
    return [e for e in examples if e.spans and is_apart(e.context)]


def without_held_out(files: Sequence[Sequence[Example]]) -> list[list[Example]]:
    """Each file without questions whose paragraph shares a run with one kept apart in any file."""
    kept = {run for part in files for e in held_out(part) for run in runs(e.context)}
    clear = cache(lambda context: kept.isdisjoint(runs(context)))
    return [[e for e in part if not kept or clear(e.context)] for part in files]


# ---- what a window teaches


def items(text: str) -> tuple[tuple[int, int], ...]:
    """The half-open character ranges of an enumeration's items; none where a text is none.

    It needs an "and", an "or" or an "&". Two items are an enumeration only where both begin with a
    capital or a digit ("rock and roll" is one thing), and where the first holds no "of" or "for"
    ("College of Arts and Letters"); three may be plain words of at most three words each.
    """
    if not CONJUNCTION.search(text) or RANGE.match(text):
        return ()
    cuts = [(0, 0), *(found.span() for found in JOINT.finditer(text)), (len(text), len(text))]
    ranges = tuple((a, b) for (_, a), (b, _) in pairwise(cuts))
    bare = [DETERMINER.sub("", text[a:b], count=1).strip() for a, b in ranges]
    if any(not re.search(r"\w", item) or len(item.split()) > NAMED for item in bare):
        return ()
    if all(item[0].isupper() or item[0].isdigit() for item in bare):
        return () if len(bare) == 2 and ONE_NAME.search(bare[0]) else ranges
    return ranges if len(bare) > 2 and all(len(item.split()) <= PLAIN for item in bare) else ()


def marks(encoding: Encoding, example: Example, parted: bool = False) -> list[TagGold]:
    """What each annotator marked: a list, else one span, and if `parted` an enumeration as the list
    that it is; None where it is in no token. Spans of a list that share a piece are joined: it
    can carry only one tag.
    """
    lists = example.spans or [
        [(a.char_start + i, a.char_start + j) for i, j in items(a.text) if parted]
        or [(a.char_start, a.char_end)]
        for a in example.answers
    ]
    found = [[touching(encoding, a, b) for a, b in ranges] for ranges in lists]
    return [merge_spans([s for s in spans if s is not None], 0) or None for spans in found]


def spoken(window: Window, gold: TagGold) -> Span | None:
    """The one span that start and end learn of what an annotator marked: the first that the window
    holds whole.

    Shared out over all spans of a list, starts and ends would give the same probability to a span
    glued from one's start and another's end: the product of two shares does not know which of them
    belong together. "The first" can be learnt.
    """
    return next((span for span in marked(gold) if window.holds(span)), None)


def targets(
    window: Window, golds: Sequence[TagGold] = (), lists: Sequence[TagGold] = ()
) -> dict[str, np.ndarray]:
    """A window of n pieces and the targets of the page's own losses (core.losses) for it: `start`
    and `end` [n] from `golds`, `tags` [n, 3] from `lists`, in 1 / PARTS; `tagged` [n], where
    tags carry a loss; `listed` [n], from the first word of a list to its last; `ids`, `types` (of
    tokens) and `passage` [n] as the window has them.
    """
    start, end = start_end_targets(window, [spoken(window, gold) for gold in golds])
    tags, tagged = tag_targets(window, lists)
    doc = np.arange(len(window)) - window.context_at + window.doc_start
    listed = np.zeros(len(window), bool)
    for spans in map(marked, lists):
        if len(spans) > 1:
            listed |= window.is_context & (spans[0].start <= doc) & (doc <= spans[-1].end)
    shares = {"start": start, "end": end, "tags": tags}
    return {
        "ids": np.asarray(window.input_ids, np.int32),
        "types": np.asarray(window.token_type_ids, bool),
        "passage": np.asarray(window.is_context, bool),
        "tagged": np.asarray(tagged, bool),
        "listed": listed,
        **{name: np.rint(x * PARTS).astype(np.uint8) for name, x in shares.items()},
    }


# ---- the windows of a question


def reworded(question: str, context: str, rng: random.Random) -> str | None:
    """The question with one name or number exchanged for another of the paragraph, one word for its
    opposite, or "not" put in; None where nothing fits. "not" is half as likely as each other way.
    """
    ways: list[tuple[tuple[int, int], str]] = []
    for pattern, first, least in ((NAME, 1, 4), (NUMBER, 0, 1)):
        found = [one for one in pattern.finditer(question) if one.start() >= first]
        there = sorted({one.group() for one in pattern.finditer(context)})
        there = [x for x in there if len(x) >= least and x.lower() not in question.lower()]
        if there:
            ways += [(one.span(), rng.choice(there)) for one in found] * 2
    lower = LOWER.finditer(question)
    ways += [(one.span(), OTHER[one.group()]) for one in lower if one.group() in OTHER] * 2
    ways += [(one.span(), f"{one.group()} not") for one in AUXILIARY.finditer(question)][:1]
    if not ways:
        return None
    (start, end), word = rng.choice(ways)
    return question[:start] + word + question[end:]


class Sampler:
    """Draws windows for a question: mostly one that holds its answer, sometimes one that does not.

    One without is of a random paragraph of its article, if that lacks the answer's words, else of
    its own paragraph, if one lacks the answer: that teaches [CLS] on texts of the same topic.
    """

    def __init__(self, examples: Sequence[Example], tokenizer: object, negatives: float) -> None:
        self.encoding, self.negatives = lru_cache(64)(partial(encode, tokenizer)), negatives
        self.by_title: dict[str, list[str]] = {}
        for example in examples:
            self.by_title.setdefault(example.title, []).append(example.context)

    def windows(self, encoding: Encoding, max_seq_length: int) -> Sequence[Window]:
        """The windows of a text, half of each in the next; none if its question leaves no room."""
        room = max_seq_length - len(encoding.question_ids) - encoding.n_special
        if room < 16 or not len(encoding.context_ids):
            return ()
        return make_windows(encoding, WindowOptions(max_seq_length, room // 2, max_seq_length))

    def unlabelled(
        self, e: Example, length: int, rng: random.Random, exchange: bool
    ) -> Drawn | None:
        """A window of which nobody says anything: of the question with one word exchanged, or with
        another paragraph of its article; None where there is none.
        """
        if exchange:
            asked, context = reworded(e.question, e.context, rng), e.context
        else:
            asked, context = e.question, rng.choice(self.by_title[e.title])
        if asked is None or (not e.answers if exchange else context == e.context):
            return None
        found = self.windows(self.encoding(asked, context), length)
        return (rng.choice(found), (), ()) if found else None

    def draw(self, e: Example, length: int, rng: random.Random) -> Drawn | None:
        """One window for a question; None when it leaves no room."""
        context, negative = e.context, rng.random() < self.negatives
        if negative and e.answers:
            other = rng.choice(self.by_title[e.title])
            if not any(a.text.lower() in other.lower() for a in e.answers):
                context = other
        encoding, own = self.encoding(e.question, context), context == e.context
        golds, lists = (marks(encoding, e, parted) if own else [] for parted in (False, True))
        windows = self.windows(encoding, length)
        held = [any(spoken(w, gold) is not None for gold in golds) for w in windows]
        wanted = [w for w, holds in zip(windows, held, strict=True) if holds != negative]
        return (rng.choice(wanted or windows), golds, lists) if windows else None


# ---- the pool


def pool_of(windows: Sequence[Mapping[str, np.ndarray]], labelled: Sequence[bool]) -> Pool:
    """The windows' targets in flat arrays."""
    pieces = {name: np.concatenate([w[name] for w in windows]) for name in windows[0]}
    offsets = np.cumsum([0, *(len(w["ids"]) for w in windows)])
    return {"offsets": offsets, "labelled": np.asarray(labelled, bool), **pieces}


def draw_pool(
    train: Sequence[tuple[str, float]],
    tokenizer: Any,
    lengths: Sequence[int],
    negatives: float,
    unlabelled: float,
    exchanged: float,
    seed: int,
) -> Pool:
    """K windows of each question of (file, K), a fraction of K by chance, each of a size drawn from
    `lengths`; the same for the same arguments. For the shares `unlabelled` and `exchanged` of them
    the question with another paragraph of its article too, and one with a word exchanged. Errors:
    BadInput where there are none.
    """
    files, cramped = without_held_out([read_squad(name) for name, _ in train]), 0
    rng, found, labels = random.Random(f"{seed}/pool"), list[dict[str, np.ndarray]](), list[bool]()
    for (name, share), examples in zip(train, files, strict=True):
        sampler = Sampler(examples, tokenizer, negatives)
        for e in examples:
            for _ in range(int(share) + (rng.random() < share % 1)):
                length = rng.choice(lengths)
                tries = [(sampler.draw(e, length, rng), True)]
                for exchange, part in enumerate((unlabelled, exchanged)):
                    if rng.random() < part:
                        tries.append((sampler.unlabelled(e, length, rng, bool(exchange)), False))
                cramped += tries[0][0] is None
                found += [targets(*window) for window, _ in tries if window]
                labels += [labelled for window, labelled in tries if window]
        said = f"{len(found):,} windows so far; {cramped:,} times a question left no room for one"
        log.info("%s: %s", Path(name).name, said)
    if not any(labels):
        raise BadInput("no window can be drawn: too few questions, or too short --lengths")
    return pool_of(found, labels)
