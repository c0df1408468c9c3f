"""What the examples of the page and the passages of SpanBERT promise to show, and the command that
checks it with the models that ship or with others.

    python -m qa_demo.training.promises examples [--model bundled|DIR] [--file FILE]
    python -m qa_demo.training.promises passages [--model bundled|DIR] [--file FILE]

A promise is a comparison of facts, as "share >= 0.8"; `example_facts` and `passage_facts` hold one
table of them each. Prints one line for each promise, with what its facts are, and
exits with 1 when one is broken; of each example also whether the second questions of its paragraph
have another answer than the first.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError
from simpleeval import EvalWithCompoundTypes, InvalidExpression

from qa_demo.core.base import BadInput, one_of, softmax
from qa_demo.core.bio import decode_reading
from qa_demo.core.infill import WIRES, HiddenPiece, Infill, Said
from qa_demo.core.masking import hide
from qa_demo.core.metrics import exact_match
from qa_demo.core.predict import predict
from qa_demo.core.spans import Candidate, separate_argmaxes, top_spans
from qa_demo.core.store import ASSETS
from qa_demo.core.text import span_at, special_positions
from qa_demo.core.types import RULES, Answer, DecodeOptions, Reading, Span, Window
from qa_demo.examples import Passage, PoolExample, load_texts
from qa_demo.model.loading import load_reader
from qa_demo.model.reader import BertReader
from qa_demo.model.spanbert import SpanBERT, load_spanbert
from qa_demo.records import refusal
from qa_demo.training.loop import described, exit_code

Facts = Mapping[str, Any]
"""What a promise may name: values, and functions of words that make one when they are asked for."""
Row = tuple[str, str, bool, str]
"""A text's id, one of its promises, whether it is kept, and what its facts are."""
DEFAULT = DecodeOptions()
WRONG = (InvalidExpression, SyntaxError, TypeError, ValueError, ArithmeticError, LookupError)
"""What a condition ends in that is no comparison of facts."""


def overlap(candidate: Candidate, answer: Answer) -> bool:
    """Whether a span and an answer share a character."""
    return candidate.char_start < answer.char_end and answer.char_start < candidate.char_end


def example_facts(example: PoolExample, reading: Reading, reader: Any = None) -> Facts:
    """What a reading of an example shows by default options; `reader` is asked for attention."""
    golds, text, windows = example.answers, example.context, reading.windows
    prediction = predict(reading)
    assert prediction.best is not None, example.id
    best, answer = prediction.best.candidate, prediction.answer
    window, listed = windows[best.window], [ranked.candidate for ranked in prediction.n_best]
    touched = [a for a in golds if overlap(best, a)]
    equals = answer is not None and any(exact_match(a.text, answer) for a in touched)
    equal = [any(exact_match(a.text, c.text) for a in golds) for c in listed]
    apart = [c for c in listed if not any(overlap(c, a) for a in golds)]
    gold = golds[0] if golds and golds[0].text else None
    g = span_at(reading.encoding, gold.char_start, gold.char_end) if gold else Span(0, 0)
    reach = [w for w in windows if w.doc_start <= g.end and g.start < w.doc_stop]
    free = replace(DEFAULT, max_answer_length=max(len(g), DEFAULT.max_answer_length))
    by_rule = [predict(reading, DecodeOptions(rule=rule)).best for rule in RULES]

    def argmaxes() -> list[str]:
        start, end, why = separate_argmaxes(reading, window.index, DEFAULT)
        tokens = reading.tokens(window.index)
        return [tokens[start], tokens[end], why or ""]

    def silent(w: Window) -> bool:
        start, end = reading.logits(w.index)
        every = replace(w, is_max_context=w.is_context)
        spans = top_spans(start, end, every, DEFAULT, n=1)
        return all(start[i] + end[j] < start[0] + end[0] for i, j in spans)

    def attention_on_marks() -> float:
        assert reader is not None, "a promise about attention needs the reader"
        ends = [window.to_pos(end) for end in (best.span.start, best.span.end)]
        weights = reader.attention(window)[:, :, ends]
        marks = special_positions(reading.encoding, window)
        return float(weights[..., marks].sum() / weights.sum())

    return {
        "answer": answer,
        "best": best.text,
        "windows": len(windows),
        "pieces": len(reading.encoding.context_ids),
        # the answer equals an annotator's, as SQuAD compares, and stands there; or both are none
        "right": equals if golds else answer is None,
        # the winner's, of the list's probability
        "share": prediction.n_best[0].share,
        # the lower one of the highest P(start) and the highest P(end) in the winner's window
        "peak": min(float(softmax(x).max()) for x in reading.logits(best.window)),
        # how many of the next four listed spans end where the winner ends
        "ends_shared": [c.char_end for c in listed[1:5]].count(best.char_end),
        # how many different answers the annotators marked
        "marked": len(set(golds)),
        # the best span touches two annotators' answers that lie apart
        "glued": any(a.char_end <= b.char_start for a in touched for b in touched),
        # a listed span that touches no annotator's answer holds these words
        "rival": lambda words: any(words in c.text for c in apart),
        # the place in the list of the first span that an annotator marked, from 1
        "gold_place": equal.index(True) + 1 if True in equal else np.inf,
        "gold_pieces": len(g),
        # how often the first annotator's text stands before its place
        "copies_before": text.count(gold.text, 0, gold.char_start) if gold else 0,
        # how many windows hold the first annotator's answer whole, and only a part of it
        "whole_in": sum(w.holds(g) for w in windows),
        "cut_in": sum(not w.holds(g) for w in reach),
        # how many different spans the merge rules choose
        "winners": len({b and (b.candidate.char_start, b.candidate.char_end) for b in by_rule}),
        # the winner's window's highest start and end, and why they form no legal span, or ""
        "argmaxes": argmaxes,
        # the spans of the likeliest legal tagging, in the order of the text
        "tags": lambda: [x.text for x in decode_reading(reading)],
        # tokens of the best span, were it allowed to be as long as the gold answer
        "free_pieces": lambda: len(predict(reading, free).best.candidate.span),
        # an end of the best span lies inside a word of letters and digits
        "cuts_word": any(
            0 < k < len(text) and text[k - 1 : k + 1].isalnum()
            for k in (best.char_start, best.char_end)
        ),
        # the share of the windows in which no answer scores above every span
        "silent": sum(map(silent, windows)) / len(windows),
        # the share of the best span's attention that goes to [CLS] and separators
        "attention_on_marks": attention_on_marks,
    }


