"""Values: the types that a record may hold, one form for equal values, and columns and tables in memory."""
