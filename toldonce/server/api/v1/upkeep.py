"""What an operator asks of the server, over HTTP: its settings, what `toldonce doctor` finds, and work on the database.

Serves through the engine. The work, which is to form, maintain, finish erasures or re-embed, takes no idempotency key:
asking twice does no harm.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime

from pydantic import Field

from toldonce.engine import ReembedProgress
from toldonce.server.api.v1.fields import Answer, Body, SubjectName, UrlQuery
from toldonce.server.api.v1.memory_answers import DecisionAnswer
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.progress_stream import ProgressLine, progress_stream
from toldonce.server.findings import Finding, FindingState
from toldonce.settings import SettingSource, shown_settings
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


class SettingAnswer(Answer):
    """A setting in effect."""

    name: str = Field(description="Its environment variable.")
    value: str = Field(description="`set` or `not set` for a secret; a URL without its password; empty: unset.")
    source: SettingSource
    is_default: bool
    is_secret: bool
    description: str


class SettingListAnswer(Answer):
    """All settings in effect, in the order of the documentation."""

    settings: list[SettingAnswer]


class FindingAnswer(Answer):
    """What one check found."""

    what: str
    state: FindingState
    text: str
    todo: str = Field(description="What to do about it; empty if nothing.")


class DoctorAnswer(Answer):
    """What all checks found, in their order."""

    ok: bool = Field(description="No check failed.")
    findings: list[FindingAnswer]


class DoctorQuery(UrlQuery):
    """How much is examined."""

    check: bool = Field(default=False, description="Verify the database's files and indexes (slow).")


async def _settings(request: ResourceRequest) -> ResourceReply:
    shown = await asyncio.to_thread(shown_settings, request.engine.settings)
    answers = [SettingAnswer.of(setting, request.requester) for setting in shown]
    return ResourceReply(answer=SettingListAnswer(settings=answers))


async def _doctor(request: ResourceRequest) -> ResourceReply:
    engine, check = request.engine, request.query_as(DoctorQuery).check
    from toldonce.server.doctor import examine  # with the HTTP client

    findings = [finding async for finding in examine(engine.settings, check=check, engine=engine)]
    is_ok = all(finding.state is not FindingState.FAIL for finding in findings)
    return ResourceReply(answer=DoctorAnswer(ok=is_ok, findings=[_finding(finding) for finding in findings]))


def _finding(finding: Finding) -> FindingAnswer:
    return FindingAnswer(what=finding.what, state=finding.state, text=finding.text, todo=finding.todo)


OPERATIONS = (
    ResourceOperation(
        "listSettings",
        summary="Show the settings in effect, and where they come from",
        description="Secrets are shown as `set` or `not set`.",
        handler=_settings,
        for_operator=True,
        answer=SettingListAnswer,
    ),
    ResourceOperation(
        "examineServer",
        summary="Check database, models and addresses, with a fix for each problem",
        description="What `toldonce doctor` reports. It asks the embedder, and the upstream for its list of models.",
        handler=_doctor,
        for_operator=True,
        query=DoctorQuery,
        answer=DoctorAnswer,
    ),
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