def passage_facts(passage: Passage, infiller: SpanBERT) -> Facts:
    """What a passage shows: a model's guesses of its default blanks. A blank is named by the word
    at its place in the text, so a repeated word can be meant.
    """
    encoding = infiller.encode(passage.text)
    spans = [span_at(encoding, h.char_start, h.char_end) for h in passage.hidden]
    masked = hide(encoding.context_ids, spans, infiller.mask_id)
    ids = encoding.whitespace_ids

    @cache
    def guessed(cut: str = "") -> Infill:
        return infiller.infill(masked, frozenset({cut} if cut else ()))

    def piece(word: str, found: Infill) -> HiddenPiece:
        for one in found.pieces:
            if passage.text.startswith(word, int(encoding.offset_mapping[one.at, 0])):
                return one
        raise BadInput(f"no hidden piece begins {word!r}")

    def said(head: str, word: str, found: Infill) -> Said:
        one = piece(word, found)
        given: Said | None = getattr(one, head)
        if given is None:
            raise BadInput(f"{word!r} has no SBO term: {one.no_sbo}")
        return given

    def rank(head: str, *words: str) -> int:
        return max(said(head, word, guessed()).rank for word in words)

    def longest(cut: str = "") -> list[Said]:
        found = guessed(cut)
        run = max(masked.runs, key=len)
        return [p.sbo for p in found.pieces if p.run == run and p.sbo is not None]

    def fall() -> float:
        losses = [one.loss for one in longest()]
        if len(losses) < 6:
            raise BadInput(f"the longest run has {len(losses)} pieces with an SBO term, below 6")
        third = round(len(losses) / 3)
        return float(np.mean(losses[third:-third]) - np.mean(losses[:third] + losses[-third:]))

    def dearest(word: str) -> str:
        loss = {cut: said("sbo", word, guessed(cut)).loss for cut in ("", *WIRES)}
        return max(loss, key=lambda cut: loss[cut])

    def guess(word: str, side: str = "", other: str = "") -> str:
        if not side:
            return said("sbo", word, guessed()).guesses[0].piece
        pair = masked.boundary(piece(word, guessed()).run)
        new = infiller.encode(other).context_ids
        if pair is None or len(new) != 1:
            raise BadInput(f"{other!r} has {len(new)} pieces" if pair else "the run is at an edge")
        text = masked.true_ids.copy()
        text[pair[0 if side == "left" else 1]] = new[0]
        found = infiller.infill(hide(text, masked.runs, infiller.mask_id))
        return said("sbo", word, found).guesses[0].piece

    return {
        "spans": len(spans),
        "runs": len(masked.runs),
        # words of the longest run; pieces of the hidden word that is cut into most
        "words": max(len({*ids[r.start : r.end + 1].tolist()}) for r in masked.runs),
        "pieces": int(np.bincount(encoding.word_ids[masked.hidden]).max()),
        # the lowest rank that a head gives to the first pieces of hidden words, 1 the best
        **{head: partial(rank, head) for head in ("mlm", "sbo", "both")},
        # why the first and the last blank have no SBO term
        "no_sbo": lambda: "; ".join(guessed().pieces[k].no_sbo or "" for k in (0, -1)),
        # how much higher SBO's mean -log p is in the middle third of a run of six or more
        "fall": fall,
        # how many different first guesses SBO has in the longest run, with an input cut
        "guesses": lambda cut="": len({one.guesses[0].piece for one in longest(cut)}),
        # the input whose cut costs the true piece most -log p; "" where no cut costs any
        "dearest": dearest,
        # SBO's first guess, with another word beside the run on this side
        "guess": guess,
    }


