-- What PostgreSQL says in other words.

-- name: earlier_versions
SELECT target
  FROM decision
 WHERE subject = ?1 AND memory = ?2 AND action IN ('replace', 'fold') AND target IS NOT NULL
 UNION
SELECT memory
  FROM decision
 WHERE subject = ?1 AND target = ?2 AND action = 'close' AND memory IS NOT NULL

-- name: folded_into
SELECT memory
  FROM decision
 WHERE subject = ?1 AND target = ?2 AND action = 'fold' AND memory IS NOT NULL

-- name: answers_below
WITH RECURSIVE below (seq) AS (
    SELECT CAST(?3 AS BIGINT)
     UNION
    SELECT m.seq
      FROM below
      JOIN message AS m
        ON m.subject = ?1 AND m.conversation = ?2 AND m.parent_seq = below.seq AND m.role <> 'user'
)
SELECT m.seq, m.anchor, m.erased
  FROM below
  JOIN message AS m ON m.subject = ?1 AND m.conversation = ?2 AND m.seq = below.seq
 WHERE m.seq <> ?3

-- name: mask_call
UPDATE tool_call
   SET call = ?5
 WHERE subject = ?1 AND call = ?4 AND conversation = ?2 AND seq = ?3
   AND NOT EXISTS (SELECT 1
                     FROM tool_call AS there
                    WHERE there.subject = ?1 AND there.call = ?5 AND there.conversation = ?2 AND there.seq = ?3)

-- name: cut_leases
UPDATE formation
   SET attempts = attempts - CASE WHEN lease_token IS NOT NULL AND attempts > 0 THEN 1 ELSE 0 END,
       lease_token = NULL, lease_until = NULL
 WHERE subject = ?1

-- name: cut_leases_on_log
UPDATE formation
   SET attempts = attempts - CASE WHEN lease_token IS NOT NULL AND attempts > 0 THEN 1 ELSE 0 END,
       lease_token = NULL, lease_until = NULL
 WHERE home = ?1

-- name: episodes_due
UPDATE formation
   SET formed_seq = least(formed_seq, ?4), due_at = ?5
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND stage = 'episodes'

-- name: linked_vectors vectors: packed
SELECT space, memory,
       coalesce(string_agg(sealed, ''::BYTEA), string_agg(substr(vector_send(embedding), 5), ''::BYTEA ORDER BY chunk))
  FROM vector
 WHERE subject = ?1 AND space IN (SELECT id FROM space) AND memory = ?2
 GROUP BY space, memory

-- name: links_of_all
SELECT s.name, l.memory
  FROM link AS l
  JOIN subject AS s ON s.key = l.subject
 WHERE l.subject <> ?1 AND l.memory IN (SELECT memory FROM link WHERE subject = ?1)
