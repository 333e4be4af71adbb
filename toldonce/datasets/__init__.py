"""Data sets for evaluation: each reader makes the same conversations and questions of its file."""
