-- What of a subject may need a look, as lists: the same conditions as the counts of `statistics.sql`.

-- name: never_recalled
SELECT id
  FROM memory
 WHERE subject = ?1 AND id < ?2 AND kind < 3 AND state = 0 AND uses = 0 AND known_from <= ?3
 ORDER BY id DESC
 LIMIT ?4

-- name: idle
SELECT id
  FROM memory
 WHERE subject = ?1 AND id < ?2 AND kind = 0 AND state = 0 AND known_from <= ?3
   AND (last_used_at IS NULL OR last_used_at <= ?3)
 ORDER BY id DESC
 LIMIT ?4

-- name: replaced
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1 AND at >= ?2 AND at <= ?3 AND (at, id) < (?3, ?4)
   AND action = 'replace' AND memory IS NOT NULL AND target IS NOT NULL
 ORDER BY at DESC, id DESC
 LIMIT ?5

-- name: held_conflicts
-- Held facts with the active one of their slot.
SELECT h.id, a.id
  FROM memory AS h
  JOIN memory AS a
    ON a.subject = ?1 AND a.category = h.category AND a.key = h.key AND a.kind = 1 AND a.state = 0
 WHERE h.subject = ?1 AND h.id > ?2 AND h.kind = 1 AND h.state = 1
 ORDER BY h.id
 LIMIT ?3
