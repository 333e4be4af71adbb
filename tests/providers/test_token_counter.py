import socket
from hashlib import sha1, sha256
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from toldonce.providers.static_embedder import static_model
from toldonce.providers.token_counter import ENCODINGS, CachingCounter, TiktokenFile, cache_folder, token_counter


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a token counter tried to connect")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
def test_without_tiktoken_s_file_the_built_in_tokenizer_counts(tmp_path: Path) -> None:
    counter = token_counter(environment={"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    text = "Ana is allergic to peanuts."
    expected = static_model().tokenizer.encode(text, add_special_tokens=False).ids
    assert counter.count(text) == len(expected) > 5
    assert counter.count("") == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_network")
def test_a_file_of_tiktoken_that_is_not_whole_is_left_alone(tmp_path: Path) -> None:
    for encoding in ENCODINGS:
        (tmp_path / sha1(encoding.url.encode()).hexdigest()).write_bytes(b"half a fi")
    counter = token_counter(environment={"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert counter.count("hello world") == 2
    assert len(list(tmp_path.iterdir())) == len(ENCODINGS)


@pytest.mark.usefixtures("no_network")
def test_tiktoken_counts_where_its_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="the extra `tiktoken` is not installed")
    registry = pytest.importorskip("tiktoken.registry")
    # A vocabulary of the 256 bytes stands in for the real ones, which are not ours to ship.
    file = b"the file's bytes"
    single = tiktoken.Encoding(
        "bytes", pat_str=r"\S+|\s+", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    monkeypatch.setitem(registry.ENCODINGS, "bytes", single)
    encoding = TiktokenFile(name="bytes", url="https://example.org/bytes.tiktoken", sha256=sha256(file).hexdigest())
    (tmp_path / sha1(encoding.url.encode()).hexdigest()).write_bytes(file)

    counter = token_counter(environment={"DATA_GYM_CACHE_DIR": str(tmp_path)}, encodings=[encoding])
    assert counter.count("tea ☕") == 7
    assert counter.count("<|endoftext|>") == 13


def test_a_given_tokenizer_is_the_fallback(tmp_path: Path) -> None:
    words = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = Whitespace()
    counter = token_counter(words, environment={"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert counter.count("three short words") == 3


def test_a_cache_that_is_turned_off_is_no_folder() -> None:
    assert cache_folder({"TIKTOKEN_CACHE_DIR": ""}) is None
    assert cache_folder({"DATA_GYM_CACHE_DIR": "/a", "TIKTOKEN_CACHE_DIR": "/b"}) == Path("/b")
    assert cache_folder({"DATA_GYM_CACHE_DIR": "/a"}) == Path("/a")
    folder = cache_folder({})
    assert folder is not None
    assert folder.name == "data-gym-cache"


def test_a_text_is_tokenized_once_until_the_counter_forgets() -> None:
    seen: list[str] = []

    def tokenize(text: str) -> int:
        seen.append(text)
        return 1

    counter, long = CachingCounter(tokenize), "long " * 1000
    for text in ("short", "short", long, long):
        counter.count(text)
    assert seen == ["short", long]

    counter.forget()
    counter.count("short")
    counter.count(long)
    assert seen == ["short", long, "short", long]


def test_only_the_last_long_texts_are_kept() -> None:
    seen: list[str] = []

    def tokenize(text: str) -> int:
        seen.append(text)
        return 1

    counter = CachingCounter(tokenize)
    texts = [f"{number} long " * 200 for number in range(33)]
    for text in (*texts, texts[-1], texts[0]):
        counter.count(text)
    assert seen == [*texts, texts[0]]


def test_a_very_long_text_counts_its_bytes() -> None:
    def tokenize(text: str) -> int:
        raise AssertionError(f"{len(text)} characters were tokenized")

    assert CachingCounter(tokenize).count("é" * 60_000) == 120_000


def test_what_cannot_be_encoded_is_counted() -> None:
    assert token_counter(environment={"TIKTOKEN_CACHE_DIR": ""}).count("a\ud800\x00b") > 2
