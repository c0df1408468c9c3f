"""What the examples of the page and the passages of chapter 8 promise to show, and the command that
checks it with the models that ship or with others.

    python -m qa_demo.training.promises examples [--model bundled|DIR] [--only ID ...]
    python -m qa_demo.training.promises passages [--model bundled|DIR] [--only ID ...]

A promise is a name and an argument in `assets/examples.json` or `assets/passages.json`; its check
is a function over core records that returns None when the promise is kept, else what was found
instead. Prints one line for each promise and exits with 1 when one is broken; of each example also
whether the second questions of its paragraph have another answer than the first.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from qa_demo.core.base import BadInput, QADemoError, softmax
from qa_demo.core.bio import decode_reading
from qa_demo.core.infill import WIRES, HiddenPiece, Infill, Infiller, Said
from qa_demo.core.masking import Masked, hide
from qa_demo.core.metrics import exact_match
from qa_demo.core.predict import Prediction, predict
from qa_demo.core.reader import Reader
from qa_demo.core.spans import Candidate, separate_argmaxes, top_spans
from qa_demo.core.store import ASSETS
from qa_demo.core.text import span_at, special_positions
from qa_demo.core.types import RULES, Answer, DecodeOptions, Encoding, Reading, Span
from qa_demo.examples import Passage, PoolExample, load_examples, load_passages
from qa_demo.training.loop import described, exit_code

POOL, PASSAGES = ASSETS / "examples.json", ASSETS / "passages.json"
Text = TypeVar("Text", PoolExample, Passage)
Found = str | None
Row = tuple[str, str, str, bool, str]
"""id, kind, promise, kept, and what was found instead."""


@dataclass(frozen=True, eq=False)
class Shown:
    """An example, its reading, and its decode at default options and the reader's threshold;
    `reader`: whom a promise about more than the reading asks.
    """

    example: PoolExample
    reading: Reading
    prediction: Prediction
    reader: Reader | None = None

    @property
    def best(self) -> Candidate:
        """The best span, null or not."""
        if self.prediction.best is None:
            raise BadInput(f"example '{self.example.id}': no span of this reading is legal")
        return self.prediction.best.candidate

    @property
    def gold(self) -> Answer:
        """The first annotator's answer."""
        if not self.example.answers:
            raise BadInput(
                f"example '{self.example.id}': the promise needs an answer and none is given"
            )
        return self.example.answers[0]


@dataclass(frozen=True, eq=False)
class Asked:
    """A passage, and a model that has filled its blanks. A blank is named by its place in the text,
    so a repeated word can be meant.
    """

    passage: Passage
    infiller: Infiller

    @cached_property
    def encoding(self) -> Encoding:
        """The passage's pieces."""
        return self.infiller.encode(self.passage.text)

    @cached_property
    def masked(self) -> Masked:
        """The passage with its default blanks."""
        spans = [span_at(self.encoding, h.char_start, h.char_end) for h in self.passage.hidden]
        return hide(self.encoding.context_ids, spans, self.infiller.mask_id)

    @cached_property
    def found(self) -> Infill:
        """The guesses, nothing cut."""
        return self.infiller.infill(self.masked)

    def cut(self, *wires: str) -> Infill:
        """The guesses with wires cut."""
        return self.infiller.infill(self.masked, frozenset(wires))

    def piece(self, word: str, found: Infill | None = None) -> HiddenPiece:
        """The first blank of a hidden word, as spelled in the text."""
        for piece in (found or self.found).pieces:
            at = int(self.encoding.offset_mapping[piece.at, 0])
            if self.passage.text[at : at + len(word)] == word:
                return piece
        raise BadInput(f"passage '{self.passage.id}': no hidden piece begins {word!r}")

    def sbo(self, word: str, found: Infill | None = None) -> Said:
        """What SBO says of a hidden word's first piece."""
        piece = self.piece(word, found)
        if piece.sbo is None:
            raise BadInput(f"passage '{self.passage.id}': {word!r} has no SBO term: {piece.no_sbo}")
        return piece.sbo

    def longest(self, found: Infill) -> list[HiddenPiece]:
        """The blanks of the longest hidden run that have an SBO term."""
        longest = max(self.masked.runs, key=len)
        return [p for p in found.pieces if p.run == longest and p.sbo is not None]


