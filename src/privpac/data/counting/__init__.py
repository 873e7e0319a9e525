"""Records in an engine, counted where they live: by values, by prefixes of codes, by cells of several columns."""
