"""Patterns of times that come round: weekdays in the plural, parts of the day, hours. Pure data."""

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PART = r"(?:morning|afternoon|evening|night|lunchtime)"
_HOUR = r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)?"
CLOCK = rf"(?:{_HOUR}(?: o'clock)?|noon|midnight|midday|lunch(?:time)?|work|school|dinner)"
"""An hour of the day, also as 'noon' or 'lunch'."""
HOURS = rf"(?:from )?{_HOUR} ?(?:to|till|until|-|–) ?{_HOUR}"
"""'9 to 5', 'from 8:30 until 16:00'."""
DAY_RANGE = rf"(?:from )?{_DAY}s? ?(?:to|through|till|until|-|–) ?{_DAY}s?"
"""'Monday to Wednesday'."""
_NTH = r"(?:first|second|third|last|1st|15th|\d{1,2}(?:st|nd|rd|th))"
NTH_DAY = rf"(?:the )?{_NTH} (?:(?:{_DAY}|weekend|day|week) )?of (?:the|every|each) (?:month|week|quarter|sprint|year)"
"""'The last Friday of the month'."""
_REPEATED = (
    rf"(?:on |in |at |during )?(?:the |most |early |late |my ){{0,2}}(?:{_DAY} |weekday |weekend |work )?{_PART}s",
    rf"(?:on |most )?{_DAY}s(?:(?:,? and |,? or |, | ?/ ?| ?& ?){_DAY}s){{0,4}}",
    DAY_RANGE,
    rf"(?:every|each)(?: single| other| second| third)? (?:{_DAY}|weekday|weekend|{_PART}|day|week|month)(?: {_PART})?",
    rf"(?:on )?{NTH_DAY}",
    r"at the (?:end|beginning|start|middle) of (?:the|each|every) (?:day|week|month|sprint|quarter|year)",
    r"(?:once|twice|\w{3,6} times|\d{1,2} times|\d{1,2}x) (?:a|per|every) (?:day|week|weekend|month|year|fortnight)",
    r"every (?:few|\w{3,6}|\d{1,3}) (?:days|weeks|months|hours|years)",
    r"(?:daily|weekly|fortnightly|monthly|quarterly|yearly|nightly)",
    r"(?:on |at |during |over )?(?:the )?(?:weekdays|weekends|school holidays|working days|week ?nights|bank holidays)",
    r"(?:on|at|over|during) the weekend",
    rf"(?:in the|at) (?:early |late )?(?:{_PART}|lunch)",
)
_HOURLY = (
    HOURS,
    rf"(?:between|from) {CLOCK} (?:and|to) {CLOCK}",
    rf"(?:before|after|until|till|from|past|by|earlier than|later than) {CLOCK}",
)
_UNIT = rf"(?:{'|'.join((*_REPEATED, *_HOURLY))})"
REPEATED = rf"(?:{'|'.join(_REPEATED)})"
"""A day or a part of it that comes round: 'on Fridays', 'every other week'."""
RECURRING = rf"{_UNIT}(?:,? {_UNIT}){{0,2}}"
"""The same, or hours: 'after 6 pm', 'weekdays between 9 and 12'. Blanks stand for white space as in `rule`."""