def unless(kept: bool, found: str) -> Found:
    """None for a promise that is kept, else what was found instead."""
    return None if kept else found


def gold_span(reading: Reading, answer: Answer) -> Span:
    """The tokens that touch an answer. Errors: BadInput where none does."""
    return span_at(reading.encoding, answer.char_start, answer.char_end)


def winners(reading: Reading) -> dict[str, str]:
    """The winner's text and place under every rule."""
    best = {rule: predict(reading, DecodeOptions(rule=rule)).best for rule in RULES}
    return {
        rule: "" if b is None else f"{b.candidate.text} [{b.candidate.char_start}]"
        for rule, b in best.items()
    }


def overlap(candidate: Candidate, answer: Answer) -> bool:
    """Whether a span and an answer share a character."""
    return candidate.char_start < answer.char_end and answer.char_start < candidate.char_end


def between(name: str, value: int, limits: list[int]) -> Found:
    """A number is from the one limit to the other."""
    said = f"{value} {name}, promised {limits[0]} to {limits[1]}"
    return unless(limits[0] <= value <= limits[1], said)


SCRIPTS: dict[str, Callable[[str], bool]] = {
    "accents": lambda c: (
        bool(unicodedata.decomposition(c)) and unicodedata.name(c, "").startswith("LATIN")
    ),
    "non-Latin": lambda c: c.isalpha() and not unicodedata.name(c, "").startswith("LATIN"),
    "emoji": lambda c: unicodedata.category(c) == "So" and ord(c) > 0x2000,
    "right-to-left": lambda c: unicodedata.bidirectional(c) in ("R", "AL"),
}


