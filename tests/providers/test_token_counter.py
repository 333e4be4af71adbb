import socket
from hashlib import sha1, sha256
from pathlib import Path

import pytest

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
    assert counter.count("") == 0
    assert list(tmp_path.iterdir()) == []


# The larger one of the counts of cl100k and o200k.
@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("She couldn't come on 2026-11-30 because the ferries weren't running.", 20),
        ("Ich wohne seit zwei Jahren in einer kleinen Wohnung in München.", 14),
        ("ベルリンで犬と暮らしています。", 16),
        ("أسكن في شقة صغيرة قرب البحر في الإسكندرية.", 29),
        ("मेरी बहन अस्पताल में काम करती है।", 31),
        ("def count(self, text: str) -> int:\n    return len(text.encode())\n", 17),
        ('{"role": "user", "content": "tea ☕"}', 14),
        ("🍵" * 20, 60),
        ("\u200b" * 60, 30),
        (" \n\n \t" * 10, 20),
    ],
    ids="contraction compound kana arabic unknown_script code json emoji invisible blanks".split(),
)
def test_a_count_is_at_least_what_large_vocabularies_need(text: str, needed: int) -> None:
    assert needed <= token_counter(environment={"TIKTOKEN_CACHE_DIR": ""}).count(text) <= 1.6 * needed


@pytest.mark.usefixtures("no_network")
def test_a_file_of_tiktoken_that_is_not_whole_is_left_alone(tmp_path: Path) -> None:
    for encoding in ENCODINGS:
        (tmp_path / sha1(encoding.url.encode()).hexdigest()).write_bytes(b"half a fi")
    counter = token_counter(environment={"TIKTOKEN_CACHE_DIR": str(tmp_path)})
    assert 2 <= counter.count("hello world") <= 3
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
