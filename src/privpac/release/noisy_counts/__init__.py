"""What sanitizers do with noisy counts: choose the noise, make counts agree, fit weights, draw synthetic records."""
