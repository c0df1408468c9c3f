"""Text as JSON and a screen can carry it."""


def printable(text: str) -> str:
    """The text with a visible substitute for each character that JSON or a screen cannot carry, one
    for one.

    Control characters other than tab and newlines become control pictures, lone surrogates U+FFFD,
    so that offsets stay valid.
    """
    return text.translate(_SUBSTITUTES)


_SUBSTITUTES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], 0xFFFD),
}