class ExamplePromises(Shown):
    """Every public function is the check of a promise of an example, by its name."""

    def answer(self, wanted: str | None) -> Found:
        """ "gold": the answer equals an annotator's, as SQuAD compares; null: there is none."""
        said, diff = self.prediction.answer, self.prediction.score_diff
        if wanted is None:
            return unless(said is None, f"answers {said!r}, null score - best score = {diff:.2f}")
        right = said is not None and any(
            exact_match(a.text, said) and overlap(self.best, a) for a in self.example.answers
        )
        return unless(right, f"says {said or 'no answer'!r}, best span {self.best.text!r}")

    def fails(self, _: bool) -> Found:
        """The reader is wrong: no annotator's text, silence, or an answer where there is none."""
        right = self.answer("gold" if self.example.answers else None) is None
        return unless(not right, f"is right: {self.prediction.answer or 'no answer'}")

    def n_best_holds(self, texts: list[str]) -> Found:
        """Each text stands in a listed span that touches no gold answer."""
        listed = [r.candidate for r in self.prediction.n_best]
        others = [c.text for c in listed if not any(overlap(c, a) for a in self.example.answers)]
        missing = [t for t in texts if not any(t in other for other in others)]
        return unless(not missing, f"not among the n best: {missing}")

    def gold_in_n_best(self, first: int) -> Found:
        """An annotator's span is one of the first n listed."""
        listed = [r.candidate.text for r in self.prediction.n_best[:first]]
        there = any(exact_match(a.text, t) for a in self.example.answers for t in listed)
        return unless(there, f"the first are {listed[:3]}")

    def distractor(self, text: str) -> Found:
        """The distractor stands in the paragraph, attracts a listed span, and does not win."""
        return (
            f"it wins: {self.best.text!r}" if text in self.best.text else self.n_best_holds([text])
        )

    def repeated(self, text: str) -> Found:
        """The text stands twice or more, the gold one is not the first, and the winner is on it."""
        context = self.example.context
        if context.count(text) < 2 or self.gold.char_start <= context.find(text):
            return f"{text!r} is not repeated before the gold answer"
        there = f"the winner {self.best.text!r} stands at character {self.best.char_start}"
        return unless(overlap(self.best, self.gold), there)

    def border(self, _: bool) -> Found:
        """A window's edge cuts the gold answer, and another window holds it whole."""
        gold = gold_span(self.reading, self.gold)
        held = [
            max(0, min(w.doc_stop, gold.end + 1) - max(w.doc_start, gold.start))
            for w in self.reading.windows
        ]
        cut, whole = any(0 < n < len(gold) for n in held), len(gold) in held
        return unless(cut and whole, f"cut by a window: {cut}, whole in a window: {whole}")

    def rules_disagree(self, _: bool) -> Found:
        """At least two merge rules have different winners."""
        found = set(winners(self.reading).values())
        return unless(len(found) > 1, f"all rules choose {min(found)!r}")

    def argmaxes_illegal(self, _: bool) -> Found:
        """The winner's window's highest start and end form no legal span: reversed, or long."""
        start, end, why = separate_argmaxes(self.reading, self.best.window, DecodeOptions())
        tokens = self.reading.tokens(self.best.window)
        pair = f"start at {tokens[start]!r} ({start}), end at {tokens[end]!r} ({end})"
        return unless(why in ("end before start", "too long"), f"{why or 'legal'}: {pair}")

    def argmaxes_at(self, words: list[str]) -> Found:
        """In the winner's window the context's highest start and end stand in these words."""
        window, text = self.reading.windows[self.best.window], self.example.context
        start, end, _ = separate_argmaxes(self.reading, window.index, DecodeOptions())
        for pos, word in zip((start, end), words, strict=True):
            if not window.is_context[pos]:
                return f"position {pos} is no word of the paragraph"
            first, last = self.reading.encoding.offset_mapping[window.to_doc(pos)]
            places = [m.span() for m in re.finditer(re.escape(word), text)]
            if not any(a <= first and last <= b for a, b in places):
                return f"{text[first:last]!r} does not stand in {word!r}"
        return None

    def glued(self, _: bool) -> Found:
        """The best span starts in one gold answer and ends in a later one."""
        covered = {
            (a.char_start, a.char_end) for a in self.example.answers if overlap(self.best, a)
        }
        parted = any(a[1] <= b[0] for a in covered for b in covered)
        return unless(
            parted, f"the best span {self.best.text!r} touches {len(covered)} gold answer"
        )

    def tags(self, wanted: list[str]) -> Found:
        """The likeliest legal tagging has exactly these spans, in the order of the text."""
        got = [x.text for x in decode_reading(self.reading)]
        return unless(got == wanted, f"the tags return {got}")

    def annotators(self, wanted: list[int]) -> Found:
        """How many annotators there are and how many different spans they marked."""
        got = [len(self.example.answers), len(set(self.example.answers))]
        return unless(got == wanted, f"annotators and different spans {got}, promised {wanted}")

    def too_long(self, _: bool) -> Found:
        """The gold answer exceeds max_answer_length; without the limit the best span does too."""
        limit, length = DecodeOptions().max_answer_length, len(gold_span(self.reading, self.gold))
        if length <= limit:
            return f"the gold answer has {length} word pieces, the limit is {limit}"
        free = predict(self.reading, replace(DecodeOptions(), max_answer_length=length)).best
        longer = free is not None and len(free.candidate.span) > limit
        return unless(
            longer, f"without the limit it is still {free.candidate.text if free else None!r}"
        )

    def cut_word(self, _: bool) -> Found:
        """An end of the best span lies inside a word of letters and digits."""
        context, ends = self.example.context, (self.best.char_start, self.best.char_end)
        inside = any(0 < k < len(context) and context[k - 1 : k + 1].isalnum() for k in ends)
        return unless(inside, f"the best span {self.best.text!r} cuts no word")

    def attention_on_marks(self, least: float) -> Found:
        """At least this share of the best span's attention goes to [CLS] and separators."""
        if self.reader is None:
            raise BadInput(
                f"example '{self.example.id}': a promise about attention needs the reader"
            )
        window = self.reading.windows[self.best.window]
        ends = [window.to_pos(end) for end in (self.best.span.start, self.best.span.end)]
        total = self.reader.attention(window).weights[:, :, ends].mean(axis=(0, 1)).sum(axis=0)
        share = float(total[special_positions(self.reading.encoding, window)].sum() / total.sum())
        return unless(share >= least, f"{share:.2f} of the attention goes to marks")

    def boundary_misleads(self, key: str) -> Found:
        """The paragraph is a passage of chapter 8 with a wrong boundary and a right MLM head."""
        passage = next((p for p in load_passages(PASSAGES) if p.id == key), None)
        if passage is None or passage.text != self.example.context:
            return f"the paragraph is not that of the passage {key!r}"
        if "misleads" not in passage.promise:
            return f"the passage {key!r} does not promise that its boundary misleads"
        return check_passage(passage, spanbert("bundled"))["misleads"]

    def holds(self, kinds: list[str]) -> Found:
        """The paragraph holds characters of these kinds."""
        missing = [k for k in kinds if not any(map(SCRIPTS[k], self.example.context))]
        return unless(not missing, f"the paragraph holds no {', '.join(missing)}")

    def peaks(self, least: float) -> Found:
        """In the winner's window the highest P(start) and P(end) are at least this."""
        start, end = (float(softmax(row).max()) for row in self.reading.logits(self.best.window))
        return unless(min(start, end) >= least, f"the highest are {start:.2f} and {end:.2f}")

    def runners_share_end(self, least: int) -> Found:
        """Of the next four listed spans at least so many end where the winner ends."""
        ends = [r.candidate.char_end for r in self.prediction.n_best[1:5]]
        found = ends.count(self.best.char_end)
        return unless(found >= least, f"{found} of the next {len(ends)} end there")

    def counted(self, wanted: list[tuple[str, int]]) -> Found:
        """Each pattern is found so many times in the paragraph."""
        found = [len(re.findall(pattern, self.example.context)) for pattern, _ in wanted]
        return unless(found == [n for _, n in wanted], f"found {found} times")

    def silent_windows(self, least: float) -> Found:
        """In at least this share of the windows no answer scores above every span."""
        silent = []
        for window in self.reading.windows:
            start, end = self.reading.logits(window.index)
            best = top_spans(start, end, window, DecodeOptions(), owned=False, n=1)
            silent.append(all(start[i] + end[j] < start[0] + end[0] for i, j in best))
        share = sum(silent) / len(silent)
        return unless(share >= least, f"{sum(silent)} of {len(silent)} windows say so")

    def windows(self, limits: list[int]) -> Found:
        """How many windows the paragraph takes."""
        return between("windows", len(self.reading.windows), limits)

    def tokens(self, limits: list[int]) -> Found:
        """How many word pieces it has."""
        return between("word pieces", len(self.reading.encoding.context_ids), limits)

    def share(self, least: float) -> Found:
        """The winner has at least this share of the list's probability."""
        found = self.prediction.n_best[0].share
        return unless(found >= least, f"the winner has {found:.2f} of the list")


