"""Bytes in a text become a short mark before any limit counts, and no word is taken for bytes."""

import json
import time
from base64 import a85encode, b64encode, b85encode, encodebytes
from random import Random

import pytest

from toldonce.extraction.sources import MAX_READ_CHARACTERS, readable_text
from toldonce.text.byte_runs import without_bytes

IMAGE = b64encode(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + Random(1).randbytes(30_000)).decode()
URL = f"data:image/png;base64,{IMAGE}"
DRAWING = f"<svg xmlns='http://www.w3.org/2000/svg'><path d='{'M0 0L1 1 ' * 40}'/></svg>"
LINES = encodebytes(Random(2).randbytes(3_001)).decode()


@pytest.mark.parametrize(
    ("carrier", "left"),
    [
        (URL, "[image/png, 30 kB]"),
        (f"![my cat]({URL})", "[image/png, 30 kB: my cat]"),
        (f'![]({URL} "title")', "[image/png, 30 kB]"),
        (f'<img src="{URL}" width="3">', "[image/png, 30 kB]"),
        (f'<img alt="my dog" src="{URL}"/>', "[image/png, 30 kB: my dog]"),
        (f"url({URL})", "url([image/png, 30 kB])"),
        (f'{{"image": "{IMAGE}"}}', '{"image": "[image/png, 30 kB]"}'),
        (IMAGE, "[image/png, 30 kB]"),
        (LINES, "[data, 3.0 kB]"),
        (Random(3).randbytes(400).hex(), "[data, 0.6 kB]"),
        ("data:image/svg+xml;utf8,%3Csvg" + "%20" * 100, "[image/svg+xml, 0.3 kB]"),
        (f"data:image/svg+xml;utf8,{DRAWING}", "[image/svg+xml, 0.4 kB]"),
        (f'<img src="data:image/svg+xml,{DRAWING}" alt="my dog">', "[image/svg+xml, 0.4 kB: my dog]"),
        (a85encode(Random(5).randbytes(3_000)).decode(), "[data, 3.0 kB]"),
        (b85encode(Random(5).randbytes(3_000)).decode(), "[data, 3.0 kB]"),
    ],
)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My knee hurts.", "I live in Oslo."),
        ("Mein Knie tut weh.", "Ich wohne in Kiel."),
        ("我膝盖疼。", "我住在成都。"),
    ],
)
def test_words_around_bytes_stay_and_the_bytes_go(carrier: str, left: str, before: str, after: str) -> None:
    assert " ".join(without_bytes(f"{before} {carrier} {after}").split()) == f"{before} {left} {after}"


@pytest.mark.parametrize("said", ["My knee hurts.", "Mein Knie tut weh.", "我膝盖疼。"])
@pytest.mark.parametrize("shape", [0, 1])
def test_words_in_json_beside_bytes_are_the_senders(said: str, shape: int) -> None:
    parts: list[object] = [
        {"image": URL, "text": said},
        [{"type": "image_url", "image_url": {"url": URL}}, {"type": "text", "text": said}],
    ]
    assert readable_text(json.dumps(parts[shape])) == f"[image/png, 30 kB]\n{said}"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"mail": "Ana writes that she lives in Rome. " * 9, "text": "I am Ana."}),
        "if(a>0){b.push(c[d].value);return{name:e.name,total:Math.round(f*100)/100}}" * 9,
        '{"id":17,"name":"Ana","tags":["a","b"],"when":"2026-01-02T03:04:05Z"},' * 9,
        "haha" * 100,
        "a" * 700,
        "我住在成都" * 200,
        "Donaudampfschifffahrtsgesellschaftskapitän" * 9,
        "src/components/UserProfile/Settings/" * 12,
        "https://mills.example/" + "foo-bar/baz_qux/" * 30,
        "ACGT" * 100,
        "3141592653589793" * 30,
        "What is data:text/plain;base64,SGVsbG8= ?",
        "My key is AbC123xYz890AbC123xYz890AbC123xYz890.",
    ],
)
def test_no_words_are_taken_for_bytes(text: str) -> None:
    assert without_bytes(text) == text


def test_words_behind_bytes_longer_than_all_that_is_read_are_read() -> None:
    image = b64encode(Random(4).randbytes(10 * MAX_READ_CHARACTERS)).decode()

    assert readable_text(f"Look: data:image/jpeg;base64,{image} I live in Oslo.") == (
        "Look: [image/jpeg, 200 kB] I live in Oslo."
    )


@pytest.mark.parametrize(
    "part", ["data:a/b;", "data:a/b;base64,", "<img src=data:", "![a](data:", "\\/", "A" * 59 + " "]
)
def test_it_takes_linear_time(part: str) -> None:
    start = time.process_time()
    without_bytes(part * (400_000 // len(part)))
    assert time.process_time() - start < 5
