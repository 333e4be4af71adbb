"""Named, declarative configurations of all policies."""
