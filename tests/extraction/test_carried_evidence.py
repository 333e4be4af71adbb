"""A model sees what a message carries; its words alone are no evidence about the user."""

from dataclasses import replace

import pytest

from extractor_inputs import SAID, logged, source
from toldonce.extraction.evidence import ONLY_CARRIED, check_evidence
from toldonce.extraction.question import question
from toldonce.extraction.schemas import MEMORIES
from toldonce.extraction.sources import CarriedWords, carried_texts
from toldonce.types import Candidate, MemoryKind

MAIL = "I can pay 850 at most.\n\nDear Ms Ray,\nI raise the rent to 900.\nYours,\nBen Ott"
CHAT = "I stay out of it.\nBen: I sold the van\nAnn: No\nBen: I did"
FENCED = "I wrote this.\n```\nI live in Rome\n```"
QUOTED = "> I hate tea\nI do not."


@pytest.mark.parametrize(
    ("text", "own", "carried"),
    [
        (MAIL, "I can pay 850 at most", "I raise the rent to 900"),
        (CHAT, "I stay out of it", "I sold the van"),
        (FENCED, "I wrote this", "I live in Rome"),
        (QUOTED, "I do not", "I hate tea"),
    ],
)
def test_only_the_users_own_words_are_evidence(text: str, own: str, carried: str) -> None:
    message = logged(7, text)
    texts = carried_texts([message])

    def check(quote: str) -> tuple[bool, str]:
        made = Candidate(
            kind=MemoryKind.NOTE,
            text=f"The user: {quote}.",
            type="fact",
            speaker="user",
            seq=7,
            quote=quote,
            valid_from=SAID,
        )
        checked = check_evidence(made, [message], frozenset({"user"}), (), CarriedWords(texts=texts))
        return checked.evidence is not None, checked.reason

    assert check(own) == (True, "")
    assert check(carried) == (False, ONLY_CARRIED)


def test_a_model_is_shown_a_pasted_mail_between_marks_and_told_what_they_mean() -> None:
    message = logged(7, MAIL)
    asked = question(replace(source(message), carried=carried_texts([message])), MEMORIES)

    assert "I can pay 850 at most.\\n\\n⟪Dear Ms Ray" in asked
    assert "form nothing about the speaker from them alone" in asked
