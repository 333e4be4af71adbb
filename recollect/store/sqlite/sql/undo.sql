-- Reopening memories that were closed or held.

-- name: memory_numbers
SELECT kind, importance, confidence, valid_from, uses, last_used_at, category, key, number, state
  FROM memory
 WHERE subject = ?1 AND id = ?2

-- name: number_taken
SELECT EXISTS (SELECT 1 FROM memory WHERE subject = ?1 AND number = ?2 AND state = 0)

-- name: reopen_memory
UPDATE memory
   SET state = 0, valid_to = CASE state WHEN 1 THEN valid_to END, closed_at = NULL, changed = ?3, number = ?4
 WHERE subject = ?1 AND id = ?2
