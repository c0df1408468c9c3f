"""python -m qa_demo answer | evaluate: read one paragraph, or score a reader on a SQuAD file."""

import sys

from qa_demo.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
