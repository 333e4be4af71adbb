"""`memory.agent_notes`: notes that an agent asks to keep, such as by a tool call. Writes through the store."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from toldonce.curation.edits import add_note
from toldonce.curation.new_notes import ManualNote
from toldonce.curation.owner_facts import OwnerFact, add_owner_fact, owner_names, says_more, stated_slot
from toldonce.engine.components import Components
from toldonce.engine.recorder import manual_note
from toldonce.engine.steps import Steps
from toldonce.errors import BadRequestError
from toldonce.extraction.forget_requests import NOTED_FORGET_THRESHOLD, asks_to_forget
from toldonce.extraction.redaction import redact
from toldonce.extraction.review_gate import review_reason
from toldonce.reading.owner_voice import owners_statement
from toldonce.recall.later import words_of_value
from toldonce.text import terms
from toldonce.types import Candidate, Memory, MemoryKind, NewNote, Subject


class AgentNoteService:
    """Keeps what agents say on a user's behalf: without secrets, and with orders that may be planted held back."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._steps = steps

    async def remember(
        self, text: str, *, user: str | Subject | None = None, via: str = "", said_at: datetime | None = None
    ) -> Memory:
        """Store a sentence that an agent asks to keep; durable on return. What is known is strengthened and returned.

        A sentence that states one slot of the user becomes a fact: a newer value takes the place of an older one, and
        what is said besides a known value becomes a note. Its subject is "I", "User", "The user", "The owner" or the
        name that the user stated. Secrets are struck out. What reads like a planted order is held for review: see
        `reviews`.

        Args:
            text: What to remember, up to 10,000 characters.
            user: User whose memory it is added to.
            via: How it came, for the decision log, such as `MCP (claude-code)`.
            said_at: When it was said (aware), and so true from; None is now.

        Raises:
            BadRequestError: the text is empty, is too long or asks to forget something, or `said_at` is in the future
                or has no time zone.
        """
        self._require_past(said_at)
        checked = manual_note(NewNote(text), self._components.profile(None))
        if await asyncio.to_thread(asks_to_forget, checked.text, NOTED_FORGET_THRESHOLD):
            raise BadRequestError(
                "text: it asks to forget something, which no note does: close that memory (forget_memory)", param="text"
            )
        kept = redact(checked.text)
        via = f" over {via}" if via else ""
        note = ManualNote(
            text=kept,
            importance=checked.importance,
            profile=checked.profile,
            reason=f"an agent asked to remember it{via}",
            hold_reason=self._hold_reason(kept, via),
            valid_from=said_at,
        )
        subject = self._components.subject(user)
        forms = self._components.profile(None).form.extractor
        if note.hold_reason or subject.kind != "user" or forms not in ("memories", "facts"):
            return await add_note(self._steps.runtime, subject, note)
        return await self._add_of_owner(subject, note)

    async def _add_of_owner(self, subject: Subject, note: ManualNote) -> Memory:
        """Keep what a note says of the person whose memory it is; what it states is a fact."""
        runtime = self._steps.runtime
        names = owner_names(await runtime.store.memories.facts(subject))
        statement = owners_statement(note.text, names)
        slot = await asyncio.to_thread(stated_slot, statement.text)
        if slot is not None:
            fact = await add_owner_fact(runtime, subject, OwnerFact(note=note, slot=slot))
            self._steps.forget_texts(subject)
            if not says_more(statement.text, slot, fact):
                return fact
        return await add_note(runtime, subject, note._replace(alike=statement.alike))

    def _require_past(self, said_at: datetime | None) -> None:
        if said_at is None:
            return
        if said_at.tzinfo is None:
            raise BadRequestError(f"said_at is {said_at.isoformat()}, it needs a time zone", param="said_at")
        if said_at > self._components.clock.now():
            raise BadRequestError(f"said_at is {said_at.isoformat()}, which is still to come", param="said_at")

    def _hold_reason(self, text: str, via: str) -> str:
        """Return why a note must be reviewed, or ""; the agent speaks for the user, so their orders are kept."""
        candidate = Candidate(
            kind=MemoryKind.NOTE, text=text, speaker="user", seq=0, quote=text, valid_from=self._components.clock.now()
        )
        why = review_reason(candidate, "user", text)
        return f"{why}; an agent asked to remember it{via}" if why else ""


def facts_named(note: Memory, facts: Sequence[Memory]) -> list[Memory]:
    """Return the facts that are older than a note and whose value it names, in their order: it may end one of them."""
    said = terms(owners_statement(note.text, owner_names(facts)).text).keys()
    earlier = [fact for fact in facts if fact.valid_from < note.valid_from and fact.category != "instruction"]
    return [fact for fact in earlier if not said.isdisjoint(words_of_value(fact))]
