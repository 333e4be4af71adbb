-- API keys of the server, and the log of administrative acts. Neither belongs to a subject.
--
-- hash: SHA-256 of the key, which is random, so that its hash needs neither salt nor work. tenant: NULL means all tenants.
-- bound_to: key of the subject of the only user, so that erasing the user finds the key. at, … are microseconds.
CREATE TABLE IF NOT EXISTS api_key (
    hash                BLOB NOT NULL PRIMARY KEY,
    id                  TEXT NOT NULL,
    name                TEXT NOT NULL,
    access              TEXT NOT NULL,
    tenant              TEXT,
    user_name           TEXT,
    bound_to            INTEGER,
    app                 TEXT,
    requests_per_minute INTEGER,
    concurrent_requests INTEGER,
    body_bytes          INTEGER,
    created_at          INTEGER NOT NULL,
    expires_at          INTEGER,
    revoked_at          INTEGER,
    last_used_at        INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS api_key_id ON api_key (id);
CREATE INDEX IF NOT EXISTS api_key_bound ON api_key (bound_to) WHERE bound_to IS NOT NULL;

CREATE TABLE IF NOT EXISTS audit (
    id       BLOB NOT NULL PRIMARY KEY,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    action   TEXT NOT NULL,
    tenant   TEXT NOT NULL,
    target   TEXT NOT NULL,
    count    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
