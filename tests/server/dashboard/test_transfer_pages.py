"""Downloads of what is kept of a person, and the upload of what another product exported."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dashboard_client import HTML, dashboard_client, token_of
from product_exports import chatgpt_dialogue, write_zip
from stores import DIALECTS, DURABLE
from toldonce.engine import AsyncToldOnce

ANA = "/dashboard/subjects/user%3Aana"


@pytest.mark.parametrize("kind", DURABLE)
async def test_what_is_kept_is_downloaded_as_a_file(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        assert (await browser.http.get(f"{ANA}/download", headers=HTML)).status_code == 400  # nothing is kept yet
        await engine.add("Ana plays the cello.", user="ana")
        whole = await browser.http.get(f"{ANA}/download", headers=HTML)
        paper = await browser.http.get(f"{ANA}/download?format=markdown", headers=HTML)

    assert whole.status_code == 200, whole.text
    assert whole.headers["content-disposition"] == 'attachment; filename="toldonce-user-ana.jsonl"'
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert b"Ana plays the cello." in whole.content
    assert paper.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "- Ana plays the cello." in paper.text


@pytest.mark.parametrize("kind", DIALECTS)
async def test_an_export_is_uploaded_after_a_look_at_what_it_would_do(engine: AsyncToldOnce, tmp_path: Path) -> None:
    chats = [chatgpt_dialogue(f"chat-{number}", [("I am allergic to nuts.", "Noted.")]) for number in range(3)]
    content = write_zip(tmp_path / "x.zip", {"conversations.json": chats, "chat.html": bytes(300_000)}).read_bytes()
    async with dashboard_client(engine) as browser:
        token = token_of(await browser.open(ANA))

        async def send(file: tuple[str, bytes] | None, **fields: str) -> tuple[int, str]:
            files = {"file": file} if file else {"none": (None, b"")}
            answer = await browser.http.post(f"{ANA}/import", data=fields, files=files, headers=HTML)
            return answer.status_code, answer.text

        assert (await send(("x.zip", content)))[0] == 403
        for no_file in (None, ("", b"")):
            status, text = await send(no_file, csrf=token)
            assert (status, "Choose a file first." in text) == (400, True)
        refused, text = await send(("x.txt", b"never exported"), csrf=token)
        assert (refused, "The file is no export that is known" in text) == (400, True)
        status, text = await send(("x.zip", content), csrf=token, dry_run="yes")
        assert (status, "What would be imported" in text, "Nothing was stored." in text) == (200, True, True)
        assert await engine.conversations.list(user="ana") == []

        status, text = await send(("x.zip", content), csrf=token)

        assert (status, "<dt>Messages</dt><dd>6</dd>" in text) == (200, True)
        assert len(await engine.conversations.list(user="ana")) == 3


async def test_a_form_with_a_file_is_read_in_pieces_of_any_size(engine: AsyncToldOnce) -> None:
    """The delimiter of the parts comes in two pieces, and the file has what looks like it."""
    content = b'{"role": "user", "content": "I like figs.\\r\\n--b\\r\\n-"}'
    async with dashboard_client(engine) as browser:
        token = token_of(await browser.open(ANA))
        parts = f'--bound\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{token}\r\n--bound\r\n'.encode()
        parts += b'Content-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
        whole = parts + content + b"\r\n--bound--\r\n"

        async def pieces(size: int, end: int | None = None) -> AsyncIterator[bytes]:
            for at in range(0, len(whole[:end]), size):
                yield whole[:end][at : at + size]

        kind = {**HTML, "content-type": "multipart/form-data; boundary=bound"}
        for size in (1, 7, 1000):
            answer = await browser.http.post(f"{ANA}/import", content=pieces(size), headers=kind)
            assert "<dt>From</dt><dd>jsonl</dd>" in answer.text
        cut = await browser.http.post(f"{ANA}/import", content=pieces(7, -15), headers=kind)
        assert (cut.status_code, "The form broke off" in cut.text) == (400, True)
