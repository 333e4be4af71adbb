"""Deleting and erasing on a connection."""
