-- Statements that PostgreSQL words differently.

-- name: last_recall
SELECT conversation, seq, at
  FROM recall
 WHERE subject = ?1 AND strpos(items, ?2) > 0
 ORDER BY at DESC, id DESC
 LIMIT 1
