"""Start the page, here and on a Space: python app.py [--reader R] [--host H] [--port P]."""

import sys

from qa_demo.__main__ import start

if __name__ == "__main__":
    sys.exit(start())
