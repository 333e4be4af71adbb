"""Snapshots of a subject, and their ranking."""
