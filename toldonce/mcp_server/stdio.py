"""Serve MCP over stdin and stdout until the client closes them. Needs the extra `mcp`."""

import sys
from collections.abc import AsyncIterator

import anyio
from mcp.server.stdio import stdio_server

from toldonce.mcp_server.protocol import build_server
from toldonce.mcp_server.toolbox import OpeningToolbox
from toldonce.text.visible_json import without_lone_surrogates


class _Lines:
    """The lines of stdin, as the SDK reads them."""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in anyio.wrap_file(sys.stdin.buffer):
            yield without_lone_surrogates(line).decode("utf-8", "replace")


async def serve_stdio(toolbox: OpeningToolbox) -> None:
    """Serve one client; what a call stores is durable before its answer is written."""
    server = build_server(lambda context: toolbox)
    lines: anyio.AsyncFile[str] = _Lines()  # type: ignore[assignment]  # the SDK only iterates over it
    async with stdio_server(stdin=lines) as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())
