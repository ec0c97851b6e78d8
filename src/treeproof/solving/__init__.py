"""From a prepared problem to an answer: engines, limits, observers, certificates."""
