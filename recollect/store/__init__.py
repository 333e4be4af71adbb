"""Everything kept: one protocol, and `open_store`, which reads the database URL and opens the store behind it."""
