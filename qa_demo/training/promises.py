"""What the examples of the page and the passages of chapter 8 promise to show, and the command that
checks it with the models that ship or with others.

    python -m qa_demo.training.promises examples [--model bundled|DIR] [--file FILE]
    python -m qa_demo.training.promises passages [--model bundled|DIR] [--file FILE]

A promise is a comparison of facts, as "share >= 0.8"; the facts are the public names of
`ExampleFacts` and `PassageFacts`. Prints one line for each promise, with what its facts are, and
exits with 1 when one is broken; of each example also whether the second questions of its paragraph
have another answer than the first.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial, partialmethod
from pathlib import Path
from typing import Any

import numpy as np
from simpleeval import EvalWithCompoundTypes

from qa_demo.core.base import BadInput, softmax
from qa_demo.core.bio import decode_reading
from qa_demo.core.infill import WIRES, HiddenPiece, Infill, Infiller, Said
from qa_demo.core.masking import hide
from qa_demo.core.metrics import exact_match
from qa_demo.core.predict import predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import Candidate, separate_argmaxes, top_spans
from qa_demo.core.store import ASSETS
from qa_demo.core.text import span_at, special_positions
from qa_demo.core.types import RULES, Answer, DecodeOptions, Reading, Span
from qa_demo.examples import Passage, PoolExample, load_examples, load_passages
from qa_demo.training.command import described, exit_code

Row = tuple[PoolExample | Passage, str, bool, str]
"""A text, one of its promises, whether it is kept, and what its facts are."""
DEFAULT = DecodeOptions()


def overlap(candidate: Candidate, answer: Answer) -> bool:
    """Whether a span and an answer share a character."""
    return candidate.char_start < answer.char_end and answer.char_start < candidate.char_end


def gold_span(reading: Reading, answer: Answer) -> Span:
    """The tokens that touch an answer. Errors: BadInput where none does."""
    return span_at(reading.encoding, answer.char_start, answer.char_end)


class ExampleFacts:
    """What an example shows: a reading of it, decoded at default options and the reader's own
    threshold. `reader` made the reading; attention is asked of it.
    """

    def __init__(
        self, example: PoolExample, reading: Reading, reader: Reader | None = None
    ) -> None:
        self._golds, self._context = example.answers, example.context
        self._reading, self._reader = reading, reader
        prediction = predict(reading)
        assert prediction.best is not None, example.id
        self._best = best = prediction.best.candidate
        self._listed = listed = [ranked.candidate for ranked in prediction.n_best]
        self._window = reading.windows[best.window]
        self.answer, self.best = prediction.answer, best.text
        self.windows, self.pieces = len(reading.windows), len(reading.encoding.context_ids)
        # the winner's, of the list's probability
        self.share = prediction.n_best[0].share
        # the lower one of the highest P(start) and the highest P(end) in the winner's window
        self.peak = min(float(softmax(x).max()) for x in reading.logits(best.window))
        # how many of the next four listed spans end where the winner ends
        self.ends_shared = [c.char_end for c in listed[1:5]].count(best.char_end)
        # how many different answers the annotators marked
        self.marked = len(set(self._golds))
        # the best span touches two annotators' answers that lie apart
        touched = [a for a in self._golds if overlap(best, a)]
        self.glued = any(a.char_end <= b.char_start for a in touched for b in touched)
        # the place in the list of the first span that an annotator marked, from 1
        right = (any(exact_match(a.text, c.text) for a in self._golds) for c in listed)
        self.gold_place = next((k for k, marked in enumerate(right, 1) if marked), np.inf)
        gold = self._golds[0] if self._golds else Answer("", 0)
        self._gold_span = gold_span(reading, gold) if gold.text else Span(0, 0)
        self.gold_pieces = len(self._gold_span)
        # how often the first annotator's text stands before its place
        self.copies_before = self._context.count(gold.text, 0, gold.char_start)

    @property
    def right(self) -> bool:
        """The answer equals an annotator's, as SQuAD compares, and stands there; or both none."""
        said = self.answer
        if said is None or not self._golds:
            return said is None and not self._golds
        return any(exact_match(a.text, said) and overlap(self._best, a) for a in self._golds)

    def rival(self, text: str) -> bool:
        """A listed span that touches no annotator's answer holds the text."""
        apart = [c for c in self._listed if not any(overlap(c, a) for a in self._golds)]
        return any(text in c.text for c in apart)

    @property
    def whole_in(self) -> int:
        """How many windows hold the first annotator's answer whole."""
        return sum(w.holds(self._gold_span) for w in self._reading.windows)

    @property
    def cut_in(self) -> int:
        """How many windows hold a part of it and no more."""
        g = self._gold_span
        touch = [w for w in self._reading.windows if w.doc_start <= g.end and g.start < w.doc_stop]
        return sum(not w.holds(g) for w in touch)

    @property
    def winners(self) -> int:
        """How many different spans the merge rules choose."""
        best = [predict(self._reading, DecodeOptions(rule=rule)).best for rule in RULES]
        return len({b and (b.candidate.char_start, b.candidate.char_end) for b in best})

    @property
    def argmaxes(self) -> list[str]:
        """The winner's window's highest start and end, and why they form no legal span, or ""."""
        start, end, why = separate_argmaxes(self._reading, self._window.index, DEFAULT)
        tokens = self._reading.tokens(self._window.index)
        return [tokens[start], tokens[end], why or ""]

    @property
    def tags(self) -> list[str]:
        """The spans of the likeliest legal tagging, in the order of the text."""
        return [x.text for x in decode_reading(self._reading)]

    @property
    def free_pieces(self) -> int:
        """Tokens of the best span, were it allowed to be as long as the gold answer."""
        longest = max(self.gold_pieces, DEFAULT.max_answer_length)
        free = predict(self._reading, replace(DEFAULT, max_answer_length=longest)).best
        return 0 if free is None else len(free.candidate.span)

    @property
    def cuts_word(self) -> bool:
        """An end of the best span lies inside a word of letters and digits."""
        text, ends = self._context, (self._best.char_start, self._best.char_end)
        return any(0 < k < len(text) and text[k - 1 : k + 1].isalnum() for k in ends)

    @property
    def silent(self) -> float:
        """The share of the windows in which no answer scores above every span."""
        found = []
        for window in self._reading.windows:
            start, end = self._reading.logits(window.index)
            best = top_spans(start, end, window, DEFAULT, owned=False, n=1)
            found.append(all(start[i] + end[j] < start[0] + end[0] for i, j in best))
        return sum(found) / len(found)

    @property
    def attention_on_marks(self) -> float:
        """The share of the best span's attention that goes to [CLS] and separators."""
        assert self._reader is not None, "a promise about attention needs the reader"
        ends = [self._window.to_pos(end) for end in (self._best.span.start, self._best.span.end)]
        weights = self._reader.attention(self._window).weights[:, :, ends]
        marks = special_positions(self._reading.encoding, self._window)
        return float(weights[..., marks].sum() / weights.sum())


