"""Encryption of each subject's rows by a key of its own, kept outside of the database."""
