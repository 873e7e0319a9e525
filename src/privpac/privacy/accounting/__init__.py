"""What several private releases cost together; and what a release costs if it sees only a random part of the records,
or if one person may have many of them."""
