"""The public endpoint `bench`: typed numbers in, all that follows out; no reader is asked."""

from typing import Any

from qa_demo.core.files.report_bench import bench_json
from qa_demo.views.api.endpoint import Call, endpoint
from qa_demo.views.bench.typed import parsed


@endpoint
def bench(
    call: Call,
    tokens: list[str],
    start: list[list[float]],
    end: list[list[float]],
    tags: list[list[float]] | None = None,
    golds: str = "",
    second_window: int | None = None,
    typed: str = "logits",
) -> dict[str, Any]:
    """Softmax, target and slope of every position, the answer, the loss and the tags of three
    to six tokens whose logits, or probabilities, are given.

    `start` and `end` have one row for each window: [CLS], then its tokens. `tags` has B, I, O
    of every token. `golds` are tokens that annotators mark, counted from 1: "1-2, 3, none".
    `second_window` is the number of tokens before the second window.
    """
    given = {"tokens": tokens, "start": start, "end": end, "tags": tags, "golds": golds}
    return bench_json(parsed({**given, "step": second_window, "typed": typed}))
