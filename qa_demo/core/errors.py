"""The errors that a user can cause; each says the cause, what was received and what is allowed."""

from collections.abc import Iterable


class QADemoError(Exception):
    """Base of every error whose text may be shown to a user."""


class BadInput(QADemoError):
    """A question, paragraph, option or file that cannot be used as it is."""


def one_of(name: str, value: object, allowed: Iterable[object]) -> None:
    """Refuse what is none of `allowed`, and a truth value for a number. Errors: BadInput."""
    allowed = tuple(allowed)
    if value not in allowed or isinstance(value, bool):
        known = ", ".join(map(str, allowed))
        raise BadInput(f"{name} must be one of {known}, got {repr(value)[:42]}")


class ModelUnavailable(QADemoError):
    """A reader that cannot be reached: unknown id, no internet, not allowed on this host."""


class BadCheckpoint(QADemoError):
    """A model folder that was found and must not be used: no head, broken or unsafe weights."""


class Cancelled(QADemoError):
    """The user cancelled a running computation."""
