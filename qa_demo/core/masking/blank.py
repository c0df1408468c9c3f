"""One blank of a text, and what both heads of a model that fills blanks say of it."""

from dataclasses import dataclass
from typing import NamedTuple

from qa_demo.core.masking.asked import Asked, Filled
from qa_demo.core.masking.infill import HiddenPiece, Said


def spelled(token: str) -> str:
    """A token as the page spells it: ##ne gives ·ne."""
    return "·" + token[2:] if token.startswith("##") else token


@dataclass(frozen=True)
class Blank:
    """The blank at one token; `cut`: the input of SBO that an average stands for, or None."""

    given: Asked
    found: Filled
    at: int
    cut: str | None

    @property
    def now(self) -> HiddenPiece:
        """What both heads say, with that input cut."""
        return self.found.piece(self.at, self.cut)

    @property
    def whole(self) -> Said | None:
        """What SBO says with nothing cut."""
        return self.found.piece(self.at).sbo

    @property
    def true(self) -> str | None:
        """The hidden token, where somebody has said it."""
        return self.now.token if self.given.known else None

    @property
    def before(self) -> dict[str, float]:
        """P by SBO of its guesses and the hidden token with nothing cut; empty without a cut."""
        if self.cut is None or self.whole is None:
            return {}
        guesses = {spelled(g.piece): g.p for g in self.whole.guesses}
        return {**guesses, spelled(self.now.token): self.whole.p}

    @property
    def boundary(self) -> tuple[int, int] | None:
        """The tokens just before and just after the span; None at an edge of the text."""
        return self.found.plain.masked.boundary(self.now.run)

    @property
    def inputs(self) -> tuple[str, str, str]:
        """The three inputs of SBO by name."""
        left, right = (spelled(self.found.plain.tokens[at]) for at in self.boundary or (0, 0))
        return f"“{left}”", f"“{right}”", str(self.now.k)

    @property
    def name(self) -> str:
        """Blank 3, with its span where there are several."""
        return name_of(self.found, self.now)

    @property
    def surest(self) -> float:
        """The highest P of a guess by either head, whatever is cut."""
        every = (self.found.piece(self.at, cut).sbo for cut in self.found.by_cut)
        return max(self.now.mlm.guesses[0].p, *(s.guesses[0].p for s in every if s), 0.0)

    @property
    def silence(self) -> str:
        """Why SBO says nothing of it, where it does not, in a sentence."""
        if not self.found.positions:
            return "This model has no boundary layer."
        if self.boundary is None:
            return (
                "Its span stands at the text’s edge, one neighbour is missing, so SBO has no guess."
            )
        most = f"SBO knows {self.found.positions} positions"
        return f"{most}, and this one is further on: it has no guess."


def chosen(given: Asked, found: Filled, at: int | None, cut: str | None) -> Blank:
    """The blank at a token, else the one to look at; no input is cut where SBO says nothing."""
    place = at if at in found.plain.masked.hidden.tolist() and at is not None else found.first()
    return Blank(given, found, place, cut if found.piece(place).sbo else None)


def name_of(found: Filled, piece: HiddenPiece) -> str:
    """Blank 3, with its span where there are several."""
    runs = found.plain.masked.runs
    which = f" of span {runs.index(piece.run) + 1}" if len(runs) > 1 else ""
    return f"Blank {piece.at - piece.run.start + 1}{which}"


class Guessed(NamedTuple):
    """One word among a head's guesses: its P, its place, whether it is the hidden one."""

    word: str
    p: float
    place: int
    true: bool


def best(said: Said | None, true: str | None, most: int = 5) -> list[Guessed]:
    """The best guesses, the true word among them, in the last place if need be."""
    if said is None:
        return []
    first = enumerate(said.guesses[:most], 1)
    rows = [Guessed(spelled(g.piece), g.p, n, g.piece == true) for n, g in first]
    if true is not None and not any(r.true for r in rows):
        rows[most - 1 :] = [Guessed(spelled(true), said.p, said.rank, True)]
    return rows
