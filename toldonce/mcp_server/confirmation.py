"""Ask the user, by elicitation, before a tool closes what they may want to keep. Needs the extra `mcp`.

Clients that cannot ask are not asked: what is closed can be undone, and the answer says how.
"""

from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

_KEY = "confirm"
# Accepting is all that is asked.
_NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}


async def confirm(
    context: ServerRequestContext[Any], params: types.CallToolRequestParams, question: str
) -> bool | types.InputRequiredResult:
    """Return whether the user agrees, or cannot be asked; or what the client must ask them first.

    Since the revision 2026-07-28 a client asks, and then sends the call again with the answer; before it, the server
    asks while the call runs, where the connection goes both ways.
    """
    if not _can_ask(context):
        return True
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        given = (params.input_responses or {}).get(_KEY)
        if given is not None:
            return isinstance(given, types.ElicitResult) and given.action == "accept"
        asked = types.ElicitRequestFormParams(message=question, requested_schema=_NO_FIELDS)
        return types.InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=asked)})
    if context.request is not None:
        return True  # over HTTP without sessions no question reaches the client
    try:
        said = await context.session.elicit_form(question, _NO_FIELDS, context.request_id)
    except MCPError:
        return True  # it cannot ask after all
    return said.action == "accept"


def _can_ask(context: ServerRequestContext[Any]) -> bool:
    capabilities = context.session.client_capabilities
    ability = capabilities.elicitation if capabilities else None
    # An ability without a mode is that of forms: the revision 2025-06-18 knows no other.
    return ability is not None and (ability.form is not None or ability.url is None)
