-- What PostgreSQL says in other words.

-- name: insertions_at
-- The list is a JSON array of numbers, and all but its brackets is an array of PostgreSQL's as well.
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       held, is_answer
  FROM insertion
 WHERE subject = ?1 AND chain = ANY (CAST(translate(?2, '[]', '{}') AS BIGINT[]))

-- name: orphans
SELECT chain, thread FROM insertion WHERE subject = ?1 AND conversation IS NULL AND at < ?2 LIMIT ?3

-- name: owner
SELECT version FROM subject WHERE key = ?1 FOR SHARE

-- name: memories_left
SELECT count(*)
  FROM memory
 WHERE subject = ?1
   AND id IN (SELECT decode(replace(value, '-', ''), 'hex') FROM json_array_elements_text(CAST(?2 AS JSON)) AS value)

-- name: closed_since
SELECT EXISTS (SELECT 1
                 FROM decision
                WHERE subject = ?1 AND at >= ?3 AND action = 'close'
                  AND memory IN (SELECT decode(replace(value, '-', ''), 'hex')
                                   FROM json_array_elements_text(CAST(?2 AS JSON)) AS value))
