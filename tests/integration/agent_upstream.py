"""A model server for agents: Messages and Responses with the answers of a script. Opens a port.

All answers are streamed, but for Messages that are asked for whole.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = "Understood, noted."


@dataclass(frozen=True)
class ToolCall:
    """A call that the model makes of a tool, of an MCP server or, without one, of the client."""

    server: str
    name: str
    arguments: Mapping[str, object]

    @property
    def tool(self) -> str:
        """Its name in Messages; a tool of no server is the client's own."""
        return f"mcp__{self.server}__{self.name}" if self.server else self.name


@contextmanager
def agent_upstream(calls: Sequence[ToolCall] = ()) -> Iterator[tuple[int, list[str]]]:
    """Serve, and yield the port and the bodies of the requests for answers so far.

    Args:
        calls: Tools that the model calls in each session, one after the other, before it answers.
    """
    bodies: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            del format, args

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            self._send(b'{"data": []}', "application/json")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            bodies.append(body.decode("utf-8", "replace"))
            is_messages = "/messages" in self.path
            call = _next_call(bodies[-1], calls, is_messages)
            if is_messages and not json.loads(bodies[-1]).get("stream"):
                self._send(json.dumps(_message(call, len(bodies))).encode(), "application/json")
                return
            events = (_messages if is_messages else _responses)(call, len(bodies))
            self._send(_written(events), "text/event-stream")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _written(events: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _next_call(body: str, calls: Sequence[ToolCall], is_messages: bool) -> ToolCall | None:
    """Return the call that a request is answered with: the first without a result; None where no tool is offered."""
    read = json.loads(body)
    if not read.get("tools"):
        return None
    body = body.replace('": "', '":"')
    done = body.count('"type":"tool_result"' if is_messages else '"type":"function_call_output"')
    return calls[done] if done < len(calls) else None


def _message(call: ToolCall | None, number: int) -> Mapping[str, object]:
    block: Mapping[str, object] = {"type": "text", "text": ANSWER}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{call.name}", "name": call.tool, "input": call.arguments}
    return {
        **{"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude", "content": [block]},
        **{"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
        "usage": {"input_tokens": 5, "output_tokens": 4},
    }


def _messages(call: ToolCall | None, number: int) -> list[Mapping[str, object]]:
    message = {
        **{"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude", "content": []},
        **{"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1}},
    }
    end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    block: Mapping[str, object] = {"type": "text", "text": ""}
    delta: Mapping[str, object] = {"type": "text_delta", "text": ANSWER}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{call.name}", "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]


def _responses(call: ToolCall | None, number: int) -> list[Mapping[str, object]]:
    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    item: dict[str, object] = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed"}
    item["content"] = [text]
    if call:
        item = {
            **{"id": f"fc_{number}", "type": "function_call", "status": "completed", "call_id": f"call_{call.name}"},
            **{"name": call.name, "arguments": json.dumps(call.arguments)},
            **({"namespace": f"mcp__{call.server}"} if call.server else {}),
        }
    usage = {
        **{"input_tokens": 5, "input_tokens_details": {"cached_tokens": 0}, "total_tokens": 9},
        **{"output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 0}},
    }
    response = {"id": f"resp_{number}", "object": "response"}
    at = {"item_id": f"msg_{number}", "output_index": 0, "content_index": 0}
    begun: list[Mapping[str, object]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", **at, "delta": ANSWER},
    ]
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        *(begun if call is None else ()),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [item], "usage": usage},
        },
    ]
