"""The patterns of the rule extractor, one module for each topic."""
