"""`docs/api.md` names every route of the live server, and no other; the examples of `docs/profiles.md` are profiles."""

import re
from pathlib import Path

from toldonce.chat.tools import NAMES
from toldonce.profiles.registry import ProfileRegistry
from toldonce.server.api import OPERATIONS
from toldonce.server.api.v1 import OPERATIONS as RESOURCES
from toldonce.types import Destination

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "api.md").read_text("utf-8")
PROFILES = (DOCS / "profiles.md").read_text("utf-8")
# What is served beside the REST API's own operations.
BESIDE = {("GET", path) for path in ("/", "/docs", "/openapi.json", "/livez", "/readyz", "/healthz", "/metrics")}


def test_each_operation_is_on_the_page_and_each_one_there_is_served() -> None:
    shown = set(re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`\s?]*)`", PAGE))
    live = {(operation.method, operation.path) for operation in (*OPERATIONS, *RESOURCES)}
    assert shown == live | BESIDE


def test_the_page_of_profiles_names_every_tool_that_a_profile_can_offer() -> None:
    assert {name for name in NAMES if f"`{name}`" not in PROFILES} == set()


def test_the_rules_on_destinations_on_their_page_are_rules(tmp_path: Path) -> None:
    [example] = re.findall(r"(?ms)^```toml\n([^`]*\[\[destinations\]\].*?)^```$", PROFILES)
    (tmp_path / "own.toml").write_text(f'description = "x"\n{example}', "utf-8")
    health, hooks = ProfileRegistry(tmp_path).get("own").destinations
    assert health.forbids(Destination(upstream="api.example.com"))
    assert not health.forbids(Destination(upstream="localhost"))
    assert hooks.forbids(Destination(client="mcp"))


def test_the_profile_of_ones_own_on_the_page_is_one(tmp_path: Path) -> None:
    [example] = re.findall(r"(?ms)^```toml\n(extends.*?)^```$", PROFILES)
    (tmp_path / "helpdesk.toml").write_text(example, "utf-8")
    helpdesk = ProfileRegistry(tmp_path).get("helpdesk")
    assert (helpdesk.capacity.max_memories, helpdesk.form.min_importance, helpdesk.context.template) == (
        20,
        0.5,
        "session",
    )
