"""Messages as chat bridges send them: each label names a speaker, whose words are never the user's."""

import pytest

from sample_chats import tell
from stores import STORES
from tables import check_each
from toldonce.engine import AsyncToldOnce
from toldonce.extraction.own_text.chat_bridges import labelled_parts, speaker_in
from toldonce.types import MemoryKind

SHAPES = (
    "[Ana]: {}",
    "[@Ana 12:03]: {}",
    "<Ana> {}",
    "<@U024BE7LH|Ana> {}",
    "@Ana (12:03): {}",
    "[12:03] Ana: {}",
    "Ana [12:03]: {}",
    "Ana: {}",
    "Ana:\n{}",
    "Ana：{}",
    "**Ana**: {}",
    "**Ana:** {}",
    "*Ana*: {}",
    "_Ana_: {}",
    "`Ana`: {}",
    "Ana — {}",
    "Ana – {}",
    "Ana -- {}",
)
WORDS = ("I live in Oslo.", "Ich wohne in Oslo.", "Vivo en Oslo.", "J'habite à Oslo.", "我住在奥斯陆。")


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("words", WORDS)
def test_the_label_of_a_bridge_names_the_speaker(shape: str, words: str) -> None:
    text = shape.format(words)
    assert speaker_in(text) == "Ana"
    assert [(part.name, part.words) for part in labelled_parts(text, "Ana")] == [("Ana", words)]


@check_each("shape", SHAPES)
def test_each_of_several_speakers_has_their_own_words(shape: str) -> None:
    text = shape.format("I live in Oslo.") + "\n" + shape.replace("Ana", "Ben").format("I live in Rome.")
    name = speaker_in(text)
    parts = [(part.name, part.words) for part in labelled_parts(text, name)]
    assert parts == [("Ana", "I live in Oslo."), ("Ben", "I live in Rome.")]


@check_each(
    "text",
    [
        "Ana — my sister — is allergic to nuts.",
        "Marie — I miss her so much.",
        "Marie – elle me manque.",
        "Ana — ich vermisse sie.",
        "Paris — I love that city.",
        "<@U024BE7LH|Ana> can you send the file?",
        "*Note*: I live in Oslo.",
        "Note:\nI live in Oslo.",
        "Notiz — ich wohne in Köln.",
        "Ana:\n- birthday on 3 May\n- likes tea",
        "TODO: I must call Ana.",
    ],
)
def test_in_doubt_the_words_are_the_users_own(text: str) -> None:
    assert speaker_in(text) is None


@pytest.mark.parametrize("shape", ["Ana:\n{}", "Ana — {}", "*Ana*: {}", "<@U024BE7LH|Ana> {}"])
async def test_labelled_words_are_kept_as_the_speakers_and_found(engine: AsyncToldOnce, shape: str) -> None:
    told = {
        "Oslo": "I live in Oslo.",
        "Nüsse": "Ich bin allergisch gegen Nüsse.",
        "enfermera": "Trabajo como enfermera.",
    }
    for asked, words in told.items():
        await tell(engine, shape.format(words))
        assert any(words in item.memory.text for item in (await engine.search(asked, user="ana")).items)
    listed = await engine.list(user="ana", kinds=tuple(MemoryKind))
    assert {memory.speaker for memory in listed} == {"Ana"}
    facts = [memory for memory in listed if memory.kind is MemoryKind.FACT]
    assert {memory.key.partition("@")[0].partition(":")[0] for memory in facts} == {"location", "allergy", "job"}
    assert all(memory.key.endswith("@ana") for memory in facts)
