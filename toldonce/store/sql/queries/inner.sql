-- Subjects within another one: a row for each, stored with the owner's rows.

-- name: note_inner
INSERT INTO inner_subject (subject, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING

-- name: inner_of
SELECT name FROM inner_subject WHERE subject = ?1 ORDER BY name LIMIT ?2

-- name: drop_inner
DELETE FROM inner_subject WHERE subject = ?1 AND name = ?2
