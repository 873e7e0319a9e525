"""Exact randomness: integer noise, weighted draws, and coins whose probabilities are exactly those of a formula.

No floating-point error decides a draw. A table or a float is used where it proves the outcome; otherwise balls take
over and read more random bits. (A *ball* is an interval of arbitrary precision that certainly contains the exact value;
Arb computes with balls.)

How long a draw takes depends on public numbers only, never on what is drawn.

Parts, each importing only from those below it:
    bulk_noise             many draws of integer noise at once, from tables
    samplers               a few draws of integer noise at a time, from independent coins
    biased_coins           coins with a rational probability, or with probability e^(−rate·gap)
    powers                 sums of numbers far beyond the range of floats
    exponential_weights    one of many groups, in proportion to exponential weights, and their probabilities
    subsets                uniform choices of m records, and uniform orders
    entropy                where coins come from
    one_thread             matrix products without threads that wait for each other
"""
