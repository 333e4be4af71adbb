"""ToldOnce beside others, with ToldOnce alone: the talk with adapters, the measuring, the table."""

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.others.adapters.adapter_server import Asked, Given, Open, Served, packed, talk, unpacked
from benchmarks.others.adapters.toldonce import Ours
from benchmarks.others.adapters.toldonce_postgres import opened
from benchmarks.others.durability import counted
from benchmarks.others.figures import growth, with_ratios
from benchmarks.others.measurement import NotKeptError, beside
from benchmarks.others.peer import Peer, running
from benchmarks.others.scene import LIMIT, Scene, Sizes
from benchmarks.others.systems import ON_POSTGRES, OTHERS, TOLDONCE, EnvironmentMissingError, Environments, System
from benchmarks.processes import ProcessFailedError
from benchmarks.report import side_by_side
from benchmarks.rows import Row
from forked_processes import forked_python
from postgres_server import NEEDS_POSTGRES, shared_server

TWIN = System(name="Twin", adapter="twin")
SIZES = Sizes(users=2, per_user=3, batch=4, queries=6, adds=2, batches=1, flood_s=0.01)


class InProcess:
    """An adapter in this process, asked as if it were in another."""

    pid = os.getpid()

    def __init__(self, opening: Open) -> None:
        self._served = Served(opening)

    def ask(self, do: str, **fields: object) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = json.loads(json.dumps(self._served.answer({"do": do, **fields})))
        return answer


@contextmanager
def in_process(system: System, folder: Path) -> Iterator[Peer]:
    yield InProcess(Ours)


class Forgetful(Ours):
    """Deletes nothing."""

    def delete(self, user: str, memory_id: str) -> None:
        pass


class Hoarder(Ours):
    """Keeps a copy of each text for ever."""

    def __init__(self, folder: Path, dim: int) -> None:
        super().__init__(folder, dim)
        self._copies = folder / "copies"

    def add(self, memory: Given) -> str:
        with self._copies.open("a") as copies:
            copies.write(memory.text + "\n")
        return super().add(memory)


class Leaky(Ours):
    """Searches the memories of everybody."""

    def nearest(self, asked: Asked) -> list[str]:
        other = Asked(user="bench-1", text=asked.text, vector=asked.vector, limit=asked.limit)
        return super().nearest(asked if asked.user == "bench-1" else other)


def test_an_adapter_answers_each_line_with_a_line_and_the_time_the_call_took(tmp_path: Path) -> None:
    scene = Scene(SIZES)
    [first, second, *_] = scene.loaded
    requests: list[dict[str, object]] = [
        {"do": "open", "folder": str(tmp_path), "dim": scene.dim},
        {"do": "load", "memories": [scene.memory(first), scene.memory(second)]},
        {"do": "loaded"},
        {"do": "search", **scene.echo(first)},
        {"do": "nearest", **scene.echo(second)},
        {"do": "add", **scene.memory(scene.added[0])},
        {"do": "size"},
        {"do": "close"},
    ]
    answers = io.StringIO()

    talk(Served(Ours), io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), answers)

    told = [json.loads(line) for line in answers.getvalue().splitlines()]
    ids = told[1]["ids"]
    assert len(set(ids)) == 2
    assert (told[3]["ids"], told[4]["ids"]) == ([ids[0]], [ids[1]])
    assert told[5]["id"] not in ids
    assert told[6]["count"] == 3
    assert all(answer["took_s"] >= 0 for answer in told)


def test_an_adapter_in_a_process_of_its_own_keeps_what_it_was_given(tmp_path: Path) -> None:
    scene, data = Scene(SIZES), tmp_path / "data"
    data.mkdir()
    with running(TOLDONCE, str(forked_python()), tmp_path) as peer:
        peer.ask("open", folder=str(data), dim=scene.dim)
        kept = peer.ask("add", **scene.memory(0))["id"]
        peer.ask("close")

    with running(TOLDONCE, str(forked_python()), tmp_path) as peer:
        peer.ask("open", folder=str(data), dim=scene.dim)
        assert peer.ask("search", **scene.echo(0))["ids"] == [kept]
        peer.ask("delete", user=scene.user(0), id=kept)
        assert peer.ask("size")["count"] == 0
        with pytest.raises(ProcessFailedError, match="an adapter cannot do 'dance'"):
            peer.ask("dance")


