"""What becomes of memories with time: room, age, near-duplicates."""
