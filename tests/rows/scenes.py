"""What the rows' tests tell: who talks under which profile, and what must be remembered of it."""

from collections.abc import Mapping, Sequence

from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce
from toldonce.types import RequestScope, Subject

DIMS = (256, 384, 1536)
"""Lengths of vectors at which the rows hold."""

SESSION = RequestScope(profile="session")
KIRA = RequestScope(profile="character", characters=("Kira", "Marcus"))
CALENDAR = RequestScope(profile="app", app="calendar")
USER = RequestScope(profile="user")
TIERED = RequestScope(profile="tiered")
DEFAULT = RequestScope(profile="default")
SCENES = (SESSION, KIRA, CALENDAR, USER, TIERED, DEFAULT)

LIGHTHOUSE = "I decided to leave the lighthouse before the first snow falls in the north."


def story(scene: RequestScope) -> Sequence[Mapping[str, str]]:
    """Return turns of which a profile remembers that somebody lives in Oslo, or of a character that it leaves."""
    if scene.profile == "character":
        said = [(f"Turn {place}, and nothing else.", "Hm.") for place in range(4)]
        said.append(("What did you decide about the lighthouse?", LIGHTHOUSE))
        return [message for asked, told in said for message in (user(asked), assistant(told))]
    return [user("I live in Oslo."), assistant("I noted that you live in Oslo.")]


def question(scene: RequestScope) -> tuple[str, str]:
    """Return what is asked later, and a word of what must stand in the prompt then."""
    if scene.profile == "character":
        return "Kira decided to leave the lighthouse before the first snow falls?", "lighthouse"
    return ("The user lives in Oslo?", "Oslo")


APP = Subject("app", "ana/calendar")
PARAGRAPH = {
    "text": "Ana asked for a dentist's appointment. It was put on 12 May at nine.",
    "messages": [1, 2],
    "importance": 7,
    "tags": ["dentist"],
}
TALK = [
    user("I need a calendar entry for my dentist on 12 May at nine, please."),
    assistant("Done: dentist on 12 May at nine, in the blue calendar."),
]


async def ended(engine: AsyncToldOnce, conversation: str = "c", scope: RequestScope = CALENDAR) -> None:
    """End a conversation of the calendar, and form its memory."""
    await engine.conversations.end(conversation, user="ana", reason="closed", messages=TALK, scope=scope)
    await engine.form()
