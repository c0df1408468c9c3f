"""Chapter 2's counterfactual bench: two readings decoded, and what their scores rested on."""

from typing import Any, cast

from qa_demo.core.errors import BadInput
from qa_demo.core.explaining.attribution import METHODS, Attribution, Method, Target
from qa_demo.core.reading.predict import predict
from qa_demo.core.reading.predicted import Prediction
from qa_demo.core.types import Reading
from qa_demo.figures.scores.bench import decoded
from qa_demo.figures.scores.rests import rests_data
from qa_demo.views import parse
from qa_demo.views.background import Job
from qa_demo.views.explaining import Work
from qa_demo.views.scores.record import Rests, best_target, kept
from qa_demo.views.session.errors import attempt
from qa_demo.views.state import Screen


def predictions(screen: Screen, other: Reading) -> tuple[Prediction, Prediction]:
    """The two readings as their readers decode them; nothing changed by hand enters."""
    first = (
        predict(screen.reading, screen.decode, screen.merge)
        if screen.what_if.changes_numbers
        else screen.prediction
    )
    return first, decoded(other, screen.reading, screen.decode, screen.merge)


def rested(screen: Screen, pair: tuple[Prediction, Prediction]) -> dict[str, Any] | None:
    """What two best scores rested on, once asked for; None when anything changed since."""
    own = kept(screen)
    found = own.rests
    if found is None or own.other is None or found.of != (own.of, own.other.key):
        return None
    if found.targets != tuple(best_target(one) for one in pair):
        return None
    return rests_data((screen.reading, own.other), found.sides, found.method)


def ask_rests(job: Job) -> dict[str, Any]:
    """What two readings' best scores rested on; one's refusal leaves the other's answer."""
    screen, own = job.screen, kept(job.screen)
    method = cast(Method, parse.choice(job.value, "the method", METHODS))
    if own.other is None:
        raise BadInput("there is no second reading to explain yet")
    first, second = (best_target(one) for one in predictions(screen, own.other))
    sides = (
        _side(job, 0, (screen.reading, screen.source), first, method),
        _side(job, 1, (own.other, own.by), second, method),
    )
    return {"rests": Rests((own.of, own.other.key), method, (first, second), sides)}


def _side(
    job: Job, half: int, read: tuple[Reading, str], target: Target | None, method: Method
) -> Attribution | str:
    """What one score rested on, by the reader of its reading; or why that cannot be said."""
    reading, name = read

    def explain() -> Attribution:
        if target is None:
            raise BadInput("no span is legal under these limits, so there is no score to explain")
        work = Work(job.services.reader(name), reading, job.within(half, 2), job.cancelled)
        return work.attribution(target, method, "pad", None).found

    found, error = attempt(explain)
    return error or "" if found is None else found
