"""Kinds of secrets and how each is found: by its own shape, by the name before it, or by the command around it."""
