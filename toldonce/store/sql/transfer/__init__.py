"""Export, import and copy on a connection."""
