-- What tending reads of a subject's memories, and whose turn it is to be tended: that is asked of all subjects.

-- name: profiles_of
SELECT DISTINCT profile FROM memory WHERE subject = ?1 AND kind < 2

-- name: ended
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory
               WHERE subject = ?1 AND kind < 3 AND state = 0 AND valid_to <= ?2
               ORDER BY valid_to
               LIMIT ?3)
 ORDER BY id, place

-- name: tend_due
SELECT name
  FROM subject
 WHERE tended_at <= ?1 AND (tend_until IS NULL OR tend_until <= ?2 OR tend_until > ?3)
 ORDER BY tended_at
 LIMIT ?4

-- name: tended_in_future
SELECT name
  FROM subject
 WHERE tended_at > ?1 AND (tend_until IS NULL OR tend_until <= ?1 OR tend_until > ?2)
 ORDER BY tended_at
 LIMIT ?3

-- name: lease_tending
UPDATE subject
   SET tend_token = ?5, tend_until = ?6
 WHERE key = ?1
   AND (tended_at <= ?2 OR tended_at > ?3) AND (tend_until IS NULL OR tend_until <= ?3 OR tend_until > ?4)
RETURNING tended_at

-- name: tended
UPDATE subject SET tended_at = ?3, tend_token = NULL, tend_until = NULL WHERE key = ?1 AND tend_token = ?2
