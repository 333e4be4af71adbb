"""The chat wire formats: requests, identities, replies, and what is spliced into their bytes. Pure."""
