"""Privacy: what a release costs, who pays for it, and what is promised.

A mechanism has a cost, a budget (ε, δ) of exact rationals. A ledger opens private records, charges an account, and only
then lets the mechanism toss its coins.

An account lives in memory or in a database, which several processes may charge at the same time. Accounting says what
several releases cost together, and a certificate says what holds for everything that ran.

Parts, each importing only from those below it:
    store             accounts in a database, and keys that charge a job once
    accounting        the cost of several releases, of samples of the records, and of all records of one person
    ledger            the only door to private records
    disjoint_parts    disjoint parts of a sample, each of which pays for itself
    certificate       what ran, and what it guarantees
    hold              answers that appear at a public moment
    bisection         the least integer for which a claim holds
    rounding          real numbers and bounds as people read them, rounded in the safe direction
    budget            (ε, δ) as exact rational numbers
"""
