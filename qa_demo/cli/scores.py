"""The numbers of a run of `evaluate` as it prints them."""

import sys
from typing import Any

from qa_demo.cli.shared import visible
from qa_demo.core.files.report import dumps
from qa_demo.core.measuring.listed import HEADS


def print_scores(result: dict[str, Any], as_json: bool) -> None:
    """The numbers of one reader, a line each, or all as one line of JSON."""
    if as_json:
        sys.stdout.write(dumps(result) + "\n")
        return
    width = max(len(name) for name in result)
    sys.stdout.write(
        "".join(
            f"{name:<{width}}  {value:.2f}\n"
            if isinstance(value, float)
            else f"{name:<{width}}  {visible(str(value))}\n"
            for name, value in result.items()
            if name not in ("survives", "lists")
        )
    )
    _write_lists(result.get("lists", {}))
    for one in result.get("survives", ()):
        lost = "; lost: " + ", ".join(visible(name) for name in one["lost"]) if one["lost"] else ""
        sys.stdout.write(
            f"{one['rule']}: {one['survived']:,} of {one['right']:,} right answers survive, in "
            f"{one['pairs']:,} pairs{lost}\n"
        )


def _write_lists(found: dict[str, Any]) -> None:
    """The scores of lists, a paragraph for each head."""
    for head, one in found.items():
        kinds = ", ".join(f"{name} {count:,}" for name, count in one["kinds"].items() if count)
        sys.stdout.write(
            f"lists, {HEADS[head]}: {one['whole_lists']:.1f} % of {one['total']:,} whole\n"
            f"  exact    {_rates(one['exact'])}\n  overlap  {_rates(one['overlap'])}\n"
            f"  said: {kinds}\n"
        )


def _rates(one: dict[str, float]) -> str:
    return f"F1 {one['f1']:.1f} (P {one['precision']:.1f}, R {one['recall']:.1f})"
