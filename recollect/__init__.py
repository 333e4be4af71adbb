"""Recollect: long-term memory for any LLM chat."""
