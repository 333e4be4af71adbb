-- What PostgreSQL says in other words.

-- name: insertions_at
-- The list is a JSON array of numbers, and all but its brackets is an array of PostgreSQL's as well.
SELECT thread, chain, depth, id, at, standing, recalled, items, withdrawn, quotes_messages, sent_bytes, sent_hash, erased,
       is_answer
  FROM insertion
 WHERE subject = ?1 AND chain = ANY (CAST(translate(?2, '[]', '{}') AS BIGINT[]))