class PassageFacts:
    """What a passage shows: a model's guesses of its default blanks. A blank is named by the word
    at its place in the text, so a repeated word can be meant.
    """

    def __init__(self, passage: Passage, infiller: Infiller) -> None:
        self._text, self._infiller = passage.text, infiller
        self._encoding = infiller.encode(passage.text)
        spans = [span_at(self._encoding, h.char_start, h.char_end) for h in passage.hidden]
        self._masked = hide(self._encoding.context_ids, spans, infiller.mask_id)
        self.spans, self.runs = len(spans), len(self._masked.runs)
        ids = self._encoding.whitespace_ids
        # of the longest run; pieces: of the hidden word that is cut into most
        self.words = max(len(set(ids[r.start : r.end + 1].tolist())) for r in self._masked.runs)
        self.pieces = int(np.bincount(self._encoding.word_ids[self._masked.hidden]).max())

    @cached_property
    def _whole(self) -> Infill:
        return self._infiller.infill(self._masked)

    def _cut(self, wire: str) -> Infill:
        return self._infiller.infill(self._masked, frozenset({wire}))

    def _piece(self, word: str, found: Infill) -> HiddenPiece:
        for piece in found.pieces:
            at = int(self._encoding.offset_mapping[piece.at, 0])
            if self._text.startswith(word, at):
                return piece
        raise BadInput(f"no hidden piece begins {word!r}")

    def _said(self, head: str, word: str, found: Infill) -> Said:
        piece = self._piece(word, found)
        said: Said | None = getattr(piece, head)
        if said is None:
            raise BadInput(f"{word!r} has no SBO term: {piece.no_sbo}")
        return said

    def _rank(self, head: str, *words: str) -> int:
        return max(self._said(head, word, self._whole).rank for word in words)

    # the lowest rank that a head gives to the first pieces of hidden words, 1 the best
    mlm = partialmethod(_rank, "mlm")
    sbo = partialmethod(_rank, "sbo")
    both = partialmethod(_rank, "both")

    def _longest(self, found: Infill) -> list[Said]:
        """What SBO says of the blanks of the longest run."""
        longest = max(self._masked.runs, key=len)
        return [p.sbo for p in found.pieces if p.run == longest and p.sbo is not None]

    @property
    def no_sbo(self) -> str:
        """Why the first and the last blank have no SBO term."""
        return "; ".join(self._whole.pieces[k].no_sbo or "" for k in (0, -1))

    @property
    def fall(self) -> float:
        """How much higher SBO's mean -log p is in the middle third of a run of six or more."""
        losses = [said.loss for said in self._longest(self._whole)]
        if len(losses) < 6:
            raise BadInput(f"the longest run has {len(losses)} pieces with an SBO term, below 6")
        third = round(len(losses) / 3)
        outer = losses[:third] + losses[-third:]
        return float(np.mean(losses[third:-third]) - np.mean(outer))

    def guesses(self, wire: str = "") -> int:
        """How many different first guesses SBO has in the longest run, with a wire cut."""
        found = self._cut(wire) if wire else self._whole
        return len({said.guesses[0].piece for said in self._longest(found)})

    def dearest(self, word: str) -> str:
        """The wire whose cut costs the true piece most -log p; none where no cut costs any."""
        whole = self._said("sbo", word, self._whole).loss
        cost = {wire: self._said("sbo", word, self._cut(wire)).loss - whole for wire in WIRES}
        most = max(cost, key=lambda wire: cost[wire])
        return most if cost[most] > 0 else ""

    def guess(self, word: str, side: str = "", other: str = "") -> str:
        """SBO's first guess, with another word beside the run on this side."""
        if not side:
            return self._said("sbo", word, self._whole).guesses[0].piece
        pair = self._masked.boundary(self._piece(word, self._whole).run)
        ids = self._infiller.encode(other).context_ids
        if pair is None or len(ids) != 1:
            raise BadInput(f"{other!r} has {len(ids)} pieces" if pair else "the run is at an edge")
        text = self._masked.true_ids.copy()
        text[pair[0 if side == "left" else 1]] = ids[0]
        found = self._infiller.infill(hide(text, self._masked.runs, self._infiller.mask_id))
        return self._said("sbo", word, found).guesses[0].piece


