"""Exercises on how an answer is found: pairs, softmax, no answer, windows."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np

from qa_demo.core.arrays import softmax
from qa_demo.core.course.bench import Bench
from qa_demo.core.reading.windows import plan
from qa_demo.figures.course.draws.drawn import Drawn, listed, pair, plainly, unlike
from qa_demo.figures.numbers import bracketed, number, percent, total

NAMES = ("one", "two", "three", "four")


def best_pair(rng: Random) -> Drawn | None:
    """Three tokens whose two peaks make no legal span."""
    start, end = ([rng.randint(0, 7) for _ in range(3)] for _ in range(2))
    legal = [(start[i] + end[j], i, j) for i in range(3) for j in range(i, 3)]
    (score, i, j), second = sorted(legal, reverse=True)[:2]
    a, b = start.index(max(start)), end.index(max(end))
    peaks = max(start) + max(end)
    once = start.count(max(start)) == end.count(max(end)) == 1
    if not once or b >= a or score == second[0] or not plainly([score, peaks, second[0]]):
        return None
    sums = "; ".join(f"{pair(p, q)}: {start[p]} + {end[q]} = {s}" for s, p, q in legal)
    facts = {
        "start": listed(start),
        "end": listed(end),
        "sums": sums,
        "best": pair(i, j),
        "score": number(score, 0),
        "second": pair(*second[1:]),
        "peaks": f"from token {a + 1} to token {b + 1}",
        "high": number(peaks, 0),
    }
    return Drawn(facts, score, 0, _bench(start, end, (-3, -3)))


def count_pairs(rng: Random) -> Drawn | None:
    """How many legal pairs n pieces have with a longest answer."""
    n, limit = rng.randint(6, 12), rng.randint(3, 5)
    by_length = [n - k for k in range(limit)]
    count = sum(by_length)
    if not plainly([count, n * n, n * (n + 1) // 2, n * limit]):
        return None
    facts = {
        "n": str(n),
        "limit": str(limit),
        "sum": " + ".join(map(str, by_length)),
        "count": str(count),
        "all": str(n * (n + 1) // 2),
    }
    return Drawn(facts, count)


def softmax_share(rng: Random) -> Drawn | None:
    """One probability of four positions."""
    z = [rng.randint(-1, 3) for _ in range(4)]
    at = rng.randint(1, 3)
    p, inside = softmax(np.array(z, float)), softmax(np.array(z[1:], float))
    if sum(z) <= 0 or z[at] <= 0:
        return None
    share, words = z[at] / sum(z), float(inside[at - 1])
    values = [float(p[at]), share, words, float(np.exp(z[at]) / (1 + np.exp(z[at])))]
    powers = total(np.exp(z).tolist())
    if powers.sign != "=" or not unlike(values, 2):
        return None
    facts = {
        "cls": number(z[0], 0),
        "logits": listed(z[1:]),
        "at": str(at),
        "power": powers.addends[at],
        "powers": ", ".join(powers.addends),
        "total": powers.total,
        "p": number(values[0], 2),
        "share": number(share, 2),
        "words": number(words, 2),
        "alone": number(values[3], 2),
    }
    zeros = [0, 0, 0]
    return Drawn(facts, values[0], 2, _bench(z[1:], zeros, (z[0], 0)))


def null_score(rng: Random) -> Drawn | None:
    """A best span with a low probability that is the answer all the same."""
    start, end = ([rng.randint(-2, 5) for _ in range(4)] for _ in range(2))
    cls, limit = (rng.randint(0, 3), rng.randint(0, 3)), rng.randint(1, 3)
    legal = sorted(((start[i] + end[j], i, j) for i in range(4) for j in range(i, 4)), reverse=True)
    (score, i, j), second = legal[:2]
    p = float(
        softmax(np.array([cls[0], *start], float))[i + 1]
        * softmax(np.array([cls[1], *end], float))[j + 1]
    )
    null = sum(cls)
    diff = null - score
    if score == second[0] or not 0.15 < p < 0.45 or diff > limit - 1 or diff >= 0 or null <= 0:
        return None
    facts = {
        "clsstart": number(cls[0], 0),
        "clsend": number(cls[1], 0),
        "s": number(start[i], 0),
        "e": number(end[j], 0),
        "plus": bracketed(number(end[j], 0)),
        "null": number(null, 0),
        "score": number(score, 0),
        "minus": bracketed(number(score, 0)),
        "diff": number(diff, 0),
        "limit": str(limit),
        "p": percent(p),
    }
    return Drawn(facts, diff, 0, _bench(start, end, cls))


def window_count(rng: Random) -> Drawn | None:
    """How many windows a long text needs."""
    limit, question = rng.choice((128, 192, 256, 384)), rng.randint(8, 20)
    capacity = limit - question - 3
    step = rng.choice((64, 96, 128))
    n = rng.randint(3 * capacity // 2, 4 * capacity)
    if step >= capacity:
        return None
    found = plan(n, capacity, step)
    count, apart = len(found.starts), math.ceil(n / capacity)
    if not 3 <= count <= 8 or not plainly([count, apart, 1, math.ceil(n / limit), n // step + 1]):
        return None
    facts = {
        "n": str(n),
        "limit": str(limit),
        "question": str(question),
        "capacity": str(capacity),
        "step": str(step),
        "count": str(count),
        "apart": str(apart),
        "steps": str(n // step + 1),
        "lost": str(n - capacity),
        "starts": ", ".join(map(str, found.starts)),
        "last": str(found.stops[-2]),
    }
    return Drawn(facts, count)


def window_merge(rng: Random) -> Drawn | None:
    """Two windows whose order turns with the rule of merging."""
    rows = [[rng.randint(-6, 6) for _ in range(3)] for _ in range(2)]
    best = [max(row[1:]) for row in rows]
    words = [float(softmax(np.array(row[1:], float)).max()) for row in rows]
    whole = [float(softmax(np.array(row, float))[1:].max()) for row in rows]
    high, sure = int(best[1] > best[0]), int(words[1] > words[0])
    if best[0] == best[1] or high == sure or int(whole[1] > whole[0]) != high:
        return None
    if not all(0.005 <= p < 0.995 for p in words + whole):
        return None
    if not unlike(words, 1) or not unlike([words[sure], whole[sure]], 1) or rows[sure][0] < 0:
        return None
    facts = {
        "first": listed(rows[0][1:]),
        "second": listed(rows[1][1:]),
        "clsfirst": number(rows[0][0], 0),
        "clssecond": number(rows[1][0], 0),
        "high": str(high + 1),
        "sure": str(sure + 1),
        "top": number(best[high], 0),
        "low": number(best[sure], 0),
        "p": number(words[sure], 2),
        "other": number(words[high], 2),
        "withcls": number(whole[sure], 2),
        "otherwithcls": number(whole[high], 2),
    }
    start = tuple(tuple(map(float, row)) for row in rows)
    return Drawn(facts, words[sure], 2, Bench(NAMES, start, start, step=2))


def _bench(start: Sequence[float], end: Sequence[float], cls: Sequence[float]) -> Bench:
    """One window of typed logits, without tags."""
    rows = [(tuple(map(float, (z, *row))),) for z, row in zip(cls, (start, end), strict=True)]
    return Bench(NAMES[: len(start)], rows[0], rows[1])
