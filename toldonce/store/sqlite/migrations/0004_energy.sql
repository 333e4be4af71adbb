-- Cost of memory work per subject. The number of rows is bounded: open calls, a month of days, and one line of totals.

-- used: units drawn from the capacity and not yet refilled at the instant `at`; the profile sets the capacity. The totals
-- only grow: a poll returns their difference to the last one. Chat turns are only in `spending`.
CREATE TABLE energy (
    subject      INTEGER PRIMARY KEY,
    used         REAL NOT NULL,
    at           INTEGER NOT NULL,
    total_calls  INTEGER NOT NULL DEFAULT 0,
    total_units  REAL NOT NULL DEFAULT 0,
    total_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Calls that were booked and not settled: in progress, or their process died. Their cost is already in the other tables;
-- settling corrects it and deletes the row. drawn: units taken from the capacity; 0 without a ration.
CREATE TABLE reservation (
    subject INTEGER NOT NULL,
    id      BLOB NOT NULL,
    day     INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    units   REAL NOT NULL,
    drawn   REAL NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;

-- day: days since 1970 UTC.
CREATE TABLE spending (
    subject INTEGER NOT NULL,
    day     INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    calls   INTEGER NOT NULL,
    units   REAL NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (subject, day, purpose)
) STRICT, WITHOUT ROWID;

-- The totals that each poller read last.
CREATE TABLE energy_poll (
    subject INTEGER NOT NULL,
    poller  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    calls   INTEGER NOT NULL,
    units   REAL NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (subject, poller)
) STRICT, WITHOUT ROWID;
