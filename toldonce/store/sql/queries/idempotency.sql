-- Requests that are sent again with the same key.

-- name: claimed lock: row
SELECT request, at, until, state, status, headers, body FROM idempotency WHERE subject = ?1 AND key = ?2

-- name: claim
INSERT INTO idempotency (subject, key, request, at, until, token, state)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)
    ON CONFLICT (subject, key)
    DO UPDATE SET request = excluded.request, at = excluded.at, until = excluded.until, token = excluded.token,
                  state = 0, erased = 0, status = 0, headers = '{}', body = NULL

-- name: begin_effect
UPDATE idempotency
   SET erased = CASE state WHEN 0 THEN 0 ELSE erased END, state = 1
 WHERE subject = ?1 AND key = ?2 AND token = ?3
RETURNING at, until, erased

-- name: end_effect
-- The work may have erased the subject, with this row, or set `erased` in it.
INSERT INTO idempotency (subject, key, request, at, until, token, state, erased)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)
    ON CONFLICT (subject, key) DO UPDATE SET erased = excluded.erased

-- name: answer_claim seals: 5,6
UPDATE idempotency
   SET state = 2, status = ?4, headers = ?5, body = ?6
 WHERE subject = ?1 AND key = ?2 AND token = ?3 AND erased = 0

-- name: release_claim
DELETE FROM idempotency WHERE subject = ?1 AND key = ?2 AND token = ?3 AND state = 0

-- name: forget_answers
UPDATE idempotency SET erased = 1, body = NULL WHERE subject = ?1

-- name: outdated
SELECT subject, key FROM idempotency WHERE at < ?1 LIMIT ?2

-- name: drop_outdated
DELETE FROM idempotency WHERE subject = ?1 AND key = ?2 AND at < ?3
