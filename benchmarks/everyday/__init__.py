"""Short chat messages as people type them, in eleven languages: what is remembered of each without a model."""
