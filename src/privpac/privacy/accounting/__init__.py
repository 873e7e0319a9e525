"""What several private releases cost together, and what a release costs that sees only some records, or many of one
person."""
