"""What of a message is its speaker's own, and what it only carries, found by the marks in carriers.toml."""
