"""Checks of `toldonce doctor` and `GET /v1/doctor`, one finding each. Reads files, opens databases, asks servers."""

import asyncio
import os
import stat
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr

from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import SubjectEncryption, SubjectIndex, migration_copies
from toldonce.errors import ToldOnceError
from toldonce.plural import plural
from toldonce.profiles.destinations import rules_against
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_factory import open_embedder
from toldonce.providers.token_counter import encoding_at_hand
from toldonce.server.auth.authenticator import needs_credentials
from toldonce.server.findings import Finding, FindingState, fail, ok, warn
from toldonce.server.origin_guard import is_loopback
from toldonce.server.status import BAD_REQUEST, FORBIDDEN, NOT_FOUND, UNAUTHORIZED
from toldonce.server.upstream_key import INFERENCE_ROUTES, is_unguarded
from toldonce.server.user_checks import user_findings
from toldonce.settings import PREFIX, SQLITE, Settings, shown_url, unknown_variables
from toldonce.types import Destination

# Timeout for the upstream's list of models.
_UPSTREAM_S = 5.0
# Maximum number of parked formations whose error is shown.
_MAX_ERRORS_SHOWN = 3
# Text embedded to test an embedder.
_SAMPLE = "Ana is allergic to peanuts."


async def examine(settings: Settings, *, check: bool, engine: AsyncToldOnce | None = None) -> AsyncIterator[Finding]:
    """Run all checks in order. Changes nothing and creates no database.

    Args:
        settings: Settings in effect.
        check: Also verify the database's files and indexes (slow).
        engine: Engine of the server that examines itself; None opens the database.
    """
    yield _settings(settings)
    for unknown in unknown_variables(os.environ):
        yield warn("settings", unknown, "correct or unset it")
    async for finding in _database(settings, check=check) if engine is None else _opened(settings, engine, check=check):
        yield finding
    yield await asyncio.to_thread(_tokens)
    yield await _upstream(settings)
    yield key_finding(settings)
    if engine is not None and (passed := engine.metrics.without_memory):
        yield _without_memory(passed)
    yield _form_model(settings)
    if about_destinations := await asyncio.to_thread(destination_finding, settings):
        yield about_destinations


def _without_memory(passed: Counter[str]) -> Finding:
    """Report the prompts that were relayed without memory since the server's start. Pure."""
    routes = ", ".join(f"{plural(count, 'prompt')} on {route}" for route, count in sorted(passed.items()))
    todo = "let the client use chat completions, or give it a hook or MCP (docs/use-with.md)"
    return warn("chats", f"relayed without memory, as they are no chats: {routes}", todo)


def key_finding(settings: Settings) -> Finding:
    """Report who can use the upstream, and with which key. Pure."""
    what, is_open = "access", not is_loopback(settings.host)
    if is_unguarded(settings):
        return fail(
            what,
            f"anyone who can reach {settings.host or '*'}:{settings.port} could use TOLDONCE_UPSTREAM_KEY: "
            "`toldonce serve` does not start",
            "unset TOLDONCE_AUTH, or set TOLDONCE_HOST=127.0.0.1, or unset the key",
        )
    if settings.upstream_url is None:
        return ok(what, "no upstream is set")
    guarded = needs_credentials(settings)
    if is_open and not settings.upstream_key and not guarded:
        return warn(
            what,
            f"anyone who can reach {settings.host or '*'}:{settings.port} can send requests to {settings.upstream_url} "
            "through it, with their own key or none",
            "restrict access to it, or make the upstream require a key",
        )
    if not settings.upstream_key:
        return ok(what, f"each {'authenticated client' if guarded else 'client on this machine'} sends its own key")
    routes = len(INFERENCE_ROUTES) + len(settings.key_routes)
    callers = "authenticated requests" if guarded or settings.jwt_secret else "every program on this machine"
    return ok(what, f"TOLDONCE_UPSTREAM_KEY is used for {callers}, on {routes} routes")


def settings_in_effect(settings: Settings) -> dict[str, str]:
    """Return all settings that differ from their default, by variable name; secrets are hidden."""
    defaults = Settings.model_construct().model_dump()
    return {
        PREFIX + name.upper(): "…" if isinstance(value, SecretStr) else shown_url(str(value))
        for name, value in settings.model_dump().items()
        if value != defaults[name]
    }


def _settings(settings: Settings) -> Finding:
    shown = settings_in_effect(settings)
    if not shown:
        return ok("settings", "all at their defaults")
    return ok("settings", ", ".join(f"{name}={value}" for name, value in shown.items()))


async def _settings_embedder(settings: Settings) -> Finding:
    """Check the embedder that a new database would use."""
    try:
        embedder = open_embedder(settings)
        try:
            vectors = await embedder.embed([_SAMPLE])
        finally:
            await embedder.close()
    except ToldOnceError as error:
        return fail("embedder", str(error))
    where = settings.embed_url or "built in, offline"
    return ok("embedder", f"{embedder.space} ({where}), {vectors.shape[1]} numbers")


