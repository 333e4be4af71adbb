-- Additions for the profiles: details of a memory, tags, small numbers, and when a conversation ended.

-- detail: JSON of properties that few memories have (types.MemoryDetail); NULL if there are none. number: the integer
-- that identifies an app's memory at the app's endpoints, counted within the subject; NULL for other memories.
ALTER TABLE memory ADD COLUMN detail TEXT;
ALTER TABLE memory ADD COLUMN number INTEGER;
CREATE UNIQUE INDEX memory_number ON memory (subject, number) WHERE number IS NOT NULL AND state = 0;

CREATE TABLE memory_tag (
    subject INTEGER NOT NULL,
    tag     TEXT NOT NULL,
    memory  BLOB NOT NULL,
    PRIMARY KEY (subject, tag, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tag_of ON memory_tag (subject, memory);

-- profile: the one that the conversation was opened with; NULL if each request names its own. app: the app it belongs to.
-- options: JSON of settings of this conversation. ended_at: NULL while it is open.
ALTER TABLE conversation ADD COLUMN profile TEXT;
ALTER TABLE conversation ADD COLUMN app TEXT;
ALTER TABLE conversation ADD COLUMN options TEXT;
ALTER TABLE conversation ADD COLUMN ended_at INTEGER;
ALTER TABLE conversation ADD COLUMN end_reason TEXT;

-- asked_seq: there is work while formed_seq is lower. It is raised by each turn, by every nth turn, or by saving or ending
-- the conversation. idle: microseconds of silence after which the rest is formed anyway; NULL if never.
ALTER TABLE formation ADD COLUMN asked_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE formation ADD COLUMN idle INTEGER;

UPDATE formation
   SET asked_seq = (SELECT c.last_seq FROM conversation AS c
                     WHERE c.subject = formation.home AND c.id = formation.conversation)
 WHERE due_at IS NOT NULL;

-- Registered apps. removed_at: when the app was uninstalled; its memories stay unless they were purged with it.
CREATE TABLE app (
    subject    INTEGER PRIMARY KEY,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;

-- Shared subjects that a subject reads in addition to its own memories.
CREATE TABLE subscription (
    subject INTEGER NOT NULL,
    shared  TEXT NOT NULL,
    since   INTEGER NOT NULL,
    PRIMARY KEY (subject, shared)
) STRICT, WITHOUT ROWID;

DROP VIEW remembered;

-- A memory with its sources, one row per source; the words of a turn come from the log.
CREATE VIEW remembered AS
SELECT m.subject, m.id, m.kind, m.state, coalesce(m.text, s.text, '') AS text, m.type, m.category, m.key, m.value,
       m.importance, m.confidence, m.speaker, m.valid_from, m.valid_to, m.known_from, m.closed_at, m.profile, m.version,
       m.uses, m.last_used_at, m.detail, m.number,
       e.place, e.conversation, e.seq, e.hash, e.role, e.speaker AS said_by, e.quote, e.said_at
  FROM memory AS m
  LEFT JOIN evidence AS e ON e.subject = m.subject AND e.memory = m.id
  LEFT JOIN message AS s ON m.kind = 3 AND s.subject = e.home AND s.conversation = e.conversation AND s.seq = e.seq;
