"""What became of a query that an engine did not answer, told by its kind.

Each engine has errors of its own, and they may quote records. So their messages are never shown: a few words in them
say which of a few sentences is.

Main declarations
    told       the sentence for an error of an engine
    KINDS      the sentences, and the words that call for them
"""

from __future__ import annotations

from privpac.data.csv_sql import TEXT

KINDS = (
    (f"the file cannot be read: {TEXT}", ("csv error",)),
    (
        "the answer is too large for the engine to hand over: read a column with fewer distinct values, or raise the "
        "engine's limit (spark.driver.maxResultSize)",
        ("maxresultsize", "capacityerror", "result too large", "program_limit_exceeded", "programlimitexceeded"),
    ),
    (
        "the engine ran out of memory: give it more, or read columns with fewer distinct values",
        ("out of memory", "outofmemory", "memoryerror", "memory limit"),
    ),
    (
        "the engine lacks a function that the reading needs, or has none for a column of this type: make columns of "
        "text or of numbers, or write the table to a Parquet file and open that",
        (
            *("undefinedfunction", "no such function", "unresolved_routine", "(1305,", "catalogexception"),
            *("operationnotdefined", "unsupportedoperation", "binderexception", "datatype_mismatch"),
        ),
    ),
    (
        "some value is out of the range of its type on the way out of the engine: make a column of text of it",
        (
            *("out of range", "outofrange", "overflow", "dataerror", "conversionexception", "arrowinvalid"),
            *("numericvalue", "datetimefield", "invalidtextrepresentation", "untranslatablecharacter"),
        ),
    ),
    (
        "the file is broken, or is being written: write it again",
        ("ioexception", "serializationexception", "corrupt", "malformed", "invalidinputexception", "decompress"),
    ),
    (
        "the database cannot be reached, or has closed the connection: look whether it runs",
        ("operationalerror", "connection", "adminshutdown", "interfaceerror"),
    ),
)
OTHER = "the engine did not answer the query ({}): look in its log for the reason"


def told(error: BaseException) -> str:
    """What happened, and what to do about it; ``error`` is not quoted.

    >>> told(MemoryError("37 is late"))
    'the engine ran out of memory: give it more, or read columns with fewer distinct values'
    """
    said = " ".join([*(each.__name__ for each in type(error).__mro__[:-3]), str(error)]).casefold()
    return next(
        (told for told, words in KINDS if any(word in said for word in words)), OTHER.format(type(error).__name__)
    )
