"""Notes administrative acts over HTTP: who did what to which subject or memory. Writes through the engine."""

from toldonce.server.api.v1.operation import ResourceReply, ResourceRequest


async def note_act(request: ResourceRequest, reply: ResourceReply) -> None:
    """Append an act that succeeded to the audit log, if the operation is an administrative one for its sender."""
    operation, requester = request.operation, request.requester
    if not operation.act or not (operation.is_act_of_all or requester.is_administrator):
        return
    tenant, target = requester.tenant or "", request.path.get("memory") or request.path.get("decision", "")
    if "subject" in request.path:
        subject = request.target
        tenant, target = subject.tenant, target or str(subject.key)
    await request.engine.keys.note_act(
        operation.act, actor=requester.actor, tenant=tenant, target=target, count=reply.count
    )
