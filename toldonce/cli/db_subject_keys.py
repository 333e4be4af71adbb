"""The commands `db encrypt-subjects` and the like. Rewrite rows or keys, show a bar on stderr; keys are never shown."""

from typing import TYPE_CHECKING, Annotated

import typer

from toldonce.cli.options import ACTOR, AsJson, DatabaseUrl
from toldonce.cli.output import note, say, say_json
from toldonce.cli.replay import ProgressBar
from toldonce.plural import plural

if TYPE_CHECKING:
    from toldonce.engine.databases import ConversionReport, KeyringPlace, SubjectEncryption
    from toldonce.settings import Settings

_Rewrite = Annotated[
    bool, typer.Option("--rewrite", help="Rewrite all tables afterwards, which locks them: removes plain remains.")
]


def register(db: typer.Typer) -> None:
    """Add the commands to those of `db`."""
    db.command("encrypt-subjects")(encrypt_subjects)
    db.command("decrypt-subjects")(decrypt_subjects)
    db.command("subject-keys")(subject_keys)
    db.command("rekey-subjects")(rekey_subjects)


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
    _report(done, "encrypted", as_json=as_json)
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
    _report(done, "decrypted", as_json=as_json)
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


def _report(done: "ConversionReport", what: str, *, as_json: bool) -> None:
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
