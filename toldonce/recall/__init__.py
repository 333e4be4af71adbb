"""From a query to ranked memories, without a model call."""
