"""Real processes, sockets, client libraries and kills. A package, so that its conftest has a name of its own."""
