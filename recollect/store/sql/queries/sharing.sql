-- Shared subjects that a subject reads in addition to its own memories.

-- name: subscribe
INSERT INTO subscription (subject, shared, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- name: unsubscribe
DELETE FROM subscription WHERE subject = ?1 AND shared = ?2 RETURNING 1

-- name: subscriptions
-- The version and the subjects that are read; one row without a name if there are none. One statement, so one snapshot.
SELECT s.name, s.version, o.shared
  FROM subject AS s
  LEFT JOIN subscription AS o ON o.subject = ?1
 WHERE s.key = ?1
 ORDER BY o.since, o.shared
