"""Streams as upstreams send them, with where `memories` belongs (‹) and from where bytes are held (›)."""

import json
from dataclasses import dataclass, field

from toldonce.chat.reply import TokenUsage

SPLICE, HELD = "‹", "›"


@dataclass(frozen=True, kw_only=True)
class Transcript:
    name: str
    body: bytes
    splice_at: int | None
    held_from: int | None
    text: str
    finished: bool = True
    """Whether the first choice has a finish reason."""
    error: str | None = None
    usage: TokenUsage | None = None
    calls: list[tuple[str, str, str]] = field(default_factory=list)


def chunk(
    content: str | None = None, *, mark: bool = False, index: int = 0, finish: str | None = None, **more: object
) -> str:
    delta = {} if content is None else {"content": content}
    event = {"id": "c1", "choices": [{"index": index, "delta": {**delta, **more}, "finish_reason": finish}]}
    source = json.dumps(event, ensure_ascii=False)
    return f"data: {source[0]}{SPLICE if mark else ''}{source[1:]}\n\n"


def transcript(name: str, source: str, **expected: object) -> Transcript:
    marked = source.encode()
    bare = marked.replace(HELD.encode(), b"")
    splice_at = bare.find(SPLICE.encode())
    unspliced = marked.replace(SPLICE.encode(), b"")
    held_from = unspliced.find(HELD.encode())
    return Transcript(
        name=name,
        body=bare.replace(SPLICE.encode(), b""),
        splice_at=splice_at if splice_at >= 0 else None,
        held_from=held_from if held_from >= 0 else None,
        **expected,  # type: ignore[arg-type]  # the fields of Transcript, spelled out by each caller
    )


DONE = f"{HELD}data: [DONE]\n\n"
ARGUMENTS = '{"city":"Os\\"lo"}'

