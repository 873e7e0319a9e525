"""Requests to private records: their public parameters, how they read records, and who pays for the answers.

The public parameters of a request are checked once, before a record is read. A request reads a table into a sample,
seals the sample, and pays for everything that an algorithm then asks about it. Learners and releases share all of this,
and neither imports the other.

Nothing here chooses an algorithm or adds noise. How a record is read depends on that record alone.

Parts, each importing only from those below it:
    paying          a block that pays for what is released in it, once for each key
    request         the parameters that requests share
    reading         from tables, columns, labels, and units to a sample
    habit_warnings  warnings about fits without an account, and about wrappers that read records without paying
    conditions      the checked public parameters, and the terms on which an algorithm runs
    weights         what errors cost, and copies of records that give errors these costs
    labels          which records are positive
    json_values     the values of the files that privpac writes
    input_checks    refusals of tables that would be misread
    holding_out     which records are held out to measure errors
"""
