"""Cover: the page without what would tell the answer."""

from collections.abc import Iterable

from qa_demo.blocks import Block, remark

COVERED = {"idea", "finding", "formula", "figure", "flow", "table", "closing"}
"""Kinds of blocks and roles of sentences that are left out; what a press opens is too."""
COVERED_KEYS = ("cut", "together", "undo")
"""SpanBERT's cuts; whether the two highest logits of Spans form the best pair; a change by hand."""
NOTHING = "The picture is covered: it would tell the answer. Press Cover again to see it."
KEPT = ("special", "blank", "masked")
"""Marks of a text that say how it was made, and nothing of an answer."""


def covered(blocks: list[Block]) -> list[Block]:
    """Under the veil: what would tell the answer is left out, the words themselves stay."""
    found = []
    for block in blocks:
        if "blocks" in block:
            inner = covered(block["blocks"])
            found += [{**block, "blocks": inner}] if inner and block["kind"] != "fold" else []
        elif block["key"] == "answer":  # the question stays: who reads it asks for words
            asked = [[text.strip(), "strong"] for text, role in block["parts"] if role == "asked"]
            found.append({**block, "role": "asked", "parts": asked or block["parts"]})
        elif block["kind"] == "text":
            found.append(bare(block))
        elif block["kind"] == "legend":
            items = [x for x in block["items"] if x[0] != "text" and not quotes(x[2])]
            found.append({**block, "items": items})
        elif not (
            {block["kind"], block.get("role")} & COVERED
            or (block.get("role") == "note" and quotes(block["parts"]))
            or block.get("field", "").startswith("edits.")
            or block["key"] in COVERED_KEYS
        ):
            found.append(block)
    return found


def veiled(blocks: list[Block]) -> list[Block]:
    """A whole screen under the veil; one without the words of its text says why it is empty."""
    found = covered(blocks)
    return [*found, *([] if any(b["kind"] == "text" for b in found) else [remark("veil", NOTHING)])]


def quotes(parts: Iterable[list[str]]) -> bool:
    """Whether a sentence quotes words of the text, which would tell the answer."""
    return "“" in "".join(text for text, _ in parts).lower().replace("“no answer”", "")


def bare(block: Block) -> Block:
    """A text without bars, sums and looks other than KEPT."""
    fields = ("t", "gap", "at", "joined")

    def plain(one: Block) -> Block:
        looks = [look for look in one.get("looks", []) if look in KEPT]
        return {k: one[k] for k in fields if k in one} | ({"looks": looks} if looks else {})

    segments = [{**s, "holds": [], "items": [*map(plain, s["items"])]} for s in block["segments"]]
    return {**{k: v for k, v in block.items() if k != "lines"}, "segments": segments}
