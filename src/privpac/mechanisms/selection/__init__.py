"""One private draw among candidates: exponential, sparse, public-stable, by regret, by votes, and in blocks."""
