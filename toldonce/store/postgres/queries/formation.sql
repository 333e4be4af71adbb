-- Statements that PostgreSQL words differently.

-- name: next_due
SELECT min(greatest(due_at, coalesce(lease_until, due_at))) FROM formation WHERE due_at IS NOT NULL AND parked = 0

-- Each list is read first, then its names: the two subjects may be on different machines.

-- name: due
WITH f AS MATERIALIZED (
    SELECT s.name, d.subject, d.home, d.conversation, d.profile, d.stage, d.version, d.due_at
      FROM formation AS d
      JOIN subject AS s ON s.key = d.subject
     WHERE d.due_at <= ?1 AND d.parked = 0 AND (d.lease_until IS NULL OR d.lease_until <= ?1)
     ORDER BY d.due_at, d.stage <> 'index', d.subject, d.home, d.conversation, d.profile, d.stage, d.version
     LIMIT ?2
)
SELECT f.name, h.name, f.conversation, f.profile, f.stage, f.version
  FROM f
  JOIN subject AS h ON h.key = f.home
 ORDER BY f.due_at, f.stage <> 'index', f.subject, f.home, f.conversation, f.profile, f.stage, f.version

-- name: formations
WITH f AS MATERIALIZED (
    SELECT s.name, d.subject, d.home, d.conversation, d.profile, d.stage, d.version, d.formed_seq, d.due_at, d.attempts,
           d.parked, d.error
      FROM formation AS d
      JOIN subject AS s ON s.key = d.subject
     WHERE (d.parked = ?1 OR ?1 IS NULL) AND s.name > ?3 AND s.name < ?4
       AND (coalesce(d.due_at, 9223372036854775807), d.subject, d.conversation, d.profile, d.stage, d.version)
         > (?5, ?6, ?7, ?8, ?9, ?10)
     ORDER BY coalesce(d.due_at, 9223372036854775807), d.subject, d.conversation, d.profile, d.stage, d.version
     LIMIT ?2
)
SELECT f.name, h.name, f.conversation, f.profile, f.stage, f.version,
       f.formed_seq, c.last_seq, f.due_at, f.attempts, f.parked, f.error
  FROM f
  JOIN subject AS h ON h.key = f.home
  JOIN conversation AS c ON c.subject = h.key AND c.id = f.conversation
 ORDER BY coalesce(f.due_at, 9223372036854775807), f.subject, f.conversation, f.profile, f.stage, f.version

-- name: formations_of
WITH f AS MATERIALIZED (
    SELECT s.name, d.home, d.conversation, d.profile, d.stage, d.version, d.formed_seq, d.due_at, d.attempts, d.parked,
           d.error
      FROM formation AS d
      JOIN subject AS s ON s.key = d.subject
     WHERE d.subject = ?3 AND (d.parked = ?1 OR ?1 IS NULL)
       AND (coalesce(d.due_at, 9223372036854775807), d.subject, d.conversation, d.profile, d.stage, d.version)
         > (?4, ?5, ?6, ?7, ?8, ?9)
     ORDER BY coalesce(d.due_at, 9223372036854775807), d.conversation, d.profile, d.stage, d.version
     LIMIT ?2
)
SELECT f.name, h.name, f.conversation, f.profile, f.stage, f.version,
       f.formed_seq, c.last_seq, f.due_at, f.attempts, f.parked, f.error
  FROM f
  JOIN subject AS h ON h.key = f.home
  JOIN conversation AS c ON c.subject = h.key AND c.id = f.conversation
 ORDER BY coalesce(f.due_at, 9223372036854775807), f.conversation, f.profile, f.stage, f.version
