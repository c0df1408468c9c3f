"""One screen: selection, what-if, options, links, and what the frame sends for each change."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import gradio as gr
import pytest

from qa_demo.core.errors import BadInput, Cancelled
from qa_demo.core.files import examples as core_examples
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.files.store import save_reading
from qa_demo.core.options import DecodeOptions, WindowOptions
from qa_demo.core.types import Reading, Span
from qa_demo.figures.reader_facts import facts_sentence
from qa_demo.views import options, selection
from qa_demo.views.answer import chapter as answer
from qa_demo.views.answers import NO_READING, select
from qa_demo.views.ask import Ask
from qa_demo.views.background import Busy, Job
from qa_demo.views.by_hand import give_back
from qa_demo.views.frame import Frame
from qa_demo.views.link.restore import Wanted
from qa_demo.views.new_reading import KIND, new_screen
from qa_demo.views.page import frame_of
from qa_demo.views.session.line import Progress
from qa_demo.views.session.lock import SessionLock
from qa_demo.views.slow_work import about
from qa_demo.views.state import Screen, Selection
from qa_demo.views.update import Update, said
from qa_demo.views.windows import chapter as windows
from tests import requests
from tests.fakes import FakeReader
from tests.requests import services

TEXT = "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden."
SEA = FakeReader().read("Where?", "The ship sailed on. " * 30, WindowOptions(40, 10))
SCREEN = new_screen(None, FakeReader().read("Who drew the towers?", TEXT))
SHOWN = SCREEN.presented("answer")


@pytest.fixture
def frame() -> Frame:
    return frame_of(services(), [answer])


def visitor(name: str = "a") -> SimpleNamespace:
    """A request of a visitor, as gradio hands it on."""
    return SimpleNamespace(session_hash=name)


def example_of(question: str, context: str) -> PoolExample:
    return PoolExample("one", "One", "toy", "Plain.", question, context, ())


def event(**data: object) -> gr.EventData:
    return gr.EventData(None, data)


def changed(update: Update) -> set[str]:
    """Which parts of the page an update changes."""
    return set(update.parts)


def asking(reader: Callable[[], FakeReader] = FakeReader, **more: object) -> tuple[Frame, Ask]:
    """A page of one chapter and its boxes."""
    ask = requests.wired(services(reader, **more), chapters=[answer])
    return ask.frame, ask


def same(seen: Screen, job: Job, result: object) -> Screen:
    """What slow work found changes nothing."""
    return seen


def played(frame: Frame, visitor: str, screen: Screen | None, stream: Iterator) -> list[Update]:
    """What a slow handler sends, each change put on the newest screen."""
    return [
        frame.sessions.apply(visitor, screen, item) if callable(item) else item for item in stream
    ]


def test_a_new_screen_selects_the_winner() -> None:
    best = SCREEN.prediction.best.candidate
    assert SCREEN.selection == Selection(best.window, best.span, None)


def test_a_silent_reader_selects_its_best_span_and_says_so() -> None:
    screen = new_screen(None, FakeReader(null=30.0).read("Who?", TEXT))
    assert screen.prediction.answer is None and selection.record(screen)["flag"] == "withheld"
    spoken = screen.change(decode=replace(screen.decode, null_score_diff_threshold=100.0))
    assert spoken.prediction.answer is not None and selection.record(spoken)["flag"] is None


def test_an_illegal_span_carries_its_reason() -> None:
    chosen = SCREEN.change(decode=replace(SCREEN.decode, max_answer_length=2)).select(
        selection.parse(SCREEN.reading, [0, 1, 3])
    )
    too_long = "No legal answer, too long: 3 word pieces, max_answer_length allows 2."
    assert selection.record(chosen)["flag"] == too_long
    assert selection.record(chosen.change(decode=SCREEN.decode))["flag"] is None
    window = SEA.windows[1]
    docs = range(window.doc_start, window.doc_stop)
    foreign = next(d for d in docs if not window.is_max_context[window.to_pos(d)])
    borrowed = new_screen(None, SEA).select(selection.parse(SEA, [1, foreign, foreign]))
    assert "not owned: window 1 owns its start, not window 2" in selection.record(borrowed)["flag"]


def test_without_a_window_the_owner_of_the_start_is_taken() -> None:
    for start in (0, 20, 60):
        window = SEA.windows[selection.parse(SEA, [None, start, start]).window]
        assert window.is_max_context[window.to_pos(start)]


def test_the_record_prints_what_the_reading_holds() -> None:
    record = selection.record(SCREEN)
    assert record["text"] == SCREEN.reading.encoding.text(SCREEN.selection.span)
    best = SCREEN.prediction.best.candidate
    assert float(record["start_logit"]) == pytest.approx(best.start_logit, abs=0.006)
    place = {"window": best.window, "start": best.span.start, "end": best.span.end}
    assert record["predicted"] == place


def test_a_selection_is_kept_only_where_its_text_still_stands() -> None:
    chosen = SCREEN.select(selection.parse(SCREEN.reading, [0, 1, 2]))
    wider = FakeReader().read("Who drew the towers?", TEXT + " More.")
    assert new_screen(chosen, wider).selection.span == Span(1, 2)
    moved = new_screen(chosen, FakeReader().read("Who drew the towers?", "So: " + TEXT))
    assert moved.selection == selection.winner(moved)


def test_a_chapter_may_have_no_formula(frame: Frame) -> None:
    frame.answers.modules["plain"] = ModuleType("plain")
    assert set(frame.answers.record(SCREEN)["formulas"]) == {"answer"}


def test_a_changed_logit_sends_the_logits_and_resets(frame: Frame) -> None:
    update = frame.answers.step(
        SHOWN, lambda s: s.change(what_if=s.what_if.with_logit("start", 0, 12, 40.0))
    )
    assert changed(update) == {"screen", "reading", "selection", "picture:answer"}
    assert update.reading["changed"] is True and update.screen.reading is SCREEN.reading
    assert update.screen.prediction.best.candidate.start_logit == 40.0
    back = frame.answers.step(update.screen, lambda s: give_back(s, {}, frame.modules))
    assert back.reading["changed"] is False
    assert back.screen.prediction.n_best == SCREEN.prediction.n_best


def test_a_refused_event_keeps_the_screen(frame: Frame) -> None:
    update = frame.answers.step(SCREEN, lambda s: select(s, event(index=[0, 5, 1])))
    assert changed(update) == {"message"} and update.refused
    assert "start first" in update.message["text"]
    assert frame.answers.step(None, lambda s: s).message["text"] == NO_READING


def test_a_repeated_sentence_is_another_message() -> None:
    assert said("same").message != said("same").message


def test_a_new_reading_clears_what_was_changed_by_hand() -> None:
    bent = SCREEN.change(
        what_if=SCREEN.what_if.with_logit("end", 0, 12, 9.0),
        decode=DecodeOptions(max_answer_length=5),
        silent=2,
    )
    after = new_screen(bent, FakeReader().read("Who?", "It was Ada."))
    assert after.silent == 0, "who found no answer in one text says nothing of another"
    assert not after.what_if.changes_numbers and after.decode.max_answer_length == 5


def test_every_option_has_limits_and_a_sentence() -> None:
    for kind in (WindowOptions, DecodeOptions):
        for name in kind.__dataclass_fields__:
            assert options.help_text(kind, name).endswith(".")
            assert name in options.LIMITS or name == "top_n_grid"


def test_a_stored_reading_is_shown_before_any_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_examples, "ASSETS", tmp_path)
    one = example_of("Who drew the towers?", TEXT)
    assert one.stored() is None
    save_reading(FakeReader().read(one.question, one.context), tmp_path / "readings" / "one.npz")
    assert one.stored().encoding.context == TEXT and one.stored("other weights") is None
    assert example_of("Who else?", TEXT).stored() is None

    def never() -> FakeReader:
        raise AssertionError("the first paint asked for the reader")

    frame, ask = asking(never, load=lambda source: never(), examples={"one": one})
    (first,) = played(frame, "a", None, ask.links.start(None, "a", ""))
    assert first.screen.reading.encoding.question == one.question
    assert first.controls == {"question": one.question, "context": one.context}
    assert first.reading["example"] == "one"


def test_a_stored_reading_of_other_weights_gives_way_to_the_live_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_examples, "ASSETS", tmp_path)
    one = example_of("Who drew the towers?", TEXT)
    older = replace(FakeReader().read(one.question, one.context), model_name="older")
    save_reading(older, tmp_path / "readings" / "one.npz")
    for checksum, name in (("fake", "older"), ("other weights", "fake")):
        frame, ask = asking(examples={"one": one}, checksum=lambda c=checksum: c)
        last = played(frame, "a", None, ask.links.start(None, "a", ""))[-1]
        assert last.screen.reading.model_name == name


class Unreadable(FakeReader):
    """A reader that loads and then reads nothing."""

    def read(self, *texts: object, **options: object) -> Reading:
        raise BadInput("the paragraph holds no word piece")


def test_a_reader_is_taken_into_use_only_with_its_first_reading() -> None:
    readers = {"bad": Unreadable(), "good": FakeReader(name="good")}
    frame, ask = asking(load=readers.__getitem__)
    bad, good = (
        played(frame, name, SCREEN, ask.change_reader(SCREEN, name, name, "Who?", TEXT))
        for name in ("bad", "good")
    )
    assert all(update.screen is None for update in bad)
    assert bad[-1].message["text"] == "the paragraph holds no word piece"
    assert good[-1].pictures["readers"]["source"] == "good"
    assert good[-1].screen.source == "good" and good[-1].screen.reading.model_name == "good"
    said = facts_sentence(readers["good"].facts, readers["good"].checksum)
    assert good[-1].message["text"] == said
    assert all(update.screen is None for update in good[:-1])


def test_a_picture_may_ask_for_an_example_or_other_windows() -> None:
    frame, ask = asking()
    first, other = next(iter(ask.examples.values())), replace(SCREEN, source="other")
    stream = frame.slow.handlers["chosen"]["example"](other, "a", first.id)
    began, *_, shown = played(frame, "a", other, stream)
    boxes = {"question": first.question, "context": first.context}
    assert began.controls == boxes, "they are filled at once"
    assert shown.controls == {}, "and not again, over what was typed meanwhile"
    assert shown.reading["example"] == first.id
    assert shown.screen.reading.encoding.context == first.context and shown.screen.source == "other"
    (unknown,) = played(frame, "a", other, ask.show_example(other, "a", "nowhere"))
    assert "no example" in unknown.message["text"] and changed(unknown) == {"message"}
    read = played(frame, "a", other, ask.read_again(other, "a", WindowOptions(40, 10)))[-1]
    assert read.screen.reading.options == WindowOptions(40, 10)


@pytest.fixture
def wired() -> Frame:
    return requests.wired(services(), chapters=[answer, windows]).frame


def test_one_handler_answers_all_inputs_of_a_picture(wired: Frame) -> None:
    update = wired.dispatch("answer", SHOWN, event(index="threshold", value=1.5))
    assert update.screen.decode.null_score_diff_threshold == 1.5
    for name in ("offset", "nothing", None, 3, ["threshold"]):
        assert not changed(wired.dispatch("answer", SHOWN, event(index=name, value=1)))
    refused = wired.dispatch("windows", SHOWN, event(index="offset", value={"window": 9, "c": 1}))
    assert changed(refused) == {"message"} and refused.refused
    plan = {"max_seq_length": 60, "doc_stride": 20}
    opened = SHOWN.presented("windows")
    tried = wired.dispatch("windows", opened, event(index="tried", value=plan))
    assert "picture:windows" in changed(tried) and "message" not in changed(tried)
    assert tried.pictures["windows"]["stamp"] == SHOWN.stamp, "nothing was read"
    slow = wired.dispatch("windows", SHOWN, event(index="rerun", value=plan))
    assert not changed(slow), "reading again is slow work"


def test_slow_work_starts_with_few_outputs_and_is_delivered_to_the_newest_screen(
    wired: Frame,
) -> None:
    me = visitor()
    request = event(index="rerun", value={"max_seq_length": 60, "doc_stride": 20})
    began = list(wired.slow.begin("windows", SHOWN, request, me))
    assert began[0][0]["kind"] == "busy"
    assert [done for _, done in began if isinstance(done, int)] != []
    wired.selected(SHOWN, event(index=[0, 1, 2]), me)
    delivered = dict(zip(wired.outputs.parts, wired.deliver(SHOWN, me), strict=True))
    assert delivered["screen"].reading.options == WindowOptions(60, 20)
    assert delivered["screen"].selection.span == Span(1, 2)
    assert all(value == gr.skip() for value in wired.deliver(SHOWN, me)), "once"
    assert list(wired.slow.begin("windows", SHOWN, event(index="merge", value=1), me)) == [
        (gr.skip(), gr.skip())
    ]
    said, _ = list(wired.slow.begin("windows", None, request, me))[-1]
    assert said["text"] == NO_READING


def test_slow_work_begins_before_the_receipt_lets_the_next_event_go(wired: Frame) -> None:
    """gradio sends the requests of one event in this order."""
    made = page = wired.outputs.pictures["windows"]
    while page.parent is not None:
        page = page.parent
    heard = [fn for fn in page.fns.values() if (made._id, "input") in fn.targets]
    assert [fn.types_generator for fn in heard] == [True, False]


def test_slow_work_says_which_event_it_is_about(wired: Frame) -> None:
    """The browser keeps a refusal that is newer than the event (say.js)."""
    me = visitor("b")
    for stride, (number, wanted) in enumerate(((3, 3), ("<b>", None), (True, None)), 20):
        plan = {"max_seq_length": 60, "doc_stride": stride}
        sent = event(index="rerun", value=plan, id=number)
        began = wired.slow.begin("windows", SHOWN, sent, me)
        told = [said for said, _ in began if said != gr.skip()]
        delivered = dict(zip(wired.outputs.parts, wired.deliver(SHOWN, me), strict=True))
        assert told and {said.get("of") for said in (*told, delivered["message"])} == {wanted}
    update = Update()
    assert about(update, 3) is update


def test_an_event_that_was_outrun_by_a_newer_one_begins_nothing() -> None:
    """Two events of the browser travel apart; what it waits for is the newer."""
    frame, _ = asking()
    begun = []

    def note(job: Job) -> None:
        begun.append((job.name, job.value))

    for name in ("ask", "other"):
        frame.background(answer.CHAPTER, (name,), note, same, {})

    def begin(name: str, number: int | None, who: str = "a") -> None:
        sent = event(index=name, value=number, **({} if number is None else {"id": number}))
        list(frame.slow.begin("answer", SHOWN, sent, visitor(who)))

    for name, number in (("ask", 5), ("ask", 4), ("other", 4), ("ask", 6), ("ask", None)):
        begin(name, number)
    begin("ask", 3, "b")
    assert begun == [("ask", 5), ("other", 4), ("ask", 6), ("ask", None), ("ask", 3)]
    frame.slow.left("a")
    begin("ask", 1)
    assert begun[-1] == ("ask", 1)


def test_what_comes_late_is_dropped_unless_it_outlives_the_reading() -> None:
    """Slow work of a chapter ends after another reading has come to the screen."""
    frame, _ = asking()
    gate, made = threading.Event(), []

    def work(job: Job) -> str:
        assert gate.wait(10)
        return job.name

    def receive(seen: Screen, job: object, result: str) -> Screen:
        made.append(result)
        return seen

    for name, outlives in (("late", False), ("lasting", True)):
        busy = {name: Busy("working")}
        frame.background(answer.CHAPTER, (name,), work, receive, busy, outlives=outlives)
    newer = new_screen(None, FakeReader().read("Who?", TEXT))
    for now in (newer, SHOWN):
        gate.set()
        for name in ("late", "lasting"):
            who = f"{name} {now is newer}"
            stream = frame.slow.handlers["answer"][name](SHOWN, who, None)
            frame.sessions.apply(who, None, lambda _, now=now: Update(now))
            last = played(frame, who, SHOWN, stream)[-1]
            assert last.message["text"] == "" and not last.refused
    assert made == ["lasting", "late", "lasting"]


def test_a_failure_of_slow_work_is_a_sentence_and_cancel_reaches_it() -> None:
    frame, _ = asking()
    began = threading.Event()

    def work(job: Job) -> None:
        if job.value == "fail":
            raise BadInput("no such step")
        job.progress(1, 4)
        began.set()
        while not job.cancelled():
            threading.Event().wait(0.002)
        raise Cancelled("the reading was cancelled")

    frame.background(answer.CHAPTER, ("train",), work, same, {"train": Busy("training", "step")})
    train = frame.slow.handlers["answer"]["train"]
    (*_, failed) = played(frame, "a", SCREEN, train(SCREEN, "a", "fail"))
    assert failed.message["text"] == "no such step"
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(played, frame, "a", SCREEN, train(SCREEN, "a", "go"))
        assert began.wait(10)
        frame.slow.stop(visitor())
        updates = run.result(10)
    assert updates[-1].refused and updates[-1].message["text"] == "training was cancelled"


def test_the_busy_line_counts_as_its_unit_says() -> None:
    said = [Busy("at work", unit).says(Progress(2, 5)) for unit in ("%", "window", "step")]
    assert said == ["at work, 40 %", "at work window 3 of 5", "at work: step 2 of 5"]


def test_who_cancels_in_line_is_told_what_was_cancelled() -> None:
    frame, _ = asking()
    gate, entered, line = threading.Event(), threading.Semaphore(0), frame.services.jobs

    def hold(*_: object) -> bool:
        entered.release()
        return gate.wait(10)

    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(list, line.run(f"busy {k}", "reading", hold)) for k in range(2)]
        assert all(entered.acquire(timeout=10) for _ in held)
        waiting = frame.slow.follow("a", "reading", lambda *_: None, Busy("reading", "window"))
        texts = [next(waiting).message["text"] for _ in range(2)]
        assert texts == ["reading", "reading: next in line"]
        line.cancel("a")
        with pytest.raises(StopIteration) as ended:
            next(waiting)
        gate.set()
        assert [one.result(10) for one in held]
    assert ended.value.value.error == "reading was cancelled"


def test_every_event_is_answered_with_its_number_refused_or_not(wired: Frame) -> None:
    answered = wired.outputs.receipted(
        lambda seen, data: wired.answers.step(seen, lambda s: select(s, data))
    )

    def hear(seen: Screen, data: gr.EventData) -> list:
        return answered(seen, data, visitor())

    good, bad = hear(SHOWN, event(index=[0, 1, 2], id=7)), hear(SHOWN, event(index=[0, 2, 1], id=8))
    assert (good[-1]["id"], good[-1]["refused"]) == (7, False)
    assert (bad[-1]["id"], bad[-1]["refused"]) == (8, True)
    assert good[-1]["n"] != bad[-1]["n"] and len(good) == len(wired.outputs.parts) + 1
    assert hear(SHOWN, event(index=[0, 1, 2], id="<b>"))[-1]["id"] == 0
    assert good[-1]["slow"] is False, "nothing is owed after this receipt"
    again = hear(SHOWN, event(index=[0, 1, 2], id=9))
    assert again[2] != good[2]


def test_a_selection_changes_nothing_outside_its_short_list_of_outputs() -> None:
    frame = frame_of(services())
    for key in frame.modules:
        shown = frame.answers.answer(None, SCREEN.open(key)).screen
        update = frame.answers.step(shown, lambda seen: select(seen, event(index=[0, 1, 2])))
        assert changed(update) == {"screen", "selection"}, key
        assert update.screen.prediction is shown.prediction
        assert update.selection["formulas"].keys() == frame.modules.keys()
        sent = event(index=[0, 2, 3], id=5)
        new, record, said, receipt = frame.selected(shown, sent, visitor(key))
        assert new.selection.span == Span(2, 3)
        assert (record["start"], said, receipt["id"]) == (2, gr.skip(), 5), key


class Slow:
    """A gradio event that remembers its handler."""

    def __call__(
        self, handler: Callable[..., list], inputs: list, outputs: list, **how: object
    ) -> None:
        self.handler = handler


def test_events_that_come_in_together_build_on_each_other() -> None:
    """Two events start from the same state; neither may undo the other, in any order."""
    release, entered, go_on = Slow(), threading.Event(), threading.Event()

    def change(seen: Screen, data: gr.EventData) -> Screen:
        entered.set()
        assert go_on.wait(10)
        return seen.change(decode=replace(seen.decode, max_answer_length=data._data["value"]))

    with gr.Blocks() as page:
        wired = Frame([answer], services())
        wired.place(answer.CHAPTER)
        wired.on(release, change)
        wired.wire(page)
    me, other = visitor(), visitor("b")
    with ThreadPoolExecutor(2) as pool:
        slider = pool.submit(release.handler, SHOWN, event(value=7), me)
        assert entered.wait(10)
        click = pool.submit(wired.selected, SHOWN, event(index=[0, 1, 2]), me)
        # another visitor waits for nobody
        elsewhere = wired.selected(SHOWN, event(index=[0, 1, 2]), other)[0]
        go_on.set()
        last = click.result(10)[0]
    assert slider.result()[0].decode.max_answer_length == 7 and elsewhere.decode == SCREEN.decode
    assert last.decode.max_answer_length == 7 and last.selection.span == Span(1, 2)
    assert wired.selected(SHOWN, event(index=[0, 2, 2]), me)[0].decode.max_answer_length == 7


def test_a_reading_that_took_long_keeps_what_was_chosen_meanwhile() -> None:
    frame, ask = asking(examples={})
    me, texts = visitor(), SCREEN.reading.encoding
    running = ask.ask(SHOWN, "a", texts.question, texts.context)
    next(running)
    frame.selected(SHOWN, event(index=[0, 1, 2]), me)
    last = played(frame, "a", SHOWN, running)[-1]
    assert last.reading["example"] is None, "the menu: these texts are no example's"
    assert last.screen.reading is not SHOWN.reading and last.screen.selection.span == Span(1, 2)
    frame.left(me)
    assert frame.selected(SHOWN, event(index=[0, 0, 0]), me)[0].reading is SHOWN.reading


@pytest.mark.parametrize("stored", [True, False])
def test_a_reading_is_dropped_when_an_example_was_chosen_meanwhile(
    monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    one = example_of("Who drew the towers?", "Another text about the towers of the bridge.")
    if stored:
        read = FakeReader().read(one.question, one.context)
        monkeypatch.setattr(PoolExample, "stored", lambda *_: read)
    slow = FakeReader()
    slow.gate = threading.Event()
    readers = iter([slow, FakeReader()])
    frame, ask = asking(lambda: next(readers), examples={"one": one})
    me = visitor()
    running = ask.ask(SHOWN, "a", "Who?", TEXT)
    assert next(running).message["kind"] == "busy"
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(lambda: played(frame, "a", SHOWN, running))
        assert slow.entered.wait(10)
        chosen = played(frame, "a", SHOWN, ask.show_example(SHOWN, "a", "one"))[-1].screen
        slow.gate.set()
        assert all(
            u.screen is None and (u.message is None or u.message["kind"] == "busy")
            for u in late.result(10)
        )
    assert chosen.reading.encoding.context == one.context
    assert frame.selected(chosen, event(index=[0, 0, 0]), me)[0].reading is chosen.reading


def test_a_reader_that_loads_late_does_not_take_back_the_text_chosen_meanwhile() -> None:
    one = example_of("Who drew the towers?", TEXT)
    began, gate = threading.Event(), threading.Event()

    def load(source: str) -> FakeReader:
        began.set()
        assert gate.wait(10)
        return FakeReader(name=source)

    frame, ask = asking(load=load, examples={"one": one})
    with ThreadPoolExecutor(1) as pool:
        stream = ask.change_reader(SCREEN, "a", "good", "Who?", TEXT)
        loading = pool.submit(played, frame, "a", SCREEN, stream)
        assert began.wait(10)
        frame.services.jobs.supersede("a", KIND)
        said = loading.result(10)[-1]
        gate.set()
    assert "another text came while good was loaded" in said.message["text"]
    assert said.controls == {}, "what was typed stays, to be mended"


def test_a_selection_that_the_new_windows_cut_is_shown_where_it_stands_whole() -> None:
    """Doc 12 to 20 in windows of 30 less question, and every other plan: never an error."""
    context = " ".join(f"Word{k} stands here." for k in range(20))
    old = Screen(FakeReader().read("Who?", context), SCREEN.decode)
    seen = set()
    for length in range(18, 40, 3):
        for stride in range(2, length - 8, 3):
            reading = FakeReader().read("Who?", context, WindowOptions(length, stride))
            new = Screen(reading, SCREEN.decode)
            for first in range(0, 60, 7):
                for last in range(first, min(first + 9, 60)):
                    kept = selection.kept(old.select(Selection(0, Span(first, last))), new)
                    whole = [
                        w for w in reading.windows if w.doc_start <= first <= last < w.doc_stop
                    ]
                    if whole:
                        assert kept.span == Span(first, last)
                        assert reading.windows[kept.window] in whole
                    else:
                        assert kept == selection.winner(new)
                    seen.add((bool(whole), kept.window == int(new.reading.owners[first])))
    assert seen >= {(True, True), (True, False)} and any(not held for held, _ in seen)


def test_the_oldest_visitors_give_way() -> None:
    sessions = SessionLock(visitors=2)
    for visitor in ("a", "b", "a", "c"):
        sessions.apply(visitor, SCREEN, lambda now: Update(now.select(Selection(0, Span(3, 3)))))
    kept = {}
    for visitor in ("a", "c", "b"):
        sessions.apply(
            visitor,
            SCREEN,
            lambda now, visitor=visitor: kept.setdefault(visitor, now.selection) and Update(),
        )
    assert kept["a"].span == kept["c"].span == Span(3, 3) and kept["b"] == SCREEN.selection


@pytest.mark.parametrize("named", ["flying", ["span"], {"a": 1}, 7, "span", None])
def test_a_lesson_of_a_link_that_is_not_here_is_left_out(named: object) -> None:
    _, ask = asking()
    wanted = Wanted({} if named is None else {"page.lesson": named})
    assert ask.links.lesson(wanted).left == (), "a page without lessons leaves them to the browser"
    ask.links.lessons = frozenset({"span"})
    left = ask.links.lesson(wanted).left
    known = named in (None, "span")
    assert left == (() if known else (f"the lesson '{named}', which is not here",))