class PassagePromises(Asked):
    """Every public function is the check of a promise of a passage, by its name."""

    def words(self, wanted: int) -> Found:
        """The longest hidden run has this many words."""
        ids = self.encoding.whitespace_ids
        most = max(len(set(ids[run.start : run.end + 1].tolist())) for run in self.masked.runs)
        return unless(most == wanted, f"the longest hidden run has {most} words, promised {wanted}")

    def pieces(self, wanted: int) -> Found:
        """A hidden word is cut into at least this many pieces."""
        _, counts = np.unique(self.encoding.word_ids[self.masked.hidden], return_counts=True)
        return unless(counts.max() >= wanted, f"no hidden word has more than {counts.max()} pieces")

    def merge(self, wanted: list[int]) -> Found:
        """So many hidden spans become so many runs."""
        got = [len(self.passage.hidden), len(self.masked.runs)]
        return unless(got == wanted, f"{got[0]} spans become {got[1]} runs, promised {wanted}")

    def edge(self, side: str) -> Found:
        """A hidden run touches the text's first or last piece, and says that it has no SBO term."""
        why = self.found.pieces[0 if side == "first" else -1].no_sbo or ""
        return unless(f"the {side} piece" in why, f"the {side} blank says {why!r}")

    def beyond(self, _: bool) -> Found:
        """A hidden run is longer than the position table."""
        there = any("position table" in (p.no_sbo or "") for p in self.found.pieces)
        return unless(there, f"no run has more than {self.infiller.positions} pieces")

    def _ranks(self, word: str, right: Callable[[int, int], bool]) -> Found:
        """The true piece's ranks by SBO and by MLM lie as they should."""
        sbo, mlm = self.sbo(word).rank, self.piece(word).mlm.rank
        return unless(right(sbo, mlm), f"{word!r}: rank {sbo:,} by SBO, {mlm:,} by MLM")

    def first(self, heads: Mapping[str, list[str]]) -> Found:
        """The first guess of each head named is right at the first piece of each of its words."""
        said = {"mlm": lambda word: self.piece(word).mlm, "sbo": self.sbo}
        wrong = [
            f"{word!r}: {head.upper()} says {said[head](word).guesses[0].piece!r}"
            for head, asked in heads.items()
            for word in asked
            if said[head](word).rank > 1
        ]
        return "; ".join(wrong) or None

    def falls(self, _: bool) -> Found:
        """In a run of six pieces or more SBO's mean -log p is higher in the middle third."""
        losses = [p.sbo.loss for p in self.longest(self.found) if p.sbo is not None]
        if len(losses) < 6:
            return (
                f"the longest run has {len(losses)} pieces with an SBO term, at least 6 are needed"
            )
        third = round(len(losses) / 3)
        middle = float(np.mean(losses[third:-third]))
        outer = float(np.mean(losses[:third] + losses[-third:]))
        said = f"-log p is {middle:.2f} in the middle and {outer:.2f} outside it"
        return unless(middle > outer, said)

    def position(self, _: bool) -> Found:
        """Blanks of one run get different first guesses, the same one when the position is cut."""
        whole, cut = (
            {p.sbo.guesses[0].piece for p in self.longest(found) if p.sbo is not None}
            for found in (self.found, self.cut("position"))
        )
        said = f"first guesses {sorted(whole)}, with the position cut {sorted(cut)}"
        return unless(len(whole) > 1 == len(cut), said)

    def decides(self, wanted: Mapping[str, str]) -> Found:
        """Cutting this wire costs the blank's true piece more -log p than either other one."""
        blank = wanted["blank"]
        whole = self.sbo(blank).loss
        cost = {wire: self.sbo(blank, self.cut(wire)).loss - whole for wire in WIRES}
        most = max(cost, key=lambda wire: cost[wire])
        said = ", ".join(f"{wire} {value:+.2f}" for wire, value in cost.items())
        return unless(most == wanted["wire"] and cost[most] > 0, f"cutting costs: {said}")

    def neighbour(self, wanted: Mapping[str, str]) -> Found:
        """With another word beside the run SBO's first guess for the blank is another one."""
        pair = self.masked.boundary(self.piece(wanted["blank"]).run)
        ids = self.infiller.encode(wanted["word"]).context_ids
        if pair is None or len(ids) != 1:
            return (
                f"{wanted['word']!r} has {len(ids)} pieces" if pair else "the run stands at an edge"
            )
        text = self.masked.true_ids.copy()
        text[pair[0 if wanted["side"] == "left" else 1]] = ids[0]
        found = self.infiller.infill(hide(text, self.masked.runs, self.infiller.mask_id))
        before, after = (self.sbo(wanted["blank"], x).guesses[0].piece for x in (self.found, found))
        return unless(before != after, f"the first guess stays {before!r}")

    def prior(self, word: str) -> Found:
        """The product ranks the true piece worse than the better of the two heads alone."""
        piece, sbo = self.piece(word), self.sbo(word)
        assert piece.both is not None
        best, both = min(piece.mlm.rank, sbo.rank), piece.both.rank
        return unless(both > best, f"{word!r}: rank {both} by both, {best} by the better one alone")

    def helps(self, word: str) -> Found:
        """SBO ranks the true piece higher than MLM."""
        return self._ranks(word, lambda sbo, mlm: sbo < mlm)

    def only(self, word: str) -> Found:
        """SBO's first guess alone is right."""
        return self._ranks(word, lambda sbo, mlm: sbo == 1 < mlm)

    def misleads(self, word: str) -> Found:
        """MLM's first guess alone is right."""
        return self._ranks(word, lambda sbo, mlm: mlm == 1 < sbo)


