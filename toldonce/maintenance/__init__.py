"""What becomes of memories with time: capacity, age, near-duplicates, erasing."""
