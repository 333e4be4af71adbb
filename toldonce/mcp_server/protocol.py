"""The MCP server: hands the requests of both protocol eras to a client's toolbox. Needs the extra `mcp`."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NoReturn

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toldonce.errors import ToldOnceError
from toldonce.mcp_server.catalog import (
    INSTRUCTIONS,
    PROFILE_DESCRIPTION,
    PROFILE_URI,
    RECALL_PROMPT,
    RECALL_PROMPT_DESCRIPTION,
    SERVER_NAME,
    ToolSpec,
    tools_for,
)
from toldonce.mcp_server.toolbox import NOT_CONFIRMED, OpeningToolbox, Toolbox
from toldonce.types import Access

Context = ServerRequestContext[Any]
_PLAIN = "text/plain"


def build_server(toolbox_of: Callable[[Context], Toolbox | OpeningToolbox]) -> Server[Any]:
    """Build the server.

    Args:
        toolbox_of: Returns the memories that the sender of a request may use.
    """

    async def list_tools(context: Context, params: object) -> types.ListToolsResult:
        del params
        return types.ListToolsResult(tools=[_tool(spec) for spec in tools_for(toolbox_of(context).access)])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await _called(await _opened(toolbox_of(context)), context, params)

    async def list_resources(context: Context, params: object) -> types.ListResourcesResult:
        del context, params
        profile = types.Resource(uri=PROFILE_URI, name="profile", description=PROFILE_DESCRIPTION, mime_type=_PLAIN)
        return types.ListResourcesResult(resources=[profile])

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if params.uri != PROFILE_URI:
            _refuse(f"there is no such resource; there is {PROFILE_URI}")
        text = await (await _opened(toolbox_of(context))).profile()
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=PROFILE_URI, mime_type=_PLAIN, text=text)]
        )

    async def list_prompts(context: Context, params: object) -> types.ListPromptsResult:
        del context, params
        query = types.PromptArgument(name="query", description="What it is about", required=True)
        prompt = types.Prompt(name=RECALL_PROMPT, description=RECALL_PROMPT_DESCRIPTION, arguments=[query])
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        query = (params.arguments or {}).get("query", "")
        if params.name != RECALL_PROMPT or not query:
            _refuse(f"the prompt is {RECALL_PROMPT}, with the argument query")
        text = await (await _opened(toolbox_of(context))).recall_prompt(query)
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[message])

    return Server(
        SERVER_NAME,
        version=version("toldonce"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


async def _opened(toolbox: Toolbox | OpeningToolbox) -> Toolbox:
    try:
        return await toolbox.opened()
    except ToldOnceError as error:
        raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from error


async def _called(
    toolbox: Toolbox, context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    arguments = params.arguments or {}
    question = await toolbox.question(params.name, arguments)
    agreed = True if question is None else await confirm(context, params, question)
    if isinstance(agreed, types.InputRequiredResult):
        return agreed
    answer = await toolbox.call(params.name, arguments, _via(context)) if agreed else NOT_CONFIRMED
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structured_content=dict(answer.data) or None,
        is_error=answer.is_error,
    )


def _tool(spec: ToolSpec) -> types.Tool:
    is_reading = spec.access is Access.READ
    return types.Tool(
        name=spec.name,
        description=spec.description,
        input_schema=spec.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=is_reading,
            destructive_hint=spec.is_destructive,
            idempotent_hint=spec.is_idempotent,
            open_world_hint=False,
        ),
    )


def _via(context: Context) -> str:
    """Return how a call came: over MCP, from the client that names itself so."""
    params = context.session.client_params
    name = " ".join(params.client_info.name.split())[:40] if params and params.client_info else ""
    return f"MCP ({name})" if name else ""


def _refuse(why: str) -> NoReturn:
    raise MCPError(code=types.INVALID_PARAMS, message=why)


_KEY = "confirm"
# Accepting is all that is asked.
_NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}


async def confirm(
    context: ServerRequestContext[Any], params: types.CallToolRequestParams, question: str
) -> bool | types.InputRequiredResult:
    """Return whether the user agrees, or cannot be asked; or what the client must ask them first.

    Since the revision 2026-07-28 a client asks, and then sends the call again with the answer; before it, the server
    asks while the call runs, where the connection goes both ways. Clients that cannot ask are not asked: what is closed
    can be undone, and the answer says how.
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
