"""One linked picture: data out as a prop, clicks back as events; the only gr.HTML."""

from typing import Any

import gradio as gr

from qa_demo.core.files.embed import embedded

# The template is a literal without a placeholder: gr.HTML runs `${...}` of a template as
# JavaScript, so no text may reach it. The value is read by our own script alone.
# `trigger("select", {index: [window, start, end], value: origin})`, `trigger("input", {index: name,
# value})`.
_LOAD = """
const at = new URL('static/page/page.js', document.baseURI).href;
import(at).then((page) => page.mount(element, props, trigger, watch));
"""


def picture(kind: str, value: dict[str, Any] | None = None, *, elem_id: str) -> gr.HTML:
    """A gr.HTML whose content is drawn by `assets/page/main.js` from `value`.

    The value travels as JSON text (`Page.postprocess_data`). Gradio's client copies all properties
    of a component whenever an event that may change it begins, goes on or ends, number by number
    where they are an object: that was half the work of opening a chapter.
    """
    return gr.HTML(
        value=embedded(value or {}),
        kind=kind,
        elem_id=elem_id,
        elem_classes=["picture"],
        html_template="<div class='mount'></div>",
        js_on_load=_LOAD,
        apply_default_css=False,
    )
