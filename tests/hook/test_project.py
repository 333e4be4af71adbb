"""Which app a working folder is."""

from pathlib import Path

import pytest

from toldonce.hook.project import project_app


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def test_folders_of_a_repository_are_one_project(tmp_path: Path) -> None:
    root = repository(tmp_path / "My Shop")
    (root / "src" / "deep").mkdir(parents=True)

    app = project_app(str(root))

    assert app is not None
    assert app.startswith("my-shop-")
    assert project_app(str(root / "src" / "deep")) == app


def worktree(tree: Path, root: Path, *, back: str | None = None) -> Path:
    """Make a worktree of a repository as git does; `back` is what the repository says of its place."""
    own = root / ".git" / "worktrees" / tree.name
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{back or tree / '.git'}\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    return tree


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop")


def test_worktrees_are_one_project(tmp_path: Path, shop: Path) -> None:
    tree = worktree(tmp_path / "elsewhere", shop)
    near = worktree(tmp_path / "near", shop, back="../../../../near/.git")

    assert project_app(str(tree)) == project_app(str(near)) == project_app(str(shop))


def test_a_git_file_that_names_another_repositorys_worktree_is_not_believed(tmp_path: Path, shop: Path) -> None:
    tree = worktree(tmp_path / "elsewhere", shop)
    forged = tmp_path / "download"
    forged.mkdir()
    (forged / ".git").write_text((tree / ".git").read_text())

    assert project_app(str(forged)) == project_app(str(tmp_path / "download" / "src")) != project_app(str(shop))


def test_a_link_to_a_worktrees_git_file_is_not_believed(tmp_path: Path, shop: Path) -> None:
    tree = worktree(tmp_path / "elsewhere", shop)
    forged = tmp_path / "download"
    forged.mkdir()
    (forged / ".git").symlink_to(tree / ".git")

    assert project_app(str(forged)) != project_app(str(shop))


@pytest.mark.parametrize("inside", ["own", ".git/worktrees/own", "worktrees/own"])
def test_a_way_back_that_the_download_brought_along_is_not_believed(tmp_path: Path, shop: Path, inside: str) -> None:
    forged = tmp_path / "download"
    part = forged / "part"
    own = part / inside if not inside.startswith(".git") else forged / inside
    own.mkdir(parents=True)
    (own / "commondir").write_text(f"{shop / '.git'}\n")
    (own / "gitdir").write_text(f"{part / '.git'}\n")
    part.mkdir(exist_ok=True)
    (part / ".git").write_text(f"gitdir: {own}\n")

    assert project_app(str(part)) != project_app(str(shop))


def test_a_submodule_that_names_another_repository_is_a_project_of_its_own(tmp_path: Path, shop: Path) -> None:
    forged = tmp_path / "download"
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {shop / '.git'}\n")

    assert project_app(str(forged)) != project_app(str(shop))


def test_a_submodule_is_a_project_of_its_own(shop: Path) -> None:
    part = shop / "part"
    part.mkdir()
    (shop / ".git" / "modules" / "part").mkdir(parents=True)
    (part / ".git").write_text("gitdir: ../.git/modules/part\n")

    app = project_app(str(part))

    assert app is not None
    assert app.startswith("part-")


def test_equal_names_in_two_places_are_two_projects(tmp_path: Path) -> None:
    one, other = (repository(tmp_path / place / "shop") for place in ("a", "b"))

    assert project_app(str(one)) != project_app(str(other))


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    (tmp_path / "link").symlink_to(root)

    assert project_app(str(tmp_path / "link")) == project_app(str(root))


@pytest.mark.parametrize("folder", ["/", "", "relative/path"])
def test_some_folders_are_no_projects(folder: str) -> None:
    assert project_app(folder) is None


def test_the_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert project_app(str(tmp_path)) is None
    assert project_app(str(tmp_path / "notes")) is not None


def test_a_name_that_fits_nowhere_has_a_plain_one(tmp_path: Path) -> None:
    app = project_app(str(tmp_path / "日本"))

    assert app is not None
    assert app.startswith("project-")
