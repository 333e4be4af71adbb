"""The built-in extractor: patterns for English, without a model. Pure."""

from recollect.extraction.rules.extractor import RULES_VERSION, RulesResult, extract_by_rules, read_by_rules

__all__ = ["RULES_VERSION", "RulesResult", "extract_by_rules", "read_by_rules"]
