"""The worker that takes formations behind the answers."""
