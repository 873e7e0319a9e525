"""The library's sentences in the words of the command line: options where Python has parameters.

Main declarations
    translated    a sentence with options in it
"""

from __future__ import annotations

import re

SAID = (
    (r"classes=\(negative, positive\)", "--classes NEGATIVE,POSITIVE"),
    (r"on_invalid='(\w+)'", r"--on-invalid \1"),
    (r"feature=(…|\[…\]|name, or its position)", "--x COLUMN"),
    (r"unit and max_records belong together: .*", "--unit COLUMN and --max-records K belong together"),
    (r"table=…", "--table"),
    (r"Give a total to create it", "`privpac budget create` makes accounts"),
    (r" or give an Ibis table|; give an Ibis table instead", ""),
    (r"allow_large_delta=True", "--allow-large-delta"),
    (r"leave delta out", "leave --delta out"),
    (r"a smaller delta\b", "a smaller --delta"),
    (r"\bon_invalid\b", "--on-invalid"),
    (r"\bmax_records\b", "--max-records"),
    (r"^(epsilon|delta|alpha|beta|regime|method|n)(?= (?:and|must))", r"--\1"),
    (r"^(--alpha and )(?=beta)", r"\1--"),
)


def translated(sentence: str) -> str:
    """The sentence, with options where it names parameters.

    >>> translated("fill them, or say on_invalid='default', which counts them")
    'fill them, or say --on-invalid default, which counts them'
    >>> translated("alpha and beta must lie strictly between 0 and 1")
    '--alpha and --beta must lie strictly between 0 and 1'
    """
    for pattern, words in SAID:
        sentence = re.sub(pattern, words, sentence)
    return sentence
