"""The stages of a formation (index, extract, summarize) and what they share."""
