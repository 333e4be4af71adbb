-- Memories, their sources, the input of recall, and the decisions on them.

-- name: add_memory copy: rows seals: 5,9,12,22 matches: category=7,key=8
INSERT INTO memory (subject, id, kind, state, text, type, category, key, value, importance, confidence, speaker,
                    valid_from, valid_to, known_from, closed_at, profile, version, uses, last_used_at, changed, detail,
                    number, app)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)

-- name: add_tag matches: tag=2
INSERT INTO memory_tag (subject, tag, memory) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- name: in_slot matches: category=2,key=3
SELECT id FROM memory WHERE subject = ?1 AND category = ?2 AND key = ?3 AND kind = 1 AND state = 0

-- name: state_of
SELECT state, kind FROM memory WHERE subject = ?1 AND id = ?2

-- name: close_memory
UPDATE memory
   SET state = 2, valid_to = max(?3, valid_from), closed_at = ?4, changed = ?5
 WHERE subject = ?1 AND id = ?2

-- name: strengthen_memory
UPDATE memory
   SET importance = max(importance, ?3), changed = ?4, version = CASE ?5 WHEN '' THEN version ELSE ?5 END
 WHERE subject = ?1 AND id = ?2

-- name: use_memories
-- An id may be listed several times.
UPDATE memory
   SET uses = uses + (SELECT count(*) FROM json_each(?2) WHERE unhex(value, '-') = memory.id),
       last_used_at = max(coalesce(last_used_at, ?3), ?3)
 WHERE subject = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2))
RETURNING id, (SELECT h.fixed FROM hot AS h WHERE h.subject = ?1 AND h.memory = memory.id),
          kind, importance, confidence, valid_from, uses, last_used_at

-- name: hot_columns
SELECT kind, importance, confidence, valid_from, uses, last_used_at FROM memory WHERE subject = ?1 AND id = ?2

-- name: add_evidence copy: rows seals: 9 matches: quote=10
INSERT INTO evidence (subject, memory, place, home, conversation, seq, hash, role, speaker, quote, said_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)

-- name: inherit_evidence
INSERT INTO evidence (subject, memory, place, home, conversation, seq, hash, role, speaker, quote, said_at)
SELECT subject, ?3, ?4 + place, home, conversation, seq, hash, role, speaker, quote, said_at
  FROM evidence AS e
 WHERE subject = ?1 AND memory = ?2
   AND NOT EXISTS (SELECT 1
                     FROM evidence AS own
                    WHERE own.subject = ?1 AND own.memory = ?3
                      AND own.conversation = e.conversation AND own.seq = e.seq AND own.quote = e.quote)

-- name: next_place
SELECT coalesce(max(place) + 1, 0) FROM evidence WHERE subject = ?1 AND memory = ?2

-- name: evidence
SELECT conversation, seq, hash, role, quote FROM evidence WHERE subject = ?1 AND memory = ?2 ORDER BY place

-- name: add_hot copy: rows seals: 4
INSERT INTO hot (subject, memory, fixed, terms, sources) VALUES (?1, ?2, ?3, ?4, ?5)

-- name: fixed
SELECT fixed FROM hot WHERE subject = ?1 AND memory = ?2

-- name: set_fixed
UPDATE hot SET fixed = ?3 WHERE subject = ?1 AND memory = ?2

-- name: set_sources
UPDATE hot SET fixed = ?3, sources = ?4 WHERE subject = ?1 AND memory = ?2

-- name: cool
DELETE FROM hot WHERE subject = ?1 AND memory = ?2

-- name: add_vectors copy: vectors seals: 4
INSERT INTO vector (subject, space, memory, data) VALUES (?1, ?2, ?3, ?4)

-- name: drop_vectors
DELETE FROM vector WHERE subject = ?1 AND space IN (SELECT id FROM space) AND memory = ?2

-- name: retire_vectors
-- They stay for the view `vectors` alone, under the negative number of their space.
UPDATE vector SET space = -space WHERE subject = ?1 AND space IN (SELECT id FROM space) AND memory = ?2

-- name: drop_retired_vectors
DELETE FROM vector WHERE subject = ?1 AND space IN (SELECT -id FROM space) AND memory = ?2

-- name: snapshot
SELECT memory, fixed, terms, sources FROM hot WHERE subject = ?1 AND memory > ?2 ORDER BY memory LIMIT ?3

-- name: some_terms
SELECT fixed, terms FROM hot WHERE subject = ?1 LIMIT ?2

-- name: snapshot_size
SELECT count(*) FROM hot WHERE subject = ?1

-- name: snapshot_vectors
SELECT memory, data
  FROM vector
 WHERE subject = ?1 AND space = ?2 AND memory > ?3 AND memory <= ?4
 ORDER BY memory

