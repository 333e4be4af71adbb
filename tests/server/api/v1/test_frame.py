"""What all operations under `/v1` have in common: problems, methods, bodies, the document and its page."""

import json
from html.parser import HTMLParser

import httpx
import pytest

from answer_checks import document
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BudgetSpentError, StoreUnavailableError
from toldonce.server.api.v1 import OPERATIONS
from toldonce.server.api.v1.method_call import ARGUMENTS, SCOPE_NAMES, parameters_of
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.server.api.v1.problems import KINDS
from toldonce.server.app import build_app
from toldonce.testing import FakeClock

SEARCH = "/v1/subjects/user:ana/search"
JSON = {"content-type": "application/json"}
pytestmark = pytest.mark.parametrize("engine", ["memory"], indirect=True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"query": "\\ud800"}', "not JSON"),
        (b'{"query": "\\u0000"}', "NUL"),
        (b'{"query": "a", "limit": NaN}', "not JSON"),
        (b'{"query": "a", "limit": 1e999}', "not finite"),
        (b"[" * 100_000, "recursion"),
        (b'{"query": "a", "limit": "5"}', "limit: Input should be a valid integer"),
        (b'{"query": "a", "more": 1}', "more: Extra inputs are not permitted"),
        (b'{"query": "a", "at": "2026-05-03T08:00:00"}', "timezone"),
        (b'{"query": "a", "at": "1777777777"}', "write an instant as"),
        (b'{"query": "a", "at": "1066-10-14T08:00:00Z"}', "1900 to 2999"),
        (b'{"query": "\xff"}', "not JSON"),
    ],
)
async def test_bodies_that_cannot_be_read_are_refused(api: httpx.AsyncClient, body: bytes, said: str) -> None:
    refused = await api.post(SEARCH, content=body, headers=JSON)
    assert refused.status_code == 400
    assert refused.headers["content-type"] == "application/problem+json"
    problem = refused.json()
    assert said in problem["detail"]
    assert (problem["status"], problem["title"], problem["instance"]) == (400, "Bad Request", SEARCH)


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "known_at=0.5",
        "limit=1001",
        "limit=+5",
        "limit=1_0",
        "limit=5&limit=6",
        "more=1",
        "kind=%FF",
        "tag=%00",
    ],
)
async def test_wrong_parameters_are_refused_by_name(api: httpx.AsyncClient, query: str) -> None:
    refused = await api.get(f"/v1/subjects/user:ana/memories?{query}")
    assert refused.status_code == 400
    assert refused.json()["param"] in (query.partition("=")[0], None)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", ""]
)
async def test_bodies_of_other_types_are_refused(api: httpx.AsyncClient, kind: str) -> None:
    refused = await api.post(SEARCH, content=b'{"query": "tea"}', headers={"content-type": kind})
    assert (refused.status_code, refused.json()["type"]) == (415, "/docs#not-json")
    assert refused.headers["accept"] == "application/json"


async def test_other_methods_are_refused_with_those_that_are_served(api: httpx.AsyncClient) -> None:
    refused = await api.put("/v1/subjects/user:ana/memories")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, POST")
    assert refused.json()["type"] == "/docs#method-not-allowed"
    head = await api.head("/v1/subjects/user:ana/memories")
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    "path", ["/v1/subjects/user:ana/nothing", "/v1/subjects/user:ana/memories/", "/v1/subjects//memories"]
)
async def test_unknown_paths_are_problems_too(api: httpx.AsyncClient, path: str) -> None:
    refused = await api.get(path)
    assert (refused.status_code, refused.json()["type"]) == (404, "/docs#not-found")


async def test_too_large_a_body_is_refused(engine: AsyncToldOnce) -> None:
    engine.settings = engine.settings.model_copy(update={"max_body_bytes": 100})
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=build_app(engine)), base_url="http://localhost"
    ) as api:
        refused = await api.post(SEARCH, json={"query": "x" * 200})
    assert (refused.status_code, refused.json()["type"]) == (413, "/docs#too-large")


