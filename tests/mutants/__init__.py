"""Defects planted on purpose: each must turn a test red, or the tests show less than they say."""
