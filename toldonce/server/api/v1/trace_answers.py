"""How traces of requests look over HTTP under `/v1`. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from toldonce.server.api.v1.conversation_answers import TracedMemoryAnswer
from toldonce.server.api.v1.fields import EMPTY_IS_NULL, Answer, HashText, PageAnswer, SubjectText
from toldonce.server.api.v1.memory_answers import OmittedMemoryAnswer
from toldonce.types import BlockState, RequestTrace


class InjectedMemoryAnswer(Answer):
    """A memory that was added to a prompt."""

    id: str
    subject: SubjectText = Field(description="Whose memory it is.")
    score: float
    used: bool | None = Field(description="Whether the answer shows it; null while that is unknown.")


class RequestTraceAnswer(Answer):
    """What memory did for one request."""

    id: str
    at: datetime = Field(description="When the prompt was prepared.")
    recorded_at: datetime = Field(description="When the turn was stored, after its answer; lists are in this order.")
    subject: SubjectText
    conversation: str = Field(description="The server's id.")
    external_id: str | None = Field(description="The client's id of the conversation.")
    seq: int | None = Field(description="The turn's last message, mostly the answer.")
    profile: Annotated[str | None, EMPTY_IS_NULL]
    reads: list[SubjectText] = Field(description="The reading list: whose memories were considered.")
    upstream: str | None = Field(description="Host of the model's API, or `built-in`.")
    model: str | None
    client: str | None = Field(description="How memory was asked for: `chat`, or what the client called it.")
    considered: int | None = Field(description="Active memories that were scored; null if that is unknown.")
    injected: list[InjectedMemoryAnswer] = Field(description="Best first.")
    omitted: list[OmittedMemoryAnswer] = Field(description="Up to 50 that were left out, with the reasons.")
    declared: list[str] = Field(description="Those of `omitted` that the prompt says no longer hold.")
    replayed: int = Field(description="Memories that the prompt repeated from earlier ones of the conversation.")
    tokens: int = Field(description="Tokens that were newly added.")
    took_ms: float | None = Field(description="Milliseconds that recall took, embedding and writing included.")
    prefix: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="What became of the previous prompt: `kept`, or what broke it."
    )
    failure: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="Why nothing was recalled although it was wanted."
    )
    query_hash: HashText
    block_hash: str


class TracePage(PageAnswer):
    """Requests, newest first."""

    traces: list[RequestTraceAnswer]
    newest: str = Field(
        description="Send it as `after` to get what is recorded from now on. Requests of the last seconds may come "
        "again, for several processes record at once: tell them apart by `id`."
    )


class PromptBlockAnswer(Answer):
    """What memory added to a prompt at one message, as the model saw it."""

    at: datetime = Field(description="When the prompt was prepared that had it first.")
    seq: int | None = Field(description="The user's message; null: the beginning of the conversation.")
    standing: str = Field(description="Appended to the system message.")
    recalled: str = Field(description="Appended to the user's message.")
    state: BlockState = Field(
        description="`kept`; `erased`: its words were erased or forgotten; `hidden`: it has words of a subject that "
        "the user no longer reads."
    )


class TraceDetailAnswer(Answer):
    """One request in full."""

    trace: RequestTraceAnswer
    memories: list[TracedMemoryAnswer] = Field(
        description="The injected memories as they are now, without those of subjects that are no longer read."
    )
    added: PromptBlockAnswer | None = Field(
        description="What was added at this request's message; null if the text was not kept: only the placement "
        "`split` keeps it."
    )
    previous: PromptBlockAnswer | None = Field(description="The same of the turn before in this conversation.")
    replayed: list[PromptBlockAnswer] = Field(description="What the prompt repeated of all earlier ones, in order.")


def request_trace(trace: RequestTrace) -> Mapping[str, object]:
    """Return the values of a `RequestTraceAnswer`."""
    record, asked = trace.record, trace.record.request
    plain = ("id", "at", "seq", "omitted", "declared", "replayed", "tokens", "prefix", "failure", "query_hash")
    return {
        **{name: getattr(record, name) for name in (*plain, "block_hash")},
        **{name: getattr(trace, name) for name in ("recorded_at", "conversation", "external_id")},
        **{name: getattr(asked.destination, name) for name in ("upstream", "model", "client")},
        **{name: getattr(asked, name) for name in ("profile", "reads", "considered", "took_ms")},
        "subject": trace.home,
        "injected": [
            {"id": id_, "subject": owner, "score": score, "used": None if record.hits is None else id_ in record.hits}
            for owner, id_, score in record.items
        ],
    }
