"""Reading of messages: what trained heads judge of a message and its sentences."""
