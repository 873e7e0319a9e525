"""Refusals: errors that name a parameter, say why it is wrong, and say what to type instead.

Every room refuses in the same way, so Python, the command line, and the explorer can each spell a refusal in their own
words. A refusal is public: it never quotes a record, and it keeps nothing of an error that might.

A message is written where it is raised, in the room that refuses. Only sentences that several rooms say live here, in
``absent_names`` and ``option_words``; ``cli/spelling.py`` and ``app/refusals.py`` put parameters into their own words.

Parts, each importing only from those below it:
    option_words    the words that options take, and the refusal of other words
    absent_names    sentences about a missing file or column, and the name that was probably meant
    refusal         sentences, refusals, and blocks that tell errors in other words
"""
