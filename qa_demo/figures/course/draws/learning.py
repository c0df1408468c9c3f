"""Exercises on how a reader learns: losses, slopes, tags of several people, SpanBERT."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np

from qa_demo.core.course.bench import Bench
from qa_demo.core.learning.losses import entropy
from qa_demo.figures.course.draws.drawn import Drawn, listed, unlike
from qa_demo.figures.numbers import adds_up, number, signed
from qa_demo.figures.numbers import mean as printed_mean

SENTENCES = (
    "Marie Curie found two new elements in a cold wooden shed",
    "The old lighthouse keeper rowed to the island every second Sunday morning",
    "A young clerk in Bern wrote four papers that changed physics",
    "The first railway of Portugal ran from Lisbon to Carregado in 1856",
)


def label_loss(rng: Random) -> Drawn | None:
    """The loss of a label that is not what the reader would choose."""
    labels = [rng.choice((0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)) for _ in range(2)]
    peaks = [rng.choice((0.5, 0.6)) for _ in range(2)]

    def mean(ps: Sequence[float]) -> float:
        return -(math.log(ps[0]) + math.log(ps[1])) / 2

    loss = mean(labels)
    wrong = [mean(peaks), 2 * loss, -loss, 1 - sum(labels) / 2]
    if not unlike([loss, *wrong], 2) or any(
        p + q > 0.99 for p, q in zip(labels, peaks, strict=True)
    ):
        return None
    found = [-math.log(p) for p in labels]
    logs = printed_mean(found)
    if logs.decimals > 2 or not adds_up(found, 2 * loss, 2):
        return None
    facts = {
        "ps": number(labels[0], 2),
        "pe": number(labels[1], 2),
        "qs": number(peaks[0], 2),
        "qe": number(peaks[1], 2),
        "ls": logs.addends[0],
        "le": logs.addends[1],
        "loss": number(loss, 2),
        "atpeaks": number(wrong[0], 2),
        "sum": number(wrong[1], 2),
        "miss": number(wrong[3], 2),
    }
    return Drawn(facts, loss, 2)


def pulls(rng: Random) -> Drawn | None:
    """Slopes p - y of four start logits whose label is not the highest."""
    parts = [rng.randint(1, 12) for _ in range(4)]
    if sum(parts) != 20:
        return None
    p = [x / 20 for x in parts]
    label, peak = rng.randint(1, 3), int(np.argmax(p))
    if peak in (label, 0) or sorted(p)[-2] == p[peak]:
        return None
    slopes = [x - (k == label) for k, x in enumerate(p)]
    facts = {
        "p": listed(p, 2),
        "label": str(label),
        "plabel": number(p[label], 2),
        "peak": str(peak),
        "ppeak": number(p[peak], 2),
        "slope": number(slopes[label], 2),
        "slopes": ", ".join(signed(x) for x in slopes),
    }
    rows = (tuple(p),), ((0.25,) * 4,)
    marked = (label - 1, label - 1)
    bench = Bench(("one", "two", "three"), *rows, golds=(marked,), typed="probabilities")
    return Drawn(facts, slopes[label], 2, bench)


def tag_floor(rng: Random) -> Drawn | None:
    """The smallest loss at a piece where annotators disagree."""
    people = rng.randint(3, 5)
    began = rng.randint(1, people - 1)
    t = np.array([began / people, 0.0, 1 - began / people])
    floor = float(entropy(t))
    majority = -math.log(t.max())
    if not unlike([floor, 0.0, math.log(3), majority], 2):
        return None
    facts = {
        "people": str(people),
        "began": str(began),
        "rest": str(people - began),
        "tb": number(float(t[0]), 2),
        "to": number(float(t[2]), 2),
        "logb": number(-math.log(t[0]), 2),
        "logo": number(-math.log(t[2]), 2),
        "floor": number(floor, 2),
        "even": number(math.log(3), 2),
        "majority": number(majority, 2),
    }
    return Drawn(facts, floor, 2)


def boundary(rng: Random) -> Drawn | None:
    """A hidden run of words, and the two beside it."""
    words = rng.choice(SENTENCES).split()
    length = rng.randint(3, 4)
    at = rng.randint(1, len(words) - length - 1)
    hidden, k = words[at : at + length], rng.randint(2, length)
    if hidden.count(hidden[k - 1]) > 1 or words.count(hidden[k - 1]) > 1:
        return None
    facts = {
        "sentence": " ".join(words),
        "hidden": " ".join(hidden),
        "left": words[at - 1],
        "right": words[at + length],
        "first": hidden[0],
        "last": hidden[-1],
        "word": hidden[k - 1],
        "k": str(k),
    }
    return Drawn(facts, k)
