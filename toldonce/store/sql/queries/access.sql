-- API keys of the server, and the log of administrative acts.

-- name: add_key
INSERT INTO api_key (hash, id, name, access, tenant, user_name, bound_to, app, requests_per_minute, concurrent_requests,
                     body_bytes, created_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT DO NOTHING RETURNING 1

-- name: key_by_hash
SELECT id, name, access, tenant, user_name, app, requests_per_minute, concurrent_requests, body_bytes, created_at,
       expires_at, revoked_at, last_used_at, hash
  FROM api_key
 WHERE hash = ?1

-- name: key_by_id
SELECT id, name, access, tenant, user_name, app, requests_per_minute, concurrent_requests, body_bytes, created_at,
       expires_at, revoked_at, last_used_at, hash
  FROM api_key
 WHERE id = ?1

-- name: keys
-- ?2 is 1 for the keys of all tenants, those bound to none included.
SELECT id, name, access, tenant, user_name, app, requests_per_minute, concurrent_requests, body_bytes, created_at,
       expires_at, revoked_at, last_used_at, hash
  FROM api_key
 WHERE id > ?1 AND (?2 = 1 OR tenant = ?3)
 ORDER BY id
 LIMIT ?4

-- name: has_any_key
SELECT EXISTS (SELECT 1 FROM api_key)

-- name: had_any_key
-- A key that was erased with its user is in the log alone.
SELECT EXISTS (SELECT 1 FROM api_key) OR EXISTS (SELECT 1 FROM audit WHERE action = 'keys.create')

-- name: has_valid_key
-- Two look-ups in the index of keys that are not revoked, however many there are.
SELECT EXISTS (SELECT 1 FROM api_key WHERE revoked_at IS NULL AND expires_at IS NULL)
    OR EXISTS (SELECT 1 FROM api_key WHERE revoked_at IS NULL AND expires_at > ?1)

-- name: revoke_key
UPDATE api_key SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL

-- name: use_key
UPDATE api_key SET last_used_at = ?2 WHERE hash = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)

-- name: add_audit
INSERT INTO audit (id, at, actor, action, tenant, target, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: audit
-- Newest first: the ids begin with the time. ?2 is 1 for all tenants; an empty filter takes all.
SELECT id, at, actor, action, tenant, target, count
  FROM audit
 WHERE id < ?1 AND (?2 = 1 OR tenant = ?3) AND (?4 = '' OR actor = ?4) AND (?5 = '' OR action = ?5)
   AND (?6 = '' OR target = ?6)
 ORDER BY id DESC
 LIMIT ?7