def judged(promise: str, facts: ExampleFacts | PassageFacts) -> tuple[bool, str]:
    """Whether a promise is kept, and the facts that it names, or why this model cannot tell one.
    Errors: BadInput for a fact that is not there.
    """
    told: dict[str, Any] = {}

    def look(name: str, *given: Any) -> Any:
        value = getattr(facts, name)
        value = value(*given) if callable(value) else value
        told[f"{name}({', '.join(map(repr, given))})" if given else name] = value
        return value

    tree = ast.parse(promise, mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = [name for name in dir(facts) if not name.startswith("_")]
    if unknown := sorted(used - set(known)):
        raise BadInput(f"there is no fact {unknown[0]!r}; there are {', '.join(known)}")
    functions = {name: partial(look, name) for name in used}
    try:
        kept = EvalWithCompoundTypes(functions=functions, names=lambda n: look(n.id)).eval(promise)
    except BadInput as fault:
        return False, str(fault)
    shown = {k: round(v, 3) if isinstance(v, float) else v for k, v in told.items()}
    return bool(kept), ", ".join(f"{name} = {value!r}" for name, value in shown.items())


def rows(text: PoolExample | Passage, facts: ExampleFacts | PassageFacts) -> Iterator[Row]:
    """Every promise of a text. Errors: BadInput, with its id, where one cannot be checked."""
    for promise in text.promise:
        try:
            yield text, promise, *judged(promise, facts)
        except (BadInput, SyntaxError, TypeError) as fault:
            raise BadInput(f"'{text.id}' promises {promise!r}: {fault}") from fault


def example_rows(reader: Reader, pool: Sequence[PoolExample]) -> Iterator[Row]:
    """Every promise, in order, and the other questions of a paragraph: each must have another
    answer than the first, or none.
    """
    for e in pool:
        facts = ExampleFacts(e, reader.read(e.question, e.context, e.options), reader)
        yield from rows(e, facts)
        for other in e.others:
            said = predict(reader.read(other, e.context, e.options)).answer
            yield e, "second question", said != facts.answer, f"{other} {said or 'no answer'}"


def passage_rows(infiller: Infiller, passages: Sequence[Passage]) -> Iterator[Row]:
    """Every promise, in order."""
    for passage in passages:
        yield from rows(passage, PassageFacts(passage, infiller))


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Check; exit code 0 when all promises hold, 1 when not, 2 for a bad file."""
    p = described(__doc__, "promises")
    p.add_argument("what", choices=["examples", "passages"])
    p.add_argument("--model", default="bundled", help="bundled, or a folder")
    p.add_argument("--file", type=Path, help="by default the page's own")
    a = p.parse_args(argv)
    load = load_examples if a.what == "examples" else load_passages
    texts: Any = load(a.file or ASSETS / f"{a.what}.json")
    # torch is imported here, so that a fault in a file is told at once
    from qa_demo.model.loading import load_reader
    from qa_demo.model.spanbert import load_spanbert

    found = (
        example_rows(load_reader(a.model), texts)
        if a.what == "examples"
        else passage_rows(load_spanbert(a.model), texts)
    )
    done, right = 0, 0
    for text, promise, kept, facts in found:
        done, right = done + 1, right + kept
        word = "kept  " if kept else "BROKEN"
        sys.stdout.write(f"{word}  {text.id:<18} {promise:<40} {facts}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{right} of {done} promises kept, {len(texts)} {a.what}\n")
    return 0 if right == done else 1


if __name__ == "__main__":
    sys.exit(main())
