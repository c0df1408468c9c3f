"""What a long computation calls: one function to report progress, one to ask whether to stop."""

from collections.abc import Callable

OnProgress = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""

IsCancelled = Callable[[], bool]
"""Asked between steps; True ends the computation with `Cancelled`."""
