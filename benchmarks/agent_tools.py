"""What MCP costs an agent: tokens of tools and answers, and the start of `toldonce mcp`. Starts processes."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.rows import Row, spread
from toldonce.engine import AsyncToldOnce
from toldonce.mcp_server.catalog import INSTRUCTIONS, TOOLS
from toldonce.mcp_server.toolbox import Toolbox
from toldonce.providers.token_counter import token_counter

# The promise (issue 17) for the tools with their instructions.
BAR_TOKENS = 800
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def run(quick: bool) -> list[Row]:
    """Count tokens, and start the server a few times."""
    rows = asyncio.run(_tokens())
    starts = [_started() for _ in steps("mcp: starts", range(2 if quick else 10))]
    return rows + spread("start until the first answer", starts, "ms")


async def _tokens() -> list[Row]:
    counter = token_counter()
    shown = [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TOOLS]
    tools = counter.count(json.dumps(shown, ensure_ascii=False))
    rows = [
        Row(name="tools", value=tools, unit="tokens"),
        Row(name="instructions", value=counter.count(INSTRUCTIONS), unit="tokens"),
        Row(name="both", value=tools + counter.count(INSTRUCTIONS), unit="tokens", bar=BAR_TOKENS),
    ]
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        async with parts_in(settings_for(Path(folder))) as parts:
            engine = AsyncToldOnce(parts)
            user, writer = engine.subject("ana"), Writer()
            await engine.bulk.add(writer.sentences(200), user=user)
            toolbox = Toolbox(engine=engine, reads=(user,), writes=user)
            for limit in (5, 10):
                answer = await toolbox.call("recall_memory", {"query": writer.statement(), "limit": limit})
                of = f"recall of {limit}"
                rows.append(Row(name=f"{of}, in words", value=counter.count(answer.text), unit="tokens"))
                data = counter.count(json.dumps(dict(answer.data)))
                rows.append(Row(name=f"{of}, as data", value=data, unit="tokens"))
    return rows


def _started() -> float:
    """Return how long a process takes from its start to its answer to the handshake, in ms."""
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        command = [sys.executable, "-m", "toldonce", "mcp", "--database", f"sqlite:///{folder}/memory.sqlite3"]
        begin = time.perf_counter()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            if process.stdin is None or process.stdout is None:
                raise AssertionError("the process has no pipes")
            process.stdin.write(json.dumps(_HELLO).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            took = (time.perf_counter() - begin) * 1000
            process.stdin.close()
            process.wait(timeout=30)
    if "result" not in answer:
        raise AssertionError(f"the handshake failed: {answer}")
    return took
