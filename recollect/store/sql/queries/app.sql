-- Registered apps.

-- name: announce
INSERT INTO app (subject, created_at) VALUES (?1, ?2) ON CONFLICT (subject) DO UPDATE SET removed_at = NULL

-- name: remove
UPDATE app SET removed_at = ?2 WHERE subject = ?1 AND removed_at IS NULL RETURNING 1

-- name: app
SELECT created_at, removed_at FROM app WHERE subject = ?1
