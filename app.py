"""Start the page, here and on a Space: python app.py [--reader R] [--host H] [--port P]."""

import sys

from qa_demo.app import main

if __name__ == "__main__":
    sys.exit(main())
