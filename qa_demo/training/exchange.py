"""Questions with one word exchanged: nobody labelled them, the teacher says what it thinks.

SQuAD 2.0's questions without an answer are mostly questions of this kind, written by people: a
name, a year or an opposite that the paragraph does not bear out. Of a question with an answer the
same is made here by rule; whether it still has one is for the teacher to say.
"""

import random
import re

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


def exchanged(question: str, context: str, rng: random.Random) -> str | None:
    """The question with one name or number exchanged for another of the paragraph, one word for its
    opposite, or "not" put in; None where nothing fits. "not" is half as likely as each other way.
    """
    names = [found for found in NAME.finditer(question) if found.start() > 0]
    numbers = list(NUMBER.finditer(question))
    ways: list[tuple[tuple[int, int], str]] = []
    for found, pattern in ((names, NAME), (numbers, NUMBER)):
        there = sorted({one.group() for one in pattern.finditer(context)})
        there = [one for one in there if one.lower() not in question.lower()]
        if pattern is NAME:
            there = [one for one in there if len(one) > 3]
        if there:
            ways += [(one.span(), rng.choice(there)) for one in found] * 2
    words = LOWER.finditer(question)
    ways += [(one.span(), OTHER[one.group()]) for one in words if one.group() in OTHER] * 2
    ways += [(one.span(), f"{one.group()} not") for one in AUXILIARY.finditer(question)][:1]
    if not ways:
        return None
    (start, end), word = rng.choice(ways)
    return question[:start] + word + question[end:]
