-- Statements that PostgreSQL words differently: its vectors, JSON, and the greater of two values.
--
-- A list of ids is made into an array: of a list to join with, PostgreSQL expects a hundred ids, and reads all rows of the
-- subject instead of looking each up.

-- name: close_memory
UPDATE memory
   SET state = 2, valid_to = greatest(?3, valid_from), closed_at = ?4, changed = ?5
 WHERE subject = ?1 AND id = ?2

-- name: strengthen_memory
UPDATE memory
   SET importance = greatest(importance, ?3), changed = ?4,
       version = CASE WHEN CAST(?5 AS TEXT) = '' THEN version ELSE ?5 END
 WHERE subject = ?1 AND id = ?2

-- name: use_memories
WITH used AS MATERIALIZED (
    SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                THEN decode(replace(value, '-', ''), 'hex') END AS id, count(*) AS times
      FROM json_array_elements_text(CAST(?2 AS JSON)) AS value
     GROUP BY 1
)
UPDATE memory
   SET uses = uses + used.times, last_used_at = greatest(coalesce(last_used_at, ?3), ?3)
  FROM used
 WHERE memory.subject = ?1 AND memory.id = used.id AND memory.id = ANY (ARRAY(SELECT id FROM used))
RETURNING memory.id, (SELECT h.fixed FROM hot AS h WHERE h.subject = ?1 AND h.memory = memory.id),
          kind, importance, confidence, valid_from, uses, last_used_at

-- name: add_vectors
INSERT INTO vector (subject, space, memory, chunk, embedding, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: snapshot_vectors vectors: packed
SELECT memory, coalesce(string_agg(sealed, ''::BYTEA), string_agg(substr(vector_send(embedding), 5), ''::BYTEA ORDER BY chunk))
  FROM vector
 WHERE subject = ?1 AND space = ?2 AND memory > ?3 AND memory <= ?4
 GROUP BY memory
 ORDER BY memory

-- name: changes vectors: chunks
-- Each by its key: in a new database without statistics, the server would read all rows of the subject for each change.
SELECT c.id, h.fixed, h.terms, h.sources, v.embedding
  FROM (SELECT id FROM memory WHERE subject = ?1 AND changed > ?2
         UNION
        SELECT memory FROM gone WHERE subject = ?1 AND version > ?2
         LIMIT ?4) AS c
  LEFT JOIN LATERAL (SELECT fixed, terms, sources FROM hot WHERE subject = ?1 AND memory = c.id OFFSET 0) AS h ON TRUE
  LEFT JOIN LATERAL (SELECT chunk, coalesce(sealed, vector_send(embedding)) AS embedding
                       FROM vector
                      WHERE subject = ?1 AND space = ?3 AND memory = c.id
                     OFFSET 0) AS v ON TRUE
 ORDER BY c.id, v.chunk

-- name: remembered
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id = ANY (ARRAY(
           SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                       THEN decode(replace(value, '-', ''), 'hex') END
             FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
 ORDER BY id, place

-- name: remembered_with_version
SELECT (SELECT version FROM subject WHERE key = ?1), remembered.*
  FROM remembered
 WHERE subject = ?1
   AND id = ANY (ARRAY(
           SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                       THEN decode(replace(value, '-', ''), 'hex') END
             FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
 ORDER BY id, place

-- name: decisions_of_many
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1
   AND memory = ANY (ARRAY(
           SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                       THEN decode(replace(value, '-', ''), 'hex') END
             FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
 UNION
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1
   AND target = ANY (ARRAY(
           SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                       THEN decode(replace(value, '-', ''), 'hex') END
             FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
 ORDER BY at, id

-- name: states
SELECT id, state, (SELECT name FROM subject WHERE key = ?1)
  FROM memory
 WHERE subject = ?1
   AND id = ANY (ARRAY(
           SELECT CASE WHEN value ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
                       THEN decode(replace(value, '-', ''), 'hex') END
             FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
