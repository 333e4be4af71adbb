"""As much of a recall as has room."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from snapshots import Known, count_words, memory_of
from tables import check_each
from toldonce.profiles.policies import ContextPolicy
from toldonce.prompt.render import NO_ROOM, RenderedContext, RenderOptions, fit
from toldonce.types import OmittedMemory, Recall, RecalledMemory

BEFORE = OmittedMemory(id=memory_of(Known(id=99, text="x")).id, reason="too weak (0.01)")


def recall(*texts: str) -> Recall:
    memories = [memory_of(Known(id=place, text=text)) for place, text in enumerate(texts)]
    items = tuple(
        RecalledMemory(memory=memory, score=0.5, similarity=0.5, word_share=0, reasons=()) for memory in memories
    )
    return Recall(query="q", items=items, left_out=(BEFORE,), considered=7)


def frame(**more: object) -> RenderOptions:
    policy = ContextPolicy.model_validate({"template": "user", "prefix": "Known:", **more})
    return RenderOptions(policy=policy, key=b"k", zone=ZoneInfo("UTC"), now=datetime(2026, 1, 1, tzinfo=UTC))


def fitted(found: Recall, tokens: int, **more: object) -> tuple[Recall, RenderedContext]:
    return fit(found, frame(**more), tokens=tokens, count=count_words)


def texts(found: Recall) -> list[str]:
    return [item.memory.text for item in found.items]


def test_what_has_room_is_written_whole() -> None:
    found, rendered = fitted(recall("one", "two"), 1000)
    assert texts(found) == ["one", "two"]
    assert (found.left_out, found.considered) == ((BEFORE,), 7)
    assert rendered.items == found.items


def test_what_is_too_long_is_passed_over_and_what_fits_behind_it_is_not() -> None:
    _, short = fitted(recall("one", "two"), 1000)
    room = count_words(short.text)
    found, rendered = fitted(recall("one", "much " * 40, "two"), room)

    assert texts(found) == ["one", "two"]
    assert rendered.text == short.text
    assert found.left_out == (BEFORE, OmittedMemory(id=memory_of(Known(id=1, text="")).id, reason=NO_ROOM))


@check_each("most", range(0, 400, 40))
def test_neither_tokens_nor_characters_are_exceeded(most: int) -> None:
    many = recall(*(f"memory number {number}" for number in range(30)))
    by_tokens, written = fitted(many, most)
    assert count_words(written.text) <= most
    by_characters, cut = fitted(many, 10_000, max_characters=most + 100)
    assert len(cut.text) <= most + 100
    for found in (by_tokens, by_characters):
        assert texts(found) == texts(many)[: len(found.items)]
        assert len(found.items) + len(found.left_out) == 31


def test_no_room_at_all_writes_nothing() -> None:
    found, rendered = fitted(recall("one"), 0)
    assert (found.items, rendered.text) == ((), "")
