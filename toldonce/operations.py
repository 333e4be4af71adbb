"""The operations of the REST API under `/v1`: which method and path each has, and what it needs. Pure.

The server serves them, and a connection asks for them (`remote`): what both must agree on is here alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toldonce.types import Access

_SUBJECT = "/v1/subjects/{subject}"


@dataclass(frozen=True, slots=True)
class DeclaredOperation:
    """An HTTP method and path under a name."""

    id: str
    """Unique; generators of clients name functions by it."""
    method: str
    path: str
    """Such as `/v1/subjects/{subject}/memories/{memory}`."""
    access: Access
    """What the credential must allow for the subject of the path; without one, for all subjects of its tenant."""
    writes: bool = False
    """Whether it changes something: it then takes an idempotency key."""
    tag: str = ""
    """Its heading in the documentation."""


def _tagged(tag: str, *operations: DeclaredOperation) -> Mapping[str, DeclaredOperation]:
    """Return operations by id, under a heading of the documentation."""
    return {operation.id: replace(operation, tag=tag) for operation in operations}


OPERATIONS: Mapping[str, DeclaredOperation] = {
    **_tagged(
        "subjects",
        DeclaredOperation("listSubjects", "GET", "/v1/subjects", Access.ADMIN),
        DeclaredOperation("listUsers", "GET", "/v1/users", Access.ADMIN),
        DeclaredOperation("getSubjectTotals", "GET", _SUBJECT, Access.READ),
        DeclaredOperation("eraseSubject", "DELETE", _SUBJECT, Access.WRITE, writes=True),
        DeclaredOperation("mergeUser", "POST", f"{_SUBJECT}/merge", Access.ADMIN, writes=True),
        DeclaredOperation("undoMerge", "DELETE", f"{_SUBJECT}/merge", Access.ADMIN, writes=True),
        DeclaredOperation("listSubscriptions", "GET", f"{_SUBJECT}/subscriptions", Access.READ),
        DeclaredOperation("subscribe", "POST", f"{_SUBJECT}/subscriptions", Access.WRITE, writes=True),
        DeclaredOperation("unsubscribe", "DELETE", f"{_SUBJECT}/subscriptions/{{shared}}", Access.WRITE, writes=True),
        DeclaredOperation("getWrittenSubject", "GET", f"{_SUBJECT}/written-subject", Access.READ),
        DeclaredOperation(
            "renameCharacter", "POST", f"{_SUBJECT}/characters/{{character}}/rename", Access.WRITE, writes=True
        ),
    ),
    **_tagged(
        "usage",
        DeclaredOperation("getEnergy", "GET", f"{_SUBJECT}/energy", Access.READ),
        DeclaredOperation("pollEnergy", "POST", f"{_SUBJECT}/energy/polls", Access.WRITE, writes=True),
        DeclaredOperation("getSubjectHealth", "GET", f"{_SUBJECT}/health", Access.READ),
        DeclaredOperation("getSubjectStatistics", "GET", f"{_SUBJECT}/statistics", Access.READ),
        DeclaredOperation("getStatistics", "GET", "/v1/statistics", Access.ADMIN),
    ),
    **_tagged(
        "conversations",
        DeclaredOperation("listConversations", "GET", f"{_SUBJECT}/conversations", Access.READ),
        DeclaredOperation("getConversation", "GET", f"{_SUBJECT}/conversations/{{conversation}}", Access.READ),
        DeclaredOperation(
            "openConversation", "PUT", f"{_SUBJECT}/conversations/{{conversation}}", Access.WRITE, writes=True
        ),
        DeclaredOperation(
            "eraseConversation", "DELETE", f"{_SUBJECT}/conversations/{{conversation}}", Access.WRITE, writes=True
        ),
        DeclaredOperation(
            "endConversation", "POST", f"{_SUBJECT}/conversations/{{conversation}}/end", Access.WRITE, writes=True
        ),
        DeclaredOperation(
            "saveConversation", "POST", f"{_SUBJECT}/conversations/{{conversation}}/save", Access.WRITE, writes=True
        ),
        DeclaredOperation(
            "listConversationMemories", "GET", f"{_SUBJECT}/conversations/{{conversation}}/memories", Access.READ
        ),
        DeclaredOperation(
            "getConversationSummary", "GET", f"{_SUBJECT}/conversations/{{conversation}}/summary", Access.READ
        ),
        DeclaredOperation("traceConversation", "GET", f"{_SUBJECT}/conversations/{{conversation}}/trace", Access.READ),
        DeclaredOperation("listMessages", "GET", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.READ),
        DeclaredOperation(
            "recordMessages", "POST", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.WRITE, writes=True
        ),
        DeclaredOperation(
            "eraseMessages", "DELETE", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.WRITE, writes=True
        ),
        DeclaredOperation("recordTurn", "POST", f"{_SUBJECT}/messages", Access.WRITE, writes=True),
        DeclaredOperation("getContext", "POST", f"{_SUBJECT}/context", Access.READ),
        DeclaredOperation("writePrompt", "POST", f"{_SUBJECT}/conversations/{{conversation}}/prompt", Access.READ),
    ),
    **_tagged(
        "traces",
        DeclaredOperation("listTraces", "GET", "/v1/traces", Access.ADMIN),
        DeclaredOperation("listSubjectTraces", "GET", f"{_SUBJECT}/traces", Access.READ),
        DeclaredOperation(
            "getTrace", "GET", f"{_SUBJECT}/conversations/{{conversation}}/traces/{{trace}}", Access.READ
        ),
    ),
    **_tagged(
        "memories",
        DeclaredOperation("listMemories", "GET", f"{_SUBJECT}/memories", Access.READ),
        DeclaredOperation("addMemories", "POST", f"{_SUBJECT}/memories", Access.WRITE, writes=True),
        DeclaredOperation("getMemory", "GET", f"{_SUBJECT}/memories/{{memory}}", Access.READ),
        DeclaredOperation("correctMemory", "PATCH", f"{_SUBJECT}/memories/{{memory}}", Access.WRITE, writes=True),
        DeclaredOperation("closeMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/close", Access.WRITE, writes=True),
        DeclaredOperation("eraseMemory", "DELETE", f"{_SUBJECT}/memories/{{memory}}", Access.WRITE, writes=True),
        DeclaredOperation("getMemoryHistory", "GET", f"{_SUBJECT}/memories/{{memory}}/history", Access.READ),
        DeclaredOperation("explainMemory", "GET", f"{_SUBJECT}/memories/{{memory}}/why", Access.READ),
        DeclaredOperation("linkMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/links", Access.WRITE, writes=True),
        DeclaredOperation("unlinkMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/unlink", Access.WRITE, writes=True),
        DeclaredOperation("searchMemories", "POST", f"{_SUBJECT}/search", Access.READ),
        DeclaredOperation("nearestMemories", "POST", f"{_SUBJECT}/nearest", Access.READ),
        DeclaredOperation("listNeverRecalled", "GET", f"{_SUBJECT}/health/never-recalled", Access.READ),
        DeclaredOperation("listIdle", "GET", f"{_SUBJECT}/health/idle", Access.READ),
        DeclaredOperation("listReplaced", "GET", f"{_SUBJECT}/health/replaced", Access.READ),
        DeclaredOperation("listHeldConflicts", "GET", f"{_SUBJECT}/health/held-conflicts", Access.READ),
        DeclaredOperation("listNearDuplicates", "GET", f"{_SUBJECT}/health/near-duplicates", Access.READ),
    ),
    **_tagged(
        "history",
        DeclaredOperation("listDecisions", "GET", f"{_SUBJECT}/decisions", Access.READ),
        DeclaredOperation("undoDecision", "POST", f"{_SUBJECT}/decisions/{{decision}}/undo", Access.WRITE, writes=True),
        DeclaredOperation("undoSource", "POST", f"{_SUBJECT}/undo", Access.WRITE, writes=True),
    ),
    **_tagged(
        "reviews",
        DeclaredOperation("listReviews", "GET", f"{_SUBJECT}/reviews", Access.READ),
        DeclaredOperation("approveMemory", "POST", f"{_SUBJECT}/reviews/{{memory}}/approve", Access.WRITE, writes=True),
        DeclaredOperation("rejectMemory", "POST", f"{_SUBJECT}/reviews/{{memory}}/reject", Access.WRITE, writes=True),
    ),
    **_tagged(
        "apps",
        DeclaredOperation("listApps", "GET", "/v1/apps", Access.ADMIN),
        DeclaredOperation("registerApp", "PUT", f"{_SUBJECT}/apps/{{app}}", Access.WRITE, writes=True),
        DeclaredOperation("removeApp", "DELETE", f"{_SUBJECT}/apps/{{app}}", Access.WRITE, writes=True),
        DeclaredOperation("listAppMemories", "GET", f"{_SUBJECT}/apps/{{app}}/memories", Access.READ),
        DeclaredOperation("eraseAppMemories", "DELETE", f"{_SUBJECT}/apps/{{app}}/memories", Access.WRITE, writes=True),
        DeclaredOperation(
            "eraseAppMemory", "DELETE", f"{_SUBJECT}/apps/{{app}}/memories/{{number}}", Access.WRITE, writes=True
        ),
        DeclaredOperation("listAppMemoriesOfAllUsers", "GET", "/v1/apps/{app}/memories", Access.ADMIN),
        DeclaredOperation("eraseAppMemoriesOfAllUsers", "DELETE", "/v1/apps/{app}/memories", Access.ADMIN, writes=True),
        DeclaredOperation(
            "eraseAppMemoryOfAllUsers", "DELETE", "/v1/apps/{app}/memories/{number}", Access.ADMIN, writes=True
        ),
        DeclaredOperation("removeAppForAllUsers", "DELETE", "/v1/apps/{app}", Access.ADMIN, writes=True),
    ),
    **_tagged(
        "operation",
        DeclaredOperation("getConnection", "GET", "/v1/connection", Access.READ),
        DeclaredOperation("checkDatabase", "GET", "/v1/connection/database", Access.READ),
        DeclaredOperation("listFormations", "GET", "/v1/formations", Access.ADMIN),
        DeclaredOperation("retryFormation", "POST", "/v1/formations/retry", Access.ADMIN, writes=True),
        DeclaredOperation("listProfiles", "GET", "/v1/profiles", Access.READ),
        DeclaredOperation("getStats", "GET", "/v1/stats", Access.ADMIN),
        DeclaredOperation("getTotals", "GET", "/v1/stats/totals", Access.ADMIN),
        DeclaredOperation("listSettings", "GET", "/v1/settings", Access.ADMIN),
        DeclaredOperation("examineServer", "GET", "/v1/doctor", Access.ADMIN),
        DeclaredOperation("runFormations", "POST", "/v1/formations/run", Access.ADMIN),
        DeclaredOperation("runMaintenance", "POST", "/v1/maintenance", Access.ADMIN),
        DeclaredOperation("finishErasures", "POST", "/v1/maintenance/erasures", Access.ADMIN),
        DeclaredOperation("getEmbedder", "GET", "/v1/embedder", Access.ADMIN),
        DeclaredOperation("checkEmbedder", "POST", "/v1/embedder/check", Access.ADMIN),
        DeclaredOperation("reembed", "POST", "/v1/embedder/reembed", Access.ADMIN),
        DeclaredOperation("exportSubject", "GET", f"{_SUBJECT}/export", Access.READ),
        DeclaredOperation("exportAll", "GET", "/v1/export", Access.ADMIN),
        DeclaredOperation("importSubjects", "POST", "/v1/import", Access.ADMIN),
        DeclaredOperation("importExport", "POST", f"{_SUBJECT}/import", Access.WRITE),
        DeclaredOperation("importSubjectsWithProgress", "POST", "/v1/import/progress", Access.ADMIN),
    ),
    **_tagged(
        "keys",
        DeclaredOperation("listKeys", "GET", "/v1/keys", Access.ADMIN),
        DeclaredOperation("createKey", "POST", "/v1/keys", Access.ADMIN),
        DeclaredOperation("getKey", "GET", "/v1/keys/{key}", Access.ADMIN),
        DeclaredOperation("revokeKey", "POST", "/v1/keys/{key}/revoke", Access.ADMIN),
        DeclaredOperation("listAudit", "GET", "/v1/audit", Access.ADMIN),
    ),
}
"""All operations by id; no two have the same method and path."""
