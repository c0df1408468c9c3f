"""Keep every payload and every screen of the page, and say what a change has changed.

    python -m tests.proof keep before             the checkout as it is (minutes)
    python -m tests.proof keep after --payloads   payloads alone, without a browser
    python -m tests.proof compare before after    exit code 1 where anything differs

A payload is what Python sends: chapters, records of selections, answers to what pictures ask, the
bench, the files of the edition. A screen is what Chromium draws of it, light at 1280 and dark at
375 pixels: every chapter and step, with its folds closed and open, lessons, bench, a saved file
and the edition. Both are made from the fake reader and, unless --fake is given, from the bundled
one.
"""

import argparse
import sys
from pathlib import Path

from tests.proof.compare import differences
from tests.proof.payloads import keep_payloads


def main(argv: list[str] | None = None) -> int:
    """0 where nothing differs, 1 where something does."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.proof",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    keep = verbs.add_parser("keep", help="write what the page shows into a folder")
    keep.add_argument("folder", type=Path)
    keep.add_argument("--fake", action="store_true", help="the fake reader alone")
    keep.add_argument("--payloads", action="store_true", help="no screens")
    compare = verbs.add_parser("compare", help="name what differs between two folders")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    args = parser.parse_args(argv)
    if args.verb == "compare":
        found = differences(args.before, args.after)
        sys.stdout.write("".join(f"{line}\n" for line in found) or "nothing differs\n")
        return 1 if found else 0
    readers = ("fake",) if args.fake else ("fake", "bundled")
    for reader in readers:
        keep_payloads(args.folder / reader, reader)
        if not args.payloads:
            from tests.proof.screens import keep_screens

            keep_screens(args.folder / reader, reader)
    return 0


if __name__ == "__main__":
    sys.exit(main())