def test_all_systems_are_measured_on_the_same_and_compared_with_toldonce(tmp_path: Path) -> None:
    rows = with_ratios(beside(Scene(SIZES), (TOLDONCE, TWIN), tmp_path, in_process))

    names = [row.name for row in rows if row.of == "Twin"]
    spreads = [f"{what}, p{share}" for what in ("search", "add one", "search after an add") for share in (50, 95)]
    others = {"load 1,000", "add in batches of 100", "searches from 8 threads", "restart to the first answer"}
    assert {name.removeprefix("3 of 6: ") for name in names} >= {*spreads, *others, "on disk, a memory"}
    assert {row.of for row in rows} == {"ToldOnce", TOLDONCE.alone, "Twin"}
    shares = [(row.name.removeprefix("3 of 6: "), row.value) for row in rows if row.unit == "%"]
    assert shares == [("the ten nearest are found", 100.0), ("deleted texts left in the files", 0.0)] * 2
    ours = {row.name: row.value for row in rows if row.of == "ToldOnce"}
    assert all(row.ratio == row.value / ours[row.name] for row in rows if row.of == "Twin" and row.unit == "ms")
    assert all(row.ratio is None for row in rows if row.of == "ToldOnce")
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_keeps_what_it_was_told_to_delete_is_not_measured(tmp_path: Path) -> None:
    @contextmanager
    def forgetful(system: System, folder: Path) -> Iterator[Peer]:
        peer = InProcess(Forgetful)
        try:
            yield peer
        finally:
            peer.ask("close")

    with pytest.raises(NotKeptError, match="ToldOnce still finds what it was told to delete"):
        beside(Scene(SIZES), (TOLDONCE,), tmp_path, forgetful)


def test_a_text_that_outlives_its_deletion_in_a_file_is_counted(tmp_path: Path) -> None:
    @contextmanager
    def hoarder(system: System, folder: Path) -> Iterator[Peer]:
        yield InProcess(Hoarder)

    rows = beside(Scene(SIZES), (TOLDONCE,), tmp_path, hoarder)

    assert [row.value for row in rows if row.name.endswith("deleted texts left in the files")] == [100.0]


def test_a_system_that_shows_another_users_memories_is_not_measured(tmp_path: Path) -> None:
    @contextmanager
    def leaky(system: System, folder: Path) -> Iterator[Peer]:
        peer = InProcess(Leaky)
        try:
            yield peer
        finally:
            peer.ask("close")

    with pytest.raises(ValueError, match="asked for bench-0, the answer has"):
        beside(Scene(SIZES), (TOLDONCE,), tmp_path, leaky)


def test_the_exact_answer_counts_whole_and_half_of_it_half() -> None:
    scene = Scene(Sizes(users=1, per_user=40, batch=40, queries=1, adds=0, batches=0, flood_s=0))
    question = scene.questions[0]
    asked = unpacked(str(scene.question(question)["vector"]))
    vectors = {place: unpacked(scene.memory(place)["vector"]) for place in scene.loaded}
    closeness = {place: sum(x * y for x, y in zip(asked, vectors[place], strict=True)) for place in vectors}
    ranked = sorted(closeness, key=closeness.__getitem__, reverse=True)
    places = {str(place): place for place in scene.loaded}

    def share(found: list[int]) -> float:
        return scene.recall(question, [str(place) for place in found], places)

    assert share(ranked[:LIMIT]) == 1.0
    assert share(ranked[:5] + ranked[-5:]) == 0.5
    assert share([]) == 0.0
    with pytest.raises(ValueError, match="asked for bench-0"):
        share([ranked[0], ranked[0]])


