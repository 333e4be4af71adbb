"""The commands that encrypt a SQLite file, or the rows of subjects. Rewrite it, show a bar on stderr, and no keys."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl
from toldonce.cli.output import note, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine.databases import ConversionReport, DatabaseKey, KeyReport, KeyringPlace, SubjectEncryption
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
    db.command("encrypt-subjects")(encrypt_subjects)
    db.command("decrypt-subjects")(decrypt_subjects)
    db.command("subject-keys")(subject_keys)
    db.command("rekey-subjects")(rekey_subjects)


def encrypt(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt a SQLite file with $TOLDONCE_DATABASE_KEY or $TOLDONCE_DATABASE_KEY_FILE."""
    from toldonce.engine.databases import encrypt_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key to encrypt with", new=True)
    with ProgressBar() as bar:
        done = encrypt_database(settings.database_url, key, progress=bar)
    _note_act(settings, done, "databases.encrypt", key)
    _report(settings, done, "encrypted", "encrypted with this key already", as_json=as_json)
    if done.changed:
        note("its old content stays in free blocks of the disk and in backups, until they are overwritten")
        if settings.database_key_setting is None:
            note("set TOLDONCE_DATABASE_KEY or TOLDONCE_DATABASE_KEY_FILE to the key: nothing opens the file without")


def decrypt(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Decrypt a SQLite file. Unset its key afterwards."""
    from toldonce.engine.databases import decrypt_database
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key of the file")
    with ProgressBar() as bar:
        done = decrypt_database(settings.database_url, key, progress=bar)
    _note_act(settings, done, "databases.decrypt", None)
    _report(settings, done, "decrypted", "not encrypted", as_json=as_json)
    if settings.database_key_setting is not None:
        note(f"unset {settings.database_key_setting}: with a key, a plain file is refused")


def rekey(new_key_file: _NewKeyFile = None, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt an encrypted SQLite file with another key."""
    from toldonce.engine.databases import DatabaseKey, change_database_key
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    key = _key(settings, "Key of the file")
    new = DatabaseKey.from_file(new_key_file) if new_key_file else _typed("New key", "--new-key-file", new=True)
    with ProgressBar() as bar:
        done = change_database_key(settings.database_url, key, new, progress=bar)
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


_Rewrite = Annotated[
    bool, typer.Option("--rewrite", help="Rewrite all tables afterwards, which locks them: removes plain remains.")
]


def encrypt_subjects(rewrite: _Rewrite = False, as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt the rows that subjects have already, each subject's with its own key. Run again to resume."""
    from toldonce.engine.databases import DatabaseKey, note_database_act
    from toldonce.engine.databases import encrypt_subjects as encrypt
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    keyring, key = _keyring(settings), DatabaseKey.of(settings)
    with ProgressBar() as bar:
        done = encrypt(settings.database_url, keyring, progress=bar, key=key, rewrite=rewrite)
    note_database_act(settings.database_url, "subjects.encrypt", actor=ACTOR, key=key, count=done.subjects)
    _report_rows(done, "encrypted", as_json=as_json)
    if not rewrite and done.rows:
        note("the database's own files keep what was plain until they are rewritten: run this once more with --rewrite")


def decrypt_subjects(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Decrypt the rows of all subjects. Unset the master key afterwards. Run again to resume."""
    from toldonce.engine.databases import DatabaseKey, note_database_act
    from toldonce.engine.databases import decrypt_subjects as decrypt
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    keyring, key = _keyring(settings), DatabaseKey.of(settings)
    with ProgressBar() as bar:
        done = decrypt(settings.database_url, keyring, progress=bar, key=key)
    note_database_act(settings.database_url, "subjects.decrypt", actor=ACTOR, key=key, count=done.subjects)
    _report_rows(done, "decrypted", as_json=as_json)
    note("unset TOLDONCE_MASTER_KEY before the next start; keep the keyring as long as backups that need it")


def subject_keys(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Show how far subjects are encrypted, and whether the keyring answers."""
    from toldonce.cli.options import load_options

    here = load_options(database=database, as_json=as_json)
    found = here.run(lambda engine: engine.admin.stats()).encryption
    if as_json:
        say_json({"encryption": found})
    elif found is None:
        say("subjects are not encrypted (TOLDONCE_MASTER_KEY)")
    else:
        _show(found)


def rekey_subjects(as_json: AsJson = False, database: DatabaseUrl = None) -> None:
    """Encrypt the subjects' keys with $TOLDONCE_MASTER_KEY instead of $TOLDONCE_OTHER_MASTER_KEY."""
    from toldonce.engine.databases import DatabaseKey, change_master_key, note_database_act
    from toldonce.settings import Settings

    settings = Settings.load(database_url=database)
    keyring, key = _keyring(settings), DatabaseKey.of(settings)
    with ProgressBar() as bar:
        done = change_master_key(settings.database_url, keyring, progress=bar, key=key)
    note_database_act(settings.database_url, "subjects.rekey", actor=ACTOR, key=key, count=done.changed)
    if as_json:
        say_json(done)
        return
    say(f"{done.keyring}: {plural(done.changed, 'key')} changed, {plural(done.keys, 'subject')} with a key")
    note("unset TOLDONCE_OTHER_MASTER_KEY, and destroy the old key once no backup of the keyring needs it")


def _keyring(settings: "Settings") -> "KeyringPlace":
    from toldonce.engine.databases import KeyringPlace

    found = KeyringPlace.of(settings)
    if found is None:
        raise typer.BadParameter("there is no master key: set TOLDONCE_MASTER_KEY or TOLDONCE_MASTER_KEY_FILE")
    return found


def _report_rows(done: "ConversionReport", what: str, *, as_json: bool) -> None:
    if as_json:
        say_json(done)
    else:
        say(f"{done.where}: {plural(done.subjects, 'subject')} {what}, {plural(done.rows, 'row')} changed")


def _show(found: "SubjectEncryption") -> None:
    keys = "does not answer" if found.keys is None else plural(found.keys, "key")
    say(f"keyring {found.keyring}: {keys}")
    say(f"{plural(found.encrypted, 'subject')} encrypted, {found.mixed:,} partly, {found.plain:,} without a key")
    if found.pending:
        note(f"{plural(found.pending, 'key')} of erased subjects not destroyed: run `toldonce erase --finish`")
    if found.others:
        note(f"{plural(found.others, 'key')} encrypted by the other master key: run `toldonce db rekey-subjects`")
