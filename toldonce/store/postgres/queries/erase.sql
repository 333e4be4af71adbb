-- What PostgreSQL says in other words.

-- name: versions_of
-- The list is a JSON array of numbers: see `names_of`.
SELECT key, version FROM subject WHERE key = ANY (CAST(translate(?1, '[]', '{}') AS BIGINT[]))

-- name: recalls_naming
SELECT at, id, items, omitted
  FROM recall
 WHERE subject = ?1
   AND (EXISTS (SELECT 1
                  FROM json_array_elements_text(CAST(?2 AS JSON)) AS gone
                 WHERE strpos(items, gone) > 0 OR strpos(omitted, gone) > 0)
        OR strpos(omitted, ' has its own ') > 0 OR substr(omitted, 1, 7) = 'sealed.')

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

-- name: episodes_due
UPDATE formation
   SET formed_seq = least(formed_seq, ?4), due_at = ?5
 WHERE subject = ?1 AND home = ?2 AND conversation = ?3 AND stage = 'episodes'

-- name: linked_vectors vectors: packed
SELECT space, memory,
       coalesce(string_agg(sealed, ''::BYTEA), string_agg(substr(vector_send(embedding), 5), ''::BYTEA ORDER BY chunk))
  FROM vector
 WHERE subject = ?1 AND space IN (SELECT id FROM space UNION ALL SELECT -id FROM space) AND memory = ?2
 GROUP BY space, memory

-- name: links_of_all
SELECT s.name, l.memory
  FROM link AS l
  JOIN subject AS s ON s.key = l.subject
 WHERE l.subject <> ?1 AND l.memory IN (SELECT memory FROM link WHERE subject = ?1)
