-- API keys of the server, and the log of administrative acts. Neither belongs to a subject.
--
-- hash: SHA-256 of the key, which is random, so that its hash needs neither salt nor work. tenant: NULL means all tenants.
-- bound_to: key of the subject of the only user, so that erasing the user finds the key. at, … are microseconds.
CREATE TABLE IF NOT EXISTS api_key (
    hash                BYTEA NOT NULL PRIMARY KEY,
    id                  TEXT COLLATE "C" NOT NULL,
    name                TEXT COLLATE "C" NOT NULL,
    access              TEXT COLLATE "C" NOT NULL,
    tenant              TEXT COLLATE "C",
    user_name           TEXT COLLATE "C",
    bound_to            BIGINT,
    app                 TEXT COLLATE "C",
    requests_per_minute BIGINT,
    concurrent_requests BIGINT,
    body_bytes          BIGINT,
    created_at          BIGINT NOT NULL,
    expires_at          BIGINT,
    revoked_at          BIGINT,
    last_used_at        BIGINT
);

CREATE UNIQUE INDEX IF NOT EXISTS api_key_id ON api_key (id);
CREATE INDEX IF NOT EXISTS api_key_bound ON api_key (bound_to) WHERE bound_to IS NOT NULL;

CREATE TABLE IF NOT EXISTS audit (
    id       BYTEA NOT NULL PRIMARY KEY,
    at       BIGINT NOT NULL,
    actor    TEXT COLLATE "C" NOT NULL,
    action   TEXT COLLATE "C" NOT NULL,
    tenant   TEXT COLLATE "C" NOT NULL,
    target   TEXT COLLATE "C" NOT NULL,
    count    BIGINT NOT NULL
);