def test_the_table_has_a_column_for_each_system_and_the_ratio_behind_each_value() -> None:
    rows = [
        Row(name="search", value=2.0, unit="ms", of="ToldOnce"),
        Row(name="found", value=100.0, unit="%", of="Other"),
        Row(name="search", value=5.0, unit="ms", of="Other"),
    ]
    out = io.StringIO()

    Console(file=out, width=100).print(side_by_side("others", with_ratios(rows)))

    lines = [line.split() for line in out.getvalue().splitlines()]
    assert lines[1:] == [
        ["unit", "ToldOnce", "Other"],
        ["search", "ms", "2.000", "5.000", "×2.500"],
        ["found", "%", "—", "100"],
    ]


def test_the_growth_of_an_add_is_that_of_its_median_from_scene_to_scene() -> None:
    few = [Row(name="3 of 6: add one, p50", value=2.0, unit="ms", of="ToldOnce", count=4)]
    many = [
        Row(name="6 of one user: add one, p50", value=5.0, unit="ms", of="ToldOnce", count=4),
        Row(name="6 of one user: add one, p95", value=9.0, unit="ms", of="ToldOnce", count=4),
    ]

    [row] = with_ratios(growth(few, many, (3, 6)))

    assert (row.name, row.value, row.unit) == ("add one, growth from 3 to 6 of one's own", 2.5, "times")
    assert (row.of, row.ratio) == ("ToldOnce", None)


@NEEDS_POSTGRES
def test_toldonce_on_postgresql_is_measured_in_the_same_rows(tmp_path: Path) -> None:
    @contextmanager
    def start(system: System, folder: Path) -> Iterator[Peer]:
        yield InProcess(opened if system.on_postgres else Ours)

    rows = with_ratios(beside(Scene(SIZES), (TOLDONCE, ON_POSTGRES), tmp_path, start, shared_server().url))

    figures = {name: {row.name: row for row in rows if row.of == name} for name in ("ToldOnce", ON_POSTGRES.name)}
    ours, theirs = figures.values()
    # Deleted texts are looked for in files, and the server's are not this system's.
    assert ours.keys() - theirs.keys() == {"3 of 6: deleted texts left in the files"}
    assert theirs["3 of 6: on disk, a memory"].value > 1024
    assert [row.value for row in rows if row.of == ON_POSTGRES.alone and row.unit == "%"] == [100.0]


def test_only_calls_on_files_of_the_database_count_as_forced_to_disk() -> None:
    trace = (
        "7 fsync(3</d/data/a.db>) = 0\n7 fsync(4</d/other>) = 0\n"
        "7 fdatasync(3</d/data/a.db-wal> <unfinished ...>\n8 fsync(5</d/data>) = 0\n7 <... fdatasync resumed>) = 0\n"
    )

    assert counted(trace, Path("/d/data")) == 3


def test_a_missing_environment_is_told_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentMissingError, match=r"mem0 has no environment in .* --prepare"):
        Environments(folder=tmp_path).python(OTHERS[0])
    assert Environments(folder=tmp_path).python(TOLDONCE) == sys.executable


@pytest.mark.parametrize("system", OTHERS, ids=lambda system: system.adapter)
def test_each_environment_is_pinned_and_small(system: System) -> None:
    lines = [line for line in system.requirements.read_text("utf-8").splitlines() if not line.startswith("#")]

    assert all("==" in line for line in lines)
    assert not {line.split("==")[0] for line in lines} & {"torch", "tensorflow", "spacy"}
    assert system.version().startswith(f"{system.packages[0]} ")


def test_a_vector_crosses_the_line_as_it_is() -> None:
    vector = Scene(SIZES).memory(0)["vector"]

    assert len(unpacked(vector)) == Scene(SIZES).dim
    assert packed(b"\x00\x00\x80\x3f") == "AACAPw=="
    assert unpacked("AACAPw==") == [1.0]
