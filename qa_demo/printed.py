"""Numbers and words as they are printed: digits, signs, quotation marks, and parts of a sentence.

Parts are `[text, role]` pairs; a bare text is a part without a role.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
import regex

from qa_demo.core.base import BadInput

Part = str | Sequence[str]
AnyPart = TypeVar("AnyPart", bound=Part)
QUOTE, STRONG, TERM = "quote", "strong", "term"
TURNS = ["R", "AL", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI"]
"""What a letter is called that changes the order of those beside it (Unicode's UAX 9)."""


def rounded(x: float, digits: int) -> str:
    """x, as Python prints it, to the nearest at so many digits, ties away from zero; e.g. 2.8545
    gives "2.855", though the float lies under it.
    """
    exact = Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{exact + 0:,f}"


def number(x: float, digits: int = 2) -> str:
    """`rounded` with a true minus sign, never "-0.00"; e.g. -0.143 gives "−0.14"."""
    found = rounded(x, digits).replace("-", "−")
    return found if found.strip("−0.,") else found.removeprefix("−")


def signed(x: float, digits: int = 2) -> str:
    """`number` with its sign; e.g. 3.5 gives "+3.50", and -0.001 gives "0.00"."""
    found = number(x, digits)
    return found if found[0] == "−" or not found.strip("0.") else "+" + found


def plus(x: float) -> str:
    """A further addend; e.g. -0.14 gives " − 0.14"."""
    found = number(x)
    return f" − {found[1:]}" if found[0] == "−" else f" + {found}"


def bracket(x: float, digits: int = 2) -> str:
    """A later addend: in brackets where it has a sign; e.g. -1.01 gives "(−1.01)"."""
    return f"({number(x, digits)})" if x < 0 else number(x, digits)


def probability(p: float, digits: int = 3) -> str:
    """p with so many digits; one that is not 0 or 1 is never printed as 0 or 1."""
    smallest = 10.0**-digits
    if 0 < p < smallest / 2:
        return f"<{smallest:.{digits}f}"
    if 1 - smallest / 2 <= p < 1:
        return f">{1 - smallest:.{digits}f}"
    return rounded(p, digits)


def percent(p: float) -> str:
    """p in per cent without digits; e.g. 0.853 gives "85 %"."""
    edge = "over 99 %" if 0.995 <= p < 1 else "under 1 %" if 0 < p < 0.005 else ""
    return edge or f"{rounded(100 * p, 0)} %"


def adds(parts: Iterable[float], total: float, digits: int = 2) -> str:
    """ "=" where the printed parts give the printed total, else "≈"."""
    printed = [value(rounded(x, digits)) for x in (*parts, total)]
    return "=" if abs(sum(printed[:-1]) - printed[-1]) < 0.1 * 10.0**-digits else "≈"


def total_cell(parts: Iterable[float], whole: float, digits: int = 2) -> str:
    """A total in a cell: behind "≈" where its printed parts miss it; e.g. "≈7.41"."""
    return adds(parts, whole, digits).strip("=") + number(whole, digits)


def apart(a: float, b: float) -> int:
    """The fewest digits, two at least, that tell two numbers apart; two where they are equal."""
    return next((d for d in range(2, 10) if number(a, d) != number(b, d)), 2)


_RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"


def power_of_ten(x: float, digits: int = 0) -> str:
    """A positive number with a power of ten; e.g. 3e-06 gives "3 · 10⁻⁶"."""
    head, power = f"{x:.{digits}e}".split("e")
    return f"{head} · 10" + str(int(power)).translate(str.maketrans("-0123456789", _RAISED))


def significant(x: float) -> str:
    """Three digits or one decimal of a number over 0: 77.0, 9.81, 0.0850, 3 · 10⁻⁶, 2.15 · 10¹⁴."""
    if x < 1e-4 or x >= 1e6:
        return power_of_ten(max(x, 1e-300), 2 if x >= 1e6 else 0)
    return number(x, 1 if x >= 10 else 2 - int(np.floor(np.log10(x))))


def value(printed: str) -> float:
    """What a printed number says."""
    head, _, power = printed.replace(",", "").replace("−", "-").strip("<>").partition(" · 10")
    return float(f"{head}e{power.translate(str.maketrans(_RAISED, '-0123456789')) or 0}")


def gives(used: Sequence[str], again: float, result: str) -> bool:
    """Whether the printed numbers, of which `again` was computed, give the printed result."""
    bounds = any(x[0] in "<>" for x in used)
    return not bounds and number(round(again, 9), len(result.partition(".")[2])) == result


def equals(used: Sequence[str], again: float, result: str) -> str:
    """The result behind "=" where the printed numbers give it, else behind "≈"."""
    if result[0] in "<>":
        return f" {result}"
    return f" {'=' if gives(used, again, result) else '≈'} {result}"


def cell(used: Sequence[str], again: float, result: str) -> str:
    """The result in a cell: behind "≈" where the printed numbers miss it; e.g. "≈0.17"."""
    return equals(used, again, result).strip(" =").replace("≈ ", "≈")


def mean(one: str, two: str, result: str) -> str:
    """The mean of two printed numbers, as `equals` prints it."""
    return equals([one, two], (value(one) + value(two)) / 2, result)


def product(used: Sequence[str], result: str) -> str:
    """The product of printed numbers, as `equals` prints it."""
    return equals(used, float(np.prod([*map(value, used)])), result)


def small_number(n: int) -> str:
    """A count in words up to ten."""
    names = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return names[n] if 0 <= n < len(names) else f"{n:,}"


def plural(n: int, one: str) -> str:
    """A count with its noun; e.g. 2 and "window" give "2 windows"."""
    return f"{n:,} {one}{'s' * (n != 1)}"


def digits_of(value: float) -> int:
    """Three digits; four where three would leave less than two."""
    return 3 if abs(value) >= 0.0095 else 4


def enough(p: float, printed: Callable[[float], str]) -> str:
    """P with as many digits, three at least, as give the same printed result as P itself."""
    same = (d for d in range(3, 11) if round(p, d) > 0 and printed(round(p, d)) == printed(p))
    return probability(p, next(same, 8))


def fine(log_p: float, digits: int = 3) -> str:
    """P with as many digits as its printed -log P needs."""
    return enough(float(np.exp(log_p)), lambda p: number(-np.log(max(p, 1e-300)), digits))


# ---- words and parts


def quote(text: str, most: int = 60) -> str:
    """The words in quotation marks, their middle left out where they are long."""
    if room(text) > most:
        front, back = ends(text, most // 2)
        head = front.rpartition(" ")[0] or front * text.startswith(f"{front} ")
        tail = back.partition(" ")[2] or back * text.endswith(f" {back}")
        head, tail = (head, tail) if head or tail else (front, back)  # no word is whole
        text = f"{head.rstrip(',;:')} … {tail}".strip()
    return f"“{isolated(text)}”"


def room(text: str) -> int:
    """The room that a text takes, in Latin letters: a Chinese one takes two, a mark none."""
    if text.isascii():  # most are, and each character is asked for at every picture
        return len(text)
    none, wide = ("Mn", "Me", "Cf"), unicodedata.east_asian_width
    return sum((unicodedata.category(c) not in none) * (1 + (wide(c) in "WF")) for c in text)


def ends(text: str, most: int) -> tuple[str, str]:
    """The first and the last letters of a text that take at most so much room; a letter keeps its
    marks, an emoji what is joined to it.
    """
    letters = regex.findall(r"\X", text)
    taken = [*accumulate(map(room, letters), initial=0)]  # before each letter, and in all
    fit, over = sum(n <= most for n in taken), sum(taken[-1] - n > most for n in taken)
    return "".join(letters[: fit - 1]), "".join(letters[over:])


def isolated(text: str) -> str:
    """A text that runs from right to left, or says so, moves nothing beside it."""
    turns = any(unicodedata.bidirectional(c) in TURNS for c in text)
    return f"\u2068{text}\u2069" if turns else text


def short(text: str, most: int) -> str:
    """`quote` without the quotation marks."""
    return quote(text, most)[1:-1]


def escape(text: str) -> str:
    """User text for a figure: plotly reads a little HTML in every text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def parts(found: Iterable[Part]) -> list[list[str]]:
    """Parts as pairs."""
    return [[p, ""] if isinstance(p, str) else [str(x) for x in p] for p in found]


_MARKS = re.compile(r"(\{\}|\*(?! [^*]* \*)[^*]+\*)")


def say(template: str, *given: Any, starred: str = STRONG) -> list[Part]:
    """Parts from a template, in which no text of a user stands: *words* get the role `starred`,
    each {} takes the next of `given`: a text, a part (so two texts are one) or a list of parts; b_S
    and b_E get an index. Errors: BadInput for {} between stars, as a lesson's author may write.
    """
    left, found = iter(given), list[Part]()
    for piece in _MARKS.split(template):
        if piece == "{}":
            part = next(left)
            part = [part, ""] if isinstance(part, str) else part  # two letters are no pair
            pair = len(part) == 2 and all(isinstance(x, str) for x in part)
            found += [part] if pair else part
        elif _MARKS.fullmatch(piece):
            if "{}" in piece:
                raise BadInput(f"nothing in braces can stand between stars, got {piece}")
            found.append([piece[1:-1], starred])
        elif piece:
            found += subs(piece)
    return found


def between(sign: AnyPart, groups: Iterable[Sequence[AnyPart]]) -> list[AnyPart]:
    """Groups of parts behind each other, with a sign between them."""
    found = list[AnyPart]()
    for k, group in enumerate(groups):
        found += [sign, *group] if k else group
    return found


def subs(text: str, role: str = "") -> list[Part]:
    """Words in which b_S and b_E stand as a letter with an index."""
    found = re.split(r"(?<=b)_([SE])", text)
    return [[part, "sub" if k % 2 else role] for k, part in enumerate(found) if part]