async def _embedder(engine: AsyncToldOnce) -> AsyncIterator[Finding]:
    """Check the database's embedder, and count memories without its vectors."""
    state = await engine.embedder.status()
    record, where = state.record, state.record.spec.where or "built in, offline"
    try:
        await engine.embedder.check(_SAMPLE)
    except ToldOnceError as error:
        yield fail("embedder", f"{record.space} ({where}): {error}", "fix it, or change it: `toldonce embedder use`")
    else:
        yield ok("embedder", f"{record.space} ({where}), {record.dim} numbers")
    if state.waiting_memories or state.waiting_subjects:
        yield warn(
            "vectors",
            f"{plural(state.waiting_memories, 'memory')} lack vectors of this embedder: they are found by "
            "vectors of an earlier one, or by words alone",
            "`toldonce reembed` embeds them",
        )


def database_file(url: str) -> Path | None:
    """Return the file of a database URL; None if it is not a file.

    >>> database_file("sqlite:////var/memory.db").as_posix(), database_file("sqlite:///:memory:")
    ('/var/memory.db', None)
    """
    path = url.removeprefix(SQLITE)
    return None if path == url or path in ("", ":memory:") else Path(os.path.abspath(path))


async def _database(settings: Settings, *, check: bool) -> AsyncIterator[Finding]:
    file = database_file(settings.database_url)
    if file is not None and not file.exists():
        yield await _settings_embedder(settings)
        yield ok("database", f"{file} does not exist yet: it is created on first use")
        return
    for about_file in await asyncio.to_thread(_files, settings):
        yield about_file
    try:
        engine = await AsyncToldOnce.open(settings)
    except ToldOnceError as error:
        yield fail("database", str(error))
        return
    async with engine:
        async for finding in _reads(engine, check=check):
            yield finding


async def _opened(settings: Settings, engine: AsyncToldOnce, *, check: bool) -> AsyncIterator[Finding]:
    for about_file in await asyncio.to_thread(_files, settings):
        yield about_file
    async for finding in _reads(engine, check=check):
        yield finding


async def _reads(engine: AsyncToldOnce, *, check: bool) -> AsyncIterator[Finding]:
    try:
        async for finding in _embedder(engine):
            yield finding
        async for finding in _contents(engine, check=check):
            yield finding
    except ToldOnceError as error:
        yield fail("database", str(error))


def _files(settings: Settings) -> list[Finding]:
    """Report on the database's file, if it is one, and on what encrypts it."""
    file = database_file(settings.database_url)
    about_file = [] if file is None else [_mode(file), *map(_copy, migration_copies(str(file)))]
    return [*about_file, encryption_finding(settings)]


def _copy(copy: Path) -> Finding:
    """Report a copy that a migration kept: it takes room, and holds what was stored then."""
    made = copy.stat()
    day = datetime.fromtimestamp(made.st_mtime, UTC).date()
    text = f"{copy} ({made.st_size / 1e6:,.1f} MB) holds what was stored before the migration of {day}"
    return warn("copy", text, f"once the new version serves you well: rm {copy}; the next erasure removes it, too")


def encryption_finding(settings: Settings) -> Finding:
    """Report what encrypts the database. One that does not fit the key is not opened."""
    what, key_file, given_by = "encryption", settings.database_key_file, settings.database_key_setting
    if given_by is None:
        if settings.encrypts_subjects:
            return ok(what, "of each subject's content, with a key of its own")
        if database_file(settings.database_url) is None:
            return ok(what, "not by ToldOnce: encrypt the server's disk")
        return ok(what, "none: who can read the file can read its memories (`toldonce db encrypt`)")
    if key_file is not None and _mode(key_file).state is FindingState.WARN:
        return warn(what, f"the key's file {key_file} is readable by others", f"chmod 600 {key_file}")
    return ok(what, f"of the whole file, with the key of {given_by}")


def _mode(file: Path) -> Finding:
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError as error:
        return fail("file", f"{file}: {error.strerror}")
    if mode & 0o077:
        return warn("file", f"{file} is readable by others (mode {mode:04o})", f"chmod 600 {file}*")
    return ok("file", f"{file} (mode {mode:04o})")


async def _contents(engine: AsyncToldOnce, *, check: bool) -> AsyncIterator[Finding]:
    stats = await engine.admin.stats(check=check)
    counts = [
        plural(count, noun)
        for count, noun in (
            (stats.subjects, "subject"),
            (stats.conversations, "conversation"),
            (stats.messages, "message"),
            (stats.memories, "memory"),
        )
    ]
    yield ok("database", f"schema {stats.schema}, {stats.bytes / 1e6:,.1f} MB, {', '.join(counts)}")
    if stats.encryption is not None:
        yield _subjects(stats.encryption)
    for problem in stats.problems:
        yield fail("integrity", problem, "stop all ToldOnce processes and restore your last backup")
    if check and not stats.problems:
        yield ok("integrity", "files and indexes are consistent")
    for index in stats.indexes:
        yield _index(index)
    for finding in await user_findings(engine):
        yield finding
    yield await _formations(engine, due=stats.formations_due, parked=stats.formations_parked)


