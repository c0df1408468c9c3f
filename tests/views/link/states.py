"""States that a visitor can reach, by the page's handlers at random; screens as links."""

import base64
import json
import random
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from qa_demo.core.errors import QADemoError
from qa_demo.core.files.examples import PoolExample
from qa_demo.core.options import WindowOptions
from qa_demo.core.types import Reading, Span
from qa_demo.views import what_if
from qa_demo.views.answer import chapter as answer
from qa_demo.views.bio import bench as bio
from qa_demo.views.examples import load_examples
from qa_demo.views.link.fragment import END, VERSION, parse
from qa_demo.views.link.restore import TEXTS, restore, save
from qa_demo.views.loss import bench as loss
from qa_demo.views.new_reading import new_screen
from qa_demo.views.selection import parse as parse_selection
from qa_demo.views.session.model_cache import ModelCache
from qa_demo.views.spanbert import chapter as spanbert
from qa_demo.views.spanbert import mask, predict
from qa_demo.views.spanbert.lab import kept_of
from qa_demo.views.spans import chapter as spans
from qa_demo.views.state import Screen
from qa_demo.views.why import chapter as why
from qa_demo.views.why.choice import choice_of
from qa_demo.views.windows import chapter as windows
from tests.fake_infiller import FakeInfiller
from tests.fakes import FakeReader
from tests.requests import MODULES, job

LONG = (
    "The towers were drawn by Georg Rotne. They stand near Malmö in Sweden, where a ferry went "
    "to Copenhagen until the bridge was opened by Queen Margrethe in July 2000. "
) * 2
BLANKS = ("text", "passage", "seed", "options", "at", "cut")
ARABIC = "فتح مهندس من المدينة الجسر في عام 2000 وكان اسمه George كما قيل 👩‍🚀 يومها."


@lru_cache(maxsize=1)
def keeper() -> ModelCache[Any]:
    """One model for all states."""
    return ModelCache(lambda source: FakeInfiller(), watch=1e6)


@lru_cache(maxsize=8)
def reading(question: str, context: str, options: WindowOptions) -> Reading:
    """The fake reader's, once."""
    return FakeReader(bio=True).read(question, context, options)


def starts() -> list[Screen]:
    """A text of one window, of several, right to left, and an example with its annotators."""
    example = next(e for e in load_examples().values() if len(e.answers) > 0)
    texts = [
        ("Who drew the towers?", LONG, WindowOptions(), (), None),
        ("Who drew the towers?", LONG, WindowOptions(40, 12, 10), (), None),
        ("من فتح الجسر؟", ARABIC, WindowOptions(), (), None),
        (example.question, example.context, WindowOptions(), example.answers, example.id),
    ]
    return [
        new_screen(None, reading(q, p, options), gold, key) for q, p, options, gold, key in texts
    ]


def answered(screen: Screen, name: str, value: Any = True) -> Screen:
    """What a slow request of chapter 8 makes of the screen."""
    asked = job(screen, name, value, infillers=keeper())
    return spanbert.receive(screen, asked, spanbert.work(asked))


def handlers(dice: random.Random, screen: Screen) -> list[Callable[[Screen], Screen]]:
    """What a visitor might do next, each with values of its own."""
    count = len(screen.reading.windows)
    w = dice.randrange(count)
    at = screen.reading.windows[w]
    first = dice.randrange(at.doc_start, at.doc_stop)
    last = min(first + dice.randrange(6), at.doc_stop - 1)
    text = screen.reading.encoding.text(Span(first, last))
    two = [first, last]
    logit = {"window": w, "doc": first, "value": dice.uniform(-20, 20)}
    merge = {
        "copies": dice.choice(["max_context", "all"]),
        "scale": dice.choice(["logit", "probability", "log_probability"]),
        "null": dice.choice(["min_logit", "max"]),
    }
    sliders = {"max_seq_length": dice.randrange(24, 64), "doc_stride": dice.randrange(4, 16)}
    marks = {"who": dice.randrange(3), "start": first, "end": last, "more": dice.random() < 0.5}
    option = {
        "name": dice.choice(["mask_ratio", "geometric_p", "span_upper", "span_lower"]),
        "value": dice.choice([0.1, 0.25, 0.5, 2, 4, 7]),
    }
    explain = {
        "kind": dice.choice(["span_score", "span_minus_other", "span_minus_null"]),
        "other": dice.choice([None, two]),
        "method": dice.choice(["integrated_gradients", "leave_one_out", "gradient_x_input"]),
        "baseline": dice.choice(["pad", "mask", "zero"]),
    }

    def asks(handler: Any, value: Any) -> Callable[[Screen], Screen]:
        return lambda seen: spanbert.asked(handler, seen, value)

    def slow(name: str, value: Any) -> Callable[[Screen], Screen]:
        return lambda seen: answered(seen, name, value)

    side, presets = dice.choice(["left", "right"]), ["example", "every", "agree", "disagree"]
    return [
        lambda seen: seen.select(parse_selection(seen.reading, [w, first, last])),
        lambda seen: what_if.change_logit(seen, {"side": dice.choice(["start", "end"]), **logit}),
        lambda seen: windows.change_offset(seen, {"window": w, "c": dice.uniform(-5, 5)}),
        lambda seen: what_if.change_temperature(seen, dice.uniform(0.1, 10)),
        lambda seen: answer.change_threshold(seen, dice.uniform(-9, 9)),
        lambda seen: spans.change_length(seen, dice.randrange(1, 60)),
        lambda seen: spans.change_listed(seen, dice.randrange(1, 40)),
        lambda seen: spans.change_grid(seen, dice.random() < 0.5),
        lambda seen: spans.change_window(seen, w),
        lambda seen: windows.change_merge(seen, merge),
        lambda seen: windows.try_windows(seen, sliders),
        lambda seen: loss.mark(seen, two),
        lambda seen: loss.no_answer(seen, True),
        lambda seen: loss.silent(seen, dice.randrange(4)),
        lambda seen: loss.as_annotated(seen, True),
        lambda seen: loss.show_window(seen, w),
        lambda seen: bio.change_mark(seen, marks),
        lambda seen: bio.change_preset(seen, dice.choice(presets)),
        lambda seen: bio.change_one(seen, dice.randrange(3)),
        lambda seen: bio.change_threshold(seen, dice.uniform(0.01, 0.99)),
        lambda seen: why.linked.change_choice(seen, explain),
        lambda seen: seen.open(dice.choice(list(MODULES))),
        slow("load", True),
        slow("mask-passage", dice.choice(list(mask.passages()))),
        slow("mask-text", text + " was the word that was said to Ada in London"),
        slow("mask-reading", True),
        asks(mask.hide_span, [dice.randrange(9), dice.randrange(9)]),
        asks(mask.show_run, dice.randrange(12)),
        asks(mask.change_seed, dice.randrange(1000)),
        asks(mask.change_option, option),
        asks(predict.choose, dice.randrange(12)),
        asks(predict.cut, {"wire": dice.choice(list(predict.WIRES)), "cut": True}),
        asks(predict.change_word, {"side": side, "word": dice.choice(["Ada", "July", "near"])}),
        lambda seen: spanbert.change_step(seen, dice.choice(["mask", "predict", "closing"])),
    ]


