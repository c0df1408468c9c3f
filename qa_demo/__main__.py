"""python -m qa_demo answer | evaluate: read one paragraph, or score a reader on a SQuAD file. What
`spanlight` and app.py start.
"""

import sys
from importlib import import_module


def start(module: str = "qa_demo.app") -> int:
    """Import, which takes a second, and run what the module's main does; 130 if interrupted."""
    try:
        return int(import_module(module).main())
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(start("qa_demo.cli.main"))
