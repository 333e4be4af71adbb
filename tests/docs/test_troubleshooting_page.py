"""Messages that `docs/troubleshooting.md` quotes are those of the code."""

import re
from pathlib import Path

from tables import check_each

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
MIN_WORDS = 3
# What is between backticks and has so many words, but is typed or put together.
NOT_QUOTED = ("toldonce ", ": toldonce:")
MESSAGES = [
    quoted
    for quoted in re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", PAGE))
    if len(quoted.split()) >= MIN_WORDS and not quoted.startswith(NOT_QUOTED)
]
# A text that is written over several lines is one.
SOURCES = "\n".join(
    re.sub(r'"\s*\n\s*f?"', "", file.read_text("utf-8")) for file in sorted((ROOT / "toldonce").rglob("*.py"))
)


@check_each("message", MESSAGES)
def test_each_message_is_one_of_the_code(message: str) -> None:
    parts = [part.strip() for part in message.split("…") if len(part.split()) >= MIN_WORDS]
    assert parts, "too little of it is quoted to look it up"
    assert [part for part in parts if part not in SOURCES] == []