async def test_an_error_that_passes_says_when_to_come_again(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, seconds in (
        (StoreUnavailableError("it does not answer"), "1"),
        (BudgetSpentError("it is spent", clock.now().replace(microsecond=0)), "1"),
    ):

        async def fail(*_: object, failure: Exception = error, **__: object) -> None:
            raise failure

        monkeypatch.setattr(engine, "search", fail)
        refused = await api.post(SEARCH, json={"query": "tea"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, seconds)


async def test_routes_of_openai_keep_their_shape(api: httpx.AsyncClient) -> None:
    for path in ("/v1/files", "/v1/conversations", "/v1/responses"):
        assert "message" in (await api.get(path)).json()["error"]
    assert "message" in (await api.get("/nothing")).json()["error"]


async def test_a_percent_encoded_subject_is_one_step(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    answer = await api.post("/v1/subjects/session%3Aana%2F1/memories", json={"memories": [{"text": "It rains."}]})
    assert answer.json()["memories"][0]["subject"] == "session:ana/1"
    assert (await api.get("/v1/subjects/%FF/memories")).status_code == 400


async def test_the_document_is_served_and_whole(api: httpx.AsyncClient) -> None:
    served = (await api.get("/openapi.json")).json()
    assert served["openapi"] == "3.1.0"
    served["info"]["version"] = "test"
    assert served == json.loads(json.dumps(document()))
    ids = [operation.id for operation in OPERATIONS]
    assert len(set(ids)) == len(ids)
    text = json.dumps(served)
    for reference in {part.split('"')[0] for part in text.split('"$ref": "')[1:]}:
        assert reference.rpartition("/")[2] in served["components"]["schemas"]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attrs)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        self.links |= {given["href"] or ""} if "href" in given else set()


async def test_the_page_shows_every_operation_and_loads_nothing(api: httpx.AsyncClient) -> None:
    answer = await api.get("/docs")
    page = _Page()
    page.feed(answer.text)
    assert {operation.id for operation in OPERATIONS} | KINDS.keys() <= page.ids
    assert {link.removeprefix("#") for link in page.links if link.startswith("#")} <= page.ids
    assert {link for link in page.links if not link.startswith("#")} == {"openapi.json"}
    assert not {"script", "img", "link", "iframe"} & page.tags
    assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_the_root_says_what_this_is(api: httpx.AsyncClient) -> None:
    said = (await api.get("/")).json()
    assert (said["name"], said["documentation"], said["openapi"]) == ("ToldOnce", "/docs", "/openapi.json")
    assert said["dashboard"] == "/dashboard"
    page = await api.get("/", headers={"accept": "text/html,*/*"})
    assert (page.status_code, page.headers["location"]) == (303, "/dashboard")


async def test_a_path_may_hold_line_feeds_and_has_a_length(api: httpx.AsyncClient) -> None:
    strange = await api.get("/v1/subjects/user:ana/memories/6%0A%C2%85x")
    assert (strange.status_code, strange.json()["type"]) == (404, "/docs#unknown-memory")
    long = await api.get(f"/v1/subjects/user:ana/conversations/{'c' * 513}")
    assert (long.status_code, long.json()["param"]) == (400, "conversation")


async def test_a_failure_is_a_problem_without_details(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr(engine, "search", fail)
    transport = httpx.ASGITransport(app=build_app(engine), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as api:
        failed = await api.post(SEARCH, json={"query": "tea"})
    assert (failed.status_code, failed.headers["content-type"]) == (500, "application/problem+json")
    assert (failed.json()["type"], "secret" in failed.text) == ("/docs#internal", False)


def argument_names(operation: ResourceOperation) -> frozenset[str]:
    """Return the names that the parts of a request to an operation have as arguments."""
    steps = {step[1:-1] for step in operation.path.split("/") if step.startswith("{")}
    fields = {*operation.query.model_fields, *(operation.body.model_fields if operation.body else ())}
    if operation.paging is not None:
        fields = {operation.paging.into if name == "cursor" else name for name in fields}
    return frozenset(ARGUMENTS.get(name, name) for name in steps | fields)


async def test_each_method_takes_what_its_operation_hands_on(engine: AsyncToldOnce) -> None:
    for operation in OPERATIONS:
        if operation.calls is None:
            assert operation.handler is not None, operation.id
            continue
        taken = parameters_of(operation.calls(engine))
        unknown = argument_names(operation) - taken
        assert unknown <= (SCOPE_NAMES if "scope" in taken else set()), operation.id
