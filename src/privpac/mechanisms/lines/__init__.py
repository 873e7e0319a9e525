"""Private selection on an ordered line: cuts, intervals, stumps, short stretches, and cells with few records each."""
