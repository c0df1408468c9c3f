"""Start the page, here and on a Space: python app.py [--reader R] [--host H] [--port P]."""

import sys

if __name__ == "__main__":
    try:
        from qa_demo.app import main  # takes a second, in which somebody may interrupt it
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
