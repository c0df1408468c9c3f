"""The errors that a user can cause; each says the cause, what was received and what is allowed."""


class QADemoError(Exception):
    """Base of every error whose text may be shown to a user."""


class BadInput(QADemoError):
    """A question, paragraph, option or file that cannot be used as it is."""


class ModelUnavailable(QADemoError):
    """A reader that cannot be reached: unknown id, no internet, not allowed on this host."""


class BadCheckpoint(QADemoError):
    """A model folder that was found and must not be used: no head, broken or unsafe weights."""


class Cancelled(QADemoError):
    """The user cancelled a running computation."""
