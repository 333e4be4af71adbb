-- The subjects of an export, and whether an import would find existing data.

-- name: one
SELECT s.key, s.name, EXISTS (SELECT 1 FROM conversation AS c WHERE c.subject = ?1)
  FROM subject AS s
 WHERE s.key = ?1

-- name: named
SELECT s.key, s.name, EXISTS (SELECT 1 FROM conversation AS c WHERE c.subject = s.key)
  FROM subject AS s
 ORDER BY s.name

-- name: nameless
SELECT e.subject
  FROM erased_subject AS e
 WHERE NOT EXISTS (SELECT 1 FROM subject AS s WHERE s.key = e.subject)
 ORDER BY e.subject

-- name: said_in
SELECT text FROM message WHERE subject = ?1 AND conversation = ?2 AND seq = ?3

-- name: keep_ledger_key
INSERT INTO meta (name, value) VALUES (?1, ?2)

-- name: memory_ids
SELECT id FROM memory WHERE subject = ?1
