"""Readers of what other products export: files become conversations and memories. Reads files, knows no store."""
