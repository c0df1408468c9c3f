"""What every command line of this package has in common."""

import argparse
from typing import NoReturn


class OneSentence(argparse.ArgumentParser):
    """A parser whose complaint is one sentence, without the usage block before it."""

    def error(self, message: str) -> NoReturn:
        """Write the complaint to stderr and leave with code 2."""
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help lists what is allowed\n")
