-- What memory work costs each subject. Every row is bounded: open calls, a month of days, and one line of totals.

-- used: units drawn from the capacity and not yet refilled at the instant `at`; the capacity itself is the profile's.
-- The totals only grow: polls are differences of them. Chat turns are in `spending` alone.
CREATE TABLE energy (
    subject      INTEGER PRIMARY KEY,
    used         REAL NOT NULL,
    at           INTEGER NOT NULL,
    total_calls  INTEGER NOT NULL DEFAULT 0,
    total_units  REAL NOT NULL DEFAULT 0,
    total_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Calls that were booked and not settled: under way, or their process died. Their cost stands in the other tables
-- already; settling corrects it and takes the row away. drawn: units taken from the capacity; 0 where none is rationed.
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

-- The totals as each poller saw them last.
CREATE TABLE energy_poll (
    subject INTEGER NOT NULL,
    poller  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    calls   INTEGER NOT NULL,
    units   REAL NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (subject, poller)
) STRICT, WITHOUT ROWID;