EXAMPLES, PASSAGE = (
    {name: check for name, check in vars(kind).items() if not name.startswith("_")}
    for kind in (ExamplePromises, PassagePromises)
)


def check(example: PoolExample, reading: Reading, reader: Reader | None = None) -> dict[str, Found]:
    """Every promise of an example by name: None when kept, else what was found instead. `reader`
    made the reading; promises about attention need it.
    """
    of = reading.encoding.question, reading.encoding.context, reading.options
    assert of == (example.question, example.context, example.options), example.id
    shown = ExamplePromises(example, reading, predict(reading), reader)
    return {name: EXAMPLES[name](shown, argument) for name, argument in example.promise.items()}


def check_passage(passage: Passage, infiller: Infiller) -> dict[str, Found]:
    """Every promise of a passage by name: None when kept, else what was found instead."""
    asked = PassagePromises(passage, infiller)
    return {name: PASSAGE[name](asked, argument) for name, argument in passage.promise.items()}


def known(texts: tuple[Text, ...], promises: Collection[str], what: str) -> tuple[Text, ...]:
    """The texts, once all promises are known ones; BadInput names the others by id."""
    for text in texts:
        unknown = set(text.promise) - set(promises)
        if unknown or not text.promise:
            raise BadInput(
                f"{what} '{text.id}' promises {sorted(unknown) or 'nothing'}; known promises: "
                f"{', '.join(promises)}"
            )
    return texts


