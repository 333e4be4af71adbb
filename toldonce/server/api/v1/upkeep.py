"""Work on the whole database that an operator asks for, over HTTP: form, maintain, finish erasures, re-embed.

Serves through the engine. None of it takes an idempotency key: asking twice does no harm.
"""

from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from toldonce.engine import ReembedProgress
from toldonce.server.api.v1.fields import Answer, Body, SubjectName
from toldonce.server.api.v1.memory_answers import DecisionAnswer
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.progress_stream import ProgressLine, progress_stream
from toldonce.types import Access, EmbedderKind


class FormationRun(Body):
    """How to form what is due."""

    bulk: bool = Field(default=False, description="Work on many users side by side, as after an import.")


class FormationRunAnswer(Answer):
    """What was formed."""

    formations: int


class MaintenanceRequest(Body):
    """What to maintain."""

    subject: SubjectName | None = Field(default=None, description="Null: all subjects.")
    dry_run: bool = Field(default=False, description="Change nothing, and answer what would be closed.")


class MaintenanceAnswer(Answer):
    """What maintenance closed, or would close, and why."""

    subjects: int
    decisions: list[DecisionAnswer]
    dry_run: bool


class FinishRequest(Body):
    """How to finish erasures."""

    rewrite: bool = Field(default=False, description="PostgreSQL: rewrite the tables, which locks each meanwhile.")


class FinishAnswer(Answer):
    """Whether no erasure is pending."""

    done: bool


class EmbedderSpecAnswer(Answer):
    """How an embedder is reached; it names the variable that holds the key."""

    kind: EmbedderKind
    where: str
    model: str
    key_env: str
    query_prefix: str
    passage_prefix: str
    batch: int


class CurveAnswer(Answer):
    """What an embedder's cosines mean."""

    midpoint: float
    slope: float
    knee: float
    top_slope: float


class EmbedderRecordAnswer(Answer):
    """An embedder of the database."""

    space: str
    dim: int
    spec: EmbedderSpecAnswer
    curve: CurveAnswer
    chosen_at: datetime | None


class SpaceCountAnswer(Answer):
    """Number of memories and subjects in one space."""

    space: str
    dim: int
    memories: int
    subjects: int


class EmbedderAnswer(Answer):
    """The embedder in use, and what it has embedded."""

    record: EmbedderRecordAnswer
    problem: str = Field(description="Why it cannot be called; empty if it can.")
    spaces: list[SpaceCountAnswer]
    waiting_subjects: int
    waiting_memories: int


class EmbedderCheck(Body):
    """A text to embed."""

    text: str = Field(max_length=20_000)


class ReembedRequest(Body):
    """How to re-embed."""

    dry_run: bool = Field(default=False, description="Change nothing, and answer how much there is to do.")


class ReembedLine(ProgressLine):
    """One line of the answer: how far it is, or what was done."""

    space: str | None = None
    subjects: int | None = None
    memories: int | None = None
    dropped: int | None = None


async def _form(request: ResourceRequest) -> ResourceReply:
    is_bulk = request.body_as(FormationRun).bulk
    formed = await (request.engine.bulk.form() if is_bulk else request.engine.form())
    return ResourceReply(answer=FormationRunAnswer(formations=formed))


async def _maintain(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(MaintenanceRequest)
    if body.subject is None:
        request.requester.require_operator()
    subject = None if body.subject is None else request.subject(body.subject, Access.ADMIN)
    report = await request.engine.admin.maintain(user=subject, dry_run=body.dry_run)
    return request.reply(MaintenanceAnswer, report)


async def _reembed(request: ResourceRequest) -> ResourceReply:
    dry_run = request.body_as(ReembedRequest).dry_run

    async def work(say: Callable[[ProgressLine], None]) -> ProgressLine:
        def tell(progress: ReembedProgress) -> None:
            say(ReembedLine(done=progress.done, total=progress.of))

        report = await request.engine.embedder.reembed(dry_run=dry_run, tell=tell)
        return ReembedLine(
            space=report.space, subjects=report.subjects, memories=report.memories, dropped=report.dropped
        )

    return ResourceReply(stream=await progress_stream(work, request))


OPERATIONS = (
    ResourceOperation(
        "runFormations",
        summary="Form all memories that are due, and answer when that is done",
        description="The server forms them in the background, too.",
        handler=_form,
        for_operator=True,
        body=FormationRun,
        has_optional_body=True,
        answer=FormationRunAnswer,
        works=True,
        act="formations.run",
    ),
    ResourceOperation(
        "runMaintenance",
        summary="Close expired memories, merge near-duplicates and evict what exceeds capacity",
        description="The server does so once a day.",
        handler=_maintain,
        body=MaintenanceRequest,
        has_optional_body=True,
        answer=MaintenanceAnswer,
        works=True,
        act="maintenance.run",
    ),
    ResourceOperation(
        "finishErasures",
        summary="Finish pending erasures",
        calls=lambda engine: engine.erasure.finish,
        for_operator=True,
        body=FinishRequest,
        has_optional_body=True,
        answer=FinishAnswer,
        works=True,
        act="erasures.finish",
    ),
    ResourceOperation(
        "getEmbedder",
        summary="Show the embedder in use, and how many memories must be embedded",
        calls=lambda engine: engine.embedder.status,
        for_operator=True,
        answer=EmbedderAnswer,
    ),
    ResourceOperation(
        "checkEmbedder",
        summary="Embed a text, to see that the embedder answers",
        calls=lambda engine: engine.embedder.check,
        for_operator=True,
        body=EmbedderCheck,
    ),
    ResourceOperation(
        "reembed",
        summary="Resume an embedder change, and embed memories that lack vectors",
        description="Answers JSON lines: `{done, total}` after each batch, and at last `{space, subjects, memories, "
        "dropped}`, or `{problem}` if it failed. A stream that breaks off is incomplete.",
        handler=_reembed,
        for_operator=True,
        body=ReembedRequest,
        has_optional_body=True,
        streams_answer=True,
        works=True,
        act="embedder.reembed",
    ),
)
