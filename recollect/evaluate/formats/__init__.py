"""Readers of the data sets: each makes the same conversations and questions of its file."""
