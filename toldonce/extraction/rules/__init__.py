"""Reading without a model: slots, requests to forget, and sentences worth keeping. Pure."""

from toldonce.extraction.rules.extractor import RULES_VERSION, RulesResult, read_by_rules

__all__ = ["RULES_VERSION", "RulesResult", "read_by_rules"]