def judged(promise: str, facts: Facts) -> tuple[bool, str]:
    """Whether a promise is kept, and the facts that it names, or why this model cannot tell one.
    Errors: BadInput for a fact that is not there.
    """
    told: dict[str, Any] = {}

    def look(name: str, *given: Any) -> Any:
        value = facts[name](*given) if callable(facts[name]) else facts[name]
        told[f"{name}({', '.join(map(repr, given))})" if given else name] = value
        return value

    tree = ast.parse(promise, mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for name in sorted(used):
        one_of("a fact", name, sorted(facts))
    functions = {name: partial(look, name) for name in used}
    try:
        kept = EvalWithCompoundTypes(functions=functions, names=lambda n: look(n.id)).eval(promise)
    except BadInput as fault:
        return False, str(fault)
    shown = {k: round(v, 3) if isinstance(v, float) else v for k, v in told.items()}
    return bool(kept), ", ".join(f"{name} = {value!r}" for name, value in shown.items())


def rows(text: PoolExample | Passage, facts: Facts) -> Iterator[Row]:
    """Every promise of a text. Errors: BadInput, with its id, where one cannot be checked."""
    for promise in text.promise:
        try:
            yield text.id, promise, *judged(promise, facts)
        except (BadInput, *WRONG) as fault:
            raise BadInput(f"'{text.id}' promises {promise!r}: {fault}") from fault


def example_rows(reader: BertReader, pool: Sequence[PoolExample]) -> Iterator[Row]:
    """Every promise, in order, and the other questions of a paragraph: each must have another
    answer than the first, or none.
    """
    for e in pool:
        facts = example_facts(e, reader.read(e.question, e.context, e.options), reader)
        yield from rows(e, facts)
        for other in e.others:
            said = predict(reader.read(other, e.context, e.options)).answer
            yield e.id, "second question", said != facts["answer"], f"{other} {said or 'no answer'}"


def passage_rows(infiller: SpanBERT, passages: Sequence[Passage]) -> Iterator[Row]:
    """Every promise, in order."""
    return chain.from_iterable(rows(p, passage_facts(p, infiller)) for p in passages)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Check; exit code 0 when all promises hold, 1 when not, 2 for a bad file."""
    p = described(__doc__, "promises")
    p.add_argument("what", choices=["examples", "passages"])
    p.add_argument("--model", default="bundled", help="bundled, or a folder")
    p.add_argument("--file", type=Path, help="by default the page's own")
    a = p.parse_args(argv)
    kind = PoolExample if a.what == "examples" else Passage
    path = a.file or ASSETS / f"{a.what}.json"
    try:
        texts: Any = load_texts(kind, path)
    except ValidationError as fault:
        raise BadInput(f"{path.name}: {refusal(fault)}") from fault
    if a.what == "examples":
        found = example_rows(load_reader(a.model), texts)
    else:
        found = passage_rows(load_spanbert(a.model), texts)
    done, right = 0, 0
    for name, promise, kept, facts in found:
        done, right = done + 1, right + kept
        sys.stdout.write(f"{'kept' if kept else 'BROKEN':<6}  {name:<18} {promise:<40} {facts}\n")
    sys.stdout.write(f"{right} of {done} promises kept, {len(texts)} {a.what}\n")
    return 0 if right == done else 1


if __name__ == "__main__":
    sys.exit(main())
