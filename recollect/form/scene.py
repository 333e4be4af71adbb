"""Where a memory comes from: its source's address, who talked with whom, and the names it is listed under. Pure."""

from collections.abc import Iterable

from recollect.chat.names import spoken_name
from recollect.dates.mention import written
from recollect.form.sources import FormInput, who
from recollect.types import Detail, LoggedMessage


def source_uri(message: LoggedMessage) -> str:
    """Write the address of a message: `recollect://CONVERSATION/SEQ`."""
    return f"recollect://{message.conversation}/{message.seq}"


def speakers(messages: Iterable[LoggedMessage]) -> list[str]:
    """List who speaks, in the order of their first words."""
    return list(dict.fromkeys(who(message) for message in messages if message.role in ("user", "assistant")))


def source_context(message: LoggedMessage, source: FormInput) -> str:
    """Say who talked with whom, and when: 'Marcus and Kira, 20 November 2026'."""
    day = message.said_at.astimezone(source.time_zone).date()
    return f"{' and '.join(speakers((*source.earlier, *source.messages)))}, {written(day)}"


def pair_tag(messages: Iterable[LoggedMessage]) -> tuple[str, ...]:
    """Return the tag of two who talk under their names, `pair:kira+marcus`; nothing for others."""
    names = sorted({name.casefold() for message in messages if (name := spoken_name(message.name))})
    return (f"pair:{'+'.join(names)}",) if len(names) == 2 else ()


def record_detail(message: LoggedMessage, source: FormInput, *, summary: str) -> Detail:
    """Describe where a record comes from."""
    return Detail(
        summary=summary,
        source_uri=source_uri(message),
        source_context=source_context(message, source),
        tags=pair_tag((*source.earlier, *source.messages)),
    )


def paragraph_detail(source: FormInput, tags: tuple[str, ...] = ()) -> Detail:
    """Describe where a paragraph comes from: the conversation up to its last message."""
    last = source.messages[-1]
    return Detail(
        source_uri=source_uri(last),
        source_context=source_context(last, source),
        tags=tuple(dict.fromkeys(tags)),
    )
