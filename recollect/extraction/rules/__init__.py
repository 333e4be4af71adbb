"""Reading without a model: slots, requests to forget, and sentences worth keeping. Pure."""

from recollect.extraction.rules.extractor import RULES_VERSION, RulesResult, read_by_rules

__all__ = ["RULES_VERSION", "RulesResult", "read_by_rules"]
