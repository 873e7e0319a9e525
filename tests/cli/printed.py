"""What commands print, without the lines in which people read it."""


def plain(printed: str) -> str:
    """The words of what was printed, on one line."""
    return " ".join(printed.split())
