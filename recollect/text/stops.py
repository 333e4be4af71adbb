"""Where sentences end, in any script: parts of patterns. Pure."""

# Marks that end a sentence where white space or the end follows: within a word they are a point or an address.
SPACED_STOPS = ".!?…"
# Marks that end one wherever they stand: Chinese and Japanese, Indic, Burmese, Khmer, Armenian, Arabic, Ethiopic.
TIGHT_STOPS = "。！？｡।॥။។៕։؟۔።፧"
# What may close behind a mark.
CLOSING = "\"'”’)\\]»」』）】"
# The Greek question mark looks like a semicolon.
_GREEK = "(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e]"

SENTENCE_END = (
    rf"(?:(?<![{SPACED_STOPS}])[{SPACED_STOPS}]++[{CLOSING}]*+(?=\s|$)|[{TIGHT_STOPS}]++[{CLOSING}]*+|{_GREEK}(?=\s|$))"
)
"""Matches the marks at the end of a sentence."""
BETWEEN_SENTENCES = rf"(?:(?<=[{SPACED_STOPS}])\s++|(?<=[{TIGHT_STOPS}])\s*+(?![{TIGHT_STOPS}{CLOSING}])|{_GREEK}\s++)"
"""Matches what stands between sentences, for cutting there."""
