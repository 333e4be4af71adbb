"""What people do by hand: edits, reviews, undo."""
