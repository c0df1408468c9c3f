"""One linked picture: data out as a prop, clicks back as events; the only gr.HTML."""

from typing import Any

import gradio as gr

# The template is a literal without a placeholder: gr.HTML runs `${...}` in template values as
# JavaScript, so no text may reach it.
# `trigger("select", {index: [window, start, end], value: origin})`, `trigger("input", {index: name,
# value})`.
_LOAD = """
const at = new URL('static/page/page.js', document.baseURI).href;
import(at).then((page) => page.mount(element, props, trigger, watch));
"""


def picture(
    kind: str,
    value: dict[str, Any] | None = None,
    *,
    elem_id: str,
    elem_classes: list[str] | None = None,
) -> gr.HTML:
    """A gr.HTML whose content is drawn by `assets/page/main.js` from `value`."""
    return gr.HTML(
        value=value or {},
        kind=kind,
        elem_id=elem_id,
        elem_classes=["picture", *(elem_classes or [])],
        html_template="<div class='mount'></div>",
        js_on_load=_LOAD,
        apply_default_css=False,
    )
