"""The requirements, row by row, through the public API, on every store there is."""
