-- Registered apps.

-- name: announce
INSERT INTO app (subject, created_at) VALUES (?1, ?2) ON CONFLICT (subject) DO UPDATE SET removed_at = NULL

-- name: remove
UPDATE app SET removed_at = ?2 WHERE subject = ?1 AND removed_at IS NULL RETURNING 1

-- name: app
SELECT created_at, removed_at FROM app WHERE subject = ?1

-- name: apps
SELECT app_id, CAST(sum(memories) AS BIGINT), CAST(sum(conversations) AS BIGINT),
       count(DISTINCT CASE WHEN conversations > 0 THEN subject END),
       count(DISTINCT CASE WHEN conversations = 0 THEN subject END), min(installed),
       CASE WHEN count(installed) = count(removed) THEN max(removed) END, max(used)
  FROM app_shares
 WHERE app_id > ?1 AND subject > ?2 AND subject < ?3
 GROUP BY app_id
 ORDER BY app_id
 LIMIT ?4
