"""One module for each system: each runs in that system's environment and knows nothing but it and `serving`."""
