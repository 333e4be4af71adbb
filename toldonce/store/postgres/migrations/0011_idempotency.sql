-- Requests that a client may send again: with the same key they have one effect and one answer.
--
-- key: hash of the subject's name, the operation and the client's key. request: hash of what was asked. at: when it came.
-- token, until: who runs it, and how long others wait for that. state: 0 it runs, 1 it took effect, 2 it was answered.
-- body: NULL where no answer is kept. erased: something of the subject was erased since it began, so that its answer may
-- hold erased words and is not kept.
CREATE TABLE IF NOT EXISTS idempotency (
    subject BIGINT NOT NULL,
    key     BYTEA NOT NULL,
    request BYTEA NOT NULL,
    at      BIGINT NOT NULL,
    until   BIGINT NOT NULL,
    token   BIGINT NOT NULL,
    state   BIGINT NOT NULL,
    erased  BIGINT NOT NULL DEFAULT 0,
    status  BIGINT NOT NULL DEFAULT 0,
    headers TEXT NOT NULL DEFAULT '{}',
    body    BYTEA,
    PRIMARY KEY (subject, key)
);

CREATE INDEX IF NOT EXISTS idempotency_at ON idempotency (at);

-- No samples of texts: see 0001.
ALTER TABLE idempotency ALTER COLUMN body SET STATISTICS 0;
