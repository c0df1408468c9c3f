"""Texts that several tests read."""

NAMES = [("Anna", "Lund"), ("Bertil", "Visby"), ("Cecilia", "Kalmar"), ("David", "Umea")]


def travellers(sentences: int) -> str:
    """A text as long as one likes, whose names come back and whose years do not."""
    return " ".join(
        f"In year {1900 + k} the traveller {NAMES[k % 4][0]} came to {NAMES[k % 4][1]} and met the "
        f"keepers of an old mill, who told of winters past and roads."
        for k in range(sentences)
    )


LONG = travellers(40)
"""Several windows for every reader."""
