-- What PostgreSQL says in other words.

-- name: next_due
SELECT min(greatest(due_at, coalesce(lease_until, due_at))) FROM formation WHERE due_at IS NOT NULL AND parked = 0
