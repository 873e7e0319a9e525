"""Classes on integer vectors: boxes, conjunctions, parities, half-planes and half-spaces, and affine subspaces."""
