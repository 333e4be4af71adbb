"""A zip, a folder or a file: what is refused of a hostile one."""

import zipfile
from pathlib import Path

import pytest

from product_exports import write_json, write_zip
from toldonce.datasets.recordings import BadRecordError
from toldonce.errors import BadRequestError
from toldonce.importers import export_files
from toldonce.importers.export_files import open_export


def test_a_zip_and_its_folder_have_the_same_files(tmp_path: Path) -> None:
    zipped = write_zip(tmp_path / "export.zip", {"a/conversations.json": [], "user.json": {}})
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(tmp_path / "folder")
    for path in (zipped, tmp_path / "folder"):
        with open_export(path) as files:
            assert files.names == ("a/conversations.json", "user.json")
            assert files.named("conversations.json") == ["a/conversations.json"]
            with files.open("user.json") as file:
                assert file.read(100) == b"{}"
            assert files.read.done == 2


def test_a_bomb_is_refused_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_files, "MIN_LIMITED_BYTES", 1_000)
    bomb = write_zip(tmp_path / "bomb.zip", {"conversations.json": b" " * 1_000_000})
    with open_export(bomb) as files, files.open("conversations.json") as file:
        assert len(file.read(1_000)) == 1_000
        with pytest.raises(BadRecordError, match="unpacks to more than"):
            file.read(500_000)


def test_a_zip_that_is_cut_off_or_damaged_says_so(tmp_path: Path) -> None:
    whole = write_zip(tmp_path / "whole.zip", {"conversations.json": [{"text": str(n)} for n in range(5_000)]})
    data = whole.read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(BadRequestError, match="the download broke off"), open_export(cut):
        pass
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(data[:1_000] + bytes(200) + data[1_200:])
    with open_export(damaged) as files, files.open("conversations.json") as file, pytest.raises(BadRecordError) as why:
        file.read(len(data) * 100)
    assert "is damaged" in str(why.value)


def test_a_directory_that_would_fill_the_memory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_files, "MAX_DIRECTORY_BYTES", 5_000)
    many = write_zip(tmp_path / "many.zip", {f"{number}.json": {} for number in range(200)})
    with pytest.raises(BadRequestError, match="more files than an export of chats has"), open_export(many):
        pass


def test_links_in_a_folder_lead_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").symlink_to(write_json(tmp_path / "elsewhere.json", []))
    write_json(folder / "memories.json", [])
    with open_export(folder) as files:
        assert files.names == ("memories.json",)
