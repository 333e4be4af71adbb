-- For undoing and for reading the past: memories by source and time, decisions by source, reopening.

-- name: from_source text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT memory FROM evidence WHERE subject = ?1 AND conversation = ?2 AND (seq = ?3 OR ?3 IS NULL))
 ORDER BY id, place

-- name: closed_of text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT m.id
                FROM evidence AS e INDEXED BY evidence_source
               CROSS JOIN memory AS m
               WHERE e.home = ?2 AND e.conversation = ?3 AND e.seq >= ?4 AND e.seq <= ?5 AND e.subject = ?1
                 AND m.subject = ?1 AND m.id = e.memory AND m.state = 2 AND m.kind <> 2)
 ORDER BY id, place

-- name: from_same_messages text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT other.memory
                FROM evidence AS own
                JOIN evidence AS other
                  ON other.subject = own.subject AND other.conversation = own.conversation AND other.seq = own.seq
               WHERE own.subject = ?1 AND own.memory IN (SELECT unhex(value, '-') FROM json_each(?2)))
 ORDER BY id, place

-- name: changed_since text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id FROM memory WHERE subject = ?1 AND (known_from >= ?2 OR closed_at >= ?2))
 ORDER BY id, place

-- name: at text: elsewhere
SELECT *
  FROM remembered
 WHERE subject = ?1
   AND id IN (SELECT id
                FROM memory
               WHERE subject = ?1 AND state <> 1
                 AND (?4 & CASE WHEN kind = 3 AND importance >= 0.6 THEN 24 ELSE 1 << kind END) <> 0
                 AND valid_from <= ?2 AND (valid_to IS NULL OR valid_to > ?2 OR (closed_at IS NOT NULL AND closed_at > ?3))
                 AND known_from <= ?3)
 ORDER BY id, place

-- name: decision
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1 AND id = ?2

-- name: decisions_from
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision
 WHERE subject = ?1
   AND (conversation = ?2 OR ?2 IS NULL) AND (seq = ?3 OR ?3 IS NULL) AND (at >= ?4 OR ?4 IS NULL)
 ORDER BY at, id

-- name: decisions_on
SELECT id, at, action, memory, target, reason, text, profile, conversation, seq
  FROM decision INDEXED BY decision_source
 WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: memory_numbers
SELECT kind, importance, confidence, valid_from, uses, last_used_at, category, key, number, state
  FROM memory
 WHERE subject = ?1 AND id = ?2

-- name: number_taken
SELECT EXISTS (SELECT 1 FROM memory WHERE subject = ?1 AND number = ?2 AND state = 0)

-- name: reopen_memory
UPDATE memory
   SET state = 0, valid_to = CASE WHEN state = 1 THEN valid_to END, closed_at = NULL, changed = ?3, number = ?4
 WHERE subject = ?1 AND id = ?2

-- name: weaken_memory
UPDATE memory SET importance = ?3, valid_from = ?4, changed = ?5 WHERE subject = ?1 AND id = ?2

-- name: evidence_rows
SELECT home, conversation, seq, hash, role, speaker, quote, said_at
  FROM evidence
 WHERE subject = ?1 AND memory = ?2
 ORDER BY place

-- name: drop_evidence
DELETE FROM evidence WHERE subject = ?1 AND memory = ?2

-- name: last_recall
SELECT conversation, seq, at FROM recall WHERE subject = ?1 AND instr(items, ?2) > 0 ORDER BY at DESC, id DESC LIMIT 1
