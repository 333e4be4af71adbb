"""The operations of the REST API under `/v1`: which method and path each has, and what it needs. Pure.

The server serves them, and a connection asks for them (`engine/remote`): what both must agree on is here alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from toldonce.types import Access

_SUBJECT = "/v1/subjects/{subject}"


@dataclass(frozen=True, slots=True)
class Operation:
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


OPERATIONS: Mapping[str, Operation] = {
    operation.id: operation
    for operation in (
        Operation("listSubjects", "GET", "/v1/subjects", Access.ADMIN),
        Operation("getSubjectTotals", "GET", _SUBJECT, Access.READ),
        Operation("eraseSubject", "DELETE", _SUBJECT, Access.WRITE, writes=True),
        Operation("getEnergy", "GET", f"{_SUBJECT}/energy", Access.READ),
        Operation("pollEnergy", "POST", f"{_SUBJECT}/energy/polls", Access.WRITE, writes=True),
        Operation("listSubscriptions", "GET", f"{_SUBJECT}/subscriptions", Access.READ),
        Operation("subscribe", "POST", f"{_SUBJECT}/subscriptions", Access.WRITE, writes=True),
        Operation("unsubscribe", "DELETE", f"{_SUBJECT}/subscriptions/{{shared}}", Access.WRITE, writes=True),
        Operation("getWrittenSubject", "GET", f"{_SUBJECT}/written-subject", Access.READ),
        Operation("listConversations", "GET", f"{_SUBJECT}/conversations", Access.READ),
        Operation("getConversation", "GET", f"{_SUBJECT}/conversations/{{conversation}}", Access.READ),
        Operation("openConversation", "PUT", f"{_SUBJECT}/conversations/{{conversation}}", Access.WRITE, writes=True),
        Operation(
            "eraseConversation", "DELETE", f"{_SUBJECT}/conversations/{{conversation}}", Access.WRITE, writes=True
        ),
        Operation(
            "endConversation", "POST", f"{_SUBJECT}/conversations/{{conversation}}/end", Access.WRITE, writes=True
        ),
        Operation(
            "saveConversation", "POST", f"{_SUBJECT}/conversations/{{conversation}}/save", Access.WRITE, writes=True
        ),
        Operation(
            "listConversationMemories", "GET", f"{_SUBJECT}/conversations/{{conversation}}/memories", Access.READ
        ),
        Operation("getConversationSummary", "GET", f"{_SUBJECT}/conversations/{{conversation}}/summary", Access.READ),
        Operation("traceConversation", "GET", f"{_SUBJECT}/conversations/{{conversation}}/trace", Access.READ),
        Operation("listTraces", "GET", "/v1/traces", Access.ADMIN),
        Operation("listSubjectTraces", "GET", f"{_SUBJECT}/traces", Access.READ),
        Operation("getTrace", "GET", f"{_SUBJECT}/conversations/{{conversation}}/traces/{{trace}}", Access.READ),
        Operation("listMessages", "GET", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.READ),
        Operation(
            "recordMessages", "POST", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.WRITE, writes=True
        ),
        Operation(
            "eraseMessages", "DELETE", f"{_SUBJECT}/conversations/{{conversation}}/messages", Access.WRITE, writes=True
        ),
        Operation("recordTurn", "POST", f"{_SUBJECT}/messages", Access.WRITE, writes=True),
        Operation("getContext", "POST", f"{_SUBJECT}/context", Access.READ),
        Operation("writePrompt", "POST", f"{_SUBJECT}/conversations/{{conversation}}/prompt", Access.READ),
        Operation("listMemories", "GET", f"{_SUBJECT}/memories", Access.READ),
        Operation("addMemories", "POST", f"{_SUBJECT}/memories", Access.WRITE, writes=True),
        Operation("getMemory", "GET", f"{_SUBJECT}/memories/{{memory}}", Access.READ),
        Operation("correctMemory", "PATCH", f"{_SUBJECT}/memories/{{memory}}", Access.WRITE, writes=True),
        Operation("closeMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/close", Access.WRITE, writes=True),
        Operation("eraseMemory", "DELETE", f"{_SUBJECT}/memories/{{memory}}", Access.WRITE, writes=True),
        Operation("getMemoryHistory", "GET", f"{_SUBJECT}/memories/{{memory}}/history", Access.READ),
        Operation("explainMemory", "GET", f"{_SUBJECT}/memories/{{memory}}/why", Access.READ),
        Operation("linkMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/links", Access.WRITE, writes=True),
        Operation("unlinkMemory", "POST", f"{_SUBJECT}/memories/{{memory}}/unlink", Access.WRITE, writes=True),
        Operation("searchMemories", "POST", f"{_SUBJECT}/search", Access.READ),
        Operation("nearestMemories", "POST", f"{_SUBJECT}/nearest", Access.READ),
        Operation("listDecisions", "GET", f"{_SUBJECT}/decisions", Access.READ),
        Operation("undoDecision", "POST", f"{_SUBJECT}/decisions/{{decision}}/undo", Access.WRITE, writes=True),
        Operation("undoSource", "POST", f"{_SUBJECT}/undo", Access.WRITE, writes=True),
        Operation("listReviews", "GET", f"{_SUBJECT}/reviews", Access.READ),
        Operation("approveMemory", "POST", f"{_SUBJECT}/reviews/{{memory}}/approve", Access.WRITE, writes=True),
        Operation("rejectMemory", "POST", f"{_SUBJECT}/reviews/{{memory}}/reject", Access.WRITE, writes=True),
        Operation("listNeverRecalled", "GET", f"{_SUBJECT}/health/never-recalled", Access.READ),
        Operation("listIdle", "GET", f"{_SUBJECT}/health/idle", Access.READ),
        Operation("listReplaced", "GET", f"{_SUBJECT}/health/replaced", Access.READ),
        Operation("listHeldConflicts", "GET", f"{_SUBJECT}/health/held-conflicts", Access.READ),
        Operation("listNearDuplicates", "GET", f"{_SUBJECT}/health/near-duplicates", Access.READ),
        Operation("listApps", "GET", "/v1/apps", Access.ADMIN),
        Operation("registerApp", "PUT", f"{_SUBJECT}/apps/{{app}}", Access.WRITE, writes=True),
        Operation("removeApp", "DELETE", f"{_SUBJECT}/apps/{{app}}", Access.WRITE, writes=True),
        Operation("listAppMemories", "GET", f"{_SUBJECT}/apps/{{app}}/memories", Access.READ),
        Operation("eraseAppMemories", "DELETE", f"{_SUBJECT}/apps/{{app}}/memories", Access.WRITE, writes=True),
        Operation(
            "eraseAppMemory", "DELETE", f"{_SUBJECT}/apps/{{app}}/memories/{{number}}", Access.WRITE, writes=True
        ),
        Operation("listAppMemoriesOfAllUsers", "GET", "/v1/apps/{app}/memories", Access.ADMIN),
        Operation("eraseAppMemoriesOfAllUsers", "DELETE", "/v1/apps/{app}/memories", Access.ADMIN, writes=True),
        Operation("eraseAppMemoryOfAllUsers", "DELETE", "/v1/apps/{app}/memories/{number}", Access.ADMIN, writes=True),
        Operation("removeAppForAllUsers", "DELETE", "/v1/apps/{app}", Access.ADMIN, writes=True),
        Operation("renameCharacter", "POST", f"{_SUBJECT}/characters/{{character}}/rename", Access.WRITE, writes=True),
        Operation("getConnection", "GET", "/v1/connection", Access.READ),
        Operation("checkDatabase", "GET", "/v1/connection/database", Access.READ),
        Operation("listFormations", "GET", "/v1/formations", Access.ADMIN),
        Operation("retryFormation", "POST", "/v1/formations/retry", Access.ADMIN, writes=True),
        Operation("listProfiles", "GET", "/v1/profiles", Access.READ),
        Operation("getStats", "GET", "/v1/stats", Access.ADMIN),
        Operation("getTotals", "GET", "/v1/stats/totals", Access.ADMIN),
        Operation("getSubjectHealth", "GET", f"{_SUBJECT}/health", Access.READ),
        Operation("getSubjectStatistics", "GET", f"{_SUBJECT}/statistics", Access.READ),
        Operation("getStatistics", "GET", "/v1/statistics", Access.ADMIN),
        Operation("listSettings", "GET", "/v1/settings", Access.ADMIN),
        Operation("examineServer", "GET", "/v1/doctor", Access.ADMIN),
        Operation("runFormations", "POST", "/v1/formations/run", Access.ADMIN),
        Operation("runMaintenance", "POST", "/v1/maintenance", Access.ADMIN),
        Operation("finishErasures", "POST", "/v1/maintenance/erasures", Access.ADMIN),
        Operation("getEmbedder", "GET", "/v1/embedder", Access.ADMIN),
        Operation("checkEmbedder", "POST", "/v1/embedder/check", Access.ADMIN),
        Operation("reembed", "POST", "/v1/embedder/reembed", Access.ADMIN),
        Operation("exportSubject", "GET", f"{_SUBJECT}/export", Access.READ),
        Operation("exportAll", "GET", "/v1/export", Access.ADMIN),
        Operation("importSubjects", "POST", "/v1/import", Access.ADMIN),
        Operation("importSubjectsWithProgress", "POST", "/v1/import/progress", Access.ADMIN),
        Operation("listKeys", "GET", "/v1/keys", Access.ADMIN),
        Operation("createKey", "POST", "/v1/keys", Access.ADMIN),
        Operation("getKey", "GET", "/v1/keys/{key}", Access.ADMIN),
        Operation("revokeKey", "POST", "/v1/keys/{key}/revoke", Access.ADMIN),
        Operation("listAudit", "GET", "/v1/audit", Access.ADMIN),
    )
}
"""All operations by id; no two have the same method and path."""
