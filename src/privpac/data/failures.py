"""What went wrong with a query that an engine did not answer.

Each engine has its own errors, and they may quote records. So their messages are never shown: keywords in them select
one of a few fixed sentences.

Main declarations
    told            the sentence for an error of an engine
    of_an_engine    whether a refusal is such a sentence
    KINDS           the sentences, and the keywords that select them
    FAILED          stands for all errors of a LazyFrame, which may quote records
"""

from __future__ import annotations

from privpac.data.csv_sql import TEXT

FAILED = "the LazyFrame failed"
KINDS = (
    (
        "the LazyFrame failed before its last row; collect it, X.collect(), to see why",
        (FAILED.casefold(),),
    ),
    (f"the file cannot be read: {TEXT}", ("csv error",)),
    (
        "the result is too large for the engine to return: read a column with fewer distinct values, or raise the "
        "engine's limit (spark.driver.maxResultSize)",
        (
            "maxresultsize",
            "capacityerror",
            "result too large",
            "program_limit_exceeded",
            "programlimitexceeded",
            "too_many_rows",
        ),
    ),
    (
        "the engine ran out of memory: give it more, or read columns with fewer distinct values",
        ("out of memory", "outofmemory", "memoryerror", "memory limit"),
    ),
    (
        "the engine lacks a function needed to read the table, or a column of this type: convert the columns to text "
        "or numbers, or write the table to a Parquet file and open that",
        (
            *("undefinedfunction", "no such function", "unresolved_routine", "(1305,", "catalogexception"),
            *(
                "unknown_function",
                "operationnotdefined",
                "unsupportedoperation",
                "binderexception",
                "datatype_mismatch",
            ),
        ),
    ),
    (
        "some value is out of the range of its type when it leaves the engine: convert its column to text",
        (
            *("out of range", "outofrange", "overflow", "dataerror", "conversionexception", "arrowinvalid"),
            *("numericvalue", "datetimefield", "invalidtextrepresentation", "untranslatablecharacter"),
        ),
    ),
    (
        "the file is damaged, or still being written: write it again",
        ("ioexception", "serializationexception", "corrupt", "malformed", "invalidinputexception", "decompress"),
    ),
    (
        "the database cannot be reached, or closed the connection: check that it is running",
        ("operationalerror", "connection", "adminshutdown", "interfaceerror"),
    ),
)
OTHER = "the engine did not answer the query ({}): see its log for the reason"
FIRST_WORDS = tuple(told.partition(":")[0] for told in (*(sentence for sentence, _ in KINDS), OTHER.partition(" (")[0]))


def told(error: BaseException) -> str:
    """What happened and what to do about it; never quotes ``error``.

    >>> told(MemoryError("37 is late"))
    'the engine ran out of memory: give it more, or read columns with fewer distinct values'
    """
    said = " ".join([*(each.__name__ for each in type(error).__mro__[:-3]), str(error)]).casefold()
    return next(
        (told for told, words in KINDS if any(word in said for word in words)), OTHER.format(type(error).__name__)
    )


def of_an_engine(error: BaseException) -> bool:
    """Whether a refusal says that an engine failed.

    >>> of_an_engine(ValueError(told(MemoryError()))), of_an_engine(ValueError("there is no column 'x'"))
    (True, False)
    """
    return str(error).startswith(FIRST_WORDS)
