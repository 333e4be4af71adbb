"""The fact patterns of the rule extractor, one module per topic."""
