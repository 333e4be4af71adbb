-- Only for PostgreSQL: the reading of a recall in as few round trips as possible.

-- name: whole vectors: behind_state
-- One row per chunk of each memory, or one without a memory if there is none or if the vectors have an index: those are
-- read differently. One statement, so one snapshot. Without OFFSET, all would be read before the index is checked.
SELECT s.name, s.version, s.space, s.terms < ?3, (SELECT id FROM space WHERE name = ?2),
       (SELECT dim FROM space WHERE name = ?2), s.near = (SELECT id FROM space WHERE name = ?2),
       a.memory, a.fixed, a.terms, a.sources, a.embedding
  FROM subject AS s
  LEFT JOIN (SELECT h.memory, h.fixed, h.terms, h.sources, v.chunk, coalesce(v.sealed, vector_send(v.embedding)) AS embedding
               FROM (SELECT memory, fixed, terms, sources FROM hot WHERE subject = ?1 ORDER BY memory LIMIT ?4) AS h
               LEFT JOIN vector AS v
                 ON v.subject = ?1 AND v.space = (SELECT id FROM space WHERE name = ?2) AND v.memory = h.memory
              WHERE (SELECT coalesce(near, 0) FROM subject WHERE key = ?1)
                    IS DISTINCT FROM (SELECT id FROM space WHERE name = ?2)
             OFFSET 0) AS a ON TRUE
 WHERE s.key = ?1
 ORDER BY a.memory, a.chunk

-- name: forward vectors: behind_state
-- The same columns for the memories that changed after a version; a closed or erased one has only its id.
SELECT s.name, s.version, s.space, s.terms < ?3, (SELECT id FROM space WHERE name = ?2),
       (SELECT dim FROM space WHERE name = ?2), s.near = (SELECT id FROM space WHERE name = ?2),
       a.memory, a.fixed, a.terms, a.sources, a.embedding
  FROM subject AS s
  LEFT JOIN (SELECT c.memory, h.fixed, h.terms, h.sources, v.chunk, v.embedding
               FROM (SELECT id AS memory FROM memory WHERE subject = ?1 AND changed > ?4
                      UNION
                     SELECT memory FROM gone WHERE subject = ?1 AND version > ?4
                      LIMIT ?5) AS c
               LEFT JOIN LATERAL (SELECT fixed, terms, sources
                                    FROM hot
                                   WHERE subject = ?1 AND memory = c.memory
                                  OFFSET 0) AS h ON TRUE
               LEFT JOIN LATERAL (SELECT chunk, coalesce(sealed, vector_send(embedding)) AS embedding
                                    FROM vector
                                   WHERE subject = ?1 AND space = (SELECT id FROM space WHERE name = ?2)
                                         AND memory = c.memory
                                  OFFSET 0) AS v ON TRUE
             OFFSET 0) AS a ON TRUE
 WHERE s.key = ?1
 ORDER BY a.memory, a.chunk

-- name: words
SELECT seq, text FROM message WHERE subject = ?1 AND conversation = ?2 AND seq = ANY (?3)

-- name: schema
SELECT max(number) FROM migration

-- name: is_near
SELECT 1 FROM subject WHERE key = ?1 AND near = (SELECT id FROM space WHERE name = ?2)

-- name: vectors_of
SELECT memory, embedding
  FROM vector
 WHERE subject = ?1 AND space = ?2 AND memory = ANY (?3)
 ORDER BY memory, chunk
