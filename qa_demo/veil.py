"""Cover: the page without what would tell the answer."""

from qa_demo.blocks import Block

COVERED = ("finding", "formula", "figure", "table", "closing", "answer", "code")


def covered(blocks: list[Block]) -> list[Block]:
    """Under the veil: what would tell the answer is left out, the words themselves stay."""
    found = []
    for block in blocks:
        if "blocks" in block:
            inner = covered(block["blocks"])
            found += [{**block, "blocks": inner}] if inner and block["kind"] != "fold" else []
        elif block["key"] == "answer":  # the question stays: who reads it asks for words
            asked = [[text.strip(), "strong"] for text, role in block["parts"] if role == "asked"]
            found.append({**block, "role": "asked", "parts": asked})
        elif block["kind"] == "text":
            found.append(bare(block))
        elif block["kind"] not in COVERED and block.get("role") not in COVERED:
            found.append(block)
    return found


def bare(block: Block) -> Block:
    """A text without marks, bars and sums."""
    kept = ("t", "gap", "at", "joined")
    segments = [
        {
            "name": s["name"],
            "inline": s["inline"],
            "holds": [],
            "items": [{k: i[k] for k in kept if k in i} for i in s["items"]],
        }
        for s in block["segments"]
    ]
    return {**{k: v for k, v in block.items() if k != "lines"}, "segments": segments}