-- name: changes
-- The memories that changed after a version; a closed or erased one has only its id.
SELECT named.id, h.fixed, h.terms, h.sources, v.data
  FROM (SELECT id FROM memory WHERE subject = ?1 AND changed > ?2
         UNION
        SELECT memory FROM gone WHERE subject = ?1 AND version > ?2
         LIMIT ?4) AS named
  LEFT JOIN hot AS h ON h.subject = ?1 AND h.memory = named.id
  LEFT JOIN vector AS v ON v.subject = ?1 AND v.space = ?3 AND v.memory = named.id
 ORDER BY named.id

-- name: remembered text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT unhex(value, '-') FROM json_each(?2))
 ORDER BY id, place

-- name: remembered_with_version text: elsewhere
-- The version of the subject, too: the statement sees one snapshot.
SELECT (SELECT version FROM subject WHERE key = ?1), remembered.*
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT unhex(value, '-') FROM json_each(?2))
 ORDER BY id, place

-- name: states
-- With the name of the subject, which verifies its key.
SELECT id, state, (SELECT name FROM subject WHERE key = ?1)
  FROM memory
 WHERE subject = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2))

-- name: facts text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id FROM memory WHERE subject = ?1 AND kind = 1 AND state = 0)
 ORDER BY importance DESC, id, place

-- name: facts_beyond
SELECT 1
  FROM memory
 WHERE subject = ?1 AND kind = 1 AND state = 0
 LIMIT 1 OFFSET ?2

-- name: listed text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory INDEXED BY memory_listed
               WHERE subject = ?1 AND id < ?2 AND kind < 3 AND state <= ?3 AND (?4 & (1 << kind)) <> 0
               ORDER BY id DESC
               LIMIT ?5)
 ORDER BY id DESC, place

-- name: listed_kept text: elsewhere
-- Quotations that are kept; in the bits of kinds of other statements they are 16.
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory INDEXED BY memory_kept
               WHERE subject = ?1 AND id < ?2 AND kind = 3 AND importance >= 0.6 AND state <= ?3
               ORDER BY id DESC
               LIMIT ?4)
 ORDER BY id DESC, place

-- name: listed_with_turns text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory
               WHERE subject = ?1 AND id < ?2 AND state <= ?3 AND (?4 & (1 << kind)) <> 0
               ORDER BY id DESC
               LIMIT ?5)
 ORDER BY id DESC, place

-- name: rank
SELECT CASE CAST(?3 AS BIGINT)
         WHEN 2 THEN m.importance
         WHEN 3 THEN CAST(m.uses AS DOUBLE PRECISION)
         ELSE CAST(coalesce(m.last_used_at, 0) AS DOUBLE PRECISION)
       END
  FROM memory AS m
 WHERE m.subject = ?1 AND m.id = ?2

-- name: ranked
SELECT id
  FROM (SELECT m.id, CASE CAST(?5 AS BIGINT)
                        WHEN 2 THEN m.importance
                        WHEN 3 THEN CAST(m.uses AS DOUBLE PRECISION)
                        ELSE CAST(coalesce(m.last_used_at, 0) AS DOUBLE PRECISION)
                      END AS rank
          FROM memory AS m
         WHERE m.subject = ?1 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0) AS listed
 WHERE (rank, id) < (?6, ?7)
 ORDER BY rank DESC, id DESC
 LIMIT ?4

-- name: oldest
SELECT m.id
  FROM memory AS m
 WHERE m.subject = ?1 AND m.id > ?5 AND m.state <= ?2 AND (?3 & CASE WHEN m.kind = 3 AND m.importance >= 0.6 THEN 24 ELSE 1 << m.kind END) <> 0
 ORDER BY m.id
 LIMIT ?4

-- name: add_decision copy: rows seals: 7,8
INSERT INTO decision (subject, at, id, action, memory, target, reason, text, profile, conversation, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)

-- name: decisions
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1 AND at >= ?3 AND (at > ?3 OR id > ?4)
 ORDER BY at, id
 LIMIT ?2

-- name: decisions_of
-- Left alone, SQLite reads all decisions of the subject.
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision INDEXED BY decision_memory
 WHERE subject = ?1 AND memory = ?3
 UNION
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision INDEXED BY decision_target
 WHERE subject = ?1 AND target = ?3
 ORDER BY at, id
 LIMIT ?2

-- name: decisions_of_many
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision INDEXED BY decision_memory
 WHERE subject = ?1 AND memory IN (SELECT unhex(value, '-') FROM json_each(?2))
 UNION
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision INDEXED BY decision_target
 WHERE subject = ?1 AND target IN (SELECT unhex(value, '-') FROM json_each(?2))
 ORDER BY at, id