def load_pool(path: Path) -> tuple[PoolExample, ...]:
    """Read the examples; BadInput as `load_examples`, and for a promise that cannot be checked."""
    return known(load_examples(path), EXAMPLES, "example")


def load_hidden(path: Path) -> tuple[Passage, ...]:
    """Read the passages; BadInput as `load_passages`, and for a promise that cannot be checked."""
    return known(load_passages(path), PASSAGE, "passage")


def example_rows(reader: Reader, pool: Sequence[PoolExample]) -> Iterator[Row]:
    """A row for every promise, in pool order, and for each other question of a paragraph: it must
    have another answer than the first, or none.
    """
    for e in pool:
        reading = reader.read(e.question, e.context, e.options)
        for name, found in check(e, reading, reader).items():
            yield e.id, e.kind, name, found is None, found or ""
        answers = predict(reading).answer
        for other in e.others:
            said = predict(reader.read(other, e.context, e.options)).answer
            yield e.id, e.kind, "second question", said != answers, f"{other} {said or 'no answer'}"


def passage_rows(infiller: Infiller, passages: Sequence[Passage]) -> Iterator[Row]:
    """A row for every promise, in file order."""
    for p in passages:
        for name, found in check_passage(p, infiller).items():
            yield p.id, p.kind, name, found is None, found or ""


def spanbert(source: str) -> Infiller:
    """A SpanBERT; torch is imported here, so that a fault in a file is told at once."""
    from qa_demo.model.spanbert import load_spanbert

    return load_spanbert(source)


@exit_code
def main(argv: list[str] | None = None) -> int:
    """Check; exit code 0 when all promises hold, 1 when not, 2 for an unknown id or a bad file."""
    p = described(__doc__, "promises")
    p.add_argument("what", choices=["examples", "passages"])
    p.add_argument("--model", default="bundled", help="bundled, or a folder")
    p.add_argument("--file", type=Path, help="by default the page's own")
    p.add_argument("--only", nargs="*", default=[], metavar="ID")
    a = p.parse_args(argv)
    examples = a.what == "examples"
    load, page = (load_pool, POOL) if examples else (load_hidden, PASSAGES)
    texts: Sequence[Any] = load(a.file or page)
    unknown = set(a.only) - {t.id for t in texts}
    if unknown:
        there = ", ".join(t.id for t in texts)
        raise QADemoError(f"no {a.what[:-1]} has the id {', '.join(sorted(unknown))}; {there} have")
    chosen = [t for t in texts if not a.only or t.id in a.only]
    from qa_demo.model.loading import load_reader

    rows = (
        example_rows(load_reader(a.model), chosen)
        if examples
        else passage_rows(spanbert(a.model), chosen)
    )
    done = []
    for name, kind, promise, kept, instead in rows:
        done.append(kept)
        word = "kept  " if kept else "BROKEN"
        sys.stdout.write(f"{word}  {name:<16} {kind:<32} {promise:<16} {instead}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{sum(done)} of {len(done)} promises kept, {len(chosen)} {a.what}\n")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
