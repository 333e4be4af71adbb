"""The HTTP server: the pass-through proxy and its routes, a face over the engine."""
