"""ToldOnce beside other systems: the same memories and vectors, one run, each system in an environment of its own."""
