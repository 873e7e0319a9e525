"""What follows from noisy counts, without the records: consistent tables, fitted weights, synthetic records."""
