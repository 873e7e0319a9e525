"""What both peers do with a question: FOLDER QUESTION PARAMETERS on the command line → JSON on stdout.

Main declarations
    answer    call the function that the question names, with the arrays of the folder and the parameters
    timed     the median time of a function, in seconds, its first call left out unless it is the only one
"""

import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np


def answer(*questions):
    """Answer one of ``questions``."""
    folder, asked, parameters = sys.argv[1:]
    arrays = {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}
    chosen = {question.__name__: question for question in questions}[asked]
    print(json.dumps(chosen(**arrays, **json.loads(parameters))))


def timed(run, repeats):
    """Seconds of the median call after the first, or of the first if there is no other."""
    times = []
    for _ in range(repeats + 1):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return median(times[1:] or times)
