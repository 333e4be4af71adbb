"""From candidates to decisions: neighbours, comparison, slots."""
