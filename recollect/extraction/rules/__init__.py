"""The built-in extractor: patterns for English, and no model. Pure."""

from recollect.extraction.rules.extractor import RULES_VERSION, RulesReading, extract_by_rules, read_by_rules

__all__ = ["RULES_VERSION", "RulesReading", "extract_by_rules", "read_by_rules"]
