"""What the library is opened with: a path, a URL, settings, an embedder and a model."""

from pathlib import Path

import pytest

from toldonce import AsyncToldOnce, ToldOnce
from toldonce.engine.arguments import read_settings
from toldonce.errors import BadEmbedderError, BadSettingError
from toldonce.settings import Settings
from toldonce.testing import FakeClock, ScriptedModel, WordEmbedder
from toldonce.types import EmbedderKind, EmbedderSpec


@pytest.mark.parametrize("as_type", [str, Path])
def test_a_path_opens_an_sqlite_file(tmp_path: Path, as_type: type[str] | type[Path]) -> None:
    path = tmp_path / "memory.db"
    with ToldOnce(as_type(path), embedder=WordEmbedder()) as memory:
        memory.add("Ana likes green tea.")
    assert path.is_file()
    with ToldOnce(f"sqlite:///{path}", embedder=WordEmbedder()) as memory:
        assert [note.text for note in memory.list()] == ["Ana likes green tea."]


async def test_settings_can_be_given_by_name(tmp_path: Path) -> None:
    async with await AsyncToldOnce.open(tmp_path / "memory.db", profile="tiered", default_user="ana") as memory:
        assert memory.settings.profile == "tiered"
        assert (await memory.add("Ana likes green tea.")).subject.text == "user:ana"


async def test_settings_by_name_come_before_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOLDONCE_PROFILE", "user")
    monkeypatch.setenv("TOLDONCE_DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    settings = read_settings(tmp_path / "memory.db", {"profile": "tiered"})
    assert settings.profile == "tiered"
    assert settings.database_url == f"sqlite:///{tmp_path / 'memory.db'}"
    assert read_settings(None, {}).profile == "user"


async def test_a_given_model_forms_memories(tmp_path: Path, clock: FakeClock) -> None:
    model = ScriptedModel(lambda system, user: {"memories": []})
    async with await AsyncToldOnce.open(
        tmp_path / "memory.db", embedder=WordEmbedder(), model=model, clock=clock
    ) as memory:
        await memory.record([{"role": "user", "content": "I am allergic to peanuts and I live in Oslo."}])
        await memory.form()
    assert model.calls


async def test_a_given_embedder_embeds(tmp_path: Path) -> None:
    async with await AsyncToldOnce.open(tmp_path / "memory.db", embedder=WordEmbedder(32)) as memory:
        await memory.add("Ana likes green tea.")
        status = await memory.embedder.status()
        assert [(count.space, count.memories) for count in status.spaces] == [("words-32", 1)]
        assert await memory.embedder.reembed() is not None
        assert (await memory.embedder.status()).record.chosen_at is None  # it cannot be opened by name


async def test_a_given_embedder_is_not_exchanged_in_the_database(tmp_path: Path) -> None:
    async with await AsyncToldOnce.open(tmp_path / "memory.db", embedder=WordEmbedder(32)) as memory:
        await memory.add("Ana likes green tea.")
        trial = await memory.embedder.try_out(EmbedderSpec(kind=EmbedderKind.STATIC))
        with pytest.raises(BadEmbedderError, match="words-32 cannot be used: it was given as embedder=; open the"):
            await memory.embedder.use(trial)
        assert (await memory.embedder.status()).record.chosen_at is None
        assert (await memory.embedder.use(trial, dry_run=True)).memories == 1


async def test_a_given_embedder_of_another_space_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with await AsyncToldOnce.open(path, embedder=WordEmbedder(32)) as memory:
        await memory.add("Ana likes green tea.")
    with pytest.raises(BadEmbedderError, match=r"WordEmbedder \(words-64\).*embedded by words-32"):
        await AsyncToldOnce.open(path, embedder=WordEmbedder(64))


async def test_a_database_that_cannot_be_opened_is_refused() -> None:
    with pytest.raises(BadSettingError, match="mysql"):
        await AsyncToldOnce.open("mysql://localhost/memory")
    with pytest.raises(BadSettingError, match="is empty"):
        await AsyncToldOnce.open("")


@pytest.mark.parametrize(
    ("database", "options", "said"),
    [
        (42, {}, r"the database is 42 \(int\): pass a path"),
        (None, {"prot": 1}, "no setting 'prot'; is 'port' meant"),
        (None, {"settings": Settings()}, r"write ToldOnce\(settings\)"),
        (Settings(), {"port": 1}, "ToldOnce got Settings and port="),
        ("a.db", {"database_url": "sqlite:///b.db"}, "given twice"),
        (None, {"embedder": "all-minilm"}, r"embedder is 'all-minilm' \(str\), which has no space, dim"),
        (None, {"model": "gpt-5"}, r"model is 'gpt-5' \(str\), which has no name, answer, close.*form_model="),
        (None, {"clock": 3}, "clock is 3"),
    ],
)
async def test_a_wrong_argument_is_named_with_what_to_do(
    database: object, options: dict[str, object], said: str
) -> None:
    with pytest.raises(TypeError, match=said):
        await AsyncToldOnce.open(database, **options)  # type: ignore[arg-type]  # what a caller may get wrong


def test_a_setting_of_a_wrong_value_is_refused_by_name() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_PORT"):
        ToldOnce(port="much")


async def test_memories_and_recalls_are_shown_on_one_line(tmp_path: Path) -> None:
    async with await AsyncToldOnce.open(tmp_path / "memory.db", embedder=WordEmbedder()) as memory:
        note = await memory.add("Ana likes green tea,\nand has liked it since her first winter in Bergen with Tom.")
        recall = await memory.search("green tea")
    text = "'Ana likes green tea, and has liked it since her first winte…'"
    assert repr(note) == f"<Memory note of user:local: {text} (active) id={note.id}>"
    [item] = recall.items
    assert repr(item).startswith(f"<RecalledMemory {item.score:.2f} {text} (")
    assert repr(recall) == f"<Recall of 'green tea': [{item.score:.2f} {text}]>"
    assert "\n" not in repr(item)
