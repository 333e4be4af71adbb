-- Traces of requests, newest first: a page is a range of an index, between two places that are both excluded.

-- name: traces_of_all
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.recorded <= ?1 AND r.recorded >= ?3 AND (r.recorded, r.id) < (?1, ?2) AND (r.recorded, r.id) > (?3, ?4)
   AND s.key = r.subject AND c.subject = r.subject AND c.id = r.conversation
 ORDER BY r.recorded DESC, r.id DESC
 LIMIT ?5

-- name: traces_of_tenant
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.tenant = ?6
   AND r.recorded <= ?1 AND r.recorded >= ?3 AND (r.recorded, r.id) < (?1, ?2) AND (r.recorded, r.id) > (?3, ?4)
   AND s.key = r.subject AND c.subject = r.subject AND c.id = r.conversation
 ORDER BY r.recorded DESC, r.id DESC
 LIMIT ?5

-- name: traces_of_subject
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.subject = ?1
   AND r.recorded <= ?2 AND r.recorded >= ?4 AND (r.recorded, r.id) < (?2, ?3) AND (r.recorded, r.id) > (?4, ?5)
   AND s.key = ?1 AND c.subject = ?1 AND c.id = r.conversation
 ORDER BY r.recorded DESC, r.id DESC
 LIMIT ?6

-- name: traces_within
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r INDEXED BY recall_conversation
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.subject = ?1 AND r.conversation = ?2
   AND s.key = ?1 AND c.subject = ?1 AND c.id = ?2
 ORDER BY r.at DESC, r.id DESC
 LIMIT ?3

-- name: trace_within
SELECT r.id, r.at, r.query_hash, r.items, r.block_hash, r.tokens, r.replayed, r.omitted, r.prefix, r.seq,
       r.request, r.recorded, r.conversation, c.external_id, s.name
  FROM recall AS r INDEXED BY recall_conversation
 CROSS JOIN subject AS s
 CROSS JOIN conversation AS c
 WHERE r.subject = ?1 AND r.conversation = ?2 AND r.id = ?3
   AND s.key = ?1 AND c.subject = ?1 AND c.id = ?2

-- name: names_of
SELECT key, name FROM subject WHERE key IN (SELECT value FROM json_each(?1))

-- name: blocks_until
-- What prompts of a conversation had, the latest first; a row without text shows that nothing was added there.
SELECT thread, depth, id, at, seq, standing, recalled, items, erased, held
  FROM insertion INDEXED BY insertion_conversation
 WHERE subject = ?1 AND conversation = ?2 AND at <= ?3 AND is_answer = 0
 ORDER BY at DESC, depth DESC
 LIMIT ?4

-- name: left_by_messages
-- Which memories of a subject rest on some messages of a log.
SELECT e.seq, e.memory, m.kind, m.state
  FROM evidence AS e INDEXED BY evidence_source
 CROSS JOIN memory AS m
 WHERE e.home = ?2 AND e.conversation = ?3 AND e.seq > ?4 AND e.seq <= ?5 AND e.subject = ?1
   AND m.subject = ?1 AND m.id = e.memory AND (m.kind < 3 OR m.importance >= 0.6)
 ORDER BY e.seq, e.memory