def _subjects(found: SubjectEncryption) -> Finding:
    """Report how far subjects are encrypted, each with its own key."""
    what = "subjects"
    if found.keys is None:
        return fail(what, f"the keyring {found.keyring} does not answer", "start its server, or check the file")
    text = f"{plural(found.keys, 'key')} in {found.keyring}; {plural(found.encrypted, 'subject')} encrypted"
    if found.pending:
        why = f"{text}; {plural(found.pending, 'key')} of erased subjects not destroyed"
        return warn(what, why, "run `toldonce erase --finish`")
    if found.others:
        why = f"{text}; {plural(found.others, 'key')} encrypted by the other master key"
        return warn(what, why, "run `toldonce db rekey-subjects`")
    if found.extent != "whole":
        why = f"{text}, {found.mixed:,} partly, {found.plain:,} not"
        return warn(what, why, "run `toldonce db encrypt-subjects`")
    return ok(what, f"{text}; vectors cannot be indexed (`toldonce db index`)")


def _index(index: SubjectIndex) -> Finding:
    """Report a subject's vector index, which may no longer be in use."""
    text = (
        f"{index.subject or 'an erased owner'}: {index.vectors:,} vectors of {index.space}, {index.bytes / 1e6:,.1f} MB"
    )
    if index.used:
        return ok("index", f"{text}; used by recall, which is then approximate")
    return warn(
        "index",
        f"{text}; not used by recall",
        "run `toldonce db index` to drop unneeded indexes and build missing ones",
    )


async def _formations(engine: AsyncToldOnce, *, due: int, parked: int) -> Finding:
    if not parked:
        return ok("formations", f"{due:,} due, none parked")
    errors = [
        status.error or "no reason" for status in await engine.admin.formations(parked=True, limit=_MAX_ERRORS_SHOWN)
    ]
    return warn(
        "formations",
        f"{due:,} due, {parked:,} parked: {'; '.join(dict.fromkeys(errors))}",
        "list them with `toldonce formations --parked`, retry with `toldonce formations --retry-parked`",
    )


def _tokens() -> Finding:
    encoding = encoding_at_hand(os.environ)
    by = f"tiktoken's {encoding.name}" if encoding else "the default embedder's tokenizer (seldom too low, offline)"
    return ok("tokens", f"counted by {by}")


async def _upstream(settings: Settings) -> Finding:
    what, url = "upstream", settings.upstream_url
    if url is None:
        return ok(what, "not set: the built-in model toldonce/offline answers")
    key = settings.upstream_key.get_secret_value() if settings.upstream_key else None
    headers = {"authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=_UPSTREAM_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as http,
            http.get(f"{url}/models", headers=headers, allow_redirects=False) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return fail(what, f"{url} does not answer ({error or 'no answer in time'})", "start it, or correct the URL")
    return upstream_finding(url, status, has_key=key is not None)


def upstream_finding(url: str, status: int, *, has_key: bool) -> Finding:
    """Interpret the status code of the upstream's `/models`. Pure."""
    what = "upstream"
    if status in (UNAUTHORIZED, FORBIDDEN):
        if has_key:
            return fail(what, f"{url} refuses the key ({status})", "set TOLDONCE_UPSTREAM_KEY to a valid key")
        return ok(what, f"{url} answers and requires a key: each client sends its own")
    if status == NOT_FOUND:
        return warn(what, f"{url} answers, but has no /models", "check the end of the URL, usually /v1")
    if status >= BAD_REQUEST:
        return warn(what, f"{url} answers with {status}", "check that server")
    return ok(what, f"{url} answers")


def _form_model(settings: Settings) -> Finding:
    if settings.form_model is None:
        return ok("forming", "by built-in rules, without model tokens")
    return ok("forming", f"by {settings.form_model} at {settings.form_url or settings.upstream_url}: uses model tokens")


def destination_finding(settings: Settings) -> Finding | None:
    """Report models that read all messages although the profile keeps memories from them; None without such rules."""
    rules = ProfileRegistry(settings.profiles).get(settings.profile).destinations
    if not rules:
        return None
    form_url = settings.form_url or settings.upstream_url
    models = {
        "TOLDONCE_FORM_MODEL": settings.form_model and (form_url, settings.form_model),
        "TOLDONCE_EMBED_URL": settings.embed_url and (settings.embed_url, settings.embed_model),
        "TOLDONCE_RERANK_URL": settings.rerank_url and (settings.rerank_url, settings.rerank_model),
    }
    reached = {
        name: Destination(upstream=urlsplit(str(url)).hostname, model=model)
        for name, (url, model) in ((name, found) for name, found in models.items() if found)
    }
    reading = [f"{name} ({to.name})" for name, to in reached.items() if rules_against(rules, to)]
    what = "destinations"
    if not reading:
        return ok(what, f"{plural(len(rules), 'rule')} of the profile {settings.profile} on where memories go")
    return warn(
        what,
        f"the profile {settings.profile} keeps memories from models that read all messages: {', '.join(reading)}",
        "use a local model there, or none",
    )
