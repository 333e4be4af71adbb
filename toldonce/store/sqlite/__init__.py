"""The store over one SQLite file: one writer thread with group commit, several readers, exact search per subject."""
