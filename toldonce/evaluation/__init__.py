"""How well a set-up remembers: known conversations replayed through the engine, and their questions asked."""
