"""A state's picture: its chapter's blocks, and what they were made from."""

from collections.abc import Callable, Hashable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from qa_demo.blocks import Block, sentence, steps, travelling
from qa_demo.by_hand import apply_edits
from qa_demo.core.base import BadInput, one_of
from qa_demo.core.calibration import sureness
from qa_demo.core.predict import predict
from qa_demo.core.spans import window_prob
from qa_demo.core.store import stored_attributions
from qa_demo.core.text import check_texts
from qa_demo.core.types import Answer, Reading, Span, WindowOptions
from qa_demo.examples import PoolExample
from qa_demo.model.work import Cache, Work
from qa_demo.printed import Part, percent, plural, quote
from qa_demo.records import read
from qa_demo.shown import Need, Shown, takes_long
from qa_demo.state import Chapter, Record, State, differs, dump, load
from qa_demo.veil import veiled

if TYPE_CHECKING:
    from qa_demo.model.reader import BertReader

CHAPTERS: dict[str, ModuleType] = {
    n: import_module(f"qa_demo.chapters.{n}") for n in get_args(Chapter)
}
"""Each has NAME, STEPS (of each its name and its heading) and `picture(shown, own) -> blocks`;
where it needs them OPENS (per step: the fields of the state that a page on which nothing was chosen
opens with) and Own, what it alone keeps in the state.
"""
FIRST = "oresund"
CUT = ("max_seq_length", "doc_stride")


def filler(source: str = "bundled") -> Any:
    """The model that fills blanks; torch is imported here."""
    from qa_demo.model.spanbert import load_spanbert

    return load_spanbert(source)


class Pictures:
    """What a picture is made from. `reader` loads one by its name, `spanbert` the model that fills
    blanks, which may take long: a few readers stay loaded, the longest unused makes room. `stored`
    gives the reading that an example came with, or None; the menu offers `readers`.
    """

    def __init__(
        self,
        examples: dict[str, PoolExample],
        reader: Callable[[str], "BertReader"],
        spanbert: Callable[[], Any],
        stored: Callable[[PoolExample], Reading | None] = lambda _: None,
        work: Work | None = None,
        readers: tuple[str, ...] = ("bundled",),
    ) -> None:
        self.examples, self.stored, self.readers = examples, stored, readers
        self.work = Work() if work is None else work
        loaded, fillers = Cache["BertReader"](3), Cache[Any](1)
        self.reader: Callable[[str], BertReader] = lambda x: loaded.find(x, lambda: reader(x))
        self.spanbert: Callable[[], Any] = lambda: fillers.find("spanbert", spanbert)

    def asked(self, asked: Any) -> dict[str, Any]:
        """The picture that a request asks for. Raises as `picture`."""
        if not isinstance(asked, Mapping) or not isinstance(asked.get("have", []), list):
            raise BadInput('a picture is asked for by {"state": {...}, "have": [digests]}')
        state, held = load(asked.get("state")), frozenset(map(str, asked.get("have", [])[:500]))
        made = self.picture(state, held)
        if "than" in asked:
            made["differs"] = differs(*map(self.compared, (state, load(asked["than"]))))
        return made

    def picture(self, given: State, held: frozenset[str] = frozenset()) -> dict[str, Any]:
        """The blocks of a state. Raises Pending while a model works, QADemoError."""
        blocks, shown = self.blocks(given)
        state, selection = shown.state, [shown.selection.start, shown.selection.end]
        told = not state.veil or state.selection is not None  # the best span would tell the answer
        opened = {n: v for n, v in dump(state).items() if getattr(given, n) != getattr(state, n)}
        return {
            "chapter": state.chapter,
            "step": state.step,
            "selection": selection if told else None,
            "example": shown.example.id if shown.example else None,
            "question": shown.encoding.question,
            "context": shown.encoding.context,
            "reader": state.reader,
            "opened": opened,
            "blocks": [travelling(block, held) for block in blocks],
        }

    def blocks(self, given: State) -> tuple[list[Block], Shown]:
        """The blocks with all their content, and what they show."""
        chapter, state = CHAPTERS[given.chapter], self.opened(given)
        own = read(getattr(chapter, "Own", Record), state.own.get(state.chapter, {}))
        shown, (names, headings) = self.shown(state), zip(*chapter.STEPS, strict=True)
        found = [
            verdict(shown),
            sentence("heading", "heading", headings[state.step - 1], span=7),
            *([steps(names, state.step)] if len(names) > 1 else []),
            *(b for b in chapter.picture(shown, own) if b is not None),
        ]
        return (veiled(found) if state.veil else found), shown

    def compared(self, given: State) -> State:
        """The state as a pin compares it: its chapter's fields, and logits that truly changed."""
        state, chapter = self.opened(given), CHAPTERS[given.chapter]
        own = read(getattr(chapter, "Own", Record), state.own.get(state.chapter, {}))
        if edits := state.edits.logits:
            true, *_ = self.reading_of(state)
            edits = {at: x for at, x in edits.items() if apply_edits(true, {at: x}) is not true}
        example = self.examples.get(state.example or "")
        title = example and example.title
        return state.model_copy(update={"edits": edits, "own": own, "example": title})

    def opened(self, state: State) -> State:
        """The state with the text and the windows that its chapter opens on, where none were set.
        Errors: BadInput for a step that the chapter has not.
        """
        chapter, fields = CHAPTERS[state.chapter], dict[str, Any]()
        if state.step > (most := len(chapter.STEPS)):
            raise BadInput(f"this chapter has {plural(most, 'step')}, got step {state.step}")
        if state.pristine:
            opens = getattr(chapter, "OPENS", {1: {"example": FIRST}})
            fields = opens.get(state.step, opens[1])
        example = self.examples.get(fields.get("example") or state.example or "")
        if example and example.options != WindowOptions():  # it shows its point in these
            fields = {name: getattr(example.options, name) for name in CUT} | fields
        left = {k: v for k, v in fields.items() if k not in state.model_fields_set}
        return state.model_copy(update=left)

    def shown(self, state: State) -> Shown:
        """The reading of a state's text, decoded, with its selection."""
        true, need, example = self.reading_of(state)
        reading = apply_edits(true, state.edits.logits)
        decode = state.options(state.rule, state.threshold, true.threshold)
        true_prediction = predict(true, decode)
        prediction = true_prediction if reading is true else predict(reading, decode)
        if prediction.best is None or true_prediction.best is None:
            limit = f"no span of at most {plural(state.max_answer_length, 'token')}"
            raise BadInput(f"by the rule {state.rule} this paragraph has {limit}")
        found = prediction.best.candidate.span
        selection = found if state.selection is None else Span(*state.selection)
        if selection.end >= (many := len(true.encoding.context_ids)):
            where = f"before token {many} of this paragraph, got {selection.end}"
            raise BadInput(f"the selection must end {where}")
        return Shown(
            state=state,
            reading=reading,
            true=true,
            prediction=prediction,
            true_prediction=true_prediction,
            selection=selection,
            golds=golds_of(state, example, true.encoding.context),
            example=example,
            examples=self.examples,
            decode=decode,
            need=need,
        )

    def reading_of(self, state: State) -> tuple[Reading, Need, PoolExample | None]:
        """The reading, what asks for more about it (see shown.Need), and the example it is of."""
        windows, kept, example = state.windows, self.work.kept, None
        question, context = state.question, state.context
        if question is None or context is None:
            name = state.example or FIRST
            one_of("the example", name, self.examples)
            example = self.examples[name]
            question, context = example.question, example.context
        text = (state.reader, question, context, windows)

        def need(key: Hashable, make: Any, *, of: str = "reader", slow: bool = False) -> Any:
            if of == "spanbert":  # which reads texts of its own
                return self.work.ask((of, key), lambda *x: make(self.spanbert(), *x), slow)
            about = (of, text, key)
            return self.work.ask(about, lambda *x: make(self.reader(state.reader), *x), slow)

        if example is not None and state.reader == "bundled":
            # in a tuple, as a cache keeps no None
            (found,) = kept.find(("stored", example.id), lambda: (self.stored(example),))
            if found is not None and found.options == windows:
                checksum, shares = stored_attributions()[example.id]  # these came with it
                if checksum == found.checksum:
                    kept.find(("reader", text, ("attribution", shares.target)), lambda: shares)
                return found, need, example

        return self.reading(*text), need, example

    def reading(self, name: str, question: str, context: str, windows: WindowOptions) -> Reading:
        """What the reader of that name reads. Raises Pending while it works, QADemoError."""
        check_texts(question=question, paragraph=context)

        def make(*watch: Any) -> Reading:
            return self.reader(name).read(question, context, windows, *watch)

        key = ("reading", name, question, context, windows)
        return self.work.ask(key, make, takes_long(context, windows))


