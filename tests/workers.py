"""How parallel workers share the tests: those that share a server or costly preparation run in one worker.

The mark `xdist_group` would say the same, but has no effect with pytest 9.2 (issue 1386 of pytest-xdist).
"""

from functools import cached_property

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

PROCESS_FOLDERS = ("integration", "benchmarks", "tools")
"""Each file of these starts a server for all its tests."""
WHOLE_FILES = (
    "test_scripted.py",
    "test_cli_eval.py",
    "test_cli_index.py",
    "test_cli_page.py",
    "test_eval_page.py",
    "test_giants.py",
    "test_linear_patterns.py",
    "test_multilingual_model.py",
    "test_older_schemas.py",
    "test_recall_by_kind.py",
    "test_reembed_kill.py",
    "test_wordings.py",
)
"""Each prepares something in seconds that all its tests read."""
SOURCE_FILES = ("test_architecture.py", "test_child_process.py", "test_names.py", "test_names_in_prose.py")
"""They parse the same files."""
SDK_FILES = (
    *(
        "test_agent_framework.py",
        "test_anthropic.py",
        "test_langchain.py",
        "test_langgraph.py",
        "test_openai_agents.py",
    ),
    *("test_pydantic_ai.py", "test_anthropic_client.py", "test_real_clients.py", "test_responses_client.py"),
    *("test_openai_responses.py", "test_library_page.py", "test_use_with_page.py"),
)
"""They import SDKs, which takes seconds of CPU time for each, and those of frameworks import those of models."""
FILES_BY_PARAMETER = ("test_secure_delete.py", "test_stories.py")
"""Tests of one parameter share what is prepared for it."""
LONG_FILES = (
    *("test_stories.py", "test_linear_patterns.py", "test_postgres_restarts.py", "test_postgres_serving.py"),
    *("test_kill.py", "test_malformed_answers.py", "test_code_figures.py", "test_cli_processes.py", "test_scripted.py"),
    *("test_model_outage.py", "test_embedder_down.py", "test_eval_processes.py", "test_passing_bytes.py"),
    *("test_bulk.py", "test_hostile_messages.py", "test_thousand_turns.py"),
    *(*SOURCE_FILES, *SDK_FILES, "test_npm_clients.py", "test_many_users_quick.py", "test_cli_eval.py"),
)
"""Workers begin with these: one that met them late would still be busy when the others have ended."""


class WorkerScheduler(LoadScopeScheduling):  # type: ignore[misc]
    """Gives tests of equal scope to one worker, and all others to whichever worker is free."""

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Forget scopes that are done: xdist would count all of them again after each test."""
        nodeid = self.registered_collections[node][item_index]
        units = self.assigned_work[node]
        unit = units[scope_of(nodeid)]
        unit[nodeid] = True
        if all(unit.values()):
            del units[scope_of(nodeid)]
        self._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Look places of tests up: xdist would search the list of all of them."""
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self._places[nodeid] for nodeid, is_done in unit.items() if not is_done])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {nodeid: place for place, nodeid in enumerate(self.collection)}

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def scope_of(nodeid: str) -> str:
    """Return what the tests that run in one worker have in common.

    >>> scope_of("tests/integration/test_kill.py::test_a_kill[file]")
    'tests/integration/test_kill.py'
    >>> scope_of("tests/stories/test_stories.py::test_what_must_be_there_is_there[rules]")
    'tests/stories/test_stories.py[rules]'
    """
    path, _, test = nodeid.partition("::")
    folders, _, file = path.rpartition("/")
    if file in SOURCE_FILES:
        return "sources"
    if file in SDK_FILES:
        return "sdks"
    if folders.rpartition("/")[2] in PROCESS_FOLDERS or file in WHOLE_FILES:
        return path
    if file in FILES_BY_PARAMETER and "[" in test:
        return f"{path}[{test.partition('[')[2]}"
    return nodeid
