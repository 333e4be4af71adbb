-- What a subject reads beside its own memories.

-- name: subscribe
INSERT INTO subscription (subject, shared, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- name: unsubscribe
DELETE FROM subscription WHERE subject = ?1 AND shared = ?2 RETURNING 1

-- name: subscriptions
SELECT shared FROM subscription WHERE subject = ?1 ORDER BY since, shared
