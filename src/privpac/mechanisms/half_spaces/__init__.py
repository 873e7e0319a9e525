"""Selections of half-planes and directions, and a noisy perceptron for half-spaces."""
