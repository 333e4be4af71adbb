-- Shared subjects that a subject reads in addition to its own memories, and further names of its characters.

-- name: subscribe
INSERT INTO subscription (subject, shared, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- name: unsubscribe
DELETE FROM subscription WHERE subject = ?1 AND shared = ?2 RETURNING 1

-- name: subscriptions
-- The version and the subjects that are read; one row without a name if there are none. One statement, so one snapshot.
SELECT s.name, s.version, o.shared
  FROM subject AS s
  LEFT JOIN subscription AS o ON o.subject = ?1
 WHERE s.key = ?1
 ORDER BY o.since, o.shared

-- name: character_names
SELECT name, character FROM character_name WHERE subject = ?1

-- name: name_character
INSERT INTO character_name (subject, name, character) VALUES (?1, ?2, ?3)
    ON CONFLICT (subject, name) DO UPDATE SET character = excluded.character

-- name: rename_characters
UPDATE character_name SET character = ?3 WHERE subject = ?1 AND character = ?2
