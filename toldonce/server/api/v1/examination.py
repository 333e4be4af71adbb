"""Settings in effect and the findings of `toldonce doctor`, over HTTP, for the operator. Serves through the engine."""

import asyncio

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.doctor import Finding, FindingState, examine
from toldonce.settings import SettingSource, shown_settings


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
)
