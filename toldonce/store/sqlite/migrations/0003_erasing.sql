-- Erasing: hashes that keep erased text from returning; memories in several subjects; and tables for other tools.

-- 0: unchanged. 1: its anchor is masked, because it answers an erased message. 2: erased: only place, role and times are
-- left; hash, anchor and its calls are masked with the ledger's key, so that a resent history is still recognised and
-- nothing reveals the erased text.
ALTER TABLE message ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- The ledger: masked hashes of the messages that were erased, so that the history of a client does not restore them.
CREATE TABLE erased_message (
    subject INTEGER NOT NULL,
    mark    INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (subject, mark)
) STRICT, WITHOUT ROWID;

-- Subjects of which everything was erased. A new start continues the count of versions: otherwise an old cache would
-- match.
CREATE TABLE erased_subject (
    subject INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

-- Memories whose rows were deleted, with the version that did so: caches drop them because of it.
CREATE TABLE gone (
    subject INTEGER NOT NULL,
    version INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    PRIMARY KEY (subject, version, memory)
) STRICT, WITHOUT ROWID;

-- Subjects that have the same memory.
CREATE TABLE link (
    subject INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    PRIMARY KEY (subject, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_memory ON link (memory);

-- Numbers of what was erased (counts: JSON). cleaned_at is NULL until no byte of it is left in the file and its log.
CREATE TABLE erasure (
    subject    INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    id         BLOB NOT NULL,
    cleaned_at INTEGER,
    counts     TEXT NOT NULL,
    PRIMARY KEY (subject, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX erasure_unclean ON erasure (at) WHERE cleaned_at IS NULL;

-- From a message to the memories formed from it, of any subject.
CREATE INDEX evidence_source ON evidence (home, conversation, seq);
-- From a log to the work on it, for any subject.
CREATE INDEX formation_home ON formation (home);

CREATE VIEW vectors AS
SELECT lower(hex(v.memory)) AS id, v.data AS "values",
       json_object('content', m.text, 'type', 'memory',
                   'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', m.known_from / 1000000.0, 'unixepoch')) AS metadata
  FROM vector AS v
  JOIN memory AS m ON m.subject = v.subject AND m.id = v.memory
 WHERE m.kind <> 3;

CREATE VIEW users_vectors AS
SELECT s.name AS user_id, lower(hex(m.id)) AS vector_id
  FROM memory AS m
  JOIN subject AS s ON s.key = m.subject
 WHERE m.state = 0 AND m.kind <> 3;

CREATE VIEW memory_updates AS
SELECT lower(hex(d.id)) AS id, s.name AS user_id,
       lower(hex(CASE d.action WHEN 'replace' THEN d.target ELSE d.memory END)) AS old_vector_id,
       CASE d.action WHEN 'replace' THEN lower(hex(d.memory)) END AS new_vector_id,
       d.reason, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000000.0, 'unixepoch') AS created_at
  FROM decision AS d
  JOIN subject AS s ON s.key = d.subject
 WHERE d.action IN ('replace', 'close', 'abandon', 'unlink') AND d.memory IS NOT NULL;
