"""How much work a draw is, counted and not timed.

Main declarations
    work    what is drawn, the bytes that it reads, and how many functions it calls
"""

import gc
import sys

from privpac.exact.entropy import SYSTEM, Entropy


class Counted(Entropy):
    """The system's coins, and how many bytes were asked for, one number for each time."""

    private = False

    def __init__(self):
        self.asked = []

    def octets(self, count):
        self.asked.append(count)
        return SYSTEM.octets(count)


def work(draw):
    """What is drawn, the bytes that it reads, and how many functions it calls and returns from, built-in ones too."""
    coins, events = Counted(), 0

    def count(frame, event, arg):
        nonlocal events
        events += 1

    before = sys.getprofile()
    gc.disable()  # what others have left behind is no work of the draw
    sys.setprofile(count)
    try:
        drawn = draw(coins)
    finally:
        sys.setprofile(before)
        gc.enable()
    return drawn, tuple(coins.asked), events
