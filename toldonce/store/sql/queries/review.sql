-- Memories held for review.

-- name: held text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id FROM memory WHERE subject = ?1 AND kind < 3 AND state = 1 AND id > ?3
               ORDER BY id LIMIT ?2)
 ORDER BY id, place
