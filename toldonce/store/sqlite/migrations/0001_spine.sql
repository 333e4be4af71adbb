-- The base tables: subjects, the log, memories, work still to be done, and decisions with their reasons.
--
-- Each table is keyed by its subject first, so that a statement touches one partition. Ids are 16 bytes (UUIDv7),
-- instants microseconds since 1970 UTC. Tables without row ids are stored in key order: rows read together are adjacent.

-- Facts about the file itself. term_key: the key from which each subject's salt for term hashes is drawn.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (name, value) VALUES ('term_key', randomblob(16));

-- version increases with every change to the subject's memories: caches and decisions are checked against it.
CREATE TABLE subject (
    key     INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX subject_name ON subject (name);

CREATE TABLE conversation (
    subject     INTEGER NOT NULL,
    id          BLOB NOT NULL,
    external_id TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    last_seq    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX conversation_external ON conversation (subject, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX conversation_updated ON conversation (subject, updated_at);

-- The log. parent_seq gives the thread: messages with the same parent are edits and regenerations.
CREATE TABLE message (
    subject      INTEGER NOT NULL,
    conversation BLOB NOT NULL,
    seq          INTEGER NOT NULL,
    parent_seq   INTEGER NOT NULL,
    hash         INTEGER NOT NULL,
    anchor       INTEGER,
    role         TEXT NOT NULL,
    name         TEXT,
    complete     INTEGER NOT NULL,
    said_at      INTEGER NOT NULL,
    recorded_at  INTEGER NOT NULL,
    text         TEXT NOT NULL,
    payload      TEXT,
    PRIMARY KEY (subject, conversation, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_child ON message (subject, conversation, parent_seq, hash);
CREATE INDEX message_anchor ON message (subject, anchor) WHERE anchor IS NOT NULL;
CREATE INDEX message_first ON message (subject, hash, recorded_at) WHERE parent_seq = 0;

-- Which message makes a tool call (by the hash of the call's id).
CREATE TABLE tool_call (
    subject      INTEGER NOT NULL,
    call         INTEGER NOT NULL,
    conversation BLOB NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (subject, call, conversation, seq)
) STRICT, WITHOUT ROWID;

-- kind: place in types.KIND_ORDER (0 note, 1 fact, 2 episode, 3 turn). state: 0 active, 1 held, 2 closed.
-- text is NULL for turns, whose words are in the message that they refer to. changed: the version that wrote the row.
CREATE TABLE memory (
    subject      INTEGER NOT NULL,
    id           BLOB NOT NULL,
    kind         INTEGER NOT NULL,
    state        INTEGER NOT NULL,
    text         TEXT,
    type         TEXT NOT NULL,
    category     TEXT NOT NULL,
    key          TEXT NOT NULL,
    value        TEXT NOT NULL,
    importance   REAL NOT NULL,
    confidence   REAL NOT NULL,
    speaker      TEXT NOT NULL,
    valid_from   INTEGER NOT NULL,
    valid_to     INTEGER,
    known_from   INTEGER NOT NULL,
    closed_at    INTEGER,
    profile      TEXT NOT NULL,
    version      TEXT NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    changed      INTEGER NOT NULL,
    PRIMARY KEY (subject, id)
) STRICT, WITHOUT ROWID;

-- One active value per slot: the last safeguard if resolution errs.
CREATE UNIQUE INDEX memory_slot ON memory (subject, category, key) WHERE kind = 1 AND state = 0;
-- Listings skip turns, which are most of the rows.
CREATE INDEX memory_listed ON memory (subject, id) WHERE kind < 3;
CREATE INDEX memory_changed ON memory (subject, changed);

-- home: the subject whose log the conversation is; it may be another than the memory's.
CREATE TABLE evidence (
    subject      INTEGER NOT NULL,
    memory       BLOB NOT NULL,
    place        INTEGER NOT NULL,
    home         INTEGER NOT NULL,
    conversation BLOB NOT NULL,
    seq          INTEGER NOT NULL,
    hash         INTEGER NOT NULL,
    role         TEXT NOT NULL,
    speaker      TEXT NOT NULL,
    quote        TEXT NOT NULL,
    said_at      INTEGER NOT NULL,
    PRIMARY KEY (subject, memory, place)
) STRICT, WITHOUT ROWID;

-- Input of recall: a row for each active memory and none for others, so that closed ones cost nothing. It is derived,
-- except the counts of use. fixed, terms and sources are packed as snapshot_codec.py says.
CREATE TABLE hot (
    subject INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    fixed   BLOB NOT NULL,
    terms   BLOB NOT NULL,
    sources BLOB NOT NULL,
    PRIMARY KEY (subject, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE space (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dim  INTEGER NOT NULL
) STRICT;

-- One row per active memory and space: the float32 numbers of its chunks in sequence. Vectors of closed memories are
-- dropped: nothing searches them, they can be made again from the text, and there is less to erase.
CREATE TABLE vector (
    subject INTEGER NOT NULL,
    space   INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (subject, space, memory)
) STRICT, WITHOUT ROWID;

-- The work, as a cursor. lease_until is NULL without a token.
CREATE TABLE formation (
    subject      INTEGER NOT NULL,
    home         INTEGER NOT NULL,
    conversation BLOB NOT NULL,
    profile      TEXT NOT NULL,
    stage        TEXT NOT NULL,
    version      TEXT NOT NULL,
    formed_seq   INTEGER NOT NULL DEFAULT 0,
    due_at       INTEGER,
    lease_token  INTEGER,
    lease_until  INTEGER,
    attempts     INTEGER NOT NULL DEFAULT 0,
    parked       INTEGER NOT NULL DEFAULT 0,
    error        TEXT,
    PRIMARY KEY (subject, home, conversation, profile, stage, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX formation_due ON formation (due_at) WHERE due_at IS NOT NULL AND parked = 0;

CREATE TABLE decision (
    subject      INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    id           BLOB NOT NULL,
    action       TEXT NOT NULL,
    memory       BLOB,
    target       BLOB,
    reason       TEXT NOT NULL,
    text         TEXT NOT NULL,
    profile      TEXT NOT NULL,
    conversation BLOB,
    seq          INTEGER,
    PRIMARY KEY (subject, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX decision_memory ON decision (subject, memory) WHERE memory IS NOT NULL;
CREATE INDEX decision_target ON decision (subject, target) WHERE target IS NOT NULL;

-- Decisions are never changed; only erasing removes a row.
CREATE TRIGGER decision_is_append_only BEFORE UPDATE ON decision
BEGIN
    SELECT RAISE(ABORT, 'decisions are append-only');
END;

-- Memory that was inserted into a request; items is JSON: [[subject, memory id, score], …].
CREATE TABLE recall (
    subject      INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    id           BLOB NOT NULL,
    conversation BLOB NOT NULL,
    seq          INTEGER NOT NULL,
    query_hash   INTEGER NOT NULL,
    items        TEXT NOT NULL,
    block_hash   TEXT NOT NULL,
    tokens       INTEGER NOT NULL,
    PRIMARY KEY (subject, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX recall_conversation ON recall (subject, conversation, at);

-- A memory with its sources, one row per source; the words of a turn come from the log.
CREATE VIEW remembered AS
SELECT m.subject, m.id, m.kind, m.state, coalesce(m.text, s.text, '') AS text, m.type, m.category, m.key, m.value,
       m.importance, m.confidence, m.speaker, m.valid_from, m.valid_to, m.known_from, m.closed_at, m.profile, m.version,
       m.uses, m.last_used_at,
       e.place, e.conversation, e.seq, e.hash, e.role, e.speaker AS said_by, e.quote, e.said_at
  FROM memory AS m
  LEFT JOIN evidence AS e ON e.subject = m.subject AND e.memory = m.id
  LEFT JOIN message AS s ON m.kind = 3 AND s.subject = e.home AND s.conversation = e.conversation AND s.seq = e.seq;
