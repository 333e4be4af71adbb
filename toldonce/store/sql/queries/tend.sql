-- For maintenance: a subject's memories, and which subject is next, of all of them. `tended_at` is negative if maintenance
-- stopped in the middle: everything stored before that time is done, and the subject is next.

-- name: profiles_of
-- Steps from one name to the next: a subject has thousands of memories and two or three profiles.
WITH RECURSIVE named (profile) AS (
    SELECT min(profile) FROM memory WHERE subject = ?1 AND kind < 2
     UNION ALL
    SELECT (SELECT min(m.profile) FROM memory AS m WHERE m.subject = ?1 AND m.kind < 2 AND m.profile > named.profile)
      FROM named
     WHERE named.profile IS NOT NULL
)
SELECT profile FROM named WHERE profile IS NOT NULL

-- name: ended text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory
               WHERE subject = ?1 AND kind < 3 AND state = 0 AND valid_to <= ?2
               ORDER BY valid_to
               LIMIT ?3)
 ORDER BY id, place

-- name: begun text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory
               WHERE subject = ?1 AND kind = 0 AND state = 0 AND type = 'plan'
                 AND valid_from <= ?2 AND valid_from > known_from
               ORDER BY valid_from
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

-- name: postpone_tending
UPDATE subject SET tend_until = ?2 WHERE key = ?1 AND tended_at = 0 AND tend_token IS NULL

-- name: behind
SELECT name FROM subject WHERE terms < ?1 ORDER BY terms, key LIMIT ?2

-- name: termed
SELECT termed FROM subject WHERE key = ?1 AND terms < ?2

-- name: to_term text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT memory FROM hot WHERE subject = ?1 AND memory > ?2 ORDER BY memory LIMIT ?3)
 ORDER BY id, place

-- name: set_terms seals: 4
UPDATE hot SET fixed = ?3, terms = ?4 WHERE subject = ?1 AND memory = ?2

-- name: terms_changed
-- Above the current version, which increases once when all is done: then each cache reads this memory again.
UPDATE memory SET changed = 1 + (SELECT version FROM subject WHERE key = ?1) WHERE subject = ?1 AND id = ?2

-- name: termed_up_to
UPDATE subject SET termed = ?2 WHERE key = ?1

-- name: all_termed
UPDATE subject SET termed = NULL, terms = ?2, version = version + 1 WHERE key = ?1

-- name: tended
UPDATE subject SET tended_at = ?3, tend_token = NULL, tend_until = NULL WHERE key = ?1 AND tend_token = ?2

-- name: tended_up_to
UPDATE subject SET tended_at = ?3, tend_until = ?4 WHERE key = ?1 AND tend_token = ?2 RETURNING key
