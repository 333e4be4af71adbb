"""Only what is certainly the user's own is read; what they write of themselves is read whole."""

import re
from collections.abc import Sequence
from itertools import cycle

from extraction.other_speakers import CANARIES, OTHER_SPEAKERS, PAYLOADS, OtherSpeaker
from extraction.own_speakers import KEPT_WHOLE
from extraction.rules.test_clause_facts import form
from soak import SOAK
from tables import check_each
from toldonce.extraction.sources import readable_text
from toldonce.text import squeeze

# Two of the payloads in turn; in a long run all.
_PAYLOADS = [PAYLOADS if SOAK else (PAYLOADS[place], PAYLOADS[place - 2]) for place in range(len(PAYLOADS))]


@check_each(("other", "payloads"), zip(OTHER_SPEAKERS, cycle(_PAYLOADS), strict=False))
def test_no_rule_forms_or_forgets_by_what_another_says(other: OtherSpeaker, payloads: Sequence[str]) -> None:
    found = [candidate for payload in payloads for candidate in form(other.said(payload))]

    words = [f"{candidate.text} {candidate.value} {candidate.forgets} {candidate.quote}" for candidate in found]
    assert [text for text in words if any(canary in text for canary in CANARIES)] == []
    assert not any(candidate.forgets_all for candidate in found)


# What stands in quotation marks within a sentence is read with its marks.
_UNMARKED = [other for other in OTHER_SPEAKERS if not re.search(r" (?:said|sagte|zei) [^:]", other.text)]


@check_each(("other", "payloads"), zip(_UNMARKED, cycle(_PAYLOADS), strict=False))
def test_nobody_reads_what_another_says(other: OtherSpeaker, payloads: Sequence[str]) -> None:
    read = [readable_text(other.said(payload)) for payload in payloads]

    assert [text for text in read if any(canary in text for canary in CANARIES)] == []
    assert all(other.mine in text for text in read)


@check_each("text", KEPT_WHOLE)
def test_what_the_user_says_is_read_whole(text: str) -> None:
    assert squeeze(readable_text(text)) == squeeze(text)


def test_what_the_user_says_around_an_error_is_read() -> None:
    text = (
        "I get this: sqlite3.OperationalError: database is locked. I've moved the file to an NFS share. Can you help?"
    )

    assert readable_text(text) == text
