-- Requests that a client may send again: with the same key they have one effect and one answer.
--
-- key: hash of the subject's name, the operation and the client's key. request: hash of what was asked. at: when it came.
-- token, until: who runs it, and how long others wait for that. state: 0 it runs, 1 it took effect, 2 it was answered.
-- body: NULL where no answer is kept. erased: something of the subject was erased since it began, so that its answer may
-- hold erased words and is not kept.
CREATE TABLE IF NOT EXISTS idempotency (
    subject INTEGER NOT NULL,
    key     BLOB NOT NULL,
    request BLOB NOT NULL,
    at      INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    token   INTEGER NOT NULL,
    state   INTEGER NOT NULL,
    erased  INTEGER NOT NULL DEFAULT 0,
    status  INTEGER NOT NULL DEFAULT 0,
    headers TEXT NOT NULL DEFAULT '{}',
    body    BLOB,
    PRIMARY KEY (subject, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idempotency_at ON idempotency (at);
