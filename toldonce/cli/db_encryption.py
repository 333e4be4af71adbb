"""The commands `db encrypt`, `db decrypt` and `db rekey`. Rewrite a SQLite file; keys are never shown."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl
from toldonce.cli.output import note, say, say_json
from toldonce.cli.replay import ProgressBar

if TYPE_CHECKING:
    from toldonce.engine.databases import DatabaseKey, KeyReport
    from toldonce.settings import Settings

_NewKeyFile = Annotated[
    Path | None,
    typer.Option("--new-key-file", metavar="FILE", help="File with the new key (default: asks for it)."),
]


def register(db: typer.Typer) -> None:
    """Add the commands to those of `db`."""
    db.command()(encrypt)
    db.command()(decrypt)
    db.command()(rekey)


def encrypt(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt a SQLite file with $TOLDONCE_DATABASE_KEY or $TOLDONCE_DATABASE_KEY_FILE."""
    from toldonce.engine.databases import reencrypt_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key to encrypt with", new=True)
    with ProgressBar() as bar:
        done = reencrypt_database(settings.database_url, key=None, new=key, progress=bar)
    _note_act(settings, done, "databases.encrypt", key)
    _report(settings, done, "encrypted", "encrypted with this key already", as_json=as_json)
    if done.changed:
        note("its old content stays in free blocks of the disk and in backups, until they are overwritten")
        if settings.database_key_setting is None:
            note("set TOLDONCE_DATABASE_KEY or TOLDONCE_DATABASE_KEY_FILE to the key: nothing opens the file without")


def decrypt(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Decrypt a SQLite file. Unset its key afterwards."""
    from toldonce.engine.databases import reencrypt_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key of the file")
    with ProgressBar() as bar:
        done = reencrypt_database(settings.database_url, key=key, new=None, progress=bar)
    _note_act(settings, done, "databases.decrypt", None)
    _report(settings, done, "decrypted", "not encrypted", as_json=as_json)
    if settings.database_key_setting is not None:
        note(f"unset {settings.database_key_setting}: with a key, a plain file is refused")


def rekey(new_key_file: _NewKeyFile = None, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt an encrypted SQLite file with another key."""
    from toldonce.engine.databases import DatabaseKey, reencrypt_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key of the file")
    new = DatabaseKey.from_file(new_key_file) if new_key_file else _typed("New key", "--new-key-file", new=True)
    with ProgressBar() as bar:
        done = reencrypt_database(settings.database_url, key=key, new=new, progress=bar)
    _note_act(settings, done, "databases.rekey", new)
    _report(settings, done, "encrypted with the new key", "encrypted with the new key already", as_json=as_json)
    given_by = settings.database_key_setting or "TOLDONCE_DATABASE_KEY or TOLDONCE_DATABASE_KEY_FILE"
    note(f"change {given_by} to the new key; backups keep the old one")


def _note_act(settings: "Settings", done: "KeyReport", action: str, key: "DatabaseKey | None") -> None:
    """Note the act in the file, which has this key by now."""
    from toldonce.engine.databases import note_database_act

    if done.changed:
        note_database_act(settings.database_url, action, actor=ACTOR, key=key)


def _key(settings: "Settings", question: str, *, new: bool = False) -> "DatabaseKey":
    """Return the key of the settings, or ask for it on a terminal."""
    from toldonce.engine.databases import DatabaseKey

    return DatabaseKey.of(settings) or _typed(question, "TOLDONCE_DATABASE_KEY or TOLDONCE_DATABASE_KEY_FILE", new=new)


def _typed(question: str, instead: str, *, new: bool) -> "DatabaseKey":
    from toldonce.engine.databases import DatabaseKey

    if not sys.stdin.isatty():
        raise typer.BadParameter(f"there is no key, and no terminal to ask for one: use {instead}")
    text = typer.prompt(question, hide_input=True, confirmation_prompt=new, err=True)
    return DatabaseKey(text, given_by="the key")


def _report(settings: "Settings", done: "KeyReport", changed: str, already: str, *, as_json: bool) -> None:
    if as_json:
        say_json({"database": settings.shown_database, "changed": done.changed, "bytes": done.bytes})
    elif done.changed:
        say(f"{settings.shown_database} is {changed} ({done.bytes / 1e6:,.1f} MB)")
    else:
        say(f"{settings.shown_database} is {already}: nothing was changed")
