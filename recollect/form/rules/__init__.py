"""The built-in extractor: patterns for English, and no model. Pure."""

from recollect.form.rules.extract import RULES_VERSION, extract_by_rules

__all__ = ["RULES_VERSION", "extract_by_rules"]
