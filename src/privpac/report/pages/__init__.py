"""Report pages about rules and releases, and the sections that they consist of."""
