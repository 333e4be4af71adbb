"""The project that an agent works on, as the name of an app. Reads the file system.

The project is the git repository around the working folder, else the folder. All worktrees of a repository are one
project; a submodule and a second clone are projects of their own. A folder is a worktree only if the repository says
so, too: what was downloaded may hold a `.git` file that names any repository.
"""

import os

from toldonce.hook.quick_hash import hex_digest

MAX_NAME = 40
# A `.git` file, `commondir` and `gitdir` hold one path.
_MAX_BYTES = 4096


def project_app(folder: str) -> str | None:
    """Return the app of a working folder: the project's folder name, and a short hash of its path.

    None for the root and the home folder, which are no projects, and for a path that is not absolute.
    """
    if not os.path.isabs(folder):
        return None
    root = _repository(folder) or os.path.realpath(folder)
    if root in (os.path.dirname(root), os.path.realpath(os.path.expanduser("~"))):
        return None
    name = _fitting(os.path.basename(root))[:MAX_NAME] or "project"
    return f"{name}-{hex_digest(os.fsencode(root))[:8]}"


def _fitting(name: str) -> str:
    """Return a folder's name in ASCII letters, digits, `_`, `.` and `-`.

    Without a pattern: declaring one loads modules that a hook has no time for.

    >>> _fitting("My Shop (new)")
    'my-shop-new'
    """
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "_.-") else " " for char in name)
    return "-".join(kept.split()).strip("-.").lower()


def _repository(folder: str) -> str | None:
    """Return the folder of the repository around a folder; of a worktree, the one of its main worktree."""
    path = os.path.realpath(folder)
    while True:
        mark = os.path.join(path, ".git")
        if os.path.isdir(mark):
            return path
        if os.path.isfile(mark):
            return _main_worktree(path) or path
        parent = os.path.dirname(path)
        if parent == path:
            return None
        path = parent


def _main_worktree(path: str) -> str | None:
    """Follow the `.git` file of a worktree; None where it is a submodule's, leads nowhere, or no way leads back."""
    line = _line(os.path.join(path, ".git"))
    if not line.startswith("gitdir:"):
        return None
    own = os.path.realpath(os.path.join(path, line.removeprefix("gitdir:").strip()))
    common = _line(os.path.join(own, "commondir"))
    if not common:
        return None
    shared = os.path.realpath(os.path.join(own, common))
    # `own` may be in the folder itself, and the folder's `.git` may be a link to that of a worktree.
    if os.path.dirname(own) != os.path.join(shared, "worktrees"):
        return None
    if os.path.realpath(os.path.join(own, _line(os.path.join(own, "gitdir")))) != os.path.join(path, ".git"):
        return None
    # A bare repository with worktrees has no main one.
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else shared


def _line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_MAX_BYTES)).strip()
    except OSError:
        return ""
