"""The store over PostgreSQL with pgvector."""