def golds_of(state: State, example: PoolExample | None, context: str) -> tuple[Answer, ...]:
    """What people marked as right: the visitor's own marks, else the example's annotators'."""
    if state.gold is None:
        return () if example is None else example.answers
    for start, stop in state.gold:
        if not start < stop <= len(context) or not context[start:stop].strip():
            raise BadInput(
                f"gold needs characters 0 <= first < last <= {len(context)}, not blanks alone, "
                f"got {start} and {stop}"
            )
    return tuple(Answer(context[start:stop], start) for start, stop in state.gold)


def verdict(shown: Shown) -> Block:
    """The answer line: what the reader answers, and one number of sureness with its condition."""
    best, reading = shown.best, shown.reading
    if shown.state.chapter == "spanbert":
        other = "SpanBERT is another model: it fills blanks in texts of its own."
        return sentence("answer", "answer", [other, "note"])
    line: list[Part] = [[f"{quote(shown.encoding.question, 90)} ", "asked"]]
    if shown.prediction.answer is not None:
        line += ["Answer: ", [quote(best.text, 56), "strong"]]
    else:
        line += [["No answer.", "strong"], " Best span: ", [quote(best.text, 34), "strong"]]
    known, w = sureness(reading, best), reading.windows[best.window]
    claim = known.claim if known and shown.state.rule == "logits" else None
    # the steps of Loss show other moments too, those of Tags another layer with p of its own
    own = {"loss": " · by the fully trained reader", "bio": " · by start and end"}
    whose, sure = own.get(shown.state.chapter, ""), ""
    if shown.changed:
        sure = " · logits changed by hand"
    elif shown.state.chapter != "bio" and claim is not None:
        line += [[" · ", "note"], [percent(claim), "strong"]]
        sure = " sure" + " (see “How sure?”)" * (not whose)
    elif shown.state.chapter != "bio":
        p = window_prob(reading, w.index, *w.positions(best.span))
        sure = f" · P(start) P(end) in its window {percent(p)}"
    return sentence("answer", "answer", *line, [sure + whose, "note"])
