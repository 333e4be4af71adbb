-- Cost of memory work. Each statement is about one subject.

-- name: account
SELECT used, at, total_calls, total_units, total_tokens FROM energy WHERE subject = ?1

-- name: draw
INSERT INTO energy (subject, used, at, total_calls, total_units, total_tokens)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (subject) DO UPDATE
   SET used = excluded.used,
       at = excluded.at,
       total_calls = energy.total_calls + excluded.total_calls,
       total_units = energy.total_units + excluded.total_units,
       total_tokens = energy.total_tokens + excluded.total_tokens

-- name: give_back
UPDATE energy
   SET used = CASE WHEN used > ?2 THEN used - ?2 ELSE 0.0 END,
       total_calls = total_calls + ?3,
       total_units = total_units + ?4,
       total_tokens = total_tokens + ?5
 WHERE subject = ?1

-- name: reserve
INSERT INTO reservation (subject, id, day, purpose, units, drawn, tokens) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- name: settle
DELETE FROM reservation WHERE subject = ?1 AND id = ?2 RETURNING day, purpose, units, drawn, tokens

-- name: unsettled
SELECT count(*) FROM reservation WHERE subject = ?1

-- name: spend
INSERT INTO spending (subject, day, purpose, calls, units, tokens)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (subject, day, purpose) DO UPDATE
   SET calls = spending.calls + excluded.calls,
       units = spending.units + excluded.units,
       tokens = spending.tokens + excluded.tokens
RETURNING spending.calls = ?4

-- name: drop_days
DELETE FROM spending WHERE subject = ?1 AND day < ?2

-- name: drop_reservations
DELETE FROM reservation WHERE subject = ?1 AND day < ?2

-- name: day
SELECT purpose, calls, units, tokens FROM spending WHERE subject = ?1 AND day = ?2 ORDER BY purpose

-- name: shares
-- Since day ?2, and of day ?3, which is later, the tokens.
SELECT coalesce(sum(units) FILTER (WHERE purpose <> 'turn'), 0.0),
       coalesce(sum(units) FILTER (WHERE purpose = 'turn'), 0.0),
       coalesce(sum(tokens) FILTER (WHERE day = ?3), 0)
  FROM spending
 WHERE subject = ?1 AND day > ?2

-- name: poll
SELECT at, calls, units, tokens FROM energy_poll WHERE subject = ?1 AND poller = ?2

-- name: note_poll
INSERT INTO energy_poll (subject, poller, at, calls, units, tokens)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (subject, poller) DO UPDATE
   SET at = excluded.at, calls = excluded.calls, units = excluded.units, tokens = excluded.tokens
