"""Files: text files, Parquet files, and object stores that hold records, and private files that privpac writes."""
