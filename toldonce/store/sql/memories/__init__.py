"""Memories and decisions on a connection."""