def wander(dice: random.Random, steps: int) -> Screen:
    """A screen after so many tries; what a handler refuses changes nothing, as on the page."""
    screen = dice.choice(starts())
    for _ in range(steps):
        try:
            screen = dice.choice(handlers(dice, screen))(screen)
        except QADemoError:
            continue
    return screen


def pack(fields: Mapping[str, Any]) -> str:
    """A link as the page writes it (assets/page/shared/address.js): one [name, value] a line as
    JSON, then a line with a dot; deflated, in the letters of base64 for addresses.
    """
    lines = [json.dumps([name, value], ensure_ascii=False) for name, value in fields.items()]
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = press.compress("\n".join([*lines, END]).encode("utf-8", "surrogatepass")) + press.flush()
    return f"#{VERSION}.{base64.urlsafe_b64encode(body).decode('ascii').rstrip('=')}"


def fragment_of(screen: Screen, example: PoolExample | None = None) -> str:
    """The link of a screen, as the browser packs it."""
    encoding = screen.reading.encoding
    fields = save(screen, MODULES, example)
    fields = json.loads(json.dumps(fields))
    own = {} if example else {"question": encoding.question, "paragraph": encoding.context}
    return pack({**own, **fields, "chapter": screen.chapter})


def followed(screen: Screen, old: Screen | None = None) -> tuple[Screen, list[str]]:
    """The screen that another's link brings, what it left out, and chapter 8's text."""
    example = load_examples().get(screen.example or "")
    link = parse(fragment_of(screen, example))
    gold, key = (example.answers, example.id) if example else ((), None)
    fresh = new_screen(None, screen.reading, gold, key, screen.source)
    found, left = restore(fresh, old, link, MODULES)
    if spanbert.linked.wants(found):
        found = answered(found, "load")
    return found, left


def seen(screen: Screen) -> dict[str, Any]:
    """Everything of a screen that a link must bring back, in the chapters' own terms."""
    lab, fields = kept_of(screen).lab, save(screen, MODULES, None)
    tried = windows.chosen(screen)
    return {
        "decode": screen.decode,
        "merge": screen.merge,
        "logits": dict(screen.what_if.logits),
        "offset": screen.what_if.offset,
        "temperature": screen.what_if.temperature,
        "gold": screen.gold,
        "silent": screen.silent,
        "selection": screen.selection and (screen.selection.window, screen.selection.span),
        "chapter": screen.chapter,
        "loss window": loss.window_of(screen),
        "annotators": bio.annotators(screen),
        "bio": (bio.bench_of(screen).threshold, bio.bench_of(screen).one),
        "tried": tried and (tried.max_seq_length, tried.doc_stride),
        "why": replace(choice_of(screen), of=None),
        "step": lab and kept_of(screen).step,
        "hidden": lab and lab.masked.hidden.tolist(),
        # as numbers: the stand-in spells a piece as the last text that held it
        "given": lab and lab.masked.input_ids.tolist(),
        "blanks": lab and {name: getattr(lab, name) for name in BLANKS},
        "fields": {name: value for name, value in fields.items() if name not in TEXTS},
    }
