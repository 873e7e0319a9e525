"""All thresholds or intervals of a line at once: cells, their noisy counts, and the answers that follow."""
