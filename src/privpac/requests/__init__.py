"""What is asked of private records: on which terms, how records are read, and who pays.

A request has public parameters, which are checked once, before a record is read. It reads a table into a sample, seals
it, and pays for everything that an algorithm then asks about it. Learners and releases share all of this, and neither
imports the other.

Nothing here chooses an algorithm or adds noise. How a record is read depends on that record alone.

Parts, each importing only from those below it:
    paying          a block that pays for what is released in it, once for each key
    request         the parameters that requests share
    reading         from tables, columns, labels, and units to a sample
    habit_warnings  warnings of fits that nobody adds up, and of wrappers that read unpaid records
    conditions      the checked public parameters, and the terms on which an algorithm runs
    weights         what errors cost, and copies of records in their place
    labels          which records are positive
    json_values     the values of the files that privpac writes
    input_checks    tables that would be misread, refused
    holding_out     which records measure errors
"""
