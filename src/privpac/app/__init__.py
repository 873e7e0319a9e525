"""WHAT PEOPLE TOUCH: the library in a browser, on this machine, for one person at a time."""
