"""python -m qa_demo answer | evaluate: read one paragraph, or score a reader on a SQuAD file."""

import sys

if __name__ == "__main__":
    try:
        from qa_demo.cli.main import main  # takes a second, in which somebody may interrupt it

        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)
