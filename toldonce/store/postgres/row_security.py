"""Row-level security of PostgreSQL: a session that acts for one tenant sees no rows of another. Network.

Each guarded table has a policy that asks the session's variable `toldonce_rls.tenant`: `*` for all tenants, `=acme`
for one, `=` for the nameless one. Without the variable a statement sees nothing. The names of subjects are not guarded:
the policies read them.
"""

from contextlib import closing

import psycopg

from toldonce.errors import UnreadableStoreError
from toldonce.settings import shown_url
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection, connect
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.migrate import LOCK, prepare
from toldonce.store.sql.tables import TABLES
from toldonce.store.store_reports import RowSecurityReport

GUARDED = tuple(table.name for table in TABLES if not table.is_global and table.name not in ("subject", "subject_key"))
"""Tables whose rows belong to a subject; a subject's own row has but its name and counts."""
_POLICY = "of_tenant"
_ACTING = "current_setting('toldonce_rls.tenant', TRUE)"
# Rows whose subject has no row (yet, or because it was erased) pass: the ledger of an erased user has to hold.
_RULE = f"""
{_ACTING} = '*' OR ({_ACTING} IS NOT NULL AND {_ACTING} <> '' AND NOT EXISTS (
  SELECT 1 FROM "{SCHEMA}".subject AS owner
   WHERE owner.key = "{{table}}".subject
     AND CASE WHEN {_ACTING} = '=' THEN starts_with(owner.name, '@')
              ELSE NOT starts_with(owner.name, '@' || substr({_ACTING}, 2) || '/') END))
"""  # noqa: S608  # our own names
_MAY_BYPASS = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
_HAS_CITUS = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')"
_STATES = """
SELECT CAST(c.relname AS TEXT), c.relrowsecurity AND c.relforcerowsecurity
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
"""


def enable_row_security(url: str) -> RowSecurityReport:
    """Guard all tables of subjects' rows, in one transaction. Idempotent; run it again after an upgrade.

    Raises:
        UnreadableStoreError: The user bypasses row-level security or does not own the tables, or the database is one of
            Citus.
        StoreUnavailableError: The server does not answer.
    """
    return _changed(url, guard=True)


def disable_row_security(url: str) -> RowSecurityReport:
    """Remove the policies from all tables, in one transaction. Idempotent.

    Raises:
        UnreadableStoreError: The user does not own the tables.
        StoreUnavailableError: The server does not answer.
    """
    return _changed(url, guard=False)


def row_security(url: str) -> RowSecurityReport:
    """Return which tables are guarded.

    Raises:
        StoreUnavailableError: The server does not answer.
    """
    where = shown_url(url)
    try:
        with closing(connect(url)) as db:
            return _report(db, where)
    except psycopg.Error as error:
        raise fault(error, where) from error


def _changed(url: str, *, guard: bool) -> RowSecurityReport:
    where = shown_url(url)
    prepare(url)
    try:
        with closing(connect(url)) as db:
            if guard:
                _require_possible(db, where)
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock($1)", (LOCK,))
                for table in GUARDED:
                    db.execute(_statements(table, guard=guard).encode())
            return _report(db, where)
    except psycopg.errors.InsufficientPrivilege as error:
        raise UnreadableStoreError(f"{where} cannot be changed: run this as the owner of its tables") from error
    except psycopg.Error as error:
        raise fault(error, where) from error


def _statements(table: str, *, guard: bool) -> str:
    name = f'"{SCHEMA}"."{table}"'
    drop = f"DROP POLICY IF EXISTS {_POLICY} ON {name};"
    if not guard:
        return f"{drop} ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;"
    rule = _RULE.format(table=table)
    return (
        f"{drop} CREATE POLICY {_POLICY} ON {name} USING ({rule}) WITH CHECK ({rule}); "
        f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"
    )


def _require_possible(db: "psycopg.Connection[tuple[object, ...]]", where: str) -> None:
    """Refuse where policies would guard nothing.

    Raises:
        UnreadableStoreError: They would not.
    """
    if PostgresConnection(db).execute(_MAY_BYPASS).fetchall()[0][0]:
        raise UnreadableStoreError(
            f"{where}: its user bypasses row-level security: connect as one that is no superuser and has no BYPASSRLS "
            "(docs/deploy.md, the database's user)"
        )
    if PostgresConnection(db).execute(_HAS_CITUS).fetchall()[0][0]:
        raise UnreadableStoreError(
            f"{where} is a Citus database, whose nodes do not know for which tenant a session acts"
        )


def _report(db: "psycopg.Connection[tuple[object, ...]]", where: str) -> RowSecurityReport:
    states = {str(name): bool(state) for name, state in db.execute(_STATES, (SCHEMA,)).fetchall()}
    return RowSecurityReport(
        where=where,
        guarded=tuple(table for table in GUARDED if states.get(table)),
        unguarded=tuple(table for table in GUARDED if not states.get(table)),
    )
