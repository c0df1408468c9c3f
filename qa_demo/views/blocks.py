"""The page as gradio holds it, without what it does to parts that stay, and to pictures."""

import copy
from typing import Any

import gradio as gr

from qa_demo.core.files.embed import embedded


class Page(gr.Blocks):
    """gradio answers `gr.skip()` by building the component anew, with its configuration, for each
    visitor: some 30 components for an event that changes two. Half of the server's time in a full
    class went there.
    """

    async def postprocess_data(
        self, block_fn: Any, predictions: list[Any] | dict[str, Any], state: Any
    ) -> list[Any]:
        """As gradio does it, for the outputs that change."""
        count = len(block_fn.outputs)
        if count < 2 or not isinstance(predictions, list | tuple) or len(predictions) != count:
            return await super().postprocess_data(block_fn, predictions, state)
        places = [
            k
            for k, (block, value) in enumerate(zip(block_fn.outputs, predictions, strict=True))
            if block.stateful or not _stays(value)
        ]
        found: list[Any] = [gr.skip() for _ in range(count)]
        if places:
            some = copy.copy(block_fn)
            some.outputs = [block_fn.outputs[k] for k in places]
            values = [_sent(block_fn.outputs[k], predictions[k]) for k in places]
            alone = values[0] if len(values) == 1 else values
            changed = await super().postprocess_data(some, alone, state)
            for place, value in zip(places, changed, strict=True):
                found[place] = value
        return found


def _sent(block: Any, value: Any) -> Any:
    """A picture's value as text; what is no value, as gradio's mark of a stream's end, as it is."""
    return embedded(value) if isinstance(block, gr.HTML) and isinstance(value, dict) else value


def _stays(value: Any) -> bool:
    return isinstance(value, dict) and value == gr.skip()
