"""Storage: repositories over one database; `open_store` opens the one that a URL names."""