TRANSCRIPTS = [
    transcript(
        "openai",
        chunk("", mark=True, role="assistant") + chunk("Hello") + chunk(" Ana.") + chunk(finish="stop") + DONE,
        text="Hello Ana.",
    ),
    transcript(
        "azure: choices empty first",
        'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n'
        + chunk("Hi", mark=True)
        + chunk(finish="stop")
        + DONE,
        text="Hi",
    ),
    transcript(
        "tool calls, an event per character",
        chunk(mark=True, tool_calls=[{"index": 0, "id": "call_a", "type": "function", "function": {"name": "weather"}}])
        + "".join(chunk(tool_calls=[{"index": 0, "function": {"arguments": c}}]) for c in ARGUMENTS)
        + chunk(tool_calls=[{"index": 1, "id": "call_b", "function": {"name": "now", "arguments": ""}}])
        + chunk(tool_calls=[{"index": 1, "function": {"arguments": "{}"}}])
        + chunk(finish="tool_calls")
        + DONE,
        text="",
        calls=[("call_a", "weather", ARGUMENTS), ("call_b", "now", "{}")],
    ),
    transcript(
        "comments and other fields",
        ": OPENROUTER PROCESSING\n\n:\n\nevent: message\nid: 7\nretry: 10\n\nid: 8\n"
        + chunk("One", mark=True)
        + ": keep\n\n:data: [DONE]\n\nevent: x\n"
        + chunk(" two", finish="stop")
        + "id: 9\n"
        + DONE,
        text="One two",
    ),
    transcript(
        "carriage returns alone",
        (chunk("a", mark=True) + ": c\n\n" + chunk("b", finish="stop") + DONE).replace("\n", "\r"),
        text="ab",
    ),
    transcript(
        "carriage returns and line feeds",
        (chunk("a", mark=True) + ": c\n\n" + chunk("b", finish="stop") + DONE).replace("\n", "\r\n"),
        text="ab",
    ),
    transcript(
        "every line end mixed",
        chunk("a", mark=True).replace("\n\n", "\r\r\n")
        + chunk("b").replace("\n\n", "\n\r")
        + chunk("c", finish="stop")
        + DONE,
        text="abc",
    ),
    transcript(
        "separators that end no line",
        chunk("x\u2028y\u2029z\x85w", mark=True) + chunk("\v\f\x1c\x1d", finish="stop") + DONE,
        text="x\u2028y\u2029z\x85w\v\f\x1c\x1d",
    ),
    transcript(
        "an error in the stream",
        chunk("Half an ans", mark=True) + 'data: {"error":{"message":"overloaded","code":529}}\n\n' + DONE,
        text="Half an ans",
        finished=False,
        error="overloaded",
    ),
    transcript(
        "an error object and no end",
        chunk("Half", mark=True) + 'data: {"object":"error","message":"out of memory"}\n\n',
        text="Half",
        finished=False,
        error="out of memory",
    ),
    transcript(
        "two choices interleaved",
        chunk("zero", mark=True)
        + chunk("one", index=1)
        + chunk(" more", index=1)
        + chunk(" more zero")
        + chunk(index=1, finish="length")
        + chunk(finish="stop")
        + DONE,
        text="zero more zero",
    ),
    transcript(
        "usage last",
        chunk("Hi", mark=True, finish="stop")
        + 'data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,'
        + '"prompt_tokens_details":{"cached_tokens":8}}}\n\n'
        + DONE,
        text="Hi",
        usage=TokenUsage(prompt_tokens=12, completion_tokens=3, cached_tokens=8),
    ),
    transcript("no [DONE]", chunk("Hi", mark=True) + chunk(finish="stop"), text="Hi"),
    transcript(
        "bytes behind [DONE]",
        chunk("Hi", mark=True, finish="stop") + DONE + chunk(" there") + ": bye\n\ndata: [DONE]\n\n",
        text="Hi",
    ),
    transcript(
        "half an event at the end",
        chunk("Hi", mark=True) + 'data: {"choices":[{"del',
        text="Hi",
        finished=False,
    ),
    transcript("half of [DONE] at the end", chunk("Hi", mark=True, finish="stop") + "data: [DO", text="Hi"),
    transcript(
        "[DONE] without its empty line", chunk("Hi", mark=True, finish="stop") + f"{HELD}data: [DONE]", text="Hi"
    ),
    transcript(
        "a byte order mark, no blanks, data over two lines",
        "\ufeff"
        + chunk("a", mark=True).replace("data: ", "data:")
        + 'data: {"choices":\ndata: [{"delta":{"content":"b"},"finish_reason":"stop"}]}\n\n'
        + f"{HELD}data:[DONE]\n\n",
        text="ab",
    ),
    transcript(
        "events that cannot be read",
        'data: {oops\n\ndata:\n\ndata\n\ndata: 7\n\ndata: null\n\ndata: [1]\n\ndata: {"choices":{}}\n\n'
        + chunk("ok", mark=True, finish="stop")
        + "data: \ufffd\n\n"
        + DONE,
        text="ok",
    ),
    transcript(
        "[DONE] as words of the answer",
        chunk("data: [DONE]\n", mark=True) + "data: {}\ndata:x [DONE]\n\n" + chunk("[DONE]", finish="stop") + DONE,
        text="data: [DONE]\n[DONE]",
    ),
    transcript("nothing but [DONE]", DONE, text="", finished=False),
    transcript("nothing", "", text="", finished=False),
    transcript(
        "halves of an emoji in two events",
        'data: {‹"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
        + 'data: {"choices":[{"delta":{"content":"\\ude00 \\ud83d!"},"finish_reason":"stop"}]}\n\n'
        + DONE,
        text="\U0001f600 \ufffd!",
    ),
    transcript(
        "memories of upstream's own",
        'data: {"memories":[],"choices":[{"delta":{"content":"a"}}]}\n\n' + chunk("b", mark=True, finish="stop") + DONE,
        text="ab",
    ),
]
