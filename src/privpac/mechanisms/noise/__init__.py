"""Integer noise: discrete Laplace and Gaussian noise on counts, and certificates that are measured with it."""
