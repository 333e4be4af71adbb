-- Statements that PostgreSQL words differently.

-- name: traces_within
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.subject = ?1 AND r.conversation = ?2
   AND s.key = ?1 AND c.subject = ?1 AND c.id = ?2
 ORDER BY r.at DESC, r.id DESC
 LIMIT ?3

-- name: trace_within
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.subject = ?1 AND r.conversation = ?2 AND r.id = ?3
   AND s.key = ?1 AND c.subject = ?1 AND c.id = ?2

-- name: names_of
-- The list is a JSON array of numbers, and all but its brackets is an array of PostgreSQL's as well.
SELECT key, name FROM subject WHERE key = ANY (CAST(translate(?1, '[]', '{}') AS BIGINT[]))

-- name: blocks_until
SELECT thread, depth, id, at, seq, standing, recalled, items, erased, held
  FROM insertion
 WHERE subject = ?1 AND conversation = ?2 AND at <= ?3 AND is_answer = 0
 ORDER BY at DESC, depth DESC
 LIMIT ?4

-- name: left_by_messages
SELECT e.seq, e.memory, m.kind, m.state
  FROM evidence AS e
 CROSS JOIN memory AS m
 WHERE e.home = ?2 AND e.conversation = ?3 AND e.seq > ?4 AND e.seq <= ?5 AND e.subject = ?1
   AND m.subject = ?1 AND m.id = e.memory AND m.kind < 3
 ORDER BY e.seq, e.memory
