"""Records: where they come from, what they may hold, and how they are counted without guessing.

A record is read as a public, declared domain says, and nothing about the domain is learned from records. What happens
to a record depends on that record alone: no error, no type, and no order of arrival lets one record change how another
one is read.

Records may be in memory, in files, or in an engine such as DuckDB, PostgreSQL, or Spark. In an engine they are counted
where they live, and only counts of distinct values arrive. Every engine is made to compare values as Python does.

Parts, each importing only from those below it:
    open_table    files and databases, opened as tables
    counting      records in an engine, counted where they live
    engines       queries, exact forms of values, and what each engine could get wrong
    samples       labeled records, their units, and their counts, as learners read them
    files         text files, Parquet files, object stores, and files that privpac writes
    domains       declared sets of values and of records
    values        single values, columns, and tables in memory
"""
