"""Chapter 2's counterfactual bench: the two readings decoded, and what their best scores rested on."""

from collections.abc import Callable
from typing import Any

from qa_demo.core.attribution import METHODS, Attribution, Target
from qa_demo.core.errors import BadInput
from qa_demo.core.predict import predict
from qa_demo.core.progress import IsCancelled, OnProgress
from qa_demo.core.reader import Reader
from qa_demo.core.types import Prediction, Reading
from qa_demo.figures.scores_bench import decoded
from qa_demo.figures.scores_rests import rests_data
from qa_demo.views.errors import attempt
from qa_demo.views.scores_reader import Rests, best_target, identity, kept
from qa_demo.views.state import Screen
from qa_demo.views.why_work import Work


def predictions(screen: Screen, other: Reading) -> tuple[Prediction, Prediction]:
    """The two readings as their readers decode them; nothing changed by hand enters."""
    first = predict(screen.reading, screen.decode, screen.merge) if screen.what_if.changes_numbers else screen.prediction
    return first, decoded(other, screen.reading, screen.decode, screen.merge)


def rested(screen: Screen, pair: tuple[Prediction, Prediction]) -> dict[str, Any] | None:
    """What the two best scores rested on, once it was asked for; None when readings or best spans have changed since."""
    own = kept(screen)
    found = own.rests
    if found is None or own.other is None or found.of != (own.of, identity(own.other)):
        return None
    if found.targets != tuple(best_target(one) for one in pair):
        return None
    return rests_data((screen.reading, own.other), found.sides, found.method)


def ask_rests(screen: Screen, value: Any, ways: Callable[[str], Reader], source: str, on_progress: OnProgress | None = None,
              cancelled: IsCancelled | None = None) -> dict[str, Any]:
    """What the best scores of the two readings rested on, by the method `value`; one reader's refusal leaves the other's answer."""
    if value not in METHODS:
        raise BadInput(f"the method must be one of {', '.join(METHODS)}, got {str(value)[:40]!r}")
    own = kept(screen)
    if own.other is None:
        raise BadInput("there is no second reading to explain yet")
    targets = tuple(best_target(one) for one in predictions(screen, own.other))
    sides: list[Attribution | str] = []
    for half, (reading, name, target) in enumerate(zip((screen.reading, own.other), (source, own.by), targets, strict=True)):
        def explain(reading: Reading = reading, name: str = name, target: Target | None = target, half: int = half) -> Attribution:
            if target is None:
                raise BadInput("no span is legal under these limits, so there is no score to explain")

            def tell(done: int, total: int) -> None:
                if on_progress is not None:
                    on_progress(50 * half + 50 * done // max(total, 1), 100)
            return Work(ways(name), reading, tell, cancelled).attribution(target, value, "pad")
        found, error = attempt(explain)
        sides.append(error or "" if found is None else found)
    return {"rests": Rests((own.of, identity(own.other)), value, (targets[0], targets[1]), (sides[0], sides[1]))}
