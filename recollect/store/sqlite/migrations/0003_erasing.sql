-- Erasing: what is gone, so that it stays gone; copies in several subjects; and tables that other tools read.

-- 0: as it came. 1: its anchor is masked, for it answers an erased message. 2: erased: place, role and times alone are
-- left; hash, anchor and the calls it made are masked with the ledger's key, so that a resent history finds its place
-- and nothing tells what stood there.
ALTER TABLE message ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- The ledger: masked hashes of the messages that were erased, so that a client's history does not bring them back.
CREATE TABLE erased_message (
    subject INTEGER NOT NULL,
    mark    INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (subject, mark)
) STRICT, WITHOUT ROWID;

-- Subjects of which all was erased. One that begins anew goes on counting versions, or an old cache would fit again.
CREATE TABLE erased_subject (
    subject INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

-- Memories whose rows were taken away, with the version that did it: what tells caches to drop them.
CREATE TABLE gone (
    subject INTEGER NOT NULL,
    version INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    PRIMARY KEY (subject, version, memory)
) STRICT, WITHOUT ROWID;

-- Which subjects hold a memory that is in several.
CREATE TABLE link (
    subject INTEGER NOT NULL,
    memory  BLOB NOT NULL,
    PRIMARY KEY (subject, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX link_memory ON link (memory);

-- What was erased, in numbers (counts: JSON). cleaned_at is NULL until no byte of it is left in file and log.
CREATE TABLE erasure (
    subject    INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    id         BLOB NOT NULL,
    cleaned_at INTEGER,
    counts     TEXT NOT NULL,
    PRIMARY KEY (subject, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX erasure_unclean ON erasure (at) WHERE cleaned_at IS NULL;

-- From a message to what was formed of it, in whichever subject.
CREATE INDEX evidence_source ON evidence (home, conversation, seq);
-- From a log to the work on it, in whichever subject.
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
